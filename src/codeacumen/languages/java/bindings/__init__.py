"""Name resolution in a Java file (JLS 6), without a compiler.

Short names mean the same in all kernels of this folder: ``i`` is a node of the syntax, ``k`` the
index of an identifier, ``t`` the index of a type of the file, ``m`` the index of a member. ``stop``
of a node is the first node after its subtree, and ``word`` the number of an identifier's text.
"""
