"""Changes to Java methods that keep their meaning, except for some of ``published``.

``variants`` changes the methods of a file, ``run`` those of a corpus, and ``certify`` checks them.
"""
