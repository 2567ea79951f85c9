"""The door: a TOML text becomes a frozen question, or all its faults.

``*_keys`` are the attribute tables of the sections, ``*_section`` what each section comes to,
``scenario`` and ``bill`` the frozen question, ``load`` reads a file whole and ``write`` writes one.
"""
