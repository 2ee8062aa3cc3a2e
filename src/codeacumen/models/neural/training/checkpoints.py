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
from codeacumen.models.neural.catalogue import Plan
from codeacumen.models.neural.inputs.subwords import FILE, METHOD_NAME, ROBERTA, Subwords
from codeacumen.models.neural.training.preparing import VOCABULARIES

if TYPE_CHECKING:
    from torch import Tensor, nn


FORMAT = 2
ABOUT, WEIGHTS = "model.json", "weights.safetensors"
SHAPE = "encoder.json"
START = "start.safetensors"
_KNOWN = (
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
_ENCODER, _HEAD = "encoder.", "lm_head."
# Keys that a config.json may omit, with the defaults of the library that wrote it.
_DEFAULTS = {"type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 1, "hidden_act": "gelu"}


def save(
    folder: Path,
    plan: Plan,
    architecture: Architecture,
    network: nn.Module,
    told: Mapping[str, Json],
) -> None:
    """Write the folder of a trained network; ``record`` are further values of ``model.json``."""
    from safetensors.torch import save_model

    (folder / ABOUT).unlink(missing_ok=True)
    (folder / VOCABULARIES).mkdir(parents=True, exist_ok=True)
    architecture.save_vocabularies(folder / VOCABULARIES)
    part = folder / f"{WEIGHTS}.part"
    save_model(network, str(part))
    part.replace(folder / WEIGHTS)
    about = {
        "format": FORMAT,
        "codeacumen": __version__,
        "network": plan.name,
        "settings": plan.settings,
        "purpose": asdict(plan.purpose),
        "parameters": sum(one.numel() for one in network.parameters()),
        "weights_sha256": sha256_of(folder / WEIGHTS),
        **told,
    }
    write_atomically(folder / ABOUT, (json.dumps(about, indent=1) + "\n").encode())


def read_about(folder: Path) -> dict[str, Any]:
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


def plan_of(about: Mapping[str, Any]) -> Plan:
    """Return the plan that a ``model.json`` describes."""
    purpose = Purpose(about["purpose"]["task"], Capability(about["purpose"]["capability"]))
    return Plan(about["network"], about["settings"], purpose)


def must_have_weights(folder: Path) -> None:
    """Raise an error if a folder has no weights, before any question is prepared for it."""
    if not (folder / WEIGHTS).is_file():
        raise CodeacumenError(
            f"{folder} holds no weights: {WEIGHTS} is missing",
            "train it again with `codeacumen train network`; to score stored answers, use "
            "`codeacumen score`",
        )


def load(folder: Path) -> tuple[Architecture, Any]:
    """Return the architecture with its vocabularies, and the network in evaluation mode."""
    from safetensors import SafetensorError

    about = read_about(folder)
    architecture = plan_of(about).make()
    from safetensors.torch import load_model

    try:
        architecture.load_vocabularies(folder / VOCABULARIES)
        network: Any = architecture.network()
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
    """An encoder to start from. Its embeddings have a row for each part of ``subwords``."""

    shape: dict[str, Any]
    subwords: Subwords
    weights: dict[str, Tensor]

    def save_weights(self, folder: Path) -> None:
        """Write the weights, for a training that resumes without the original folder."""
        from safetensors.torch import save as to_bytes

        write_atomically(folder / START, to_bytes(self.weights))


def open_checkpoint(start: str) -> Checkpoint:
    """Return the checkpoint of a folder: a trained network's, or one in Hugging Face's layout."""
    folder = Path(start).expanduser()
    if (folder / ABOUT).is_file():
        return _ours(folder)
    if (folder / "config.json").is_file():
        return _hugging_face(folder)
    raise CodeacumenError(
        f"{folder} is no checkpoint: it has neither {ABOUT} nor config.json",
        "name the folder that `codeacumen train network transformer -t pretrain@DATA --out DIR` "
        "wrote, or one of Hugging Face's, such as CodeBERTa's, with config.json, model.safetensors "
        "and tokenizer.json",
    )


def _ours(folder: Path) -> Checkpoint:
    about = read_about(folder)
    if not (folder / VOCABULARIES / SHAPE).is_file():
        raise CodeacumenError(
            f"{folder} holds a {about['network']}, which has no encoder to start from",
            "start from a transformer",
        )
    weights = tensors(folder / WEIGHTS)
    kept = {k: v for k, v in weights.items() if k.startswith((_ENCODER, _HEAD))}
    words = Subwords.load(folder / VOCABULARIES)
    return _fitting(folder, load_shape(folder / VOCABULARIES), words, kept, had_name=True)


def _hugging_face(folder: Path) -> Checkpoint:
    config = _json(folder / "config.json")
    kind = config.get("model_type")
    if kind != "roberta":
        raise CodeacumenError(
            f"{folder}: its model_type is {kind!r}", "an encoder of the type 'roberta' is needed"
        )
    missing = [key for key in _KNOWN if key not in config and key not in _DEFAULTS]
    if missing:
        raise CodeacumenError(f"{folder / 'config.json'} does not say {', '.join(missing)}")
    shape = {key: config.get(key, _DEFAULTS.get(key)) for key in _KNOWN}
    files = ("model.safetensors", "pytorch_model.bin")
    there = [folder / name for name in files if (folder / name).is_file()]
    if not there:
        raise CodeacumenError(f"{folder} has no weights", f"it needs {' or '.join(files)}")
    weights: dict[str, Tensor] = {}
    for key, tensor in tensors(there[0]).items():
        name = key.removeprefix("roberta.")
        if name.startswith(("embeddings.", "encoder.")) and not name.endswith("_ids"):
            weights[_ENCODER + name] = tensor
        elif name.startswith(_HEAD) and not name.startswith(_HEAD + "decoder."):
            weights[name] = tensor
    tokenizer = _tokenizer(folder)
    had_name = tokenizer.token_to_id(METHOD_NAME) is not None
    return _fitting(folder, shape, Subwords(tokenizer), weights, had_name)


def _tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    try:
        if (folder / FILE).is_file():
            return Tokenizer.from_file(str(folder / FILE))
        words, merges = folder / "vocab.json", folder / "merges.txt"
        if words.is_file() and merges.is_file():
            model = models.BPE.from_file(str(words), str(merges), unk_token="<unk>")
            tokenizer = Tokenizer(model)
            tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
            tokenizer.decoder = decoders.ByteLevel()
            known = [one for one in ROBERTA if tokenizer.token_to_id(one) is not None]
            tokenizer.add_special_tokens(known)
            return tokenizer
    except Exception as error:  # the library raises a bare Exception
        raise CodeacumenError(f"{folder}: damaged tokenizer: {error}") from error
    raise CodeacumenError(
        f"{folder} has no tokenizer", f"it needs {FILE}, or vocab.json and merges.txt"
    )


def _fitting(
    folder: Path,
    shape: dict[str, Any],
    subwords: Subwords,
    weights: dict[str, Tensor],
    had_name: bool,
) -> Checkpoint:
    """Return a checkpoint whose embeddings have a row for METHOD_NAME.

    If the checkpoint lacks that row, it is a copy of <mask>'s.
    """
    name = f"{_ENCODER}embeddings.word_embeddings.weight"
    if name not in weights:
        raise CodeacumenError(f"{folder}: its weights have no word embeddings of a RoBERTa")
    rows = len(weights[name])
    if rows < len(subwords) - (not had_name) or subwords.pad != shape["pad_token_id"]:
        raise CodeacumenError(
            f"{folder}: tokenizer and weights do not match: the tokenizer has {len(subwords)} "
            f"parts and padding {subwords.pad}, the weights have {rows} rows and padding "
            f"{shape['pad_token_id']}"
        )
    if not had_name:
        for key in (name, f"{_HEAD}bias"):
            if key in weights:
                weights[key] = _with_row(weights[key], subwords.name, subwords.mask)
    shape = {**shape, "vocab_size": len(weights[name])}
    return Checkpoint(shape, subwords, {k: v.contiguous() for k, v in weights.items()})


def _with_row(table: Tensor, row: int, like: int) -> Tensor:
    """Return the table with a row copied from another; the row may be the next one."""
    import torch

    if row == len(table):
        return torch.cat([table, table[like : like + 1]])
    table = table.clone()
    table[row] = table[like]
    return table


def begin_from(network: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Load the weights of a checkpoint into a new network.

    The checkpoint must have all weights of the encoder; others are loaded if the network has them.
    """
    wanted = network.state_dict()
    found = {k: v for k, v in weights.items() if k in wanted}
    missing = sorted(k for k in wanted if k.startswith(_ENCODER) and k not in found)
    if missing:
        raise CodeacumenError(
            f"the checkpoint lacks {len(missing)} weights of the encoder, such as {missing[0]}"
        )
    unlike = [k for k, v in found.items() if v.shape != wanted[k].shape]
    if unlike:
        raise CodeacumenError(
            f"the checkpoint's {unlike[0]} has the shape {tuple(found[unlike[0]].shape)}, but its "
            f"configuration requires {tuple(wanted[unlike[0]].shape)}"
        )
    network.load_state_dict(found, strict=False)


# ---------------------------------------------------------------- files


def save_shape(shape: dict[str, Any], folder: Path) -> None:
    """Write an encoder's shape."""
    write_atomically(folder / SHAPE, (json.dumps(shape, indent=1) + "\n").encode())


def load_shape(folder: Path) -> dict[str, Any]:
    """Read what ``save_shape`` wrote."""
    return _json(folder / SHAPE)


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise CodeacumenError(f"{path}: cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise CodeacumenError(f"{path}: not a JSON object")
    return found


def tensors(path: Path) -> dict[str, Tensor]:
    """Return the floating-point tensors of a file by name, in single precision."""
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        if path.suffix == ".bin":
            read: dict[str, Tensor] = torch.load(path, map_location="cpu", weights_only=True)
        else:
            read = load_file(path)
    except (OSError, SafetensorError, RuntimeError, ValueError) as error:
        raise CodeacumenError(f"{path}: damaged weights: {error}") from error
    return {key: tensor.float() for key, tensor in read.items() if tensor.is_floating_point()}
