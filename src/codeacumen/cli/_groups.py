"""Commands and groups of commands: help texts, exit codes, and loading a verb when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info, get_group
from typer.models import CommandInfo

from codeacumen.api import CodeacumenError
from codeacumen.cli._output import print_note

# Exit codes: 0 all well; 1 it ran, and something failed or is outside its tolerance; 2 it could
# not run; 130 it was interrupted.
FOUND_FAILURES = 1
COULD_NOT_RUN = 2
INTERRUPTED = 130

_EXAMPLES = "Examples:"


class Command(TyperCommand):
    """A command whose help is its docstring: paragraphs, then ``Examples:`` with a line each."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        description, _, examples = (self.help or "").partition(_EXAMPLES)
        # Typer would keep the line ends of the source.
        self.help = "\n\n".join(" ".join(text.split()) for text in description.split("\n\n"))
        lines = [line.strip() for line in examples.splitlines() if line.strip()]
        if lines:
            self.epilog = "\n\n".join([_EXAMPLES, *(f"  {line}" for line in lines)])


class Group(TyperGroup):
    """A group of commands that prints errors which a user can correct, without a traceback."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of their definition."""
        return list(self.commands)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except CodeacumenError as error:
            print_note(f"error: {error}")
            if error.hint:
                print_note(f"hint: {error.hint}")
            raise typer.Exit(COULD_NOT_RUN) from error
        except BrokenPipeError:
            raise  # the reader closed the pipe: the outermost group exits quietly
        except OSError as error:
            print_note(f"error: {error.filename or 'the system'}: {error.strerror or error}")
            print_note("hint: check the path, your permission to write, and the free space")
            raise typer.Exit(COULD_NOT_RUN) from error
        except KeyboardInterrupt as error:
            print_note("stopped. Run the same command again to continue.")
            raise typer.Exit(INTERRUPTED) from error


def create_group(help_text: str) -> typer.Typer:
    """Return an empty group of commands."""
    return typer.Typer(
        help=help_text,
        no_args_is_help=True,
        rich_markup_mode="rich",
        cls=Group,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


@dataclass(frozen=True, slots=True)
class LazyVerb:
    """A verb that is imported when it is used: a command or a group of commands.

    ``function`` is the name in ``module`` of the command's function or of the group, a
    ``typer.Typer``. ``panel`` is the heading under which the overview lists the verb.
    """

    name: str
    module: str
    summary: str
    panel: str
    function: str = "app"

    def load_command(self) -> TyperCommand | TyperGroup:
        """Import the module and return the command."""
        loaded = getattr(importlib.import_module(self.module), self.function)
        if isinstance(loaded, typer.Typer):
            group = get_group(loaded)
            group.name = self.name
            return group
        return _create_command(self.name, loaded)


def _create_command(name: str, function: Callable[..., Any]) -> TyperCommand:
    settings = {"help_option_names": ["-h", "--help"]}
    info = CommandInfo(name=name, cls=Command, callback=function, context_settings=settings)
    command = get_command_from_info(info, pretty_exceptions_short=True, rich_markup_mode="rich")
    assert isinstance(command, TyperCommand)
    return command


class _LazyCommand(TyperCommand):
    """Placeholder for a verb in the list of commands; it loads the verb on first use."""

    def __init__(self, verb: LazyVerb) -> None:
        super().__init__(verb.name, help=verb.summary, rich_help_panel=verb.panel)
        self._verb = verb

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        return self._verb.load_command().make_context(*arguments, **options)


def format_overview(help_text: str, verbs: Sequence[LazyVerb]) -> str:
    """Return the help of the program: usage, the verbs by panel, and the options."""
    width = max(len(verb.name) for verb in verbs) + 2
    described = [f" {line}".rstrip() for line in help_text.splitlines()]
    lines = ["", *described, "", " Usage: codeacumen VERB [OPTIONS] [ARGUMENTS]", ""]
    for panel in dict.fromkeys(verb.panel for verb in verbs):
        lines.append(typer.style(f" {panel}", bold=True))
        for verb in verbs:
            if verb.panel == panel:
                name = typer.style(verb.name.ljust(width), fg=typer.colors.CYAN)
                lines.append(f"   {name}{verb.summary}")
        lines.append("")
    options = {
        "--help, -h": "Show this message; after a verb, its options and examples.",
        "--version": "Print the version.",
        "--install-completion": "Install completion for the current shell.",
        "--show-completion": "Print the completion script.",
    }
    lines.append(typer.style(" Options", bold=True))
    lines += [f"   {name:{width + 12}}{text}" for name, text in options.items()]
    return "\n".join([*lines, "", ""])


def create_lazy_group(verbs: tuple[LazyVerb, ...]) -> type[Group]:
    """Return a class of groups that contain ``verbs``."""

    class LazyGroup(Group):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.commands = {verb.name: _LazyCommand(verb) for verb in verbs}

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            if not args and not ctx.resilient_parsing:
                # Typer expects that the help is printed while it is formatted, and drops ours.
                typer.echo(format_overview(self.help or "", verbs))
                raise typer.Exit(COULD_NOT_RUN)
            return list(super().parse_args(ctx, args))

        def format_help(self, ctx: Any, formatter: Any) -> None:
            # Without rich, whose import takes longer than everything else here.
            formatter.write(format_overview(self.help or "", verbs))

    return LazyGroup
