"""How a network is trained, and the TOML files that say so.

``configs/NAME.toml`` is the published configuration, ``configs/NAME.WORD.toml`` another one. A
file has two tables, ``[network]`` (the hyper-parameters of the architecture) and ``[training]``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from codeacumen.api import CodeacumenError
from codeacumen.models.neural.catalogue import CATALOGUE

CONFIGS = Path(__file__).parents[1] / "configs"
OPTIMISERS = ("adam", "adamw", "adagrad", "nesterov", "sgd")
PRECISIONS = ("32", "bf16")
T = TypeVar("T")
_LEAST = {
    "batch": 1,
    "epochs": 1,
    "judged": 1,
    "patience": 0,
    "round": 0,
    "warmup": 0,
    "workers": 0,
    "seed": 0,
}


@dataclass(frozen=True, slots=True)
class Training:
    """``patience``: looks at dev without a better score until it ends, 0 for never. ``decay``: the
    rate times this after every epoch. ``warmup``: steps in which the rate rises from nothing;
    after them it falls in a line if ``linear``. ``clip``: the longest gradient. ``round``: batches
    between two looks at dev, each of which writes a checkpoint; 0 is an epoch. ``judged``: how
    many of dev are predicted at a look. ``minutes``: the end in any case, 0 for none; what is to
    fall in a line has fallen by then."""

    batch: int = 64
    epochs: int = 20
    patience: int = 3
    optimiser: str = "adam"
    rate: float = 0.001
    momentum: float = 0.9
    decay: float = 1.0
    warmup: int = 0
    linear: bool = False
    weight_decay: float = 0.0
    clip: float = 0.0
    precision: str = "32"
    compile: bool = False
    workers: int = 0
    round: int = 0
    judged: int = 2000
    minutes: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for key, known in (("optimiser", OPTIMISERS), ("precision", PRECISIONS)):
            if getattr(self, key) not in known:
                raise CodeacumenError(
                    f"training cannot have {key}={getattr(self, key)!r}",
                    f"choose of {', '.join(known)}",
                )
        for key, least in _LEAST.items():
            if getattr(self, key) < least:
                raise CodeacumenError(f"training cannot have {key}={getattr(self, key)}")


Tables = dict[str, dict[str, Any]]


def read_config(name: str, config: str = "") -> Tables:
    """The tables of a network's configuration: its own, the one called so, or a file's. One of
    another package has none of its own but the defaults of its settings."""
    if not config and name not in CATALOGUE:
        return {"network": {}, "training": {}}
    known = CONFIGS / (f"{name}.{config}.toml" if config else f"{name}.toml")
    path = known if known.is_file() else Path(config)
    if not path.is_file():
        words = sorted(one.name.split(".")[1] for one in CONFIGS.glob(f"{name}.*.toml"))
        raise CodeacumenError(
            f"{name} has no configuration called {config!r}, nor is that a file",
            f"leave --config out for the published one, or choose of {', '.join(words) or 'files'}",
        )
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CodeacumenError(f"{path.name}: {error}") from error
    unknown = sorted(set(tables) - {"network", "training"})
    if unknown or not all(isinstance(table, dict) for table in tables.values()):
        raise CodeacumenError(
            f"{path.name}: there are two tables, [network] and [training]",
            f"it has {', '.join(unknown) or 'others'} too",
        )
    return {"network": {}, "training": {}, **tables}


def changed(tables: Tables, changes: Mapping[str, Any]) -> Tables:
    """With single values changed; keys are ``network.KEY`` and ``training.KEY``."""
    made = {name: dict(table) for name, table in tables.items()}
    for key, value in changes.items():
        table, _, name = key.partition(".")
        if table not in made or not name:
            raise CodeacumenError(
                f"nothing is called {key!r}", "network.KEY=VALUE or training.KEY=VALUE"
            )
        made[table][name] = value
    return made


def filled(kind: type[T], table: Mapping[str, Any], what: str) -> T:
    """A record of the values of a table; errors name the key that is wrong."""
    assert is_dataclass(kind)
    known = {field.name: field for field in fields(kind)}
    made: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise CodeacumenError(f"{what} has no {key!r}", f"it has {', '.join(known)}")
        wanted = type(known[key].default)
        # 1 is a fine rate; true is no number, and no number is true.
        number = wanted is float and type(value) is int
        if type(value) is not wanted and not number:
            raise CodeacumenError(f"{what} cannot have {key}={value!r}", f"it is {wanted.__name__}")
        made[key] = float(value) if number else value
    return kind(**made)
