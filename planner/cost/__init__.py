"""Prices over time: tariff, bill of materials, TCO and what is derived from them."""
