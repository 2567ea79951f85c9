"""The whole answer to a scenario: every technology planned, computed, checked and compared."""
