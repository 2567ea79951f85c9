"""Pieces of pages that several pages share."""
