"""``codeacumen-names``: how close two identifiers are in meaning, by their words."""
