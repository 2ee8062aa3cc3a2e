"""What a model may see of a method: text, tokens, tree, paths, graph.

Importing this registers them; a package of others names its own as ``acumen.views``.
"""

from acumen.views.text import TextView
from acumen.views.tokens import TokensView

__all__ = ["TextView", "TokensView"]
