"""Models that compare two methods, each given as the text of a small class that begins with it."""
