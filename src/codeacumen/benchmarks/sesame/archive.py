"""Build ``methods.jsonl``, the source of SeSaMe's pairs, from another repository.

The authors publish only the location of each method. Another repository has the pages that their
raters saw, as two files per pair with HTML entities. This module decodes them into one file with a
line per pair, in the order of ``dataset.json``.
"""

from __future__ import annotations

import html
import json
import re
import tarfile
from pathlib import Path

_MEMBER = re.compile(r"[^/]+/samples/([^/]+)/([ab])\.java")


def build_methods_file(archive: Path, folder: Path) -> bytes:
    """Return the file's bytes, from the repository's archive; ``folder`` has ``dataset.json``."""
    texts: dict[tuple[str, str], str] = {}
    with tarfile.open(archive, "r:gz") as members:
        for member in members:
            match = _MEMBER.fullmatch(member.name)
            stream = members.extractfile(member) if match and member.isfile() else None
            if match and stream:
                text = stream.read().decode("utf-8", "replace")
                texts[match[1], match[2]] = html.unescape(text)
    rows = []
    for entry in json.loads((folder / "dataset.json").read_bytes()):
        pair = str(entry["pairid"])
        first, second = (texts.get((pair, side), "") for side in "ab")
        row = {"pairid": pair, "first": first, "second": second}
        rows.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(rows).encode()
