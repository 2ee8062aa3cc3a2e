"""How the background of ``acumen names check`` is learned: which verb names which methods."""
