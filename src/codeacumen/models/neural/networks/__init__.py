"""Layers and settings of the networks; ``models.neural.catalogue`` loads them by name."""
