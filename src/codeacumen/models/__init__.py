"""Models, and the adapters between their capabilities."""
