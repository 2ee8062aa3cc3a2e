"""Fields that a class inherits from another file.

``new Base() { int g() { return x; } }`` means ``Base.x`` if there is one, whatever local variable
stands around it (JLS 6.4.1). The bindings of one file do not see ``Base``: they take such a name
for the variable.
"""

from __future__ import annotations

from acumen.lang.java.calls.members import find_field
from acumen.lang.java.calls.scopes import ancestors
from acumen.lang.java.file import JavaFile
from acumen.lang.java.types import Types
from acumen.transforms.code import TYPE_BODIES, Code, code_of

REASON = "a class that uses it may inherit a field of that name"


def may_be_field(code: Code, variable: int) -> bool:
    """Whether an occurrence of a local variable may in truth be a field that a class between the
    two inherits."""
    home, of, name = code.method_of[variable], code.method_of, code.text(variable)
    for use in code.occurrences[variable]:
        if of[use] == home:
            continue
        for body in code.up(use):
            if body < variable:
                break
            if code.kind[body] in TYPE_BODIES and code.file.once(_Heirs).may_have(body, name):
                return True
    return False


class _Heirs:
    """The types of a file, and what they may have that the file does not show."""

    def __init__(self, file: JavaFile) -> None:
        self.code = code_of(file)
        self.types = file.once(Types)
        self.place = {one.node: place for place, one in enumerate(file.declarations.types)}

    def may_have(self, body: int, name: str) -> bool:
        """Whether the type of a body has a field of that name, for all that is known."""
        code, world = self.code, self.types.world
        above = code.parent[body]
        if code.kind[above] == "object_creation_expression" and code.kind[above + 1] != "new":
            return True  # x.new Inner() { }: which Inner, the type of x decides
        # A class without a name is its body.
        place = self.place[body] if body in self.place else self.place[above]
        cls = world.units[self.types.path].classes[place]
        # Of the JDK's classes it is not known what only their own package sees.
        beside = any(
            one.unit is None
            and one.package == cls.package
            and not one.is_interface
            and one is not world.object
            for one in ancestors(world, cls)
        )
        return beside or not cls.complete or find_field(world, cls, name) is not None
