"""Does a method's name fit what it does? Evidence, what it is worth together, better names."""
