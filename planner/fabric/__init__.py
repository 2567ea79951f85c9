"""Fat-tree arithmetic and the parts of a link: no price, no solver."""
