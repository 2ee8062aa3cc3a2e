"""apt with source packages, without a change to the machine.

Most machines have only ``deb`` lines. A private configuration says ``deb-src`` for each of them;
its package lists lie in the cache, the machine's own stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from filelock import FileLock

from acumen.api import AcumenError
from acumen.corpus.sources.programs import run

# What an update would start on this machine, such as telling the desktop of it.
_NO_HOOKS = "".join(
    f"#clear APT::Update::{when};\n"
    for when in ("Pre-Invoke", "Post-Invoke", "Post-Invoke-Success", "Post-Invoke-Stats")
)
_LINE = re.compile(r"\s*deb(?:-src)?\s+(.+)")
_TYPES = re.compile(r"^types:(?P<types>.*)$", re.IGNORECASE | re.MULTILINE)
ADD = "add one to /etc/apt/sources.list, such as: deb-src MIRROR bookworm main"


def source_lines(text: str) -> str:
    """The lines of a ``.list`` file, each for source packages.

    >>> source_lines("deb [arch=amd64] MIRROR bookworm main # ours")
    'deb-src [arch=amd64] MIRROR bookworm main # ours\\n'
    """
    found = [match[1].rstrip() for line in text.splitlines() if (match := _LINE.match(line))]
    lines = [f"deb-src {rest}\n" for rest in found if "cdrom:" not in rest]
    return "".join(dict.fromkeys(lines))


def source_stanzas(text: str) -> str:
    """The same for a ``.sources`` file (deb822: fields and values, an empty line between)."""
    stanzas = []
    for stanza in re.split(r"\n(?:[ \t]*\n)+", text.replace("\r\n", "\n")):
        match = _TYPES.search(stanza)
        if match and {"deb", "deb-src"}.intersection(match["types"].split()):
            stanzas.append(_TYPES.sub("Types: deb-src", stanza).strip("\n") + "\n")
    return "\n".join(dict.fromkeys(stanzas))


def call(home: Path, arguments: Sequence[str], folder: Path, what: str) -> Answer:
    """Run apt-get in a folder with source packages known, their lists as of now. ``home`` is where
    the lists are kept."""
    options, complaint = _updated(home)
    with FileLock(home / "lock"):
        done = run(("apt-get", *options, "-q", *arguments), folder, what)
    return Answer(done.returncode, done.stdout, _errors(done.stderr), complaint)


@dataclass(frozen=True, slots=True)
class Answer:
    code: int
    text: str
    errors: str
    # What went wrong when the lists were brought; they may be older ones then, or lack some.
    of_update: str


@lru_cache(maxsize=8)
def _updated(home: Path) -> tuple[tuple[str, ...], str]:
    """The private configuration, and errors of the update. Once a process."""
    parts = home / "sources.list.d"
    options = (
        f"--config-file={home / 'apt.conf'}",
        "--option=Dir::Etc::SourceList=/dev/null",
        f"--option=Dir::Etc::SourceParts={parts}",
        f"--option=Dir::State::Lists={home / 'lists'}",
        f"--option=Dir::Cache={home}",
    )
    configured = _configured()
    for folder in (parts, home / "lists" / "partial", home / "archives" / "partial"):
        folder.mkdir(parents=True, exist_ok=True)
    with FileLock(home / "lock"):
        for old in parts.iterdir():
            old.unlink()
        for name, text in configured.items():
            (parts / name).write_text(text, "utf-8")
        (home / "apt.conf").write_text(_NO_HOOKS)
        done = run(("apt-get", *options, "-q", "update"), home, "the lists of source packages")
    return options, _errors(done.stderr)


def _configured() -> dict[str, str]:
    """By file name, the machine's own package sources, for source packages."""
    what = "the package sources of this machine"
    names = ("list", "Dir::Etc::SourceList/f", "parts", "Dir::Etc::SourceParts/d")
    answer = run(("apt-config", "shell", *names), Path("/"), what).stdout
    places = dict(re.findall(r"(\w+)='(.*)'", answer))
    files = [Path(places["list"])] if places.get("list") else []
    if places.get("parts"):
        files += sorted(Path(places["parts"]).glob("*"))
    found: dict[str, str] = {}
    for number, file in enumerate(files):
        rewrite = {".list": source_lines, ".sources": source_stanzas}.get(file.suffix)
        if rewrite is not None and file.is_file():
            text = rewrite(file.read_text("utf-8", "replace"))
            found |= {f"{number}-{file.name}": text} if text else {}
    if not found:
        raise AcumenError("apt knows no place to get packages from on this machine", ADD)
    return found


def _errors(text: str) -> str:
    """The errors among what apt wrote; of a list that did not come, it only warns."""
    told = ("E: ", "W: Failed to fetch")
    return "; ".join(line[3:].strip() for line in text.splitlines() if line.startswith(told))
