"""What a model may see of a method."""
