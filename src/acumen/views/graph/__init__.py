"""The **graph** view: a method's tree and tokens, with ten kinds of edges between them.

Nodes are those of the ast view, then the tokens. Edges, by default as Allamanis et al. (Learning
to Represent Programs with Graphs, 2018) define them; an occurrence is a token that names a
variable by itself (``x``, not ``this.x``):

====  ==================  =======================================================================
CH    Child               from a node of the tree to its children
NT    NextToken           from a token to the next
LU    LastUse             from an occurrence of a local variable or parameter to those at which it
                          may have been declared, read or written last before
LW    LastWrite           the same for where it may have been written last
CF    ComputedFrom        from the variable on the left of ``=`` or ``+=``, or declared with a
                          value, or that a loop draws from a collection, to the variables on the
                          right; of ``a[i]`` and ``a.b`` on the left, from ``a``
LL    LastLexicalUse      from an occurrence, of a field too, to the one before it in the text
RT    ReturnsTo           from ``return`` to the method or lambda it ends
FA    FormalArgName       from the variables of an argument to the name of the parameter, if the
                          method that is called is declared in the same graph
GB    GuardedBy           from an occurrence to the condition of an ``if``, ``while`` or ``for``
                          around it that must have been true, if the variable occurs there too
GN    GuardedByNegation   the same for a condition that must have been false
====  ==================  =======================================================================

LU and LW follow the control flow (``acumen.lang.java.flow``): a variable begins at its
declaration, so nothing before that is a use of it; a declaration without a value is a use and no
write; the body of a lambda or of a local class has a flow of its own. Classes declared by an
expression are no part of it (CF, FA). No edge leaves a method's graph, and none is drawn twice.
An occurrence has at most 64 edges of a kind to what is nested around it.

``compat`` is the same graph as the tool features-javac draws it, with its peculiarities.
"""

from acumen.views.graph.compat import compatible
from acumen.views.graph.edges import EDGES, Graphs, graphs
from acumen.views.graph.shape import KINDS, PLACEHOLDER, shape

__all__ = ["EDGES", "KINDS", "PLACEHOLDER", "Graphs", "compatible", "graphs", "shape"]
