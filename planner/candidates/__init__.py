"""Which fat-trees could be part of a cheapest plan."""
