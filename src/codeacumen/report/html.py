"""From records to bytes: templates, styles and scripts put together into one file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from typing import Any

from codeacumen.report import view
from codeacumen.report.plots import theme, vega_lite_version

STYLES = ("page.css", "tables.css", "code.css")
SCRIPTS = (
    "dom.js",
    "theme.js",
    "plots.js",
    "instances.js",
    "pairs.js",
    "start.js",
)
# Says that all scripts before it have run.
READY = 'document.documentElement.dataset.ready = "true";'
PACKAGE, FOLDER = "codeacumen.report", "page"
# What the page uses of Vega; the bundle brings the rest along.
LIBRARY = "window.vegaEmbed = vegaEmbed;"


def render(page: view.Page) -> bytes:
    import vl_convert
    from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined

    packages = {section.package for section in page.sections}
    section_templates = {package: PackageLoader(package, FOLDER) for package in packages}
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(PACKAGE, FOLDER), PrefixLoader(section_templates)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=view.number, bounds=view.bounds, json=embedded)
    environment.globals.update(ceiling_text=view.ceiling_text)
    library = inline_script(vl_convert.javascript_bundle(LIBRARY, vega_lite_version()))
    scripts = [_read_asset(PACKAGE, name) for name in SCRIPTS]
    # Each script once, though several sections may name it.
    scripts += dict.fromkeys(
        _read_asset(section.package, name) for section in page.sections for name in section.scripts
    )
    script = inline_script("\n".join([*scripts, READY]))
    text = environment.get_template("report.html").render(
        page=page,
        style="\n".join(_read_asset(PACKAGE, name) for name in STYLES),
        library=library,
        script=script,
        policy=_policy(library, script),
        plots={name: plot.spec for name, plot in page.plots.items()},
        themes={name: theme(name) for name in ("light", "dark")},
    )
    # An id or a model's name may hold a lone surrogate, which UTF-8 cannot.
    return text.encode("utf-8", errors="backslashreplace")


def _read_asset(package: str, name: str) -> str:
    return files(package).joinpath(FOLDER, name).read_text(encoding="utf-8")


def embedded(value: Any) -> Any:
    """JSON that is safe between script tags, whatever texts it holds.

    The parser of HTML ends a script at ``</script`` and changes its state at ``<!--``; both
    need a ``<``. U+2028 and U+2029 are line ends to older JavaScript; ASCII covers them.
    """
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def inline_script(source: str) -> str:
    """JavaScript that may stand in a script element: ``</script`` and ``<!--`` occur in strings
    and regular expressions only, where a backslash changes nothing."""
    source = re.sub(r"</(script)", r"<\\/\1", source, flags=re.IGNORECASE)
    source = re.sub(r"<(script)", r"\\x3c\1", source, flags=re.IGNORECASE)
    return source.replace("<!--", r"\x3c!--").replace("\r\n", "\n")


def _policy(*scripts: str) -> str:
    """A content security policy: our two scripts run, nothing else does, and nothing is loaded.

    Hostile text is escaped wherever it is shown; this holds even if that fails one day.
    """
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
