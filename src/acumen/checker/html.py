"""Findings as one page, to be read, searched and sent around.

Names, paths and reasons come from the code that is checked, which may be hostile: all of it is
escaped, and a policy in the page lets our script run and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from acumen import __version__
from acumen.checker.check import Report
from acumen.checker.told import summary

FOLDER = "page"


def as_page(report: Report, title: str = "") -> bytes:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("acumen.checker", FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = _asset("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    title = title or ", ".join(root.name for root in report.roots)
    text = environment.get_template("page.html").render(
        title=title,
        report=report,
        rules=sorted({one.rule for one in report.findings}),
        summary=summary(report),
        style=_asset("page.css"),
        script=script,
        policy=f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'",
        version=__version__,
    )
    return text.encode("utf-8", errors="backslashreplace")


def _asset(name: str) -> str:
    return files("acumen.checker").joinpath(FOLDER, name).read_text(encoding="utf-8")
