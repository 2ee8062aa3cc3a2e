"""A command group that turns our errors into a message, a hint and an exit code."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from acumen.api import AcumenError
from acumen.cli._show import COULD_NOT_RUN, say

INTERRUPTED = 130


# As data flows; typer would list groups last.
ORDER = (
    "data", "corpus", "measure", "transform", "similar", "names", "survey", "dataset", "tasks",
    "models", "train", "neighbours", "embed", "eval", "score", "compare", "report", "reproduce",
)  # fmt: skip


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
        except BrokenPipeError:
            raise  # the reader has seen enough: the group above ends quietly
        except OSError as error:
            say(f"error: {error.filename or 'the system'}: {error.strerror or error}")
            say("hint: is the path right, may you write there, and is there room?")
            raise typer.Exit(COULD_NOT_RUN) from error
        except KeyboardInterrupt as error:
            say("stopped. Run the same command again and it goes on where it was.")
            raise typer.Exit(INTERRUPTED) from error


class Verb(TyperCommand):
    """A command whose help is its docstring, each paragraph on one line: typer would keep the
    line ends of the source."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        paragraphs = (self.help or "").split("\n\n")
        self.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def verbs(help_text: str) -> typer.Typer:
    return typer.Typer(
        help=help_text, no_args_is_help=True, rich_markup_mode="rich", cls=Verbs,
        context_settings={"help_option_names": ["-h", "--help"]},
    )  # fmt: skip
