"""The whole answer: all technologies, side fabrics, islands, comparison, recommendation."""
