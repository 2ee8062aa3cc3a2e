"""A trained network in a folder: what a model is made of again, with nothing of Lightning's.

``weights.safetensors``   the weights
``vocabulary/``           the words behind the numbers, or a tokenizer
``model.json``            architecture, settings, purpose; how it was trained, on what, how it went
``history.csv``           loss and score, round by round

``model.json`` is written last: a folder without it is no trained model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acumen import __version__
from acumen.api import AcumenError, Face, Json
from acumen.files import sha256_of, write_atomically
from acumen.models.neural.architecture import Architecture, Purpose
from acumen.models.neural.catalogue import Plan
from acumen.models.neural.preparing import VOCABULARIES

if TYPE_CHECKING:
    from torch import nn

FORMAT = 1
ABOUT, WEIGHTS = "model.json", "weights.safetensors"


def save(
    folder: Path, plan: Plan, architecture: Architecture, network: nn.Module,
    told: Mapping[str, Json],
) -> None:  # fmt: skip
    from safetensors.torch import save_model

    (folder / ABOUT).unlink(missing_ok=True)
    (folder / VOCABULARIES).mkdir(parents=True, exist_ok=True)
    architecture.save_vocabularies(folder / VOCABULARIES)
    part = folder / f"{WEIGHTS}.part"
    save_model(network, str(part))
    part.replace(folder / WEIGHTS)
    about = {
        "format": FORMAT,
        "acumen": __version__,
        "network": plan.name,
        "settings": plan.settings,
        "purpose": asdict(plan.purpose),
        "parameters": sum(one.numel() for one in network.parameters()),
        "weights_sha256": sha256_of(folder / WEIGHTS),
        **told,
    }
    write_atomically(folder / ABOUT, (json.dumps(about, indent=1) + "\n").encode())


def read_about(folder: Path) -> dict[str, Any]:
    path = folder / ABOUT
    hint = "`acumen train NETWORK --task ... --data ... --out DIR` makes such a folder"
    try:
        about: dict[str, Any] = json.loads(path.read_bytes())
    except OSError as error:
        raise AcumenError(f"{folder} holds no trained network: {error.strerror}", hint) from error
    except ValueError as error:
        raise AcumenError(f"{path}: not JSON ({error})", hint) from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise AcumenError(f"{path} describes no network that this acumen knows", hint)
    return about


def plan_of(about: Mapping[str, Any]) -> Plan:
    purpose = Purpose(about["purpose"]["task"], Face(about["purpose"]["face"]))
    return Plan(about["network"], about["settings"], purpose)


def must_have_weights(folder: Path) -> None:
    """Said before a thousand questions are asked of what cannot answer."""
    if not (folder / WEIGHTS).is_file():
        raise AcumenError(
            f"{folder} holds no weights: {WEIGHTS} is missing",
            "train it again: `acumen train`; answers that were made with it `acumen score` scores",
        )


def load(folder: Path) -> tuple[Architecture, Any]:
    """The architecture with its vocabularies, and the network with its weights, to be asked."""
    from safetensors import SafetensorError

    about = read_about(folder)
    architecture = plan_of(about).make()
    from safetensors.torch import load_model

    try:
        architecture.load_vocabularies(folder / VOCABULARIES)
        network: Any = architecture.network()
        load_model(network, str(folder / WEIGHTS))
    except (OSError, KeyError, RuntimeError, SafetensorError) as error:
        raise AcumenError(
            f"{folder}: a damaged network: {error}", "train it again: `acumen train`"
        ) from error
    return architecture, network.eval()
