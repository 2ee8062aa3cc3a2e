"""A view that raises on sources with 555 and kills its process on sources with 666."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from codeacumen.registry import view
from codeacumen.text.columns import Ragged


class CrashingTable:
    name = "crashing"

    def columns(self, file: Any, seeds: Any) -> dict[str, Ragged]:
        if b"666" in file.source:
            os.kill(os.getpid(), signal.SIGSEGV)
        if b"555" in file.source:
            raise ValueError("555")
        lengths = np.arange(len(file.bodies) + 1, dtype=np.int64)
        return {"one": Ragged(np.ones(len(file.bodies), dtype=np.int32), lengths)}


@view("crashing")
class CrashingView:
    name = "crashing"
    tables = (CrashingTable(),)
    compats: Mapping[str, str] = MappingProxyType({})

    def value(self, method: Any, rows: Any) -> Any:
        return rows["crashing"]["one"]

    def compatible(self, compat: str, file: Any, place: int) -> Any:
        raise NotImplementedError
