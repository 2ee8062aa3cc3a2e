"""A command group that turns our errors into a message, a hint and an exit code."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from acumen.api import AcumenError
from acumen.cli._show import COULD_NOT_RUN, say

INTERRUPTED = 130


# As data flows; typer would list groups last.
ORDER = ("data", "tasks", "models", "eval", "score", "compare", "report", "reproduce")


class Verbs(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else -1)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except AcumenError as error:
            say(f"error: {error}")
            if error.hint:
                say(f"hint: {error.hint}")
            raise typer.Exit(COULD_NOT_RUN) from error
        except KeyboardInterrupt as error:
            say("stopped. Run the same command again and it goes on where it was.")
            raise typer.Exit(INTERRUPTED) from error


def verbs(help_text: str) -> typer.Typer:
    return typer.Typer(
        help=help_text, no_args_is_help=True, rich_markup_mode="markdown", cls=Verbs,
        context_settings={"help_option_names": ["-h", "--help"]},
    )  # fmt: skip
