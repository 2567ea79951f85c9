"""The command line, ``fabric-planner``."""
