"""Tests of Spot. Oracles: the definition of Liu et al., written with Python's sets, and a generated
corpus in which each method's behaviour is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.api import Capability, CodeacumenError, Instance, Method, NamedMethod
from codeacumen.corpus import Corpus
from codeacumen.models.method_naming.spot import FARTHER, RANKS, SpotModel, compute_fitness
from codeacumen.registry import compute_fingerprint, make_model
from codeacumen.runs.ask import ask_model
from codeacumen.runs.plan import PlannedTask
from corpora import build_corpus_at
from toy_task import ToyTask

pytest.importorskip("faiss")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a corpus of forty classes: getters return a field, setters store a parameter, ``is``
    compares, ``print`` prints, ``load`` reads a file. Each method is named after its behaviour."""
    folder = tmp_path_factory.mktemp("source")
    rng = np.random.default_rng(0)
    things = ["Size", "Title", "Colour", "Width", "Owner", "Path", "Price", "Label", "Weight"]
    for number in range(40):
        lines = [f"class C{number} {{"]
        for thing in rng.permutation(things)[:5].tolist():
            field = thing.lower()
            lines += [
                f"int {field};",
                f"public int get{thing}() {{ return {field}; }}",
                f"public void set{thing}(int {field}) {{ this.{field} = {field}; }}",
                f"boolean is{thing}Big() {{ return {field} > {number}; }}",
                f"void print{thing}() {{ System.out.println({field}); System.out.flush(); }}",
                f"String load{thing}(File file) throws IOException {{",
                "  try (Reader in = new FileReader(file)) "
                f"{{ return in.readLine() + {field}; }} }}",
            ]
        (folder / f"C{number}.java").write_text("\n".join([*lines, "}"]))
    out = tmp_path_factory.mktemp("corpus") / "corpus"
    build_corpus_at(out, [str(folder)], views=["text"])
    return out


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder where one index is built for all of these tests."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def at_home(shared_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEACUMEN_HOME", str(shared_home))


def make_spot(corpus: Path, settings: str = "") -> SpotModel:
    model = make_model(f"spot:corpus={corpus}{settings and ','}{settings}").model
    assert isinstance(model, SpotModel)
    return model


BODIES = {
    "get": "public int METHOD_NAME() { return height; }",
    "set": "public void METHOD_NAME(int height) { this.height = height; }",
    "is": "boolean METHOD_NAME() { return height > 5; }",
    "print": "void METHOD_NAME() { System.out.println(height); System.out.flush(); }",
    "load": "String METHOD_NAME(File file) throws IOException { "
    "try (Reader in = new FileReader(file)) { return in.readLine() + height; } }",
}


# ---------------------------------------------------------------- the decision


def test_fitting_names_score_at_least_a_half(at_home: None, corpus: Path) -> None:
    questions = [
        NamedMethod(Method(f"{verb} as {name_verb}", text), f"{name_verb}Title")
        for verb, text in BODIES.items()
        for name_verb in BODIES
    ]
    answers = make_spot(corpus, "k=5").judge(questions)
    expected = [
        question.method.id.startswith(question.name.removesuffix("Title") + " ")
        for question in questions
    ]
    answer_by_id = dict(zip((question.method.id for question in questions), answers, strict=True))
    assert [answer is not None and answer >= 0.5 for answer in answers] == expected, answer_by_id


SETS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


@given(SETS, SETS, st.integers(1, 4))
def test_fitness_is_at_least_half_iff_sets_intersect(
    names: list[str], bodies: list[str], k: int
) -> None:
    fit = compute_fitness(names, bodies, k)
    assert (fit >= 0.5) == bool(set(names[:k]) & set(bodies[:k]))
    assert 0 <= fit <= 1
    # Without any common element the fitness is 0.
    assert (fit == 0) == (not set(names) & set(bodies))


@given(SETS, SETS, st.integers(1, 4))
def test_later_intersection_fits_less(names: list[str], bodies: list[str], k: int) -> None:
    fit = compute_fitness(names, bodies, k)
    intersecting_sizes = [size for size in range(1, 13) if set(names[:size]) & set(bodies[:size])]
    if intersecting_sizes and intersecting_sizes[0] > k:
        assert fit == pytest.approx(0.5 * k / intersecting_sizes[0])
    elif intersecting_sizes:
        share = sum(body_name in names[:k] for body_name in bodies[:k]) / len(bodies[:k])
        assert fit == pytest.approx(0.5 + share / 2)


def test_decision_equals_definition(at_home: None, corpus: Path) -> None:
    """Compute the decision from the neighbours, by first subtokens and by whole names."""
    from codeacumen.models.method_naming.facts import read_facts_from_text

    texts = list(BODIES.values())
    names = ["getTitle", "loadWidth", "isPriceBig", "setSize", "printWidth"]
    facts = [text_facts for text in texts if (text_facts := read_facts_from_text(text)) is not None]
    assert len(facts) == 5
    for k in (1, 5, 20):
        for by in ("first", "name"):
            model = make_spot(corpus, f"k={k},by={by}")
            by_body, by_name = (
                model.neighbours.find_by_body(facts, k),
                model.neighbours.find_by_name(names, k),
            )
            for fit, name, body_neighbours, name_neighbours in zip(
                model.score_names(facts, names), names, by_body, by_name, strict=True
            ):
                assert len(body_neighbours) == len(name_neighbours) == k
                assert name not in {neighbour.name for neighbour in name_neighbours}
                compared_sets = [
                    {
                        neighbour.meaning.partition(" ")[0] if by == "first" else neighbour.meaning
                        for neighbour in side
                    }
                    for side in (body_neighbours, name_neighbours)
                ]
                assert fit is not None
                assert (fit >= 0.5) == (not compared_sets[0].isdisjoint(compared_sets[1]))


def test_own_name_counts_with_setting_own(at_home: None, corpus: Path) -> None:
    """By whole names, a method whose neighbours all have its name is inconsistent according to
    Spot."""
    questions = [NamedMethod(Method("", "int METHOD_NAME() { return size; }"), "getSize")]
    [without] = make_spot(corpus, "k=5,by=name").judge(questions)
    [counted] = make_spot(corpus, "k=5,by=name,own=true").judge(questions)
    assert without is not None
    assert counted is not None
    assert without < 0.5 <= counted


def test_unknown_words_and_broken_texts_have_no_answer(at_home: None, corpus: Path) -> None:
    text = BODIES["get"]
    questions = [
        NamedMethod(Method("no word", text), "qqq"),
        NamedMethod(Method("no name", text), ""),
        NamedMethod(Method("no method", "x y z }} {{"), "getSize"),
        NamedMethod(Method("nothing", ""), "getSize"),
        NamedMethod(Method("bytes", "\x00\ud800"), "getSize"),
        NamedMethod(Method("good", text), "getSize"),
    ]
    *nothing, good = make_spot(corpus).judge(questions)
    assert nothing == [None] * 5
    assert good is not None
    assert make_spot(corpus).judge([]) == []


def test_deep_nesting_is_supported(at_home: None, corpus: Path) -> None:
    deep = "int METHOD_NAME() { return " + "(" * 10_000 + "size" + ")" * 10_000 + "; }"
    [answer] = make_spot(corpus).judge([NamedMethod(Method("", deep), "getSize")])
    assert answer is not None


def test_answer_does_not_depend_on_its_batch(at_home: None, corpus: Path) -> None:
    model = make_spot(corpus, "k=3")
    questions = [NamedMethod(Method("", text), f"{name}Owner") for name, text in BODIES.items()]
    assert model.judge(questions) == [model.judge([question])[0] for question in questions]


# ---------------------------------------------------------------- names


def test_rank_functions_order_names() -> None:
    scored_names = [
        ("a", 0.9),
        ("b", 0.8),
        ("b", 0.7),
        ("c", 0.6),
        ("d", 0.6),
        ("c", 0.1),
        ("c", 0.1),
    ]
    assert RANKS["r1"](scored_names) == ["a", "b", "c", "d"]
    assert RANKS["r2"](scored_names) == ["c", "b", "a", "d"]
    assert RANKS["r3"](scored_names) == ["a", "b", "d", "c"]
    assert RANKS["r4"](scored_names) == ["b", "c", "a", "d"]
    assert all(rank([]) == [] for rank in RANKS.values())


@pytest.mark.parametrize("rank", RANKS)
def test_suggested_name_has_verb_of_the_behaviour(at_home: None, corpus: Path, rank: str) -> None:
    names = make_spot(corpus, f"rank={rank}").name([Method("", text) for text in BODIES.values()])
    for verb, name in zip(BODIES, names, strict=True):
        assert name is not None
        assert name.startswith(verb)
    assert make_spot(corpus).name([Method("", "?")]) == [None]


def test_method_of_the_corpus_gets_its_name(at_home: None, corpus: Path) -> None:
    assert make_spot(corpus).name([Method("", "int METHOD_NAME() { return price; }")]) == [
        "getPrice"
    ]


# ---------------------------------------------------------------- as a model


def test_spot_answers_in_a_run(at_home: None, corpus: Path) -> None:
    loaded_model = make_model(f"spot:corpus={corpus},k=5")
    named = NamedMethod(Method("one", BODIES["get"]), "getTitle")
    task = PlannedTask(ToyTask([Instance("one", named, 1.0)], capability=Capability.JUDGE))
    [[answer]] = ask_model(loaded_model, task, lambda _: True)
    assert not answer.error
    assert answer.value >= 0.5


def test_fingerprint_depends_on_corpus(
    at_home: None, corpus: Path, examples_corpus: Corpus
) -> None:
    loaded_model = make_model(f"spot:corpus={corpus}")
    again = make_model(f"spot:corpus={corpus}")
    assert compute_fingerprint(loaded_model) == compute_fingerprint(again)
    other = make_model(f"spot:corpus={examples_corpus.folder}")
    assert compute_fingerprint(other) != compute_fingerprint(loaded_model)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("k=0", "k=0"),
        ("k=true", "k=True"),
        ("k=2.5", "k=2.5"),
        ("by=last", "by=last"),
        ("rank=r5", "rank=r5"),
        ("space=all", "space=all"),
        ("dimensions=1", "dimensions=1"),
        ("seed=-1", "seed=-1"),
        ("own=1", "own=1"),
    ],
)
def test_invalid_settings_are_refused(corpus: Path, settings: str, message: str) -> None:
    with pytest.raises(CodeacumenError, match=f"spot cannot have {message}") as raised:
        make_model(f"spot:corpus={corpus},{settings}")
    assert raised.value.hint


def test_missing_corpus_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="spot needs a corpus"):
        make_model("spot")
    with pytest.raises(CodeacumenError, match="holds no corpus"):
        make_model(f"spot:corpus={tmp_path}")


def test_corpus_without_methods_is_reported(at_home: None, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "A.java").write_text("class A { A() { } }")
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "source")], views=["text"])
    model = make_spot(tmp_path / "corpus")
    with pytest.raises(CodeacumenError, match="no method to learn names from"):
        model.name([Method("", BODIES["get"])])


def test_neighbours_beyond_k_count_a_little() -> None:
    assert FARTHER > 1
    assert 0 < compute_fitness(["a", "b"], ["c", "b"], 1) < 0.5
