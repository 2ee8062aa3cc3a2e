"""Translation of Java methods to instructions for the null analysis; ``nulls.facts`` calls it."""
