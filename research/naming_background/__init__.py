"""How the background of ``codeacumen names check`` is learned: which verb names which methods."""
