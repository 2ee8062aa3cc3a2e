"""``dataset get`` writes methods.jsonl from another repository's layout of the same texts.

The oracle is the published file itself.
"""

from __future__ import annotations

import html
import io
import json
import tarfile
from pathlib import Path

from codeacumen.benchmarks.sesame.archive import methods


def test_put_together_from_its_parts(sesame_source: Path, tmp_path: Path) -> None:
    (tmp_path / "dataset.json").write_bytes((sesame_source / "dataset.json").read_bytes())
    published = (sesame_source / "methods.jsonl").read_bytes()
    archive = tmp_path / "archive.tar.gz"
    # In another order, among other files.
    rows = [json.loads(line) for line in reversed(published.decode().splitlines())]
    with tarfile.open(archive, "w:gz", compresslevel=1) as out:
        for row in rows:
            for name, text in (("a.java", row["first"]), ("b.java", row["second"]), ("x", "x")):
                data = html.escape(text, quote=False).encode()
                member = tarfile.TarInfo(
                    f"sesame-sampled-pairs-33b0/samples/{row['pairid']}/{name}"
                )
                member.size = len(data)
                out.addfile(member, io.BytesIO(data))
    assert methods(archive, tmp_path) == published
