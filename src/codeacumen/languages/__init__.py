"""Text to syntax facts."""
