"""Embeddings of identifiers: trained on a corpus, kept in a plain folder, asked for neighbours."""
