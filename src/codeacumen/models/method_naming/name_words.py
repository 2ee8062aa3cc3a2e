"""The vocabulary of method names, and ``JudgedMethod``, the input of the naming rules.

``antipatterns``, ``effect_rules``, ``conventions`` and ``shapes`` use it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from codeacumen.models.method_naming.facts import SELF, Facts
from codeacumen.text.subtokens import split_subtokens

QUESTION_VERBS = frozenset(
    ("is", "has", "can", "should", "was", "were", "are", "does", "will", "have")
)
# Verbs in the third person, which ask a question like ``QUESTION_VERBS``.
PREDICATE_VERBS = frozenset(
    (
        "equals",
        "contains",
        "exists",
        "matches",
        "intersects",
        "overlaps",
        "supports",
        "needs",
        "allows",
        "accepts",
        "implies",
    )
)
FIND_VERBS = frozenset(("find", "lookup", "retrieve", "fetch", "search", "obtain"))
CHECK_VERBS = frozenset(("check", "validate", "verify", "ensure", "assert", "require"))
CREATE_VERBS = frozenset(("create", "new", "instantiate"))
ADD_VERBS = frozenset(("add", "put", "insert", "append", "push", "attach", "register", "enqueue"))
REMOVE_VERBS = frozenset(
    (
        "remove",
        "delete",
        "clear",
        "drop",
        "pop",
        "poll",
        "detach",
        "unregister",
        "dequeue",
        "erase",
        "evict",
        "purge",
        "discard",
    )
)
# Types and formats that a value is converted to (``toString``, ``bytesToHex``).
CONVERTED_TYPES = frozenset(
    (
        "string",
        "int",
        "integer",
        "long",
        "byte",
        "bytes",
        "char",
        "chars",
        "hex",
        "date",
        "xml",
        "json",
        "object",
        "array",
        "list",
        "map",
        "set",
        "file",
        "url",
        "uri",
        "double",
        "float",
        "number",
        "boolean",
        "unicode",
        "ascii",
        "base64",
        "binary",
        "decimal",
    )
)
POSITION_WORDS = frozenset(
    (
        "front",
        "back",
        "top",
        "bottom",
        "start",
        "end",
        "beginning",
        "next",
        "previous",
        "first",
        "last",
        "left",
        "right",
        "up",
        "down",
        "home",
        "do",
        "from",
        "root",
    )
)
# Words by which a getter's name announces that it changes something.
CHANGE_WORDS = frozenset(
    (
        "and",
        "next",
        "new",
        "increment",
        "or",
        "then",
        "fresh",
        "unique",
        "reset",
        "updated",
        "init",
        "lazy",
        "lazily",
        "previous",
        "clear",
        "set",
    )
)

# Each word with the words that undo or deny it.
OPPOSITES: dict[str, frozenset[str]] = {}
for _word, _opposite in (
    ("start", "stop"),
    ("begin", "end"),
    ("enable", "disable"),
    ("open", "close"),
    ("add", "remove"),
    ("insert", "delete"),
    ("show", "hide"),
    ("lock", "unlock"),
    ("push", "pop"),
    ("connect", "disconnect"),
    ("attach", "detach"),
    ("load", "unload"),
    ("encode", "decode"),
    ("encrypt", "decrypt"),
    ("compress", "decompress"),
    ("register", "unregister"),
    ("register", "deregister"),
    ("subscribe", "unsubscribe"),
    ("mount", "unmount"),
    ("bind", "unbind"),
    ("install", "uninstall"),
    ("pause", "resume"),
    ("suspend", "resume"),
    ("increment", "decrement"),
    ("increase", "decrease"),
    ("expand", "collapse"),
    ("activate", "deactivate"),
    ("serialize", "deserialize"),
    ("marshal", "unmarshal"),
    ("escape", "unescape"),
    ("box", "unbox"),
    ("wrap", "unwrap"),
    ("read", "write"),
    ("import", "export"),
    ("send", "receive"),
    ("grow", "shrink"),
    ("select", "deselect"),
    ("visible", "invisible"),
    ("valid", "invalid"),
    ("first", "last"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("before", "after"),
    ("left", "right"),
    ("input", "output"),
    ("allow", "deny"),
    ("include", "exclude"),
    ("acquire", "release"),
):
    OPPOSITES[_word] = OPPOSITES.get(_word, frozenset()) | {_opposite}
    OPPOSITES[_opposite] = OPPOSITES.get(_opposite, frozenset()) | {_word}

# Verbs that may begin a name. The words taken out of ``OPPOSITES`` are no verbs.
VERBS = frozenset(OPPOSITES) - {
    "first", "last", "min", "max", "minimum", "maximum", "before", "after", "left", "right",
    "input", "output", "visible", "invisible", "valid", "invalid",
} | ADD_VERBS | REMOVE_VERBS | FIND_VERBS | CHECK_VERBS | CREATE_VERBS | frozenset((
    "get", "set", "do", "make", "build", "run", "flush", "reset", "init", "initialize", "update",
    "write", "read", "save", "store", "parse", "print", "process", "apply", "compute", "execute",
    "wait", "notify", "fire", "copy", "move", "sort", "merge", "split", "draw", "paint", "log",
))  # fmt: skip

# Nouns that are seldom verbs. A void method whose name begins with one of them has a name without
# an action (rule no-verb).
NOUNS = frozenset((
    "data", "value", "values", "name", "names", "item", "items", "element", "elements", "button",
    "result", "results", "list", "table", "header", "footer", "property", "properties", "node",
    "nodes", "string", "text", "method", "methods", "class", "classes", "parameter", "parameters",
    "argument", "arguments", "index", "size", "length", "count", "content", "contents", "message",
    "messages", "number", "position", "status", "type", "types", "user", "file", "files", "path",
    "word", "words", "key", "keys", "config", "configuration", "information", "info", "thread",
    "exception", "exceptions", "variable", "variables", "service", "manager", "attribute",
    "attributes", "metadata", "system", "statement", "statements", "expression", "constant",
))  # fmt: skip

# Primitive types of numbers. ``VALUES`` adds the types whose objects nobody can change, so a
# parameter of such a type cannot receive a result.
PRIMITIVES = frozenset(("int", "long", "short", "byte", "char", "float", "double"))
VALUES = PRIMITIVES | frozenset(
    (
        "boolean",
        "String",
        "Integer",
        "Long",
        "Short",
        "Byte",
        "Character",
        "Float",
        "Double",
        "Boolean",
        "CharSequence",
        "Class",
        "BigInteger",
        "BigDecimal",
        "Locale",
        "Charset",
        "UUID",
    )
)
# Return types that stand for several objects, for the rules about singular and plural.
COLLECTIONS = frozenset(
    (
        "List",
        "ArrayList",
        "LinkedList",
        "Set",
        "HashSet",
        "TreeSet",
        "LinkedHashSet",
        "SortedSet",
        "Collection",
        "Vector",
        "ImmutableList",
        "ImmutableSet",
        "EnumSet",
        "Queue",
        "Deque",
        "Iterable",
        "Stream",
    )
)
# Words that stand for several things although they are no plurals.
COLLECTIVE_WORDS = frozenset((
    "all", "list", "set", "map", "array", "collection", "queue", "stack", "group", "history",
    "table", "buffer", "data", "content", "info", "information", "path", "chain", "range", "index",
    "children", "people", "men", "women", "feet", "media", "criteria", "indices", "vertices",
    "matrices", "series", "each", "every", "multi", "multiple", "many", "stream", "vector", "deque",
    "sequence", "cache", "pool", "registry", "context", "config", "configuration", "hierarchy",
    "tree", "graph", "matrix", "row", "column", "tuple", "pair", "batch", "bag", "log", "trace",
    "metadata", "schema", "payload", "body", "state", "classpath", "modulepath", "ancestry",
    "inventory", "library", "family", "population", "iterable", "iterator", "enumeration", "slice",
    "split", "partition", "selection", "intersection", "union", "subset", "sublist", "keyset",
    "closure", "memory", "alphabet", "dictionary", "glossary", "backlog", "diff", "delta", "grid",
    "polygon", "point", "shape", "line", "bundle", "catalog", "menu", "toolbar", "palette",
    "signature", "header", "footer", "result", "output", "input", "response", "lineage", "route",
))  # fmt: skip
PREPOSITIONS = frozenset(
    (
        "by",
        "for",
        "of",
        "in",
        "with",
        "from",
        "to",
        "at",
        "on",
        "as",
        "that",
        "which",
        "without",
        "between",
        "under",
        "using",
        "after",
        "before",
        "and",
        "or",
        "per",
        "within",
        "matching",
        "since",
        "like",
        "starting",
        "ending",
        "containing",
        "where",
        "if",
        "inside",
        "into",
        "via",
    )
)


def is_plural(word: str) -> bool:
    """Return True if a word looks like the plural of a noun, and not like class, this or status."""
    return len(word) > 3 and word[-1] == "s" and word[-2] not in "siu"


def singularize(word: str) -> str:
    """Return the singular of a regular plural.

    >>> [singularize(word) for word in ("nodes", "entries", "boxes", "classes", "node")]
    ['node', 'entry', 'box', 'class', 'node']
    """
    if not is_plural(word):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=1 << 16)
def split_words(name: str) -> tuple[str, ...]:
    """Return the words of a name, in lower case."""
    return split_subtokens(name, lower=True)


def find_base_verb(word: str) -> str:
    """Return the word of ``OPPOSITES`` of which ``word`` is a form: ``start`` of ``starts``.

    Return the word itself, in lower case, if it is a form of none.
    """
    lower = word.lower()
    # Pairs (ending of a form, ending of the base verb in its place).
    for ending, put in (("", ""), ("s", ""), ("es", ""), ("es", "e"), ("ed", ""), ("ed", "e")):
        if lower.endswith(ending) and lower[: len(lower) - len(ending)] + put in OPPOSITES:
            return lower[: len(lower) - len(ending)] + put
    return lower


# Result of a rule: None if the rule does not apply to the method, NO_FINDING if the name passes, or
# a text that says what is wrong.
NO_FINDING = ""
RuleAnswer = str | None

# Names that a well-known interface or class prescribes; the author of the method did not choose.
PRESCRIBED_NAMES = frozenset((
    "main", "run", "call", "accept", "apply", "test", "get", "set", "close", "next", "hasNext",
    "compare", "compareTo", "equals", "hashCode", "toString", "clone", "finalize", "iterator",
    "invoke", "execute", "handle", "visit", "actionPerformed", "add", "remove", "size", "contains",
    "put", "write", "read", "flush", "length", "of", "from", "start", "stop", "init", "destroy",
    "getContentPane", "addNotify", "removeNotify", "setUp", "tearDown", "readObject", "writeObject",
    "readResolve", "writeReplace", "readExternal", "writeExternal",
))  # fmt: skip
_TEST_ANNOTATIONS = (
    "Test",
    "Before",
    "After",
    "ParameterizedTest",
    "RepeatedTest",
    "Benchmark",
    "DataProvider",
)
# Last words of the types of listeners. These and the filling verbs are tuples of one word, because
# they are looked up by slices of ``split_words``.
_LISTENER_WORDS = frozenset(
    (word,)
    for word in (
        "listener",
        "callback",
        "handler",
        "consumer",
        "visitor",
        "observer",
        "action",
        "runnable",
        "function",
        "receiver",
        "collector",
        "sink",
    )
)


# First words of methods by which a body fills an object that it received.
_FILLING_VERBS = frozenset((word,) for word in ("set", "add", "append", "put", "accept", "write"))


class JudgedMethod:
    """A method as the naming rules read it: its facts, and the words of its name in lower case.

    ``verb`` is the first word of the name, empty if there is none, and ``rest`` the other words.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.words = split_words(facts.name)
        self.verb = self.words[0] if self.words else ""
        self.rest = self.words[1:]
        self.is_void = facts.returned == "void"

    @cached_property
    def type_words(self) -> tuple[str, ...]:
        """Words of the return type."""
        return split_words(self.facts.returned.rstrip("[]"))

    @cached_property
    def returns_own_type(self) -> bool:
        """True if the method may return the object it is called on, so that calls can be chained.

        It does so if it returns ``this``, or if the return type is the declaring type, a type
        parameter, a builder, or ends in the same word as a supertype.
        """
        facts = self.facts
        variables = {variable.split(" ", 1)[0] for variable in facts.type_parameters}
        owner = facts.owner.rsplit(".", 1)[-1]
        returned = facts.returned
        return (
            "this" in facts.returns_kinds
            or returned == owner
            or returned in variables
            # By convention, T and K1 are type parameters.
            or (len(returned) <= 2 and returned.isupper())
            or returned in ("SELF", "Self", "THIS", "This")
            or returned.endswith("Builder")
            or any(
                split_words(supertype.split("<", 1)[0])[-1:] == split_words(returned)[-1:]
                for supertype in facts.extends + facts.implements
            )
        )

    @cached_property
    def can_take_result(self) -> bool:
        """True if a parameter may receive the result: an object that the body uses or fills."""
        facts = self.facts
        names = {name for _, name in facts.parameters}
        if facts.filled or any(
            receiver in names and split_words(called)[:1] in _FILLING_VERBS
            for receiver, called, _ in facts.calls
        ):
            return True
        used = frozenset(facts.identifiers)
        return any(
            name in used and (kind not in VALUES or kind.endswith("[]"))
            for kind, name in facts.parameters
        )

    @cached_property
    def notifies_listener(self) -> bool:
        """True if a parameter is a listener or callback, which may receive the result."""
        return any(split_words(kind)[-1:] in _LISTENER_WORDS for kind, _ in self.facts.parameters)

    @cached_property
    def writes_state(self) -> bool:
        """True if the body writes a field, an element, another object or a parameter's contents."""
        facts = self.facts
        return bool(
            facts.fields_written or facts.elements_written or facts.others_written or facts.filled
        )

    @cached_property
    def call_verbs(self) -> tuple[str, ...]:
        """First words of the called methods, without calls of the method itself."""
        return tuple(words[0] for words in self.call_words if words)

    @cached_property
    def call_words(self) -> tuple[tuple[str, ...], ...]:
        """Words of the called methods, without calls of the method itself."""
        return tuple(split_words(name) for _, name, _ in self.facts.calls if name != SELF)


@dataclass(frozen=True, slots=True)
class Rule:
    """A naming rule.

    ``id`` is the name by which users suppress the rule, ``source`` the publication that it comes
    from. A finding has the weight ``weight``, in log-odds that the name is wrong.
    """

    id: str
    source: str
    weight: float
    check: Callable[[JudgedMethod], RuleAnswer]


def is_name_chosen(facts: Facts) -> bool:
    """Return True if the author chose the name for this body; the rules skip all other methods.

    A supertype or a framework may prescribe the name; a body that is empty, only throws or only
    returns does not determine the name; and names of tests are sentences.
    """
    return not (
        facts.overrides
        or facts.anonymous
        or facts.super_calls
        or facts.empty
        or facts.throws_only
        or (facts.statements == 1 and facts.returns_count == 1 and facts.returns_kinds == ("void",))
        or facts.name in PRESCRIBED_NAMES
        or any(
            annotation.rsplit(".", 1)[-1] in _TEST_ANNOTATIONS for annotation in facts.annotations
        )
        or facts.name.startswith("test")
    )
