"""Who answers: models, and the adapters between their capabilities."""
