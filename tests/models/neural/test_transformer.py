"""The Transformer: what is masked, checkpoints of both kinds against transformers itself."""

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
from codeacumen.models.neural.answering import answers
from codeacumen.models.neural.architecture import Purpose
from codeacumen.models.neural.catalogue import Plan
from codeacumen.models.neural.inputs.subwords import FILE, METHOD_NAME, ROBERTA, Subwords
from codeacumen.models.neural.networks.transformer import Masking, Settings, Transformer
from codeacumen.models.neural.training import checkpoints
from codeacumen.models.neural.training.batches import ragged
from codeacumen.models.neural.training.encoded import EncodedFile
from codeacumen.models.neural.training.settings import filled, read_config
from codeacumen.models.neural.training.teaching import teach
from codeacumen.text.columns import Ragged
from models.neural import checks
from models.neural.checks import NAMING, NPATH, PRETRAIN

TINY = {"length": 48, "width": 32, "heads": 2, "inner": 64, "layers": 1, "vocabulary": 500}


@pytest.mark.parametrize("config", ["", "pretrain"])
def test_the_published_configuration_is_the_default_one(config: str) -> None:
    assert filled(Settings, read_config("transformer", config)["network"], config) == Settings()


# -------------------------------------------------------------------------------------- masks


def learned(purpose: Purpose, folder: Path, **settings: Any) -> Transformer:
    """An architecture with a BPE, of the example methods."""
    model, _ = checks.made("transformer", purpose, **{**TINY, **settings})
    checks.prepare(model, checks.taught_examples(purpose, 40), folder)
    assert isinstance(model, Transformer)
    return model


def batch_of(model: Transformer, most: int = 8, draw: Any = None) -> Any:
    rows = []
    for one in checks.taught_examples(model.purpose, most):
        features = model.read(one.input) or {}
        target = {} if model.pretrains else model.target(str(one.truth), features) or {}
        rows.append({**model.encode(features), **target})
    return model.collate(ragged(rows), draw)


@pytest.mark.parametrize("purpose", [NAMING, NPATH, PRETRAIN], ids=lambda one: one.task)
def test_what_stands_in_the_padding_does_not_matter(purpose: Purpose, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = learned(purpose, tmp_path, length=200)
    network: Any = model.network()
    network.eval()
    batch = batch_of(model)
    spoilt = {name: tensor.clone() for name, tensor in batch.items()}
    for name, size in (
        ("tokens", "tokens_size"),
        ("target", "target_size"),
        ("shown", "tokens_size"),
        ("chosen", "tokens_size"),
    ):
        if name in batch:
            behind = torch.arange(batch[name].shape[1]) >= batch[size][:, None]
            assert behind.any()
            spoilt[name][behind] = model.subwords.mask
    with torch.inference_mode():
        assert torch.equal(network.loss(batch), network.loss(spoilt))
        assert network.predict(batch) == network.predict(spoilt)
        assert torch.equal(network.vector(batch), network.vector(spoilt))


def test_the_state_is_that_of_what_is_asked_about(tmp_path: Path) -> None:
    """<MASK> before METHOD_NAME before <s>."""
    model = learned(NPATH, tmp_path)
    network: Any = model.network()
    network.eval()
    texts = ["int METHOD_NAME() { return 1 <MASK> 2; }", "int METHOD_NAME() {}", "int a() {}"]
    rows = [model.encode(model.read(Method("", text)) or {}) for text in texts]
    place, states, _ = network.place(model.collate(ragged(rows)))
    wanted = [
        row["tokens"].tolist().index(number)
        for row, number in zip(
            rows, (model.subwords.mask, model.subwords.name, model.subwords.begin), strict=True
        )
    ]
    assert wanted[2] == 0
    for i, at in enumerate(wanted):
        assert torch.equal(place[i], states[i, at])


def test_the_decoder_does_not_look_ahead(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = learned(NAMING, tmp_path, decoder=2)
    network: Any = model.network()
    network.eval()
    place, states, mask = network.place(batch_of(model))
    said = torch.randint(6, 300, (8, 4))
    other = said.clone()
    other[:, 2:] = torch.randint(6, 300, (8, 2))
    with torch.inference_mode():
        one = network.decoder(network.table, place, said, states, mask)
        two = network.decoder(network.table, place, other, states, mask)
    torch.testing.assert_close(one[:, :3], two[:, :3])
    assert not torch.allclose(one[:, 3:], two[:, 3:])


# -------------------------------------------------------------------------------------- masking


def parts(subwords: Subwords, examples: int, length: int) -> Ragged:
    draw = np.random.default_rng(1)
    rows = draw.integers(6, len(subwords), (examples, length), dtype=np.int32)
    rows[:, 0], rows[:, -1], rows[:, 3] = subwords.begin, subwords.end, subwords.name
    return Ragged(rows.ravel(), np.arange(examples + 1) * length)


@pytest.mark.parametrize("drawn", [True, False], ids=["training", "dev"])
def test_as_much_is_masked_as_should_be(drawn: bool, tmp_path: Path) -> None:
    """Oracle: the binomial distribution, within five standard deviations."""
    subwords = learned(PRETRAIN, tmp_path).subwords
    column = parts(subwords, 1000, 203)
    shown, chosen = Masking(subwords, 0.15)(column, np.random.default_rng(2) if drawn else None)
    free = ~np.isin(column.values, subwords.specials)
    assert not chosen[~free].any()
    assert (shown[~chosen] == column.values[~chosen]).all()

    def is_about(share: float, found: Any, of: int) -> bool:
        return bool(abs(found.sum() - share * of) < 5 * np.sqrt(of * share * (1 - share)))

    there, n = int(free.sum()), int(chosen.sum())
    same = (shown == column.values)[chosen]
    masked = (shown == subwords.mask)[chosen]
    assert is_about(0.15, chosen, there)
    assert is_about(0.8, masked, n)
    assert is_about(0.1, same, n)
    other = shown[chosen][~same & ~masked]
    assert not np.isin(other, subwords.specials).any()
    assert len(np.unique(other)) > 0.9 * min(len(other), len(subwords)) * (1 - np.exp(-1))
    by_place = chosen.reshape(1000, 203)[:, [1, 50, 201]].mean(0)
    assert (np.abs(by_place - 0.15) < 0.06).all()


def test_dev_is_always_asked_the_same(tmp_path: Path) -> None:
    """Twice, and whatever stands beside it; training never is."""
    model = learned(PRETRAIN, tmp_path)
    masking = Masking(model.subwords, 0.15)
    column = parts(model.subwords, 6, 80)
    shown, chosen = masking(column, None)
    again = masking(column, None)
    assert (shown == again[0]).all()
    assert (chosen == again[1]).all()
    alone = Ragged(column.values[240:320], np.array([0, 80]))
    assert (masking(alone, None)[0] == shown[240:320]).all()
    assert len({tuple(row) for row in chosen.reshape(6, 80)}) == 6
    draw = np.random.default_rng(0)
    assert (masking(column, draw)[1] != masking(column, draw)[1]).any()


def test_what_is_asked_is_what_was_there(tmp_path: Path) -> None:
    model = learned(PRETRAIN, tmp_path)
    batch = batch_of(model, draw=np.random.default_rng(0))
    hidden = (batch["shown"] == model.subwords.mask) & (batch["tokens"] != model.subwords.mask)
    assert hidden.any()
    assert (batch["chosen"][hidden] == 1).all()
    assert (batch["shown"] == batch["tokens"])[batch["chosen"] == 0].all()
    network: Any = model.network()
    assert [len(one) for one in network.predict(batch)] == batch["chosen"].sum(1).tolist()


def test_pre_training_learns(tmp_path: Path) -> None:
    _, _, taught, _ = checks.train(
        "transformer", PRETRAIN, tmp_path, most=64, training={"epochs": 30, "round": 15}, **TINY
    )
    assert taught.history[-1]["dev_loss"] < taught.history[0]["dev_loss"] - 0.1


# -------------------------------------------------------------------------------------- starts


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint as transformers and tokenizers write it."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import RobertaConfig, RobertaForMaskedLM

    folder = tmp_path_factory.mktemp("foreign")
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=list(ROBERTA),
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator([text for text, _ in checks.methods()[:60]], trainer)
    tokenizer.save(str(folder / FILE))
    tokenizer.model.save(str(folder))
    torch.manual_seed(3)
    config: Any = RobertaConfig
    made: Any = RobertaForMaskedLM
    network = made(
        config(
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


def started(start: Path, purpose: Purpose, folder: Path) -> Transformer:
    """As `train` does it: learned and saved in one process, loaded in another."""
    plan = Plan("transformer", asdict(Settings(start=str(start))), purpose)
    first, second = plan.make(), plan.make()
    checks.prepare(first, checks.taught_examples(purpose, 30), folder)
    second.load_vocabularies(folder / "vocabulary")
    assert isinstance(second, Transformer)
    return second


@pytest.mark.parametrize("purpose", [NAMING, PRETRAIN], ids=lambda one: one.task)
def test_a_foreign_checkpoint_is_read_as_transformers_does(
    foreign: Path, purpose: Purpose, tmp_path: Path
) -> None:
    """Oracle: transformers' own loading; the states, and the guesses of what is masked."""
    from tokenizers import Tokenizer
    from transformers import RobertaForMaskedLM

    model = started(foreign, purpose, tmp_path)
    network: Any = model.network()
    network.eval()
    theirs: Any = RobertaForMaskedLM.from_pretrained(foreign)
    theirs.eval()
    text = "int f(int first) { return first <MASK> 2; }"
    rows = [model.encode(model.read(Method("", one)) or {}) for one in (text, "int a; " * 90)]
    batch = model.collate(ragged(rows), np.random.default_rng(5))
    ids = Tokenizer.from_file(str(foreign / FILE)).encode(text.replace(" <MASK>", "<mask>")).ids
    size = len(ids) + 2
    assert rows[0]["tokens"].tolist() == [0, *ids, 2]
    assert size < batch["tokens"].shape[1], "the oracle has no padding, and ours has"
    with torch.inference_mode():
        states, _ = network.states(batch["tokens"], batch["tokens_size"])
        wanted = theirs(torch.tensor([[0, *ids, 2]]), output_hidden_states=True)
        torch.testing.assert_close(
            states[0, :size], wanted.hidden_states[-1][0], atol=1e-5, rtol=1e-4
        )
        assert float(states[0].std()) > 0.1
        if model.pretrains:
            scores, chosen = network.guesses(batch)
            logits = theirs(batch["shown"][:1, :size]).logits[0][chosen[0, :size]]
            assert len(logits) > 1
            torch.testing.assert_close(scores[: len(logits), :400], logits, atol=1e-4, rtol=1e-4)
            there = batch["tokens"][chosen]
            assert (there != batch["shown"][chosen]).any()
            # Of all parts, and of METHOD_NAME, which theirs does not know.
            chance = scores.double().softmax(1)[torch.arange(len(there)), there]
            assert float(network.loss(batch)) == pytest.approx(float(-chance.log().mean()), 1e-5)


def test_what_a_checkpoint_never_saw_begins_as_a_mask(foreign: Path, tmp_path: Path) -> None:
    model = started(foreign, NAMING, tmp_path)
    network: Any = model.network()
    assert (model.subwords.name, len(model.subwords), len(network.table)) == (400, 401, 401)
    assert model.subwords.tokenizer.token_to_id(METHOD_NAME) == 400
    assert torch.equal(network.table[400], network.table[model.subwords.mask])
    # 42 positions, and RoBERTa's first is the third.
    assert model.length_read == 40
    long = model.encode(model.read(Method("", "int a; " * 200)) or {})
    assert len(long["tokens"]) == 40
    network.eval()
    with torch.inference_mode():
        network.predict(model.collate(ragged([long])))


def test_the_older_files_are_read_too(foreign: Path, tmp_path: Path) -> None:
    """vocab.json and merges.txt for the tokenizer, pytorch_model.bin for the weights."""
    from safetensors.torch import load_file

    old = tmp_path / "old"
    old.mkdir()
    for name in ("config.json", "vocab.json", "merges.txt"):
        shutil.copyfile(foreign / name, old / name)
    torch.save(load_file(foreign / "model.safetensors"), old / "pytorch_model.bin")
    one = started(foreign, NPATH, tmp_path / "one")
    two = started(old, NPATH, tmp_path / "two")
    text = 'String naïve = "<s>";'
    assert one.subwords.numbers(text) == two.subwords.numbers(text)
    networks: list[Any] = [one.network(), two.network()]
    states = [network.encoder.state_dict() for network in networks]
    assert all(torch.equal(value, states[1][key]) for key, value in states[0].items())


def test_fine_tuning_begins_where_pre_training_ended(tmp_path: Path) -> None:
    """A run of ours: its encoder and its BPE; and the trained one needs it no more."""
    model, plan, taught, _ = checks.train(
        "transformer", PRETRAIN, tmp_path / "pre", most=40, training={"epochs": 2}, **TINY
    )
    run = tmp_path / "run"
    checkpoints.save(run, plan, model, taught.network, {})
    tuned = started(run, NAMING, tmp_path)
    assert isinstance(model, Transformer)
    assert tuned.subwords.tokenizer.to_str() == model.subwords.tokenizer.to_str()
    network: Any = tuned.network()
    before: Any = taught.network
    for key, value in before.encoder.state_dict().items():
        assert torch.equal(value, network.encoder.state_dict()[key]), key
    shutil.rmtree(run)
    assert tuned.length_read == TINY["length"]
    training = checks.small_training("transformer", epochs=1)
    examples = EncodedFile(tmp_path / "train.arrow")
    done = teach(tuned, examples, examples, training, tmp_path / "checkpoints", device="cpu")
    out = tmp_path / "out"
    checkpoints.save(
        out, Plan("transformer", asdict(tuned.settings), NAMING), tuned, done.network, {}
    )
    assert not (out / "vocabulary" / "start.safetensors").exists()
    again, network_again = checkpoints.load(out)
    features = [again.read(one.input) for one in checks.taught_examples(NAMING, 8)]
    assert answers(again, network_again, features) == answers(tuned, done.network, features)


def test_errors_say_what_is_missing(foreign: Path, tmp_path: Path) -> None:
    def begin(folder: Path) -> None:
        model = Transformer(Settings(start=str(folder)), NPATH)
        model.learn_vocabularies({})
        model.network()

    def refused(without: str, match: str, **config: Any) -> None:
        folder = tmp_path / f"without-{without or next(iter(config))}"
        shutil.copytree(foreign, folder)
        if without:
            for file in folder.glob(without):
                file.unlink()
        if config:
            told = json.loads((foreign / "config.json").read_text())
            (folder / "config.json").write_text(json.dumps({**told, **config}))
        with pytest.raises(CodeacumenError, match=match):
            begin(folder)

    refused("config.json", "no checkpoint")
    refused("model.safetensors", "no weights")
    refused("[tmv]o[ck]*.json", "no tokenizer")
    refused("", "type is 'bert'", model_type="bert")
    refused("", "padding", pad_token_id=7)
    refused("", "lacks 16 weights", num_hidden_layers=3)
    refused("", "configuration requires", hidden_size=64)
    with pytest.raises(CodeacumenError, match="no checkpoint"):
        begin(tmp_path / "nowhere")
    with pytest.raises(CodeacumenError, match="heads"):
        Settings(width=10, heads=3)
