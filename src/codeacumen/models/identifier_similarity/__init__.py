"""The model ``codeacumen-names``: similarity in meaning of two identifiers, by their words."""
