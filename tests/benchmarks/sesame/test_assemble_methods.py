"""Tests that ``dataset get`` assembles methods.jsonl from the archive of another repository.

Oracle: the published file.
"""

from __future__ import annotations

import html
import io
import json
import tarfile
from pathlib import Path

from codeacumen.benchmarks.sesame.pairs import build_methods_file


def test_methods_file_is_assembled_from_the_archive(sesame_source: Path, tmp_path: Path) -> None:
    (tmp_path / "dataset.json").write_bytes((sesame_source / "dataset.json").read_bytes())
    published = (sesame_source / "methods.jsonl").read_bytes()
    archive = tmp_path / "archive.tar.gz"
    # The archive has the texts in another order, among other files.
    rows = [json.loads(line) for line in reversed(published.decode().splitlines())]
    with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
        for row in rows:
            for name, text in (("a.java", row["first"]), ("b.java", row["second"]), ("x", "x")):
                data = html.escape(text, quote=False).encode()
                member = tarfile.TarInfo(
                    f"sesame-sampled-pairs-33b0/samples/{row['pairid']}/{name}"
                )
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    assert build_methods_file(archive, tmp_path) == published
