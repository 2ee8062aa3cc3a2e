"""The six transformations as the published tool of the generalizability study applies them.

That tool reads one method, matches names and statements by their text only, and checks nothing, so
some of its programs have another meaning or do not compile. They are reproduced here to measure how
many prediction changes those programs cause. A location has a ``doubt`` if its edit is known to be
wrong or is not proven to keep the meaning. The tool's behaviour was determined case by case from
its output; neither its code nor its layout of programs is used: unchanged code stays as it was
written.
"""
