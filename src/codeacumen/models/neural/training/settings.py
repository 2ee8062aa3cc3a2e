"""Settings of a training, and the TOML files that hold them.

``configs/NAME.toml`` is the published configuration of a network, ``configs/NAME.WORD.toml``
another one. A file has two tables, ``[network]`` (the hyper-parameters of the architecture) and
``[training]``.
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
    """Settings of a training.

    A round is the training between two evaluations on dev; it ends with a checkpoint.

    batch          examples per step
    patience       rounds without a better dev score until the training stops; 0: never
    rate           learning rate
    decay          factor of the rate after each epoch
    warmup         steps in which the rate rises linearly from 0
    linear         after the warm-up the rate falls linearly to 0
    clip           maximum norm of a gradient; 0: no maximum
    precision      "bf16" for mixed precision on a GPU
    compile        use ``torch.compile``
    workers        processes that make batches ahead
    round          batches per round; 0: an epoch
    judged         maximum number of dev examples that are predicted in an evaluation
    minutes        maximum duration, which also sets the pace of ``linear``; 0: no maximum
    """

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
                    f"choose one of {', '.join(known)}",
                )
        for key, least in _LEAST.items():
            if getattr(self, key) < least:
                raise CodeacumenError(f"training cannot have {key}={getattr(self, key)}")


Tables = dict[str, dict[str, Any]]


def read_config(name: str, config: str = "") -> Tables:
    """Return the tables of a network's configuration.

    ``config`` is the word of a shipped configuration or a file; the default is the published
    configuration. A network of another package has none: its configuration is its defaults.
    """
    if not config and name not in CATALOGUE:
        return {"network": {}, "training": {}}
    known = CONFIGS / (f"{name}.{config}.toml" if config else f"{name}.toml")
    path = known if known.is_file() else Path(config)
    if not path.is_file():
        words = sorted(one.name.split(".")[1] for one in CONFIGS.glob(f"{name}.*.toml"))
        raise CodeacumenError(
            f"{name} has no configuration called {config!r}, and there is no such file",
            f"omit --config for the published one, or choose one of {', '.join(words) or 'files'}",
        )
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CodeacumenError(f"{path.name}: {error}") from error
    unknown = sorted(set(tables) - {"network", "training"})
    if unknown or not all(isinstance(table, dict) for table in tables.values()):
        raise CodeacumenError(
            f"{path.name}: a configuration has two tables, [network] and [training]",
            f"remove {', '.join(unknown) or 'what is in no table'}",
        )
    return {"network": {}, "training": {}, **tables}


def changed(tables: Tables, changes: Mapping[str, Any]) -> Tables:
    """Return the tables with some values changed.

    Keys are ``network.KEY`` and ``training.KEY``.
    """
    made = {name: dict(table) for name, table in tables.items()}
    for key, value in changes.items():
        table, _, name = key.partition(".")
        if table not in made or not name:
            raise CodeacumenError(
                f"no setting is called {key!r}", "write network.KEY=VALUE or training.KEY=VALUE"
            )
        made[table][name] = value
    return made


def filled(kind: type[T], table: Mapping[str, Any], what: str) -> T:
    """Return a dataclass instance with the values of a table; errors name the wrong key."""
    assert is_dataclass(kind)
    known = {field.name: field for field in fields(kind)}
    made: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise CodeacumenError(f"{what} has no {key!r}", f"it has {', '.join(known)}")
        wanted = type(known[key].default)
        # An integer is accepted for a float. A boolean is not a number, although it is an int.
        number = wanted is float and type(value) is int
        if type(value) is not wanted and not number:
            raise CodeacumenError(f"{what} cannot have {key}={value!r}", f"it is {wanted.__name__}")
        made[key] = float(value) if number else value
    return kind(**made)
