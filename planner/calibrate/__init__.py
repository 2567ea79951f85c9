"""Logs of a test bed -> readings -> constants of the throughput model."""
