"""Name resolution in a Java file (JLS 6), without a compiler.

Short names mean the same in all kernels of this folder: ``i`` is a node of the syntax, ``k`` the
index of an identifier, ``t`` the index of a type of the file, ``m`` the index of a member. ``stop``
of a node is the first node after its subtree, and ``word`` the number of an identifier's text;
``words`` is the number of different texts. ``value`` of a node is its type, as ``bindings.types``
encodes it, and 0 for an unknown type: ``value >> 8`` is the base, ``value & 255`` the number of
array dimensions, and ``base - FILE`` the index ``t`` if the file declares the type. Role,
declaration and access of a name are those of ``names.Bindings``. Declared elsewhere, or foreign,
means not declared in this file. ``idents`` holds the nodes of the identifiers, and ``use`` their
syntactic uses, in the codes of ``bindings.scopes``. The ancestors of type ``t`` are
``ancestors[offsets[t]:offsets[t + 1]]``, the nearest first.
"""
