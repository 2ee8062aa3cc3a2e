"""What any network reads of a method can be written, whatever stands in the method."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

pytest.importorskip("torch")

from acumen.api import Method
from acumen.models.neural.architecture import Purpose
from acumen.models.neural.catalogue import CATALOGUE
from acumen.models.neural.preparing import ReadJob, read_part
from models.neural.checks import NAMING, NPATH, made

# Half a pair, as a character and as its escape: in names, strings, characters and comments; what
# ends a text in C, marks of byte order and of direction.
ODD = (
    "boolean METHOD_NAME(char c) { return c == '\\uD800' || c == '\\udfff'; }",
    "boolean METHOD_NAME(char c) { /* \ud800 */ return c == '\ud83d' || \"\udc00\".isEmpty(); }",
    'String METHOD_NAME() { String \\uD835\\uDD38 = "\\uD800 a\\uDC00b"; return \\uD835\\uDD38; }',
    "int METHOD_NAME(int \ud835) { return \ud835 + x\ud835.y\udc00(); }",
    "void METHOD_NAME() { char a = '\\0', b = '\0', c = '\ufeff', d = '\u202e', e = '\uffff'; }",
)


@pytest.mark.parametrize("purpose", [NAMING, NPATH], ids=["naming", "npath"])
@pytest.mark.parametrize("network", CATALOGUE)
def test_what_is_read_can_be_written(network: str, purpose: Purpose, tmp_path: Path) -> None:
    _, plan = made(network, purpose)
    chunk: list[tuple[Method, str]] = [(Method("", text), "name") for text in ODD]
    job = ReadJob(plan, chunk, None, tmp_path / "part.parquet")  # type: ignore[arg-type]
    counts, read = read_part(job)
    # Half a pair in a name is no Java: some read nothing of that method.
    assert len(ODD) - 1 <= read == pq.read_table(tmp_path / "part.parquet").num_rows
    for words in counts.values():
        for word in words:
            word.encode()
