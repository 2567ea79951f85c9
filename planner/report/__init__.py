"""A Study as what people and programs read: the JSON answer, BOM CSV files, the printed table."""
