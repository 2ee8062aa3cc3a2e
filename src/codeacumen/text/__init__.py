"""Texts: subtokens of names, line starts, ragged columns, English words, formatted numbers."""
