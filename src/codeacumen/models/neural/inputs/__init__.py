"""Input features of the networks: tokens, subwords, path contexts, graphs and code context.

Each module is used by the networks in ``models.neural.networks`` that read this representation.
"""
