"""Models of methods outside the project: methods of the JDK, and null checks of a few libraries.

A model lists the outcomes of a method (see ``state``). A label is the qualified name of a method,
with or without the types of its parameters, such as ``java.util.List.add(int)``. The analysis
assumes that a method without a model fails on no argument, and never reports its result as null.
The module also judges methods by their names, and decides which catch clause catches an exception,
from the superclasses of common exceptions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from codeacumen.languages.java.nulls.interpretation.state import (
    FALSE,
    NONNULL,
    NULL,
    TRUE,
    Outcome,
    return_outcome,
)

# Superclasses of common exceptions, by simple names.
_SUPERCLASS = {
    "Exception": "Throwable",
    "Error": "Throwable",
    "RuntimeException": "Exception",
    "IOException": "Exception",
    "AssertionError": "Error",
    "ReflectiveOperationException": "Exception",
    "GeneralSecurityException": "Exception",
    "InterruptedException": "Exception",
    "CloneNotSupportedException": "Exception",
    "TimeoutException": "Exception",
    "ExecutionException": "Exception",
    "SQLException": "Exception",
    "ParseException": "Exception",
    "URISyntaxException": "Exception",
    "FileNotFoundException": "IOException",
    "EOFException": "IOException",
    "UncheckedIOException": "RuntimeException",
    "UnsupportedEncodingException": "IOException",
    "MalformedURLException": "IOException",
    "ClassNotFoundException": "ReflectiveOperationException",
    "NoSuchMethodException": "ReflectiveOperationException",
    "NoSuchFieldException": "ReflectiveOperationException",
    "IllegalAccessException": "ReflectiveOperationException",
    "InstantiationException": "ReflectiveOperationException",
    "InvocationTargetException": "ReflectiveOperationException",
    "NoSuchAlgorithmException": "GeneralSecurityException",
    "InvalidKeyException": "GeneralSecurityException",
    "KeyStoreException": "GeneralSecurityException",
    "CertificateException": "GeneralSecurityException",
    "UnknownHostException": "IOException",
    "SocketException": "IOException",
    "SSLException": "IOException",
    "NoSuchFileException": "IOException",
    "SAXException": "Exception",
    "SAXParseException": "SAXException",
    "ParserConfigurationException": "Exception",
    "TransformerException": "Exception",
    "NamingException": "Exception",
    "ServletException": "Exception",
    "PrivilegedActionException": "Exception",
    "IllegalArgumentException": "RuntimeException",
    "NumberFormatException": "IllegalArgumentException",
    "IllegalStateException": "RuntimeException",
    "NullPointerException": "RuntimeException",
    "IndexOutOfBoundsException": "RuntimeException",
    "ArrayIndexOutOfBoundsException": "IndexOutOfBoundsException",
    "StringIndexOutOfBoundsException": "IndexOutOfBoundsException",
    "UnsupportedOperationException": "RuntimeException",
    "ClassCastException": "RuntimeException",
    "ArithmeticException": "RuntimeException",
    "ConcurrentModificationException": "RuntimeException",
    "NoSuchElementException": "RuntimeException",
    "SecurityException": "RuntimeException",
}

# Checked exceptions that callers must catch. The analysis assumes that the catch clause never runs.
NEVER_THROWN = frozenset(("CloneNotSupportedException", "UnsupportedEncodingException"))

# In place of the name of an exception: RuntimeException or any subclass of it.
ANY_RUNTIME = "any RuntimeException"


def catches_exception(types: Sequence[str], thrown: str) -> bool | None:
    """Return whether a catch clause for ``types`` catches an exception; None if unknown.

    ``thrown`` is the class of the exception, ANY_RUNTIME, or empty if it is unknown. A class that
    ``_SUPERCLASS`` does not list may extend Exception, RuntimeException or another such class, but
    none of the other listed classes.
    """
    if not thrown:
        return None
    if not {"Throwable", "Exception"}.isdisjoint(types):
        return True
    if thrown == ANY_RUNTIME:
        if "RuntimeException" in types:
            return True
        is_possible = any(
            "RuntimeException" in _list_superclasses(type_) or type_ not in _SUPERCLASS
            for type_ in types
        )
        return None if is_possible else False
    if not _list_superclasses(thrown).isdisjoint(types):
        return True
    if thrown in _SUPERCLASS or thrown == "Throwable":
        return False
    is_possible = any(type_ not in _SUPERCLASS or type_ == "RuntimeException" for type_ in types)
    return None if is_possible else False


def _list_superclasses(name: str) -> set[str]:
    """Return a class and its superclasses, as far as _SUPERCLASS lists them."""
    classes = {name}
    while name in _SUPERCLASS:
        name = _SUPERCLASS[name]
        classes.add(name)
    return classes


# Kinds of methods that have no outcomes here, because the analysis has code of its own for them:
# methods of maps, and the getter of system properties.
GET, REMOVE, CONTAINS, PUT, KEYS, PROPERTY = (
    "get",
    "remove",
    "contains",
    "put",
    "keys",
    "property",
)

_MAPS = (
    "java.util.Map",
    "java.util.HashMap",
    "java.util.LinkedHashMap",
    "java.util.TreeMap",
    "java.util.AbstractMap",
    "java.util.SortedMap",
    "java.util.NavigableMap",
    "java.util.IdentityHashMap",
    "java.util.WeakHashMap",
    "java.util.EnumMap",
    "java.util.Hashtable",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.ConcurrentMap",
    "java.util.concurrent.ConcurrentSkipListMap",
)
# The kind of each map method, by its label.
_KINDS: dict[str, str] = {}
for _map in _MAPS:
    _KINDS[f"{_map}.get"], _KINDS[f"{_map}.remove"] = GET, REMOVE
    _KINDS[f"{_map}.containsKey"] = CONTAINS
    _KINDS[f"{_map}.put"] = _KINDS[f"{_map}.computeIfAbsent"] = PUT
    _KINDS[f"{_map}.keySet"] = KEYS

# Outcomes of the methods that may return null. In the list of these methods, a line that begins
# with a space continues the line before.
_MAYBE = (return_outcome(NULL), return_outcome(NONNULL))
_MAY_RETURN_NULL = """
java.io.File: list listFiles getParent getParentFile
java.io.BufferedReader: readLine
java.io.LineNumberReader: readLine
java.io.RandomAccessFile: readLine
java.io.Console: readLine readPassword
java.lang.System: getenv console getSecurityManager
java.lang.Class: getResource getResourceAsStream getPackage getSuperclass
 getEnclosingClass getEnclosingMethod getDeclaringClass getCanonicalName getAnnotation
java.lang.ClassLoader: getResource getResourceAsStream getParent getSystemResource
 getSystemResourceAsStream
java.lang.Package: getImplementationVersion getImplementationTitle getImplementationVendor
 getSpecificationVersion getSpecificationTitle
java.lang.reflect.Method: getAnnotation getDefaultValue
java.lang.reflect.Field: getAnnotation
java.lang.reflect.Constructor: getAnnotation
java.lang.reflect.AnnotatedElement: getAnnotation
java.net.URL: getRef getQuery getUserInfo getAuthority
java.net.URI: getHost getPath getScheme getQuery getFragment getUserInfo getAuthority
java.net.URLConnection: getContentType getContentEncoding getHeaderField
java.net.NetworkInterface: getByName getByInetAddress getHardwareAddress
java.nio.file.Path: getParent getFileName getRoot
java.util.Properties: getProperty get
java.util.Queue: poll peek
java.util.Deque: poll peek pollFirst pollLast peekFirst peekLast
java.util.ArrayDeque: poll peek pollFirst pollLast peekFirst peekLast
java.util.LinkedList: poll peek pollFirst pollLast peekFirst peekLast
java.util.PriorityQueue: poll peek
java.util.concurrent.BlockingQueue: poll peek
java.util.concurrent.ConcurrentLinkedQueue: poll peek
java.util.concurrent.ConcurrentLinkedDeque: poll peek pollFirst pollLast peekFirst peekLast
java.util.concurrent.LinkedBlockingQueue: poll peek
java.util.concurrent.LinkedBlockingDeque: poll peek pollFirst pollLast peekFirst peekLast
java.util.TreeSet: higher lower floor ceiling pollFirst pollLast
java.util.NavigableSet: higher lower floor ceiling pollFirst pollLast
java.util.TreeMap: firstEntry lastEntry floorEntry ceilingEntry higherEntry lowerEntry
 floorKey ceilingKey higherKey lowerKey pollFirstEntry pollLastEntry
java.util.NavigableMap: firstEntry lastEntry floorEntry ceilingEntry higherEntry lowerEntry
 floorKey ceilingKey higherKey lowerKey pollFirstEntry pollLastEntry
java.util.Scanner: findInLine findWithinHorizon
java.util.jar.JarFile: getManifest getJarEntry getEntry
java.util.zip.ZipFile: getEntry
java.util.zip.ZipInputStream: getNextEntry
java.util.jar.Attributes: getValue
java.util.jar.JarInputStream: getManifest getNextJarEntry
org.w3c.dom.Node: getNextSibling getPreviousSibling getFirstChild getLastChild
org.w3c.dom.NamedNodeMap: getNamedItem
"""
_NEVER_RETURN = (
    "java.lang.System.exit",
    "java.lang.Runtime.halt",
    "java.lang.Runtime.exit",
    "org.junit.Assert.fail",
    "org.junit.jupiter.api.Assertions.fail",
    "junit.framework.TestCase.fail",
    "junit.framework.Assert.fail",
)
# Outcomes of null checks. ``(1, NULL)``: the first argument is null; ``("p", 1)``: it is returned.
_FAILS_ON_FIRST = Outcome(1, ((1, NULL),), 0, (), ())
_REQUIRES = (_FAILS_ON_FIRST, return_outcome(("p", 1), (1, NONNULL)))
_IF_NOT_NULL = (return_outcome(TRUE, (1, NONNULL)), return_outcome(FALSE, (1, NULL)))
_IF_NULL = (return_outcome(TRUE, (1, NULL)), return_outcome(FALSE, (1, NONNULL)))
# Tests that return true for null and for some other values, and tests that return true only for
# some values that are not null.
_TRUE_OF_NULL = (
    return_outcome(TRUE, (1, NULL)),
    return_outcome(TRUE, (1, NONNULL)),
    return_outcome(FALSE, (1, NONNULL)),
)
_FALSE_OF_NULL = (
    return_outcome(FALSE, (1, NULL)),
    return_outcome(FALSE, (1, NONNULL)),
    return_outcome(TRUE, (1, NONNULL)),
)
_DEFAULTS = (
    return_outcome(("p", 1), (1, NONNULL)),
    return_outcome(NONNULL, (1, NULL), (2, NONNULL)),
)

# The outcomes of methods, by label with or without parameters. An empty tuple: it never returns.
MODELS: dict[str, tuple[Outcome, ...]] = {}
for _line in _MAY_RETURN_NULL.replace("\n ", " ").split("\n"):
    _class, _, _names = _line.partition(":")
    for _name in _names.split():
        MODELS[f"{_class}.{_name}"] = _MAYBE
for _label in _NEVER_RETURN:
    MODELS[_label] = ()
# A caller of these methods wants the exception for a null, so the analysis does not report nulls.
CHECKS = frozenset(
    (
        "java.util.Objects.requireNonNull",
        "com.google.common.base.Preconditions.checkNotNull",
        "org.apache.commons.lang3.Validate.notNull",
        "org.springframework.util.Assert.notNull",
    )
)
for _label in CHECKS:
    MODELS[_label] = _REQUIRES
# ``equals`` returns false for null.
EQUALS = (return_outcome(TRUE, (1, NONNULL)), return_outcome(FALSE))
for _name in ("equals", "equalsIgnoreCase", "contentEquals"):
    MODELS[f"java.lang.String.{_name}"] = EQUALS
# With a default, a missing property has the value of the default.
MODELS["java.util.Properties.getProperty(java.lang.String,java.lang.String)"] = (
    return_outcome(("p", 2)),
    return_outcome(NONNULL),
)
MODELS["java.util.Optional.orElse"] = (return_outcome(("p", 1)), return_outcome(NONNULL))
MODELS["java.util.Objects.nonNull"] = _IF_NOT_NULL
MODELS["java.util.Objects.isNull"] = _IF_NULL
MODELS["java.util.Objects.requireNonNullElse"] = _DEFAULTS
for _class in (
    "org.apache.commons.lang3.StringUtils",
    "org.apache.commons.lang.StringUtils",
    "com.google.common.base.Strings",
    "org.springframework.util.StringUtils",
    "org.apache.commons.collections4.CollectionUtils",
    "org.apache.commons.lang3.ArrayUtils",
):
    for _name in ("isEmpty", "isBlank", "isNullOrEmpty"):
        MODELS[f"{_class}.{_name}"] = _TRUE_OF_NULL
    for _name in ("isNotEmpty", "isNotBlank", "hasText", "hasLength"):
        MODELS[f"{_class}.{_name}"] = _FALSE_OF_NULL
# Methods that throw NullPointerException when their first argument is null, apart from three that
# get another model below: ``parseInt``, ``forName`` and ``asList``.
for _label in (
    "java.lang.Integer.parseInt",
    "java.lang.Double.parseDouble",
    "java.lang.String.concat",
    "java.lang.String.contains",
    "java.lang.String.startsWith",
    "java.lang.String.endsWith",
    "java.lang.String.compareTo",
    "java.lang.Enum.valueOf",
    "java.io.File.<init>(java.lang.String)",
    "java.util.ArrayList.addAll",
    "java.util.List.addAll",
    "java.util.Collection.addAll",
    "java.util.Set.addAll",
    "java.util.Map.putAll",
    "java.util.regex.Pattern.compile",
    "java.lang.Class.forName",
    "java.util.Arrays.asList",
    "java.util.Arrays.sort",
    "java.util.Arrays.stream",
    "java.util.Collections.sort",
    "java.util.Optional.of",
    "java.io.StringReader.<init>",
    "java.io.InputStreamReader.<init>",
    "java.io.BufferedReader.<init>",
    "java.util.StringTokenizer.<init>",
):
    MODELS[_label] = (_FAILS_ON_FIRST, return_outcome(NONNULL, (1, NONNULL)))
for _label in ("java.lang.Integer.parseInt", "java.lang.Class.forName"):
    # The analysis does not report a null argument. For null, ``parseInt`` throws
    # NumberFormatException instead of NullPointerException.
    MODELS[_label] = (return_outcome(NONNULL, (1, NONNULL)),)
# The elements of the list may be null.
MODELS["java.util.Arrays.asList"] = (return_outcome(NONNULL),)

# System properties that every machine has.
PROPERTIES = frozenset(
    (
        "java.version",
        "java.vendor",
        "java.home",
        "java.class.path",
        "java.io.tmpdir",
        "os.name",
        "os.arch",
        "os.version",
        "file.separator",
        "path.separator",
        "line.separator",
        "user.name",
        "user.home",
        "user.dir",
        "java.vm.name",
        "java.vm.version",
        "java.vm.vendor",
        "java.specification.version",
        "java.class.version",
        "java.library.path",
        "file.encoding",
    )
)
# Which result of a question such as ``hasNext`` shows that other methods of its object do not
# return null.
WHEN_TRUE, WHEN_FALSE, ANY = "asks", "denies", "any"
_QUESTION = re.compile(r"(is|has|contains|can|exists|supports|ready)([A-Z]|$)")
_DENIALS = ("isEmpty", "isBlank", "isNull", "isAbsent", "isMissing", "isDone", "isClosed")


@cache
def find_question_kind(name: str) -> str:
    """Return which result of a method shows that its object has a value; empty if none does.

    Only the name of the method decides.
    """
    if name in ("size", "length", "getSize", "count"):
        return ANY
    if name in _DENIALS:
        return WHEN_FALSE
    return WHEN_TRUE if _QUESTION.match(name) else ""


@cache
def question_subject(name: str) -> str:
    """Return the subject of a question, in lower case: ``parent`` for ``hasParent``."""
    return re.sub(r"^(is|has|contains|can|exists|supports)", "", name).lower() or name.lower()


# Names of methods that may return another value each time.
_CHANGES = re.compile(r"(poll|read|next|getNext|remove|take|pop|find)")
# Packages whose methods throw only unchecked exceptions, then the packages and classes in them
# whose methods may throw checked ones or call methods of the project.
_QUIET_PACKAGES = ("java.lang.", "java.util.")
_CALLBACK_PACKAGES = (
    "java.lang.reflect.",
    "java.lang.Class.",
    "java.lang.Thread.",
    "java.lang.Process",
    "java.util.concurrent.",
    "java.util.zip.",
    "java.util.jar.",
)
_RUNTIME = frozenset((ANY_RUNTIME,))  # unchecked exceptions only


@cache
def strip_parameters(label: str) -> str:
    """Return a label without parameters: ``a.B.run`` for ``a.B.run(int)`` and for ``a.B.run/1``.

    ``/1`` is the number of arguments or parameters, in place of types that are not certain.
    """
    return label.partition("(")[0].partition("/")[0]


@cache
def method_name(label: str) -> str:
    """Return the simple name of a method, from its label."""
    return strip_parameters(label).rpartition(".")[2]


# Names of methods that are assumed to return the same value at each call.
_GETTER = re.compile(r"(get[A-Z]|name$|key$|toString$)")


@cache
def is_pure(label: str) -> bool:
    """Return whether a method, judged by its name, always returns the same for equal arguments."""
    if label.startswith("java.lang.String."):
        return True
    return _GETTER.match(method_name(label)) is not None and not returns_changing_values(label)


def returns_changing_values(label: str) -> bool:
    """Return whether a method, judged by its name, may return another value at each call."""
    return _CHANGES.match(method_name(label)) is not None


@cache
def has_no_callbacks(label: str) -> bool:
    """Return whether a method belongs to ``java.lang`` and calls no method of the project."""
    name = method_name(label)
    return label.startswith("java.lang.") and not (
        label.startswith(_CALLBACK_PACKAGES) or name in ("forEach", "run", "toString")
    )


@cache
def find_thrown(label: str) -> frozenset[str] | None:
    """Return the exceptions that a method outside the project may throw; None for any.

    Only the label decides. Constructors of exceptions are assumed to throw nothing.
    """
    if label.partition("(")[0].endswith(("Exception.<init>", "Error.<init>")):
        return frozenset()
    if label.startswith(_QUIET_PACKAGES) and not label.startswith(_CALLBACK_PACKAGES):
        return _RUNTIME
    return None


# Beginnings of the labels of methods that never return null, then the exceptions to this rule.
_NEVER_NULL = (
    "java.lang.String.",
    "java.lang.StringBuilder.",
    "java.lang.StringBuffer.",
    "java.lang.Integer.",
    "java.lang.Long.",
    "java.lang.Double.",
    "java.lang.Boolean.",
    "java.lang.Character.",
    "java.util.ResourceBundle.getString",
    "java.util.ResourceBundle.getBundle",
    "java.text.MessageFormat.format",
    "java.util.Collections.",
    "java.util.Optional.of",
    "java.util.Calendar.getInstance",
    "java.util.Locale.getDefault",
    "java.util.stream.",
)
_NEVER_NULL_EXCEPTIONS = (
    "Integer.getInteger",
    "Long.getLong",
    "Collections.min",
    "Collections.max",
)
# Names of methods that never return null, in any class of the JDK.
_NEVER_NULL_NAMES = frozenset(
    (
        "toString",
        "iterator",
        "listIterator",
        "keySet",
        "entrySet",
        "values",
        "split",
        "toArray",
        "getAbsolutePath",
        "getAbsoluteFile",
        "getCanonicalPath",
        "getCanonicalFile",
        "toURI",
        "toPath",
        "subList",
        "stream",
        "toCharArray",
        "getBytes",
        "getClass",
    )
)


@cache
def never_returns_null(label: str) -> bool:
    """Return whether a JDK method is listed here as one that never returns null."""
    if not label.startswith("java."):
        return False
    if label.startswith(_NEVER_NULL):
        return not strip_parameters(label).endswith(_NEVER_NULL_EXCEPTIONS)
    return method_name(label) in _NEVER_NULL_NAMES


def find_map_method(label: str, plain_label: str) -> str:
    """Return the kind of a map method (GET, PUT, …), or PROPERTY; empty for other methods.

    ``plain_label`` is the label without its parameters.
    """
    if label == "java.lang.System.getProperty(java.lang.String)":
        return PROPERTY
    return _KINDS.get(plain_label, "")
