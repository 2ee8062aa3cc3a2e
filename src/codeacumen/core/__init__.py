"""Helpers that every package may use; they import nothing else of codeacumen."""
