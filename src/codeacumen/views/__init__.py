"""What a model may see of a method: text, tokens, tree, paths, graph.

A file for each view, which registers it; a folder where there is more to it. Packages of others
name theirs as entry points, ``codeacumen.views``.
"""
