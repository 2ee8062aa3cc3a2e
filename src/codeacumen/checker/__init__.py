"""The checker of method names: what is read, what is found, how it is told."""
