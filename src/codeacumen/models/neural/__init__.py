"""Neural networks: those of the papers and our own, trained on the data sets of our tasks."""
