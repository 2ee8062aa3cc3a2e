"""Which catch takes which exception, as far as the JDK's common ones tell."""

from __future__ import annotations

from collections.abc import Sequence

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
