"""The least-cost plan of one technology."""
