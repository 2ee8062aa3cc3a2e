"""How ``codeacumen-names`` is learned: from code, from English texts and from WordNet's
relations."""
