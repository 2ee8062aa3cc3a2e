"""Old import path of ``acumen.engines``; remove it when ``models.names.learn`` has moved."""

from acumen.engines import Died, Engine

__all__ = ["Died", "Engine"]
