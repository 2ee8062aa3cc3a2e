"""The functions of ``import codeacumen``, a module for each topic; the command line calls them too.

Where a function has these parameters, ``workers`` is the number of processes (0: one for each
processor), and ``progress`` shows a bar in a terminal or a notebook.
"""
