"""The programme: which fat-tree in each build year, and what to buy, keep and sell for it.

The only package that imports pulp. It is handed unit costs by SKU and never sees a price book.
"""
