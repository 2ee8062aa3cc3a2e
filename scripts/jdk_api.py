"""Write the table of the JDK's public API, which the call graph needs to resolve calls.

    python scripts/jdk_api.py          rewrite src/codeacumen/languages/java/resolve/jdk_api.txt.xz

The table describes the JDK that is first on the path. The same JDK yields the same bytes.
"""

from __future__ import annotations

import lzma
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "scripts" / "JdkApi.java"
TABLE = ROOT / "src" / "codeacumen" / "languages" / "java" / "resolve" / "jdk_api.txt.xz"


def read_api(java: str, *types: str) -> str:
    """Return the table's text: a line that names the JDK, then all types or the named ones."""
    completed = subprocess.run(
        [java, str(PROGRAM), *types], check=True, capture_output=True, text=True, encoding="utf-8"
    )
    return f"{describe_jdk(java)}\n{completed.stdout}"


def describe_jdk(java: str) -> str:
    """Return name and version of a JDK without its build number."""
    completed = subprocess.run(
        [java, "-XshowSettings:properties", "-version"], check=True, capture_output=True, text=True
    )
    properties = dict(
        (word.strip() for word in line.split("=", 1))
        for line in completed.stderr.splitlines()
        if " = " in line
    )
    return f"{properties['java.vm.name'].split()[0]} {properties['java.version']}"


def main() -> None:
    java = shutil.which("java")
    if java is None:
        sys.exit("no java on the path: install a JDK, for example apt-get install openjdk-17-jdk")
    text = read_api(java)
    packed = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    TABLE.write_bytes(packed)
    types, jdk = text.count("\n\n"), text.splitlines()[0]
    print(f"{TABLE.relative_to(ROOT)}: {types:,} types of {jdk}, {len(packed):,} bytes")


if __name__ == "__main__":
    main()
