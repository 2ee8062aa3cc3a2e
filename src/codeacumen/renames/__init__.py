"""Mine renamed methods from histories and code reviews, and build a benchmark from them."""
