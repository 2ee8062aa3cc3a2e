"""What a compressed file holds, read from its beginning to its end, and no more than allowed."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from pathlib import Path
from typing import IO

from acumen.corpus.sources.paths import why

# What reads a tar asks for as much as a header says, in one piece; no name is that long.
LARGEST_READ = 4 << 20
_DAMAGE = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)


class TooMuchError(Exception):
    """More comes out than anybody meant to put in."""


class DamagedError(Exception):
    """It cannot be read to its end."""


def decompressed(file: Path) -> IO[bytes]:
    """By how it begins: gzip, bzip2, xz, lzma, zstd, or nothing of these."""
    with file.open("rb") as stream:
        head = stream.read(6)
    if head.startswith(b"\x1f\x8b"):
        return gzip.open(file)  # type: ignore[return-value]
    if head.startswith(b"BZh"):
        return bz2.open(file)
    if head.startswith((b"\xfd7zXZ\0", b"\x5d\0\0")):
        return lzma.open(file)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        import pyarrow

        opened: IO[bytes] = pyarrow.input_stream(str(file), compression="zstd")
        return opened
    return file.open("rb")


class Plain:
    """A stream for ``tarfile`` that only goes forward: going back, which a damaged header may ask
    for, would begin again at the first byte, and without end."""

    def __init__(self, stream: IO[bytes], total: int) -> None:
        self._stream = stream
        self._total = total
        self._place = 0
        self.last = b""

    def tell(self) -> int:
        return self._place

    def seek(self, place: int) -> int:
        if place < self._place:
            raise DamagedError("a header points back")
        while self._place < place and self.read(min(place - self._place, LARGEST_READ)):
            pass
        return self._place

    def read(self, size: int) -> bytes:
        if not 0 <= size <= LARGEST_READ:
            raise TooMuchError(f"a header of {size:,} bytes")
        if self._place + size > self._total:
            raise TooMuchError(f"it unpacks to more than {self._total:,} bytes")
        pieces, missing = [], size
        try:
            while missing and (piece := self._stream.read(missing)):
                pieces.append(piece)
                missing -= len(piece)
        except _DAMAGE as error:
            raise DamagedError(why(error)) from error
        self.last = b"".join(pieces)
        self._place += len(self.last)
        return self.last
