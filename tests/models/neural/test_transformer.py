"""Tests of the Transformer: masking, and checkpoints of both kinds against transformers."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from codeacumen.api import CodeacumenError, Method
from codeacumen.models.neural.architecture import Purpose
from codeacumen.models.neural.catalogue import NetworkPlan
from codeacumen.models.neural.inputs.subwords import (
    METHOD_NAME,
    ROBERTA_SPECIALS,
    TOKENIZER_FILE,
    Subwords,
)
from codeacumen.models.neural.networks.transformer import (
    TokenMasking,
    Transformer,
    TransformerSettings,
)
from codeacumen.models.neural.predict import predict_answers
from codeacumen.models.neural.training import checkpoints
from codeacumen.models.neural.training.batches import rows_to_columns
from codeacumen.models.neural.training.encoded_file import EncodedFile
from codeacumen.models.neural.training.fit import fit_network
from codeacumen.models.neural.training.settings import fill_settings, read_config
from codeacumen.text.columns import Ragged
from models.neural import small_networks
from models.neural.small_networks import NAMING, NPATH, PRETRAIN

TINY = {"length": 48, "width": 32, "heads": 2, "inner": 64, "layers": 1, "vocabulary": 500}


@pytest.mark.parametrize("config", ["", "pretrain"])
def test_published_configuration_is_the_default(config: str) -> None:
    assert (
        fill_settings(TransformerSettings, read_config("transformer", config)["network"], config)
        == TransformerSettings()
    )


# -------------------------------------------------------------------------------------- masks


def make_learned_model(purpose: Purpose, folder: Path, **settings: Any) -> Transformer:
    """Return an architecture with a BPE of the example methods."""
    model, _ = small_networks.make_small("transformer", purpose, **{**TINY, **settings})
    small_networks.prepare_examples(model, small_networks.make_examples(purpose, 40), folder)
    assert isinstance(model, Transformer)
    return model


def batch_of(model: Transformer, most: int = 8, draw: Any = None) -> Any:
    rows = []
    for example in small_networks.make_examples(model.purpose, most):
        features = model.extract_features(example.input) or {}
        target = (
            {} if model.is_pretraining else model.encode_target(str(example.truth), features) or {}
        )
        rows.append({**model.encode(features), **target})
    return model.collate(rows_to_columns(rows), draw)


@pytest.mark.parametrize("purpose", [NAMING, NPATH, PRETRAIN], ids=lambda purpose: purpose.task)
def test_padding_does_not_change_outputs(purpose: Purpose, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = make_learned_model(purpose, tmp_path, length=200)
    network: Any = model.build_network()
    network.eval()
    batch = batch_of(model)
    changed_batch = {name: tensor.clone() for name, tensor in batch.items()}
    for name, size in (
        ("tokens", "tokens_size"),
        ("target", "target_size"),
        ("shown", "tokens_size"),
        ("chosen", "tokens_size"),
    ):
        if name in batch:
            is_padding = torch.arange(batch[name].shape[1]) >= batch[size][:, None]
            assert is_padding.any()
            changed_batch[name][is_padding] = model.subwords.mask
    with torch.inference_mode():
        assert torch.equal(network.compute_loss(batch), network.compute_loss(changed_batch))
        assert network.predict(batch) == network.predict(changed_batch)
        assert torch.equal(network.compute_vectors(batch), network.compute_vectors(changed_batch))


def test_state_is_taken_at_the_mask_or_name_or_start(tmp_path: Path) -> None:
    """The state is that of <MASK>, otherwise of METHOD_NAME, otherwise of <s>."""
    model = make_learned_model(NPATH, tmp_path)
    network: Any = model.build_network()
    network.eval()
    texts = ["int METHOD_NAME() { return 1 <MASK> 2; }", "int METHOD_NAME() {}", "int a() {}"]
    rows = [model.encode(model.extract_features(Method("", text)) or {}) for text in texts]
    place, states, _ = network.select_question_state(model.collate(rows_to_columns(rows)))
    positions = [
        row["tokens"].tolist().index(number)
        for row, number in zip(
            rows, (model.subwords.mask, model.subwords.name, model.subwords.begin), strict=True
        )
    ]
    assert positions[2] == 0
    for i, position in enumerate(positions):
        assert torch.equal(place[i], states[i, position])


def test_decoder_is_causal(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = make_learned_model(NAMING, tmp_path, decoder=2)
    network: Any = model.build_network()
    network.eval()
    place, states, mask = network.select_question_state(batch_of(model))
    pieces = torch.randint(6, 300, (8, 4))
    changed_pieces = pieces.clone()
    changed_pieces[:, 2:] = torch.randint(6, 300, (8, 2))
    with torch.inference_mode():
        outputs = network.decoder(network.table, place, pieces, states, mask)
        changed_outputs = network.decoder(network.table, place, changed_pieces, states, mask)
    torch.testing.assert_close(outputs[:, :3], changed_outputs[:, :3])
    assert not torch.allclose(outputs[:, 3:], changed_outputs[:, 3:])


# -------------------------------------------------------------------------------------- masking


def make_column(subwords: Subwords, examples: int, length: int) -> Ragged:
    draw = np.random.default_rng(1)
    rows = draw.integers(6, len(subwords), (examples, length), dtype=np.int32)
    rows[:, 0], rows[:, -1], rows[:, 3] = subwords.begin, subwords.end, subwords.name
    return Ragged(rows.ravel(), np.arange(examples + 1) * length)


@pytest.mark.parametrize("is_random", [True, False], ids=["training", "dev"])
def test_share_of_masked_tokens(is_random: bool, tmp_path: Path) -> None:
    """Oracle: the binomial distribution, within five standard deviations."""
    subwords = make_learned_model(PRETRAIN, tmp_path).subwords
    column = make_column(subwords, 1000, 203)
    masked_tokens, chosen = TokenMasking(subwords, 0.15)(
        column, np.random.default_rng(2) if is_random else None
    )
    can_be_masked = ~np.isin(column.values, subwords.specials)
    assert not chosen[~can_be_masked].any()
    assert (masked_tokens[~chosen] == column.values[~chosen]).all()

    def is_about(share: float, flags: Any, total: int) -> bool:
        return bool(abs(flags.sum() - share * total) < 5 * np.sqrt(total * share * (1 - share)))

    candidate_count, chosen_count = int(can_be_masked.sum()), int(chosen.sum())
    is_unchanged = (masked_tokens == column.values)[chosen]
    is_mask = (masked_tokens == subwords.mask)[chosen]
    assert is_about(0.15, chosen, candidate_count)
    assert is_about(0.8, is_mask, chosen_count)
    assert is_about(0.1, is_unchanged, chosen_count)
    random_tokens = masked_tokens[chosen][~is_unchanged & ~is_mask]
    assert not np.isin(random_tokens, subwords.specials).any()
    assert len(np.unique(random_tokens)) > 0.9 * min(len(random_tokens), len(subwords)) * (
        1 - np.exp(-1)
    )
    by_place = chosen.reshape(1000, 203)[:, [1, 50, 201]].mean(0)
    assert (np.abs(by_place - 0.15) < 0.06).all()


def test_masks_of_dev_do_not_change(tmp_path: Path) -> None:
    """Masks of dev do not change between calls or with other rows; those of training do."""
    model = make_learned_model(PRETRAIN, tmp_path)
    masking = TokenMasking(model.subwords, 0.15)
    column = make_column(model.subwords, 6, 80)
    masked_tokens, chosen = masking(column, None)
    again = masking(column, None)
    assert (masked_tokens == again[0]).all()
    assert (chosen == again[1]).all()
    alone = Ragged(column.values[240:320], np.array([0, 80]))
    assert (masking(alone, None)[0] == masked_tokens[240:320]).all()
    assert len({tuple(row) for row in chosen.reshape(6, 80)}) == 6
    rng = np.random.default_rng(0)
    assert (masking(column, rng)[1] != masking(column, rng)[1]).any()


def test_masked_tokens_are_the_predicted_ones(tmp_path: Path) -> None:
    model = make_learned_model(PRETRAIN, tmp_path)
    batch = batch_of(model, draw=np.random.default_rng(0))
    hidden = (batch["shown"] == model.subwords.mask) & (batch["tokens"] != model.subwords.mask)
    assert hidden.any()
    assert (batch["chosen"][hidden] == 1).all()
    assert (batch["shown"] == batch["tokens"])[batch["chosen"] == 0].all()
    network: Any = model.build_network()
    assert [len(row) for row in network.predict(batch)] == batch["chosen"].sum(1).tolist()


def test_pretraining_lowers_dev_loss(tmp_path: Path) -> None:
    _, _, taught, _ = small_networks.train_small(
        "transformer", PRETRAIN, tmp_path, most=64, training={"epochs": 30, "round": 15}, **TINY
    )
    assert taught.history[-1]["dev_loss"] < taught.history[0]["dev_loss"] - 0.1


# -------------------------------------------------------------------------------------- starts


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkpoint written by transformers and tokenizers."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import RobertaConfig, RobertaForMaskedLM

    folder = tmp_path_factory.mktemp("foreign")
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=list(ROBERTA_SPECIALS),
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator([text for text, _ in small_networks.list_methods()[:60]], trainer)
    tokenizer.save(str(folder / TOKENIZER_FILE))
    tokenizer.model.save(str(folder))
    torch.manual_seed(3)
    config_class: Any = RobertaConfig
    model_class: Any = RobertaForMaskedLM
    network = model_class(
        config_class(
            vocab_size=400,
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=48,
            max_position_embeddings=42,
            type_vocab_size=1,
            initializer_range=0.2,
        )
    )
    network.save_pretrained(folder)
    return folder


def start_model(start: Path, purpose: Purpose, folder: Path) -> Transformer:
    """Return a model as `train` makes it: learned and saved in one process, loaded in another."""
    plan = NetworkPlan("transformer", asdict(TransformerSettings(start=str(start))), purpose)
    first, second = plan.build_architecture(), plan.build_architecture()
    small_networks.prepare_examples(first, small_networks.make_examples(purpose, 30), folder)
    second.load_vocabularies(folder / "vocabulary")
    assert isinstance(second, Transformer)
    return second


@pytest.mark.parametrize("purpose", [NAMING, PRETRAIN], ids=lambda purpose: purpose.task)
def test_foreign_checkpoint_equals_loading_by_transformers(
    foreign: Path, purpose: Purpose, tmp_path: Path
) -> None:
    """Oracle: transformers' own loading; compare the states, and the predictions of masked
    tokens."""
    from tokenizers import Tokenizer
    from transformers import RobertaForMaskedLM

    model = start_model(foreign, purpose, tmp_path)
    network: Any = model.build_network()
    network.eval()
    theirs: Any = RobertaForMaskedLM.from_pretrained(foreign)
    theirs.eval()
    text = "int f(int first) { return first <MASK> 2; }"
    rows = [
        model.encode(model.extract_features(Method("", code)) or {})
        for code in (text, "int a; " * 90)
    ]
    batch = model.collate(rows_to_columns(rows), np.random.default_rng(5))
    ids = (
        Tokenizer.from_file(str(foreign / TOKENIZER_FILE))
        .encode(text.replace(" <MASK>", "<mask>"))
        .ids
    )
    size = len(ids) + 2
    assert rows[0]["tokens"].tolist() == [0, *ids, 2]
    assert size < batch["tokens"].shape[1], "the oracle has no padding, and ours has"
    with torch.inference_mode():
        states, _ = network.encode_tokens(batch["tokens"], batch["tokens_size"])
        expected = theirs(torch.tensor([[0, *ids, 2]]), output_hidden_states=True)
        torch.testing.assert_close(
            states[0, :size], expected.hidden_states[-1][0], atol=1e-5, rtol=1e-4
        )
        assert float(states[0].std()) > 0.1
        if model.is_pretraining:
            scores, chosen = network.score_chosen_parts(batch)
            logits = theirs(batch["shown"][:1, :size]).logits[0][chosen[0, :size]]
            assert len(logits) > 1
            torch.testing.assert_close(scores[: len(logits), :400], logits, atol=1e-4, rtol=1e-4)
            true_tokens = batch["tokens"][chosen]
            assert (true_tokens != batch["shown"][chosen]).any()
            # The softmax includes METHOD_NAME, which is missing in theirs.
            true_probabilities = scores.double().softmax(1)[
                torch.arange(len(true_tokens)), true_tokens
            ]
            assert float(network.compute_loss(batch)) == pytest.approx(
                float(-true_probabilities.log().mean()), 1e-5
            )


def test_token_unknown_to_checkpoint_starts_as_mask(foreign: Path, tmp_path: Path) -> None:
    model = start_model(foreign, NAMING, tmp_path)
    network: Any = model.build_network()
    assert (model.subwords.name, len(model.subwords), len(network.table)) == (400, 401, 401)
    assert model.subwords.tokenizer.token_to_id(METHOD_NAME) == 400
    assert torch.equal(network.table[400], network.table[model.subwords.mask])
    # Of 42 positions, RoBERTa does not use the first two.
    assert model.max_length == 40
    long = model.encode(model.extract_features(Method("", "int a; " * 200)) or {})
    assert len(long["tokens"]) == 40
    network.eval()
    with torch.inference_mode():
        network.predict(model.collate(rows_to_columns([long])))


def test_older_file_formats_are_supported(foreign: Path, tmp_path: Path) -> None:
    """vocab.json and merges.txt hold the tokenizer, pytorch_model.bin the weights."""
    from safetensors.torch import load_file

    old = tmp_path / "old"
    old.mkdir()
    for name in ("config.json", "vocab.json", "merges.txt"):
        shutil.copyfile(foreign / name, old / name)
    torch.save(load_file(foreign / "model.safetensors"), old / "pytorch_model.bin")
    new_format = start_model(foreign, NPATH, tmp_path / "one")
    old_format = start_model(old, NPATH, tmp_path / "two")
    text = 'String naïve = "<s>";'
    assert new_format.subwords.encode_text(text) == old_format.subwords.encode_text(text)
    networks: list[Any] = [new_format.build_network(), old_format.build_network()]
    states = [network.encoder.state_dict() for network in networks]
    assert all(torch.equal(value, states[1][key]) for key, value in states[0].items())


def test_fine_tuning_starts_from_pretrained_weights(tmp_path: Path) -> None:
    """Fine-tuning starts from the encoder and BPE of our own run; the result does not need that run
    any more."""
    model, plan, taught, _ = small_networks.train_small(
        "transformer", PRETRAIN, tmp_path / "pre", most=40, training={"epochs": 2}, **TINY
    )
    run = tmp_path / "run"
    checkpoints.save_network(run, plan, model, taught.network, {})
    tuned = start_model(run, NAMING, tmp_path)
    assert isinstance(model, Transformer)
    assert tuned.subwords.tokenizer.to_str() == model.subwords.tokenizer.to_str()
    network: Any = tuned.build_network()
    before: Any = taught.network
    for key, value in before.encoder.state_dict().items():
        assert torch.equal(value, network.encoder.state_dict()[key]), key
    shutil.rmtree(run)
    assert tuned.max_length == TINY["length"]
    training = small_networks.small_training("transformer", epochs=1)
    examples = EncodedFile(tmp_path / "train.arrow")
    done = fit_network(tuned, examples, examples, training, tmp_path / "checkpoints", device="cpu")
    out = tmp_path / "out"
    checkpoints.save_network(
        out, NetworkPlan("transformer", asdict(tuned.settings), NAMING), tuned, done.network, {}
    )
    assert not (out / "vocabulary" / "start.safetensors").exists()
    again, network_again = checkpoints.load_network(out)
    features = [
        again.extract_features(example.input) for example in small_networks.make_examples(NAMING, 8)
    ]
    assert predict_answers(again, network_again, features) == predict_answers(
        tuned, done.network, features
    )


def test_incomplete_checkpoints_are_reported(foreign: Path, tmp_path: Path) -> None:
    def load_start(folder: Path) -> None:
        model = Transformer(TransformerSettings(start=str(folder)), NPATH)
        model.learn_vocabularies({})
        model.build_network()

    def assert_refused(without: str, match: str, **config: Any) -> None:
        folder = tmp_path / f"without-{without or next(iter(config))}"
        shutil.copytree(foreign, folder)
        if without:
            for file in folder.glob(without):
                file.unlink()
        if config:
            original_config = json.loads((foreign / "config.json").read_text())
            (folder / "config.json").write_text(json.dumps({**original_config, **config}))
        with pytest.raises(CodeacumenError, match=match):
            load_start(folder)

    assert_refused("config.json", "no checkpoint")
    assert_refused("model.safetensors", "no weights")
    assert_refused("[tmv]o[ck]*.json", "no tokenizer")
    assert_refused("", "type is 'bert'", model_type="bert")
    assert_refused("", "padding", pad_token_id=7)
    assert_refused("", "lacks 16 weights", num_hidden_layers=3)
    assert_refused("", "configuration requires", hidden_size=64)
    with pytest.raises(CodeacumenError, match="no checkpoint"):
        load_start(tmp_path / "nowhere")
    with pytest.raises(CodeacumenError, match="heads"):
        TransformerSettings(width=10, heads=3)
