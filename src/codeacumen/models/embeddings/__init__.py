"""Embeddings of identifiers: training on a corpus, storage in a folder, nearest neighbours."""
