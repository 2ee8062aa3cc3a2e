"""Save and load trained networks, and open encoders to start a network from.

The folder of a trained network has:

``weights.safetensors``   the weights
``vocabulary/``           the words behind the numbers, or a tokenizer
``model.json``            network, settings, purpose; how it was trained, on which data, the scores
``history.csv``           loss and score of each round

``model.json`` is written last, so a folder without it holds no complete network. It has the
network's name in the catalogue, not its module.

A network can start from such a folder, or from one in Hugging Face's layout (``Checkpoint``). Both
have the encoder's shape (the arguments of a ``RobertaConfig``), its BPE, and its weights, which we
call ``encoder.*``, and ``lm_head.*`` for the head of its pre-training. Nothing is downloaded. Torch
is imported only to read weights.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeacumen import __version__
from codeacumen.api import Capability, CodeacumenError, Json
from codeacumen.core.files import sha256_of, write_atomically
from codeacumen.models.neural.architecture import Architecture, Purpose
from codeacumen.models.neural.catalogue import NetworkPlan
from codeacumen.models.neural.inputs.subwords import (
    METHOD_NAME,
    ROBERTA_SPECIALS,
    TOKENIZER_FILE,
    Subwords,
)
from codeacumen.models.neural.training.prepare import VOCABULARIES

if TYPE_CHECKING:
    from torch import Tensor, nn


# Version of the folder's layout; ``read_model_json`` rejects others.
FORMAT = 2
ABOUT, WEIGHTS = "model.json", "weights.safetensors"
# Beside the vocabularies: an encoder's shape, and before training the weights to start from.
SHAPE = "encoder.json"
START_WEIGHTS = "start.safetensors"
# Keys of a config.json that make an encoder's shape.
_CONFIG_KEYS = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "max_position_embeddings",
    "type_vocab_size",
    "layer_norm_eps",
    "pad_token_id",
    "hidden_act",
)
# Prefixes of the names of weights.
_ENCODER, _HEAD = "encoder.", "lm_head."
# Keys that a config.json may omit, with the defaults of the library that wrote it.
_DEFAULTS = {"type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 1, "hidden_act": "gelu"}


def save_network(
    folder: Path,
    plan: NetworkPlan,
    architecture: Architecture,
    network: nn.Module,
    record: Mapping[str, Json],
) -> None:
    """Write the folder of a trained network; ``record`` are further values of ``model.json``."""
    from safetensors.torch import save_model

    (folder / ABOUT).unlink(missing_ok=True)
    (folder / VOCABULARIES).mkdir(parents=True, exist_ok=True)
    architecture.save_vocabularies(folder / VOCABULARIES)
    part_file = folder / f"{WEIGHTS}.part"
    save_model(network, str(part_file))
    part_file.replace(folder / WEIGHTS)
    about = {
        "format": FORMAT,
        "codeacumen": __version__,
        "network": plan.name,
        "settings": plan.settings,
        "purpose": asdict(plan.purpose),
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "weights_sha256": sha256_of(folder / WEIGHTS),
        **record,
    }
    write_atomically(folder / ABOUT, (json.dumps(about, indent=1) + "\n").encode())


def read_model_json(folder: Path) -> dict[str, Any]:
    """Return the ``model.json`` of a trained network."""
    path = folder / ABOUT
    hint = "`codeacumen train network NETWORK -t TASK@DATA --out DIR` makes such a folder"
    try:
        about: dict[str, Any] = json.loads(path.read_bytes())
    except OSError as error:
        raise CodeacumenError(
            f"{folder} holds no trained network: {error.strerror}", hint
        ) from error
    except ValueError as error:
        raise CodeacumenError(f"{path}: not JSON ({error})", hint) from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise CodeacumenError(
            f"{path} is not of format {FORMAT}, the only one that this codeacumen reads", hint
        )
    return about


def plan_from_model_json(about: Mapping[str, Any]) -> NetworkPlan:
    """Return the plan that a ``model.json`` describes."""
    purpose = Purpose(about["purpose"]["task"], Capability(about["purpose"]["capability"]))
    return NetworkPlan(about["network"], about["settings"], purpose)


def check_weights_exist(folder: Path) -> None:
    """Raise an error if a folder has no weights, before any question is prepared for it."""
    if not (folder / WEIGHTS).is_file():
        raise CodeacumenError(
            f"{folder} holds no weights: {WEIGHTS} is missing",
            "train it again with `codeacumen train network`; to score stored answers, use "
            "`codeacumen score`",
        )


def load_network(folder: Path) -> tuple[Architecture, Any]:
    """Return the architecture with its vocabularies, and the network in evaluation mode."""
    from safetensors import SafetensorError

    about = read_model_json(folder)
    architecture = plan_from_model_json(about).build_architecture()
    from safetensors.torch import load_model

    try:
        architecture.load_vocabularies(folder / VOCABULARIES)
        network: Any = architecture.build_network()
        load_model(network, str(folder / WEIGHTS))
    except (OSError, KeyError, RuntimeError, SafetensorError) as error:
        raise CodeacumenError(
            f"{folder}: damaged network: {error}",
            "train it again: `codeacumen train network`",
        ) from error
    return architecture, network.eval()


# ---------------------------------------------------------------- encoders to start from


@dataclass(frozen=True)
class Checkpoint:
    """An encoder to start from. Its embeddings have a row for each part of ``subwords``.

    ``shape`` are the arguments of a ``RobertaConfig``.
    """

    shape: dict[str, Any]
    subwords: Subwords
    weights: dict[str, Tensor]

    def save_weights(self, folder: Path) -> None:
        """Write the weights, for a training that resumes without the original folder."""
        from safetensors.torch import save as to_bytes

        write_atomically(folder / START_WEIGHTS, to_bytes(self.weights))


def open_checkpoint(start: str) -> Checkpoint:
    """Return the checkpoint of a folder: a trained network's, or one in Hugging Face's layout."""
    folder = Path(start).expanduser()
    if (folder / ABOUT).is_file():
        return _open_own_checkpoint(folder)
    if (folder / "config.json").is_file():
        return _open_hugging_face_checkpoint(folder)
    raise CodeacumenError(
        f"{folder} is no checkpoint: it has neither {ABOUT} nor config.json",
        "name the folder that `codeacumen train network transformer -t pretrain@DATA --out DIR` "
        "wrote, or one of Hugging Face's, such as CodeBERTa's, with config.json, model.safetensors "
        "and tokenizer.json",
    )


def _open_own_checkpoint(folder: Path) -> Checkpoint:
    about = read_model_json(folder)
    if not (folder / VOCABULARIES / SHAPE).is_file():
        raise CodeacumenError(
            f"{folder} holds a {about['network']}, which has no encoder to start from",
            "start from a transformer",
        )
    weights = load_tensors(folder / WEIGHTS)
    encoder_weights = {k: v for k, v in weights.items() if k.startswith((_ENCODER, _HEAD))}
    subwords = Subwords.load(folder / VOCABULARIES)
    return _make_checkpoint(
        folder, load_shape(folder / VOCABULARIES), subwords, encoder_weights, has_name_row=True
    )


def _open_hugging_face_checkpoint(folder: Path) -> Checkpoint:
    config = _read_json_object(folder / "config.json")
    kind = config.get("model_type")
    if kind != "roberta":
        raise CodeacumenError(
            f"{folder}: its model_type is {kind!r}", "an encoder of the type 'roberta' is needed"
        )
    missing = [key for key in _CONFIG_KEYS if key not in config and key not in _DEFAULTS]
    if missing:
        raise CodeacumenError(f"{folder / 'config.json'} does not say {', '.join(missing)}")
    shape = {key: config.get(key, _DEFAULTS.get(key)) for key in _CONFIG_KEYS}
    files = ("model.safetensors", "pytorch_model.bin")
    weight_files = [folder / name for name in files if (folder / name).is_file()]
    if not weight_files:
        raise CodeacumenError(f"{folder} has no weights", f"it needs {' or '.join(files)}")
    weights: dict[str, Tensor] = {}
    for key, tensor in load_tensors(weight_files[0]).items():
        name = key.removeprefix("roberta.")
        if name.startswith(("embeddings.", "encoder.")) and not name.endswith("_ids"):
            weights[_ENCODER + name] = tensor
        elif name.startswith(_HEAD) and not name.startswith(_HEAD + "decoder."):
            weights[name] = tensor
    tokenizer = _load_tokenizer(folder)
    # Read before ``Subwords`` adds METHOD_NAME.
    had_name = tokenizer.token_to_id(METHOD_NAME) is not None
    return _make_checkpoint(folder, shape, Subwords(tokenizer), weights, had_name)


def _load_tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    try:
        if (folder / TOKENIZER_FILE).is_file():
            return Tokenizer.from_file(str(folder / TOKENIZER_FILE))
        words, merges = folder / "vocab.json", folder / "merges.txt"
        if words.is_file() and merges.is_file():
            model = models.BPE.from_file(str(words), str(merges), unk_token="<unk>")
            tokenizer = Tokenizer(model)
            tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
            tokenizer.decoder = decoders.ByteLevel()
            special_tokens = [
                token for token in ROBERTA_SPECIALS if tokenizer.token_to_id(token) is not None
            ]
            tokenizer.add_special_tokens(special_tokens)
            return tokenizer
    except Exception as error:  # the library raises a bare Exception
        raise CodeacumenError(f"{folder}: damaged tokenizer: {error}") from error
    raise CodeacumenError(
        f"{folder} has no tokenizer", f"it needs {TOKENIZER_FILE}, or vocab.json and merges.txt"
    )


def _make_checkpoint(
    folder: Path,
    shape: dict[str, Any],
    subwords: Subwords,
    weights: dict[str, Tensor],
    has_name_row: bool,
) -> Checkpoint:
    """Return a checkpoint whose embeddings have a row for METHOD_NAME.

    ``has_name_row`` is False if the folder's tokenizer lacked METHOD_NAME; then the row is a copy
    of <mask>'s.
    """
    name = f"{_ENCODER}embeddings.word_embeddings.weight"
    if name not in weights:
        raise CodeacumenError(f"{folder}: its weights have no word embeddings of a RoBERTa")
    rows = len(weights[name])
    # ``subwords`` always counts METHOD_NAME, whose row the weights may lack.
    if rows < len(subwords) - (not has_name_row) or subwords.pad != shape["pad_token_id"]:
        raise CodeacumenError(
            f"{folder}: tokenizer and weights do not match: the tokenizer has {len(subwords)} "
            f"parts and padding {subwords.pad}, the weights have {rows} rows and padding "
            f"{shape['pad_token_id']}"
        )
    if not has_name_row:
        for key in (name, f"{_HEAD}bias"):
            if key in weights:
                weights[key] = _add_row(weights[key], subwords.name, subwords.mask)
    shape = {**shape, "vocab_size": len(weights[name])}
    return Checkpoint(shape, subwords, {k: v.contiguous() for k, v in weights.items()})


def _add_row(table: Tensor, row: int, source_row: int) -> Tensor:
    """Return the table with ``row`` copied from ``source_row``; ``row`` may be one past the end."""
    import torch

    if row == len(table):
        return torch.cat([table, table[source_row : source_row + 1]])
    table = table.clone()
    table[row] = table[source_row]
    return table


def load_start_weights(network: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Load the weights of a checkpoint into a new network.

    The checkpoint must have all weights of the encoder; its other weights are loaded only if the
    network has them.
    """
    own_weights = network.state_dict()
    shared_weights = {k: v for k, v in weights.items() if k in own_weights}
    missing = sorted(k for k in own_weights if k.startswith(_ENCODER) and k not in shared_weights)
    if missing:
        raise CodeacumenError(
            f"the checkpoint lacks {len(missing)} weights of the encoder, such as {missing[0]}"
        )
    mismatched = [k for k, v in shared_weights.items() if v.shape != own_weights[k].shape]
    if mismatched:
        raise CodeacumenError(
            f"the checkpoint's {mismatched[0]} has the shape "
            f"{tuple(shared_weights[mismatched[0]].shape)}, but its "
            f"configuration requires {tuple(own_weights[mismatched[0]].shape)}"
        )
    network.load_state_dict(shared_weights, strict=False)


# ---------------------------------------------------------------- files


def save_shape(shape: dict[str, Any], folder: Path) -> None:
    """Write an encoder's shape into the folder of the vocabularies."""
    write_atomically(folder / SHAPE, (json.dumps(shape, indent=1) + "\n").encode())


def load_shape(folder: Path) -> dict[str, Any]:
    """Read what ``save_shape`` wrote."""
    return _read_json_object(folder / SHAPE)


def _read_json_object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise CodeacumenError(f"{path}: cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise CodeacumenError(f"{path}: not a JSON object")
    return value


def load_tensors(path: Path) -> dict[str, Tensor]:
    """Return the floating-point tensors of a file by name, in single precision."""
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        if path.suffix == ".bin":
            tensors: dict[str, Tensor] = torch.load(path, map_location="cpu", weights_only=True)
        else:
            tensors = load_file(path)
    except (OSError, SafetensorError, RuntimeError, ValueError) as error:
        raise CodeacumenError(f"{path}: damaged weights: {error}") from error
    return {key: tensor.float() for key, tensor in tensors.items() if tensor.is_floating_point()}
