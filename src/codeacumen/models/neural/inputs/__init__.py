"""How a network reads a method: the features in words and the vocabularies behind them."""
