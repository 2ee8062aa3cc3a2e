"""Oracles: the definition of Liu et al., written here with sets of Python, and a corpus of which it
is known who does what."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.api import Capability, CodeacumenError, Instance, Method, NamedMethod
from codeacumen.corpus import Corpus
from codeacumen.models.method_naming.spot import FARTHER, RANKS, Spot, fitness
from codeacumen.registry import fingerprint, make_model
from codeacumen.runs.ask import ask
from codeacumen.runs.plan import PlannedTask
from corpora import build_at
from toys import Toy

pytest.importorskip("faiss")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty classes: getters return a field, setters store a parameter, ``is`` compares,
    ``print`` prints, ``load`` reads a file. All are named after what they do."""
    folder = tmp_path_factory.mktemp("source")
    draw = np.random.default_rng(0)
    things = ["Size", "Title", "Colour", "Width", "Owner", "Path", "Price", "Label", "Weight"]
    for number in range(40):
        lines = [f"class C{number} {{"]
        for thing in draw.permutation(things)[:5].tolist():
            low = thing.lower()
            lines += [
                f"int {low};",
                f"public int get{thing}() {{ return {low}; }}",
                f"public void set{thing}(int {low}) {{ this.{low} = {low}; }}",
                f"boolean is{thing}Big() {{ return {low} > {number}; }}",
                f"void print{thing}() {{ System.out.println({low}); System.out.flush(); }}",
                f"String load{thing}(File file) throws IOException {{",
                f"  try (Reader in = new FileReader(file)) {{ return in.readLine() + {low}; }} }}",
            ]
        (folder / f"C{number}.java").write_text("\n".join([*lines, "}"]))
    out = tmp_path_factory.mktemp("corpus") / "corpus"
    build_at(out, [str(folder)], views=["text"])
    return out


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index is made once for all of these tests."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def at_home(shared_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEACUMEN_HOME", str(shared_home))


def spot(corpus: Path, settings: str = "") -> Spot:
    made = make_model(f"spot:corpus={corpus}{settings and ','}{settings}").model
    assert isinstance(made, Spot)
    return made


BODIES = {
    "get": "public int METHOD_NAME() { return height; }",
    "set": "public void METHOD_NAME(int height) { this.height = height; }",
    "is": "boolean METHOD_NAME() { return height > 5; }",
    "print": "void METHOD_NAME() { System.out.println(height); System.out.flush(); }",
    "load": "String METHOD_NAME(File file) throws IOException { "
    "try (Reader in = new FileReader(file)) { return in.readLine() + height; } }",
}


# ---------------------------------------------------------------- the decision


def test_names_that_fit_and_names_that_do_not(at_home: None, corpus: Path) -> None:
    asked = [
        NamedMethod(Method(f"{does} as {named}", text), f"{named}Title")
        for does, text in BODIES.items()
        for named in BODIES
    ]
    answers = spot(corpus, "k=5").judge(asked)
    right = [one.method.id.startswith(one.name.removesuffix("Title") + " ") for one in asked]
    found = dict(zip((one.method.id for one in asked), answers, strict=True))
    assert [answer is not None and answer >= 0.5 for answer in answers] == right, found


SETS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


@given(SETS, SETS, st.integers(1, 4))
def test_a_half_or_more_is_just_where_the_sets_meet(
    names: list[str], bodies: list[str], k: int
) -> None:
    found = fitness(names, bodies, k)
    assert (found >= 0.5) == bool(set(names[:k]) & set(bodies[:k]))
    assert 0 <= found <= 1
    # Who never meets has nothing at all.
    assert (found == 0) == (not set(names) & set(bodies))


@given(SETS, SETS, st.integers(1, 4))
def test_who_meets_later_fits_less(names: list[str], bodies: list[str], k: int) -> None:
    found = fitness(names, bodies, k)
    meets = [n for n in range(1, 13) if set(names[:n]) & set(bodies[:n])]
    if meets and meets[0] > k:
        assert found == pytest.approx(0.5 * k / meets[0])
    elif meets:
        share = sum(one in names[:k] for one in bodies[:k]) / len(bodies[:k])
        assert found == pytest.approx(0.5 + share / 2)


def test_the_decision_is_the_definition(at_home: None, corpus: Path) -> None:
    """By first subtokens and by whole names, from the neighbours themselves."""
    from codeacumen.models.method_naming.facts import facts_of_text

    texts = list(BODIES.values())
    names = ["getTitle", "loadWidth", "isPriceBig", "setSize", "printWidth"]
    facts = [one for text in texts if (one := facts_of_text(text)) is not None]
    assert len(facts) == 5
    for k in (1, 5, 20):
        for by in ("first", "name"):
            model = spot(corpus, f"k={k},by={by}")
            by_body, by_name = model.neighbours.bodies(facts, k), model.neighbours.names(names, k)
            for fit, name, body, near in zip(
                model.fits(facts, names), names, by_body, by_name, strict=True
            ):
                assert len(body) == len(near) == k
                assert name not in {one.name for one in near}
                told = [
                    {one.first if by == "first" else one.meaning for one in side}
                    for side in (body, near)
                ]
                assert fit is not None
                assert (fit >= 0.5) == (not told[0].isdisjoint(told[1]))


def test_the_name_itself_counts_if_asked_for(at_home: None, corpus: Path) -> None:
    """By whole names, a method whose name all its neighbours have is inconsistent to Spot."""
    asked = [NamedMethod(Method("", "int METHOD_NAME() { return size; }"), "getSize")]
    [without] = spot(corpus, "k=5,by=name").judge(asked)
    [counted] = spot(corpus, "k=5,by=name,own=true").judge(asked)
    assert without is not None
    assert counted is not None
    assert without < 0.5 <= counted


def test_no_answer_where_nothing_is_known(at_home: None, corpus: Path) -> None:
    text = BODIES["get"]
    asked = [
        NamedMethod(Method("no word", text), "qqq"),
        NamedMethod(Method("no name", text), ""),
        NamedMethod(Method("no method", "x y z }} {{"), "getSize"),
        NamedMethod(Method("nothing", ""), "getSize"),
        NamedMethod(Method("bytes", "\x00\ud800"), "getSize"),
        NamedMethod(Method("good", text), "getSize"),
    ]
    *nothing, good = spot(corpus).judge(asked)
    assert nothing == [None] * 5
    assert good is not None
    assert spot(corpus).judge([]) == []


def test_the_nesting_may_be_deep(at_home: None, corpus: Path) -> None:
    deep = "int METHOD_NAME() { return " + "(" * 10_000 + "size" + ")" * 10_000 + "; }"
    [answer] = spot(corpus).judge([NamedMethod(Method("", deep), "getSize")])
    assert answer is not None


def test_alone_and_together_it_answers_the_same(at_home: None, corpus: Path) -> None:
    model = spot(corpus, "k=3")
    asked = [NamedMethod(Method("", text), f"{name}Owner") for name, text in BODIES.items()]
    assert model.judge(asked) == [model.judge([one])[0] for one in asked]


# ---------------------------------------------------------------- names


def test_ranks() -> None:
    found = [("a", 0.9), ("b", 0.8), ("b", 0.7), ("c", 0.6), ("d", 0.6), ("c", 0.1), ("c", 0.1)]
    assert RANKS["r1"](found) == ["a", "b", "c", "d"]
    assert RANKS["r2"](found) == ["c", "b", "a", "d"]
    assert RANKS["r3"](found) == ["a", "b", "d", "c"]
    assert RANKS["r4"](found) == ["b", "c", "a", "d"]
    assert all(rank([]) == [] for rank in RANKS.values())


@pytest.mark.parametrize("rank", RANKS)
def test_a_name_is_of_a_method_that_does_the_same(at_home: None, corpus: Path, rank: str) -> None:
    names = spot(corpus, f"rank={rank}").name([Method("", text) for text in BODIES.values()])
    for does, name in zip(BODIES, names, strict=True):
        assert name is not None
        assert name.startswith(does)
    assert spot(corpus).name([Method("", "?")]) == [None]


def test_a_method_of_the_corpus_gets_its_name(at_home: None, corpus: Path) -> None:
    assert spot(corpus).name([Method("", "int METHOD_NAME() { return price; }")]) == ["getPrice"]


# ---------------------------------------------------------------- as a model


def test_a_run_can_ask_it(at_home: None, corpus: Path) -> None:
    made = make_model(f"spot:corpus={corpus},k=5")
    named = NamedMethod(Method("one", BODIES["get"]), "getTitle")
    task = PlannedTask(Toy([Instance("one", named, 1.0)], capability=Capability.JUDGE))
    [[answer]] = ask(made, task, lambda _: True)
    assert not answer.error
    assert answer.value >= 0.5


def test_another_corpus_is_another_model(
    at_home: None, corpus: Path, examples_corpus: Corpus
) -> None:
    made = make_model(f"spot:corpus={corpus}")
    again = make_model(f"spot:corpus={corpus}")
    assert fingerprint(made) == fingerprint(again)
    other = make_model(f"spot:corpus={examples_corpus.folder}")
    assert fingerprint(other) != fingerprint(made)


@pytest.mark.parametrize(
    ("settings", "told"),
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
def test_settings_that_cannot_be(corpus: Path, settings: str, told: str) -> None:
    with pytest.raises(CodeacumenError, match=f"spot cannot have {told}") as raised:
        make_model(f"spot:corpus={corpus},{settings}")
    assert raised.value.hint


def test_it_needs_a_corpus(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="spot needs a corpus"):
        make_model("spot")
    with pytest.raises(CodeacumenError, match="holds no corpus"):
        make_model(f"spot:corpus={tmp_path}")


def test_a_corpus_without_methods(at_home: None, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "A.java").write_text("class A { A() { } }")
    build_at(tmp_path / "corpus", [str(tmp_path / "source")], views=["text"])
    model = spot(tmp_path / "corpus")
    with pytest.raises(CodeacumenError, match="no method to learn names from"):
        model.name([Method("", BODIES["get"])])


def test_farther_than_k_is_looked_at() -> None:
    assert FARTHER > 1
    assert 0 < fitness(["a", "b"], ["c", "b"], 1) < 0.5
