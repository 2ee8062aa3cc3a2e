"""The six transformations as the published tool of the generalizability study makes them.

That tool reads one method, matches names and statements by their text alone, and checks nothing:
some of its programs mean something else, or do not compile. They are made here to tell how much of
a prediction change is theirs. Each location says what is known against it: its ``doubt``. What the
tool does is known from runs of it, case by case; its code is not used, nor its way to lay out a
program: what is not changed stays as it was written.
"""
