"""A parsed Java file: grammar, tokens, declarations, and what a method returns."""
