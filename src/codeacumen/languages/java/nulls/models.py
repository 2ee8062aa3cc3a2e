"""What methods outside of the project do: the JDK's, and a few libraries' that guard.

A method that is not here returns something, and harms nobody.

Which catch takes which exception, as far as the JDK's common ones tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from codeacumen.languages.java.nulls._state import FALSE, NONNULL, NULL, TRUE, Outcome, returning

_ABOVE = {
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

# Checked exceptions that must be caught where they cannot come.
NEVER_THROWN = frozenset(("CloneNotSupportedException", "UnsupportedEncodingException"))


# Any exception that nobody has to declare.
ANY_RUNTIME = "any RuntimeException"


def catches(types: Sequence[str], thrown: str) -> bool | None:
    """Whether a catch of some types takes an exception of a class; None: not known. Exceptions
    of a project are taken to be below Exception, and below nothing else that is known."""
    if not thrown:
        return None
    if not {"Throwable", "Exception"}.isdisjoint(types):
        return True
    if thrown == ANY_RUNTIME:
        if "RuntimeException" in types:
            return True
        may = any("RuntimeException" in _above(one) or one not in _ABOVE for one in types)
        return None if may else False
    if not _above(thrown).isdisjoint(types):
        return True
    if thrown in _ABOVE or thrown == "Throwable":
        return False
    may = any(one not in _ABOVE or one == "RuntimeException" for one in types)
    return None if may else False


def _above(name: str) -> set[str]:
    """A class and those above it, as far as they are known."""
    found = {name}
    while name in _ABOVE:
        name = _ABOVE[name]
        found.add(name)
    return found


# Methods with one meaning of their own, by how the analysis treats them.
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
_KINDS: dict[str, str] = {}
for _map in _MAPS:
    _KINDS[f"{_map}.get"], _KINDS[f"{_map}.remove"] = GET, REMOVE
    _KINDS[f"{_map}.containsKey"] = CONTAINS
    _KINDS[f"{_map}.put"] = _KINDS[f"{_map}.computeIfAbsent"] = PUT
    _KINDS[f"{_map}.keySet"] = KEYS

_MAYBE = (returning(NULL), returning(NONNULL))
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
_FAILS_ON_FIRST = Outcome(1, ((1, NULL),), 0, (), ())
_REQUIRES = (_FAILS_ON_FIRST, returning(("p", 1), (1, NONNULL)))
_IF_NOT_NULL = (returning(TRUE, (1, NONNULL)), returning(FALSE, (1, NULL)))
_IF_NULL = (returning(TRUE, (1, NULL)), returning(FALSE, (1, NONNULL)))
# True of null and of something else; true only of something.
_TRUE_OF_NULL = (
    returning(TRUE, (1, NULL)),
    returning(TRUE, (1, NONNULL)),
    returning(FALSE, (1, NONNULL)),
)
_FALSE_OF_NULL = (
    returning(FALSE, (1, NULL)),
    returning(FALSE, (1, NONNULL)),
    returning(TRUE, (1, NONNULL)),
)
_DEFAULTS = (
    returning(("p", 1), (1, NONNULL)),
    returning(NONNULL, (1, NULL), (2, NONNULL)),
)

MODELS: dict[str, tuple[Outcome, ...]] = {}
for _line in _MAY_RETURN_NULL.replace("\n ", " ").split("\n"):
    _class, _, _names = _line.partition(":")
    for _name in _names.split():
        MODELS[f"{_class}.{_name}"] = _MAYBE
for _label in _NEVER_RETURN:
    MODELS[_label] = ()
# Whoever calls these knows that there may be a null, and wants the exception.
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
# What equals something is not null.
EQUALS = (returning(TRUE, (1, NONNULL)), returning(FALSE))
for _name in ("equals", "equalsIgnoreCase", "contentEquals"):
    MODELS[f"java.lang.String.{_name}"] = EQUALS
# With a default, a property is that default where there is none.
MODELS["java.util.Properties.getProperty(java.lang.String,java.lang.String)"] = (
    returning(("p", 2)),
    returning(NONNULL),
)
MODELS["java.util.Optional.orElse"] = (returning(("p", 1)), returning(NONNULL))
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
# Methods that throw when their first argument is null.
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
    MODELS[_label] = (_FAILS_ON_FIRST, returning(NONNULL, (1, NONNULL)))
for _label in ("java.lang.Integer.parseInt", "java.lang.Class.forName"):
    # These throw something else.
    MODELS[_label] = (returning(NONNULL, (1, NONNULL)),)
MODELS["java.util.Arrays.asList"] = (returning(NONNULL),)

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
# Methods whose answer tells that the object's other methods have something to give.
WHEN_TRUE, WHEN_FALSE, ANY = "asks", "denies", "any"
_QUESTION = re.compile(r"(is|has|contains|can|exists|supports|ready)([A-Z]|$)")
_DENIALS = ("isEmpty", "isBlank", "isNull", "isAbsent", "isMissing", "isDone", "isClosed")


@cache
def asks(name: str) -> str:
    """What a method asks its object, by the method's name; empty: nothing."""
    if name in ("size", "length", "getSize", "count"):
        return ANY
    if name in _DENIALS:
        return WHEN_FALSE
    return WHEN_TRUE if _QUESTION.match(name) else ""


@cache
def asked_for(name: str) -> str:
    """The word that a question is about: ``hasParent`` asks for a parent."""
    return re.sub(r"^(is|has|contains|can|exists|supports)", "", name).lower() or name.lower()


_CHANGES = re.compile(r"(poll|read|next|getNext|remove|take|pop|find)")
_CALM = ("java.lang.", "java.util.")
_STORMY = (
    "java.lang.reflect.",
    "java.lang.Class.",
    "java.lang.Thread.",
    "java.lang.Process",
    "java.util.concurrent.",
    "java.util.zip.",
    "java.util.jar.",
)
_RUNTIME = frozenset((ANY_RUNTIME,))


@cache
def plain(label: str) -> str:
    """A label without its parameters, or without their number where they are not known."""
    return label.partition("(")[0].partition("/")[0]


@cache
def name_of(label: str) -> str:
    return plain(label).rpartition(".")[2]


_GETTER = re.compile(r"(get[A-Z]|name$|key$|toString$)")


@cache
def is_pure(label: str) -> bool:
    """Whether a method gives the same each time it is asked for the same, by its name."""
    if label.startswith("java.lang.String."):
        return True
    return _GETTER.match(name_of(label)) is not None and not changes(label)


def changes(label: str) -> bool:
    """Whether a method of the platform gives something else each time, by its name."""
    return _CHANGES.match(name_of(label)) is not None


@cache
def minds_its_own(label: str) -> bool:
    """Whether a method of the platform calls nobody back."""
    name = name_of(label)
    return label.startswith("java.lang.") and not (
        label.startswith(_STORMY) or name in ("forEach", "run", "toString")
    )


@cache
def throws(label: str) -> frozenset[str] | None:
    """What may be thrown by a method of which only the label is known; None: anything."""
    if label.partition("(")[0].endswith(("Exception.<init>", "Error.<init>")):
        return frozenset()
    if label.startswith(_CALM) and not label.startswith(_STORMY):
        return _RUNTIME
    return None


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
_NOT_THOSE = ("Integer.getInteger", "Long.getLong", "Collections.min", "Collections.max")
_SOMETHING = frozenset(
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
def never_null(label: str) -> bool:
    """Whether a method of the platform is documented to give something."""
    if not label.startswith("java."):
        return False
    if label.startswith(_NEVER_NULL):
        return not plain(label).endswith(_NOT_THOSE)
    return name_of(label) in _SOMETHING


def kind_of(label: str, plain: str) -> str:
    """How a method is treated by its label, with and without the parameters; empty: as any
    other."""
    if label == "java.lang.System.getProperty(java.lang.String)":
        return PROPERTY
    return _KINDS.get(plain, "")
