"""GLUECode (2020): five tasks on Java methods, in a data set built from a corpus.

The tasks are a method's number of paths (``npath``), a masked operator (``operators``), the
method's name (``naming``), the name of a masked call (``completion``), and the token at which the
method may dereference null (``nulltoken``). The data set's rows are the questions; models may learn
from the rows of the training projects.
"""
