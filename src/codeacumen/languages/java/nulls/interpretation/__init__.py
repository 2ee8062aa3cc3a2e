"""Abstract interpretation of the instructions of one method; ``nulls.solve`` calls it.

``method.analyse_unit`` analyses a ``method_unit.MethodUnit``, which holds the instructions of one
body, and returns its reports and a summary for its callers.
"""
