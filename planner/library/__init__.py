"""The store of scenarios, their versions and the drafts: the only place that imports SQLAlchemy."""
