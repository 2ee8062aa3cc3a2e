"""Learning the lexicon of ``codeacumen-names`` from code, English texts and WordNet."""
