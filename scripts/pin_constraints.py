"""Resolves acumen with every extra and writes what came out to constraints.txt.

torch is pinned by hand: its newest build pulls gigabytes of GPU libraries that the core
never uses. Whoever wants another one installs it before acumen.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TORCH = "2.13.0"
HEADER = """\
# Every package that acumen and its extras install, pinned for reproducible installs:
#   pip install -c constraints.txt -e '.[dev]'
# Written by scripts/pin_constraints.py (`make constraints`).
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        pins = Path(folder) / "pins.txt"
        pins.write_text(f"torch=={TORCH}\n")
        report = Path(folder) / "report.json"
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed",
             "--report", str(report), "-c", str(pins), "-e", f"{ROOT}[all,dev]", "hatchling"],
            check=True,
        )  # fmt: skip
        installed = json.loads(report.read_text())["install"]
    versions = {
        item["metadata"]["name"].lower().replace("_", "-"): item["metadata"]["version"]
        for item in installed
    }
    versions.pop("acumen")
    lines = [f"{name}=={version.split('+')[0]}" for name, version in sorted(versions.items())]
    (ROOT / "constraints.txt").write_text(HEADER + "\n".join(lines) + "\n")
    print(f"{len(lines)} packages pinned")


if __name__ == "__main__":
    main()
