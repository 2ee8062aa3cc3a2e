"""Baselines of GLUECode: a model for completion, one for null tokens, and a combined model."""
