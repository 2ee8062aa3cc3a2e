"""Render the page's records, templates, styles and scripts into one HTML file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from typing import Any

from codeacumen.report import page_records
from codeacumen.report.plots import build_theme, vega_lite_version

STYLES = ("page.css", "tables.css")
SCRIPTS = (
    "dom.js",
    "theme.js",
    "plots.js",
    "instances.js",
    "pairs.js",
    "start.js",
)
# Marks that all scripts before it have run.
READY_STATEMENT = 'document.documentElement.dataset.ready = "true";'
PACKAGE, PAGE_FOLDER = "codeacumen.report", "page"
# Script from which vl-convert builds the library: the page uses only ``vegaEmbed``, and the bundle
# contains what this depends on.
LIBRARY = "window.vegaEmbed = vegaEmbed;"


def render_page(page: page_records.Page) -> bytes:
    """Return the page as an HTML file."""
    import vl_convert
    from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined

    packages = {section.package for section in page.sections}
    section_templates = {package: PackageLoader(package, PAGE_FOLDER) for package in packages}
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(PACKAGE, PAGE_FOLDER), PrefixLoader(section_templates)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        number=page_records.format_number, bounds=page_records.format_bounds, json=embed_json
    )
    environment.globals.update(ceiling_text=page_records.describe_ceiling)
    library = escape_script(vl_convert.javascript_bundle(LIBRARY, vega_lite_version()))
    styles = [_read_asset(PACKAGE, name) for name in STYLES]
    scripts = [_read_asset(PACKAGE, name) for name in SCRIPTS]
    # Include a file once even if several sections name it.
    styles += dict.fromkeys(
        _read_asset(section.package, name) for section in page.sections for name in section.styles
    )
    scripts += dict.fromkeys(
        _read_asset(section.package, name) for section in page.sections for name in section.scripts
    )
    script = escape_script("\n".join([*scripts, READY_STATEMENT]))
    text = environment.get_template("report.html").render(
        page=page,
        style="\n".join(styles),
        library=library,
        script=script,
        policy=_build_policy(library, script),
        plots={name: plot.spec for name, plot in page.plots.items()},
        themes={name: build_theme(name) for name in ("light", "dark")},
    )
    # An id or a model's name may contain a lone surrogate, which UTF-8 cannot encode.
    return text.encode("utf-8", errors="backslashreplace")


def _read_asset(package: str, name: str) -> str:
    return files(package).joinpath(PAGE_FOLDER, name).read_text(encoding="utf-8")


def embed_json(value: Any) -> Any:
    """Return a value as JSON that is safe between script tags, whatever text it contains.

    The HTML parser ends a script at ``</script`` and changes its state at ``<!--``; both need a
    ``<``. U+2028 and U+2029 end lines in older JavaScript; the ASCII encoding escapes them.
    """
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def escape_script(source: str) -> str:
    """Return JavaScript that is safe inside a script element.

    ``</script`` and ``<!--`` occur only in strings and regular expressions, where the added
    backslash has no effect.
    """
    source = re.sub(r"</(script)", r"<\\/\1", source, flags=re.IGNORECASE)
    source = re.sub(r"<(script)", r"\\x3c\1", source, flags=re.IGNORECASE)
    return source.replace("<!--", r"\x3c!--").replace("\r\n", "\n")


def _build_policy(*scripts: str) -> str:
    """Return a content security policy that runs only these scripts and loads nothing.

    The templates escape hostile text; the policy also protects the reader if they fail to.
    """
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
