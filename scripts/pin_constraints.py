"""Resolve codeacumen with every extra and write the versions to constraints.txt.

Versions are resolved for the lowest Python that codeacumen supports, because the newest release of
a package may not support it. torch is pinned by hand: its newest build depends on gigabytes of GPU
libraries that the core never uses. To use another torch, install it before codeacumen.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOWEST_PYTHON = "3.11.0"
TORCH = "2.13.0"
HEADER = """\
# Every package that codeacumen and its extras install, pinned for reproducible installs:
#   pip install -c constraints.txt -e '.[dev]'
# Written by scripts/pin_constraints.py (`make constraints`).
"""


def list_requirements() -> list[str]:
    """Return the requirements of the build, the core and every extra.

    Requirements on codeacumen's own extras are dropped, because every extra is included.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    required = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for extra in project["project"]["optional-dependencies"].values():
        required += [
            requirement for requirement in extra if not requirement.startswith("codeacumen[")
        ]
    return required


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        pins = Path(folder) / "pins.txt"
        pins.write_text(f"torch=={TORCH}\n")
        report = Path(folder) / "report.json"
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--dry-run",
                "--ignore-installed",
                "--python-version",
                LOWEST_PYTHON,
                "--only-binary",
                ":all:",
                "--target",
                folder,
                "--report",
                str(report),
                "-c",
                str(pins),
                *list_requirements(),
            ],
            check=True,
        )
        installed = json.loads(report.read_text())["install"]
    versions = {
        item["metadata"]["name"].lower().replace("_", "-"): item["metadata"]["version"]
        for item in installed
    }
    lines = [f"{name}=={version.split('+')[0]}" for name, version in sorted(versions.items())]
    (ROOT / "constraints.txt").write_text(HEADER + "\n".join(lines) + "\n")
    print(f"{len(lines)} packages pinned")


if __name__ == "__main__":
    main()
