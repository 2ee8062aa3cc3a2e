"""Models of method names: evidence that a name is wrong, its probability, and better names."""
