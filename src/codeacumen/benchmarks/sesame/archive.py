"""``methods.jsonl``: the source of SeSaMe's pairs, put together from another repository.

The authors publish where each method stands; the pages that their raters saw were published by
somebody else, as two files a pair, with the entities of a web page. Decoded, and in the order of
``dataset.json``, they are one file, a pair a line.
"""

from __future__ import annotations

import html
import json
import re
import tarfile
from pathlib import Path

_MEMBER = re.compile(r"[^/]+/samples/([^/]+)/([ab])\.java")


def methods(archive: Path, folder: Path) -> bytes:
    """The file's bytes, from the other repository's archive; ``folder`` has ``dataset.json``."""
    found: dict[tuple[str, str], str] = {}
    with tarfile.open(archive, "r:gz") as members:
        for member in members:
            place = _MEMBER.fullmatch(member.name)
            stream = members.extractfile(member) if place and member.isfile() else None
            if place and stream:
                text = stream.read().decode("utf-8", "replace")
                found[place[1], place[2]] = html.unescape(text)
    rows = []
    for entry in json.loads((folder / "dataset.json").read_bytes()):
        pair = str(entry["pairid"])
        first, second = (found.get((pair, side), "") for side in "ab")
        row = {"pairid": pair, "first": first, "second": second}
        rows.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(rows).encode()
