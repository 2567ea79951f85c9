"""The independent recount of an answer; reaches neither candidates, optimize nor planning."""
