"""Questions over many plans."""
