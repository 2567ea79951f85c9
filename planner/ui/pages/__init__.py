"""One module a page, each with one ``render()``."""
