"""Physical facts of the parts, with their sources, and the loaders of ``data/``.

``parts`` are the frozen values, ``part_rows`` the columns of each file, ``cells`` what a cell may hold.
"""
