"""Tests of recognising licences by their texts.

Oracles: Debian's collection of licences, by file name, and npm packages on this machine, by the
SPDX identifier in package.json.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from codeacumen.corpus.licences import LicenceFile, is_licence, recognize_licences
from codeacumen.corpus.sources import find_projects

COMMON = Path("/usr/share/common-licenses")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Apache-2.0", "Apache-2.0"),
        ("BSD", "BSD-3-Clause"),
        ("CC0-1.0", "CC0-1.0"),
        ("GFDL-1.3", "unknown"),
        ("GPL-2", "GPL-2.0"),
        ("GPL-3", "GPL-3.0"),
        ("LGPL-2.1", "LGPL-2.1"),
        ("LGPL-3", "LGPL-3.0"),
        ("MPL-1.1", "MPL-1.1"),
        ("MPL-2.0", "MPL-2.0"),
    ],
)
def test_complete_licence_texts_are_recognised(name: str, expected: str) -> None:
    if not (COMMON / name).is_file():
        pytest.skip(f"no {COMMON / name} on this machine")
    text = (COMMON / name).read_text()
    assert recognize_licences(name, text.encode()) == (expected,)
    # The text as a comment, with other line breaks, quotes and encoding.
    commented = "\r\n".join(f" * {line}" for line in text.replace('"', "``").split("\n"))
    assert recognize_licences(name, commented.encode("utf-16")) == (expected,)


def test_recognised_licences_agree_with_npm_packages() -> None:
    npm = shutil.which("npm")
    home = Path(npm).resolve().parents[1] / "node_modules" if npm else Path("absent")
    licence_by_folder = {}
    for file in home.rglob("package.json"):
        licence = json.loads(file.read_text("utf-8")).get("license")
        if isinstance(licence, str) and " " not in licence:
            licence_by_folder[file.parent] = licence
    files = [
        (file, licence)
        for folder, licence in licence_by_folder.items()
        for file in folder.iterdir()
        if file.is_file() and is_licence(file.name)
    ]
    if len(files) < 50:
        pytest.skip("no npm with packages of its own on this machine")
    disagreements = [
        (str(file.relative_to(home)), licence, recognised_licences)
        for file, licence in files
        if licence not in (recognised_licences := recognize_licences(file.name, file.read_bytes()))
    ]
    # One package states ISC, but its file is the text of MIT.
    assert len(disagreements) <= len(files) // 50, disagreements


MIT = (
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this "
    "software and associated documentation files (the 'Software'), to deal in the Software "
    "without restriction, subject to the following conditions: {} THE SOFTWARE IS PROVIDED 'AS IS'"
)
INCLUDED = "The above copyright notice and this permission notice shall be included in all copies."
ISC = (
    "Permission to use, copy, modify, and/or distribute this software for any purpose with or "
    "without fee is hereby granted{}"
)
BSD = (
    "Redistribution and use in source and binary forms, with or without modification, are "
    "permitted provided that the following conditions are met: 1. ... 2. ... {} "
    "THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS"
)
NOTICE = (
    "You can redistribute it and/or modify it under the terms of the GNU {}General Public License "
    "as published by the Free Software Foundation, either version {} of the License, or (at your "
    "option) any later version."
)
CLASSPATH = (
    "Linking this library statically or dynamically with other modules is making a combined work "
    "based on this library."
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MIT.format(INCLUDED), "MIT"),
        (MIT.format(""), "MIT-0"),
        (ISC.format(", provided that the above copyright notice"), "ISC"),
        (ISC.format(". THE SOFTWARE IS PROVIDED"), "0BSD"),
        (BSD.format(""), "BSD-2-Clause"),
        (BSD.format("Neither the name of the author nor"), "BSD-3-Clause"),
        (BSD.format("All advertising materials mentioning features"), "BSD-4-Clause"),
        (BSD.format("software developed by the Apache Software Foundation"), "Apache-1.1"),
        (f"{MIT.format(INCLUDED)}\n---\n{BSD.format('')}", "BSD-2-Clause MIT"),
        ("Licensed under the Apache License, Version 2.0 (the 'License')", "Apache-2.0"),
        ("Eclipse Public License - v 1.0", "EPL-1.0"),
        ("<h1>Eclipse Public License - v&nbsp;2.0</h1>", "EPL-2.0"),
        ("COMMON DEVELOPMENT AND DISTRIBUTION LICENSE (CDDL) Version 1.0", "CDDL-1.0"),
        ("COMMON DEVELOPMENT AND DISTRIBUTION LICENSE (CDDL)\nVersion 1.1", "CDDL-1.1"),
        ("This is free and unencumbered software released into the public domain.", "Unlicense"),
        ("GNU AFFERO GENERAL PUBLIC LICENSE\n   Version 3, 19 November 2007", "AGPL-3.0"),
        (NOTICE.format("", 2), "GPL-2.0"),
        (NOTICE.format("Lesser ", "2.1"), "LGPL-2.1"),
        (NOTICE.format("Affero ", 3), "AGPL-3.0"),
        ("the GNU General Public License version 2 only, as published by", "GPL-2.0"),
        (f"{NOTICE.format('', 2)} {CLASSPATH}", "GPL-2.0 WITH Classpath-exception-2.0"),
        ("All rights reserved. You may look, but not touch.", "unknown"),
        ("", "unknown"),
    ],
)
def test_short_texts_and_notices_are_recognised(text: str, expected: str) -> None:
    expected_licences = expected.split(" ") if " WITH " not in expected else [expected]
    assert list(recognize_licences("LICENSE", text.encode())) == expected_licences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MIT.format(INCLUDED), "MIT"),
        (MIT.format(""), "MIT-0"),
        (ISC.format(", provided that the above copyright notice"), "ISC"),
        (ISC.format(". THE SOFTWARE IS PROVIDED"), "0BSD"),
        (BSD.format(""), "BSD-2-Clause"),
        (BSD.format("Neither the name of the author nor"), "BSD-3-Clause"),
        (BSD.format("3. All advertising materials. 4. Neither the name"), "BSD-4-Clause"),
    ],
)
def test_truncated_text_is_unknown(text: str, expected: str) -> None:
    licences_by_length = [
        recognize_licences("LICENSE", text[:end].encode()) for end in range(len(text) + 1)
    ]
    assert licences_by_length[-1] == (expected,)
    assert set(licences_by_length) == {(expected,), ("unknown",)}


def test_binary_data_is_unknown() -> None:
    for data in (b"\0\1\2" * 100, bytes(range(256)) * 10, b"MIT" * 1_000_000):
        assert recognize_licences("LICENSE", data) == ("unknown",)


def test_copyright_files_of_debian_are_parsed() -> None:
    """https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"""
    text = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: x

Files: *
Copyright: 2020 A
License: GPL-2+ with Classpath exception

Files: lib/*
Copyright: 2020 B
License: Expat or Apache-2.0

Files: other/*
License: Own
 Permission to use, copy, modify and distribute this software for any purpose with or without fee
 is hereby granted, provided that the above copyright notice appear in all copies.

Files: third/*
License: EPL-1

Files: fourth/*
License: Like-Zlib

Files: debian/*
License: LGPL-3

License: MPL-2.0

License: Like-Zlib
 Altered source versions must be plainly marked as such.
"""
    expected = (
        "Apache-2.0",
        "EPL-1.0",
        "GPL-2.0 WITH Classpath-exception-2.0",
        "ISC",
        "MIT",
        "Zlib",
    )
    assert recognize_licences("debian/copyright", text.encode()) == expected
    older = b"On Debian systems the text is in /usr/share/common-licenses/LGPL-2.1."
    assert recognize_licences("debian/copyright", older) == ("LGPL-2.1",)


@pytest.mark.parametrize(
    "path",
    [
        "LICENSE",
        "LICENCE.md",
        "license.txt",
        "COPYING",
        "COPYING.LESSER",
        "NOTICE",
        "UNLICENSE",
        "LICENSE-2.0.html",
        "MIT-LICENSE",
        "lib/LICENSE.apache",
        "debian/copyright",
        "LICENSES/EUPL-1.2.txt",
        "NOTICE.txt",
    ],
)
def test_names_of_licence_files(path: str) -> None:
    assert is_licence(path)


@pytest.mark.parametrize(
    "path",
    [
        "License.java",
        "src/licence.py",
        "LICENSED.txt",
        "README",
        "copyright.c",
        "notice.js",
        "src/copyright",
        "NoticeBoard",
        "license.json",
    ],
)
def test_names_of_other_files(path: str) -> None:
    assert not is_licence(path)


def test_licence_files_of_a_project(tmp_path: Path) -> None:
    files = {
        "LICENSE": MIT.format(INCLUDED),
        "lib/COPYING": NOTICE.format("Lesser ", "3"),
        "lib/deep/LICENSE": "Eclipse Public License v 1.0",
        "NOTICE": "nothing to say",
        "src/License.java": "class License { }",
    }
    root = tmp_path / "project"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    recipe = tmp_path / "r.toml"
    # Licence files count even if the recipe excludes them from the corpus.
    recipe.write_text("[[project]]\nname = 'part'\nsource = 'project'\ninclude = ['src']\n")
    expected = [
        LicenceFile("LICENSE", ("MIT",)),
        LicenceFile("NOTICE", ("unknown",)),
        LicenceFile("lib/COPYING", ("LGPL-3.0",)),
    ]
    for project in find_projects([str(root), str(tmp_path / "archive.zip"), str(recipe)], tmp_path):
        assert project.list_licence_files() == expected
