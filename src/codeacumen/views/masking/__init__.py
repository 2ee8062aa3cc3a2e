"""Source with a name, a call, an operator or all names hidden from a model."""
