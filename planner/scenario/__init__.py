"""The door: a TOML text becomes a frozen question, or all its faults."""
