"""Shared by the scripts: an error ends a script with a message and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable

from codeacumen.api import CodeacumenError

COULD_NOT_RUN = 2


def run_main(main: Callable[[], None]) -> None:
    """Run a script's main function; exit with 2 and a message if codeacumen raises an error."""
    try:
        main()
    except CodeacumenError as error:
        print(f"error: {error}", file=sys.stderr)
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)
        sys.exit(COULD_NOT_RUN)
