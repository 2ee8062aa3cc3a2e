"""Tests of the input of Spot's CNN against pairs written by hand."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from codeacumen.api import Method
from codeacumen.models.neural.inputs.spot import extract_pairs
from codeacumen.models.neural.networks.spot_cnn import SpotCNN, SpotCNNSettings
from models.neural import small_networks
from models.neural.small_networks import NAMING

BODIES = {
    "if (out == null) throw new NullPointerException(); return;":
        "IfStatement if VariableName outputstreamVar Operator == NullLiteral null "
        "ThrowStatement throw New new SimpleType NullPointerException ReturnStatement return",
    'int n = 1; String s = "x" + \'c\'; List<String> all = null;':
        "PrimitiveType int VariableName intVar NumberLiteral numberLiteral "
        "SimpleType String VariableName stringVar StringLiteral stringLiteral Operator + "
        "CharacterLiteral charLiteral "
        "ParameterizedType List VariableName listVar NullLiteral null",
    "for (java.util.Map.Entry<K, V> e : map.entrySet()) e.getKey().run(this.x);":
        "EnhancedForStatement for ParameterizedType Entry VariableName entryVar VariableName map "
        "MethodName entrySet VariableName entryVar MethodName getKey MethodName run "
        "ThisExpression this VariableName x",
    "try { super.close(); } catch (IOException e) { log(e); } finally { x--; }":
        "TryStatement try SuperMethodInvocation super MethodName close CatchClause catch "
        "SimpleType IOException VariableName ioexceptionVar MethodName log "
        "VariableName ioexceptionVar FinallyBody finally VariableName x Operator --",
    "switch (k) { case 1: break; default: continue; } int[] a = {1, 2};":
        "SwitchStatement switch VariableName k SwitchCase case NumberLiteral numberLiteral "
        "BreakStatement break SwitchCase default ContinueStatement continue "
        "ArrayType int[] VariableName int[]Var ArrayInitializer arrayInitializer",
    "do { i += Long.MAX_VALUE; } while (!(o instanceof T)); synchronized (T.class) { }":
        "DoStatement do VariableName i Operator += Name Long Name MAX_VALUE Operator ! "
        "VariableName o Operator instanceof SimpleType T SynchronizedStatement synchronized "
        "TypeLiteral T",
    "all.forEach(one -> done(one)); all.map(Object::toString); new A() { void b() { c(); } };":
        "VariableName all MethodName forEach LambdaExpression lambda VariableName one "
        "MethodName done VariableName one VariableName all MethodName map MethodName toString "
        "New new SimpleType A",
    "METHOD_NAME(1); this.METHOD_NAME(); other::METHOD_NAME; // METHOD_NAME":
        "NumberLiteral numberLiteral ThisExpression this",
    "": "",
}  # fmt: skip


@pytest.mark.parametrize("body", BODIES)
def test_pairs_of_body(body: str) -> None:
    words = extract_pairs(f"void METHOD_NAME(OutputStream out) {{ {body} }}")
    assert words == BODIES[body].split()


def test_variable_belongs_to_the_nearest_declaration() -> None:
    words = extract_pairs(
        "void f(int x) { g(x); for (String x : all) g(x); g(x); g(this.x); h.x(); }"
    )
    named = [word for node, word in zip(words[::2], words[1::2], strict=True) if "Var" in node]
    assert named == ["intVar", "stringVar", "all", "stringVar", "intVar", "x", "h"]


def test_mask_is_not_a_word() -> None:
    for text, name in small_networks.list_methods():
        words = extract_pairs(text)
        assert len(words) % 2 == 0
        assert not any("method_name" in word.lower() for word in words), name


def test_any_text_is_supported() -> None:
    model = SpotCNN(SpotCNNSettings(longest=20), NAMING)
    for text in ("", "}{", "\ud800\0", "é" * 50, "class X {", "a" * 300_000, "((((" * 5000,
                 "void f() { \ud800.x(", "int f(", "void f(a b, @c d) { e = -> :: }"):  # fmt: skip
        features = model.extract_features(Method("", text))
        assert features is None or 0 < len(features["tokens"]) <= 20
    assert model.extract_features(Method("", "")) is None
    assert model.extract_features(Method("", "void f();")) is None
    assert extract_pairs("getName") == ["VariableName", "getName"]
