"""Which fat-trees could be part of a cheapest plan.

``enumeration`` puts them together from leaf layers, uplinks, spines and cores. What is left out early,
and why that is exact (``data/mathematics.md``):

- ``switch_models``: a model that another stands in for at no greater cost;
- ``year_floors`` on ``cost_floors``: fat-trees whose floor is above what a known plan leaves for a year;
- ``dominance``: within one build year, fat-trees that take no less of anything than another.

``planner.planning.narrowing`` sets the limits pass by pass; candidates that are left lose to bounds of the
whole plan in ``planner.optimize.elimination``.
"""
