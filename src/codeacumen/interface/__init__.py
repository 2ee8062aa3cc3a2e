"""The functions of ``import codeacumen``, a module for each topic; the command line calls them too.

Where a function has these parameters, ``workers`` is the number of processes (0: one for each
processor), ``engine`` is where they run (``local``, ``ray`` or ``ray:ADDRESS``), and ``progress``
shows a bar in a terminal or a notebook. ``confidence`` is the confidence level of intervals, from 0
to 1, and ``resamples`` the number of bootstrap resamples behind each.
"""
