"""Variable renaming: one variable of a method gets the name ``varN``, everywhere it is meant.

Occurrences are those that the bindings find, never those that read the same. The new name occurs
nowhere in the file, so it neither hides anything nor is hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count, islice

from acumen.lang.java.calls.platform import platform
from acumen.lang.java.declarations import NONE
from acumen.lang.java.file import JavaFile
from acumen.transforms.code import TYPE_BODIES, Code, code_of
from acumen.transforms.edits import Rewrite, replace
from acumen.transforms.location import Location, Numbered

_HEADERS = frozenset(("superclass", "super_interfaces", "extends_interfaces"))
_ASIDE = frozenset(("type_arguments", "annotation", "marker_annotation"))


class Rename:
    name = "rename"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        numbered = Numbered(self.name)
        broken = _unreadable(code, method)
        canonical = _canonical(code, method)
        found = [
            Location(
                numbered.id(name := code.text(variable)), method, *code.span(variable),
                broken or _refused(code, variable, name, canonical), variable,
            )
            for variable in code.variables.get(method, ())
        ]  # fmt: skip
        for node in _components(code, method):
            why = broken or "it is a component of a record"
            found.append(Location(numbered.id(code.text(node)), method, *code.span(node), why))
        return sorted(found, key=lambda one: one.start)

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        found: list[Rewrite] = []
        for location, new in zip(chosen, _new_names(code, chosen), strict=False):
            text = new.encode()
            places = code.occurrences[location.detail]
            found += [replace(*code.span(node), text) for node in places]
        return found


def _new_names(code: Code, chosen: Sequence[Location]) -> Iterator[str]:
    """Names nobody mentions. A method inside another one takes later ones: both may be changed,
    and the inner one may use the outer one's variables."""
    names = (name for n in count() if (name := f"var{n}") not in code.words)
    return islice(names, _around(code, chosen[0].method) if chosen else 0, None)


def _around(code: Code, method: int) -> int:
    """How many variables the methods around a method have."""
    declared = code.file.declarations
    found, type_ = 0, declared.methods[method].type
    while type_ != NONE:
        found += len(code.variables.get(declared.types[type_].method, ()))
        type_ = declared.types[type_].owner
    return found


def _unreadable(code: Code, method: int) -> str:
    if code.misread(method):
        return "the source is broken here"
    if code.escaped:
        return "identifiers or comments of this file have Unicode escapes"
    return ""


def _refused(code: Code, variable: int, name: str, canonical: bool) -> str:
    if name == "this":
        return "it is the receiver"
    if name == "_":
        return "it has no name"
    if canonical and code.role[variable] == "parameter":
        return "a record's canonical constructor names the components"
    label = code.file.once(_labels).get(name, NONE)
    if label > variable and _constant(code, variable):
        return "a case label may mean it or an enum's constant"
    if doubtful(code, variable):
        return "a class whose supertype is not in this file mentions the name"
    return ""


def _canonical(code: Code, method: int) -> bool:
    """Whether a method is the constructor of a record whose parameters must be called as the
    components (JLS 8.10.4.1): any other constructor calls one."""
    declared = code.file.declarations
    one = declared.methods[method]
    if one.kind != "constructor" or one.type == NONE:
        return False
    if declared.types[one.type].kind != "record":
        return False
    body = [code.kind[statement] for statement in code.children(one.body)]
    return "explicit_constructor_invocation" not in body


def _components(code: Code, method: int) -> list[int]:
    """Where a compact constructor first mentions each of its parameters."""
    one = code.file.declarations.methods[method]
    if one.kind != "compact constructor":
        return []
    first: dict[int, int] = {}
    for node in code.of_kind(one.node, "identifier"):
        if code.role.get(node) == "parameter" and code.declaration[node] < one.node:
            first.setdefault(code.declaration[node], node)
    return list(first.values())


def _constant(code: Code, variable: int) -> bool:
    """Whether a variable may be a constant (JLS 4.12.4), so that a case label may name it."""
    declaration = code.parent[code.parent[variable]]
    if code.kind[declaration] != "local_variable_declaration":
        return False
    modifiers = code.children(declaration)[0]
    return code.kind[modifiers] == "modifiers" and bool(code.of_kind(modifiers, "final"))


def _labels(file: JavaFile) -> dict[str, int]:
    """Words that name constants of enums declared elsewhere, as far as can be told, and the last
    case label of each."""
    code = code_of(file)
    return {
        code.text(node): node
        for node, role in code.role.items()
        if role == "enum constant"
        and code.declaration[node] == NONE
        and code.kind[code.parent[node]] == "switch_label"
    }


# ---- fields that a class inherits from elsewhere


def doubtful(code: Code, variable: int) -> bool:
    """Whether an occurrence of a local variable may in truth be a field: one that a class between
    the two inherits from a type that is neither in this file nor the JDK's. ``new Base() { int
    g() { return x; } }`` means ``Base.x`` if there is one, whatever local variable stands around
    (JLS 6.4.1)."""
    home, of = code.method_of[variable], code.method_of
    for node in code.occurrences[variable]:
        if of[node] == home:
            continue
        for body in code.up(node):
            if body < variable:
                break
            if code.kind[body] in TYPE_BODIES:
                fields = code.file.once(_Heirs).fields(body)
                if fields is None or code.text(variable) in fields:
                    return True
    return False


class _Heirs:
    """What the types of a file inherit from types declared elsewhere."""

    def __init__(self, file: JavaFile) -> None:
        self.code = code = code_of(file)
        self.types = file.declarations.types
        self.package = file.declarations.package
        self.place = {one.node: place for place, one in enumerate(self.types)}
        self.known: dict[int, frozenset[str] | None] = {}
        self.imported: dict[str, str] = {}
        self.all_of = ["java.lang"]
        for node in code.children(0):
            if code.kind[node] == "import_declaration":
                name = ".".join(map(code.text, code.of_kind(node, "identifier")))
                if code.of_kind(node, "asterisk"):
                    self.all_of.append(name)
                else:
                    self.imported[name.rpartition(".")[2]] = name

    def fields(self, body: int) -> frozenset[str] | None:
        """Names of the fields that the type of a body inherits from the JDK; None where it has
        an ancestor that is neither the JDK's nor of this file."""
        type_ = self.place[body] if body in self.place else self.place[self.code.parent[body]]
        if type_ not in self.known:
            self.known[type_] = self._fields(type_)
        return self.known[type_]

    def _fields(self, type_: int) -> frozenset[str] | None:
        found: set[str] = set()
        seen, left = {type_}, [type_]
        while left:
            one = left.pop()
            if self.types[one].kind == "enum constant":
                here = [self.types[one].owner]
            else:
                here = []
                for path in self._supertypes(self.types[one].node):
                    declared = self.code.declaration.get(path[-1], NONE) if path else NONE
                    if declared != NONE and self.code.parent[declared] in self.place:
                        here.append(self.place[self.code.parent[declared]])
                        continue
                    fields = self._foreign(".".join(map(self.code.text, path)))
                    if fields is None:
                        return None
                    found |= fields
            left += [up for up in here if up not in seen]
            seen.update(here)
        return frozenset(found)

    def _supertypes(self, type_: int) -> list[list[int]]:
        """The identifiers of each supertype as written; none where its name depends on the type
        of an expression (``x.new Inner() { }``)."""
        code = self.code
        if code.kind[type_] == "class_body":
            new = code.parent[type_]
            return [self._path(code.child(new, "type")) if code.kind[new + 1] == "new" else []]
        written: list[int] = []
        for head in code.children(type_):
            if code.kind[head] in _HEADERS:
                listed = code.children(head)[1:]
                if listed and code.kind[listed[0]] == "type_list":
                    listed = code.children(listed[0])
                written += [one for one in listed if code.kind[one] != ","]
        return [self._path(one) for one in written]

    def _path(self, type_: int) -> list[int]:
        """The names of ``@A b.C<D>.E``: b, C, E."""
        code, found, at = self.code, [], type_
        while at < code.stop[type_]:
            if code.kind[at] in _ASIDE:
                at = code.stop[at]
                continue
            if code.kind[at] == "type_identifier":
                found.append(at)
            at += 1
        return found

    def _foreign(self, name: str) -> frozenset[str] | None:
        """The fields of a type that this file does not declare; None if it is not the JDK's, or
        may have fields that only its package sees."""
        first, dot, rest = name.partition(".")
        if first in self.imported:
            names = [self.imported[first] + dot + rest]
        else:
            names = [f"{package}.{name}" for package in (self.package, *self.all_of)] + [name]
        for one in names:
            if one in platform().blocks:
                fields, packages = _platform_fields(one)
                return None if self.package in packages or "" in packages else fields
        return None


@lru_cache(maxsize=4096)
def _platform_fields(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """The fields of a type of the JDK that may be inherited, and the packages of the classes
    they come from; the empty one stands for a class that the table does not have."""
    found: set[str] = set()
    packages: set[str] = set()
    seen, left = {name}, [name]
    while left:
        one = left.pop()
        type_ = platform().get(one)
        if type_ is None:
            packages.add("")
            continue
        if type_.kind != "interface" and one != "java.lang.Object":
            packages.add(_package(one))
        found.update(member.name for member in type_.members if member.parameters is None)
        ups = [up.partition("<")[0] for up in type_.supers]
        left += [up for up in ups if up not in seen]
        seen.update(ups)
    return frozenset(found), frozenset(packages)


def _package(name: str) -> str:
    """The package of a type of the JDK."""
    while name and name not in platform().packages:
        name = name.rpartition(".")[0]
    return name
