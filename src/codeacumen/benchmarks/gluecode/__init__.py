"""Methods: the five tasks of GLUECode (2020) on a data set that was made of a corpus.

Each asks one thing of a method: its number of paths (``npath``), an operator that was taken out
(``operators``), its name (``naming``), the name of a call (``completion``), and the token at which
it may dereference null (``nulltoken``). The data set's rows are the questions, masked where the
answer stood; the training projects' rows are what a model may learn from.
"""
