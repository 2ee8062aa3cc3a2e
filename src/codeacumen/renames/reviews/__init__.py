"""Renames that came out of code review: pull requests asked for, comments linked to methods."""
