"""Learning the background of ``codeacumen names check``: which verbs name which methods."""
