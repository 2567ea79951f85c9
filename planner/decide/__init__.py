"""Choices that take many plans: another horizon, a change of technology, more GPUs, no foresight."""
