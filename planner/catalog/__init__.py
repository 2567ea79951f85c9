"""Physical facts of the parts, with their sources, and the loaders of ``data/``."""
