"""Download the English resources of `python -m research.lexicon`: WordNet, dictionaries, manuals.

    python -m research.lexicon.resources resources
    python -m research.lexicon CORPUS... --wordnet resources/wordnet-base \\
        --text resources/texts --out DIR

They are Debian packages, which apt-get downloads and dpkg-deb unpacks into a folder; nothing is
installed, and root is not needed. The versions are those of the machine's package lists; the
lexicon's record holds the hash of all texts.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WORDNET = "wordnet-base"
# Packages in English only: a manual in ten languages would teach their words, too.
TEXTS = (
    "anarchism", "bash-doc", "cmake-doc", "debian-policy",
    "debian-reference-en", "developers-reference", "dict-foldoc", "dict-gcide", "dict-jargon",
    "gimp-help-en", "git-doc", "kicad-doc-en", "libreoffice-help-en-us",
    "linux-doc-6.1", "manpages", "manpages-dev", "nodejs-doc", "perl-doc", "postgis-doc",
    "postgresql-doc-15", "python-django-doc", "python-sqlalchemy-doc", "python3.11-doc",
    "sqlite3-doc", "tcl8.6-doc", "tk8.6-doc", "wx3.2-doc",
)  # fmt: skip


def download_package(package: str, folder: Path) -> None:
    """Unpack a package into a folder of its name, which appears only when it is complete."""
    target = folder / package
    if target.is_dir():
        return
    with tempfile.TemporaryDirectory(dir=folder) as unpack_folder:
        # apt's sandbox user may not write here.
        command = ["apt-get", "-o", "APT::Sandbox::User=root", "download", "-qq", package]
        subprocess.run(command, cwd=unpack_folder, check=True)
        (file,) = Path(unpack_folder).glob("*.deb")
        subprocess.run(["dpkg-deb", "-x", file.name, "unpacked"], cwd=unpack_folder, check=True)
        (Path(unpack_folder) / "unpacked").replace(target)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            print(f"{tool} is missing: this script needs Debian or a derivative", file=sys.stderr)
            return 2
    (folder / "texts").mkdir(parents=True, exist_ok=True)
    failed = []
    for package in (WORDNET, *TEXTS):
        try:
            download_package(package, folder if package == WORDNET else folder / "texts")
            print(package, flush=True)
        except (subprocess.CalledProcessError, ValueError) as error:
            failed.append(package)
            print(f"{package}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
