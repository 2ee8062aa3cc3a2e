"""Views, the representations of a method that models read: text, tokens, tree, paths, graph.

Each view is a file or a folder of this package, which registers it. Other packages register
theirs through the entry points ``codeacumen.views``.
"""
