"""A vendor's price list -> quotes of one's own, with every doubt shown."""
