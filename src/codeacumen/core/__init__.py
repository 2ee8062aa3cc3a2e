"""Helpers that every package may use; they import nothing of ours."""
