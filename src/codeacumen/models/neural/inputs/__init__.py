"""Input features of the networks: tokens, subwords, path contexts, graphs and code context.

The networks in ``models.neural.networks`` import the module of the representation that they read.
"""
