"""A study as people and programs read it: words, the JSON answer, bills of materials, frames."""
