"""Indexes of nearest methods, with sparse postings or dense vectors.

``codeacumen similar find`` searches ``word_index``, the model ``nearest`` searches ``features``,
and the naming models search ``vectors``.
"""
