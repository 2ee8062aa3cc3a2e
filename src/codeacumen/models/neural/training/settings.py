"""Settings of a training, and the TOML files that hold them.

``configs/NAME.toml`` is the published configuration of a network; ``configs/NAME.WORD.toml`` is
another one, such as ``small``. A file has two tables, ``[network]`` (the hyper-parameters of the
architecture) and ``[training]``.
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
# Smallest valid values.
_MINIMUM = {
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
class TrainingSettings:
    """Settings of a training.

    A round is the training between two evaluations on dev; it ends with a checkpoint.

    batch          examples per step
    epochs         maximum number of passes over the training examples
    patience       rounds without a better dev score until the training stops; 0: never
    optimiser      one of ``OPTIMISERS``
    rate           learning rate
    momentum       momentum of the optimisers "nesterov" and "sgd"
    decay          factor of the rate after each epoch
    warmup         steps in which the rate rises linearly from 0; 0: none
    linear         after the warm-up the rate falls linearly to 0
    weight_decay   weight decay of the optimiser
    clip           maximum norm of a gradient; 0: no maximum
    precision      "bf16" for mixed precision on a GPU, "32" for full precision
    compile        use ``torch.compile``
    workers        processes that make batches ahead; 0: none, batches are made when needed
    round          batches per round; 0: an epoch
    judged         maximum number of dev examples that an evaluation uses
    minutes        maximum duration, which also sets the pace of ``linear``; 0: no maximum
    seed           seed of initial weights, batches and dropout
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
        for key, choices in (("optimiser", OPTIMISERS), ("precision", PRECISIONS)):
            if getattr(self, key) not in choices:
                raise CodeacumenError(
                    f"training cannot have {key}={getattr(self, key)!r}",
                    f"choose one of {', '.join(choices)}",
                )
        for key, minimum in _MINIMUM.items():
            if getattr(self, key) < minimum:
                raise CodeacumenError(f"training cannot have {key}={getattr(self, key)}")


# A configuration: values by key, in the tables ``network`` and ``training``.
Tables = dict[str, dict[str, Any]]


def read_config(name: str, config: str = "") -> Tables:
    """Return the tables of a network's configuration.

    ``config`` is the word of a shipped configuration or a file; the default is the published
    configuration. A network of another package has none: its configuration is its defaults.
    """
    if not config and name not in CATALOGUE:
        return {"network": {}, "training": {}}
    shipped_file = CONFIGS / (f"{name}.{config}.toml" if config else f"{name}.toml")
    path = shipped_file if shipped_file.is_file() else Path(config)
    if not path.is_file():
        config_names = sorted(file.name.split(".")[1] for file in CONFIGS.glob(f"{name}.*.toml"))
        raise CodeacumenError(
            f"{name} has no configuration called {config!r}, and there is no such file",
            "omit --config for the published one, or choose one of "
            f"{', '.join(config_names) or 'files'}",
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


def apply_changes(tables: Tables, changes: Mapping[str, Any]) -> Tables:
    """Return the tables with some values changed.

    Keys are ``network.KEY`` and ``training.KEY``.
    """
    changed_tables = {name: dict(table) for name, table in tables.items()}
    for key, value in changes.items():
        table, _, name = key.partition(".")
        if table not in changed_tables or not name:
            raise CodeacumenError(
                f"no setting is called {key!r}", "write network.KEY=VALUE or training.KEY=VALUE"
            )
        changed_tables[table][name] = value
    return changed_tables


def fill_settings(settings_class: type[T], table: Mapping[str, Any], owner: str) -> T:
    """Return a dataclass instance with the values of a table; errors name ``owner`` and the key."""
    assert is_dataclass(settings_class)
    field_of_key = {field.name: field for field in fields(settings_class)}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in field_of_key:
            raise CodeacumenError(f"{owner} has no {key!r}", f"it has {', '.join(field_of_key)}")
        expected_type = type(field_of_key[key].default)
        # An integer is accepted for a float. A boolean is not a number, although it is an int.
        is_int_as_float = expected_type is float and type(value) is int
        if type(value) is not expected_type and not is_int_as_float:
            raise CodeacumenError(
                f"{owner} cannot have {key}={value!r}", f"it is {expected_type.__name__}"
            )
        values[key] = float(value) if is_int_as_float else value
    return settings_class(**values)
