"""What a model may see of a method: text, tokens, tree, paths, graph.

Importing this registers them; a package of others names its own as ``acumen.views``.
"""

from acumen.views.path_contexts import Code2SeqView, Code2VecView
from acumen.views.text import TextView
from acumen.views.tokens import TokensView

__all__ = ["Code2SeqView", "Code2VecView", "TextView", "TokensView"]
