"""codeacumen measures how well a model understands code."""

__version__ = "0.1.0"
