"""Source with a name, a call, an operator or all names hidden from a model.

``text`` hides a method's name in text; ``files`` hides names, calls and operators in a parsed file;
``levels`` hides all names, or the comments.
"""
