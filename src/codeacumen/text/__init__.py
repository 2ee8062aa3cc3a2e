"""Texts: subtokens of names, line starts, and ragged columns of words."""
