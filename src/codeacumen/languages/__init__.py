"""Programming languages: their syntax, tokens and, for Java, bindings, types and data flow."""
