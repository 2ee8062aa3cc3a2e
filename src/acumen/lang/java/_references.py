"""Kernels: method references, and constants after ``case`` (JLS 15.13, 14.11.1): members of a type
that is known only when the types of expressions are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from acumen.lang.java._hierarchy import Members
from acumen.lang.kernel import kernel

OTHER, SWITCH, PARENTHESES = range(3)
CODES = {"switch_expression": SWITCH, "parenthesized_expression": PARENTHESES}

# Numbers of _scopes, _hierarchy, _types and _members: a kernel's numbers are its own file's.
REFERRED = 17
R_METHOD, R_FIELD, R_CONSTANT = 4, 5, 6
READS = 2
FIELDS, METHODS = 0, 1
IS_PRIVATE, IS_CONSTANT = 1, 2
FILE, EXTRA = 16, 32
IS_SUPER = 3


class Sites(NamedTuple):
    """Columns of nodes; of types their ancestors; of names what they mean."""

    code: Any
    parent: Any
    stop: Any
    word: Any
    value: Any
    denotes: Any
    offsets: Any
    ancestors: Any
    members: Members
    words: int
    role: Any
    declaration: Any
    access: Any


@kernel
def references(sites: Sites, idents: Any, use: Any, places: Any, text: int) -> None:
    """Roles and declarations of the names at these places; ``text`` is String's value."""
    for k in places:
        i = idents[k]
        if use[k] != REFERRED:
            _case(sites, k, i, text)
        elif i != sites.parent[i] + 1:  # the name after ::
            sites.role[k] = R_METHOD
            site = sites.parent[i] + 1
            t = (sites.value[site] >> 8) - FILE
            if 0 <= t < len(sites.offsets) - 1 and sites.value[site] & 255 == 0:
                own = sites.denotes[site] != IS_SUPER
                m = _member(sites, t, METHODS, sites.word[i], own)
                keys, names = sites.members.key, sites.members.name
                # Of several only inference could choose.
                one = m + 1 == len(keys) or keys[m + 1] != keys[m] or names[m + 1] == names[m]
                if m >= 0 and one:
                    sites.declaration[k] = names[m]


@kernel
def _member(sites: Sites, t: int, space: int, word: int, own: bool) -> int:
    """The member a type has of that name: its own, or the nearest it inherits."""
    members, first = sites.members, sites.offsets[t]
    for k in range(first - own, sites.offsets[t + 1]):
        owner = sites.ancestors[k] if k >= first else t
        key = (3 * owner + space) * sites.words + word
        m = np.searchsorted(members.key, key)
        found = m < len(members.key) and members.key[m] == key
        if found and (k < first or not members.flags[m] & IS_PRIVATE or not own):
            return int(m)
    return -1


@kernel
def _case(sites: Sites, k: int, i: int, text: int) -> None:
    """A name after ``case``: of an enum it is the constant, whatever else has the name."""
    switch = sites.parent[i]
    while switch >= 0 and sites.code[switch] != SWITCH:
        switch = sites.parent[switch]
    selector, at = 0, switch + 1
    while switch >= 0 and at < sites.stop[switch]:
        if sites.code[at] == PARENTHESES:
            selector = sites.value[at]
            break
        at = sites.stop[at]
    sites.access[k] = READS
    t, count = (selector >> 8) - FILE, len(sites.offsets) - 1
    if 0 <= t < count:
        m = _member(sites, t, FIELDS, sites.word[i], True)
        sites.declaration[k] = sites.members.name[m] if m >= 0 else -1
        sites.role[k] = R_CONSTANT
    elif t >= count and selector != text:
        sites.declaration[k], sites.role[k] = -1, R_CONSTANT
    elif selector == 0 and sites.role[k] != R_FIELD:
        # A constant in scope is one of the enum around, not certainly of the one asked.
        sites.declaration[k], sites.role[k] = -1, R_CONSTANT
    elif sites.declaration[k] < 0:
        sites.role[k] = R_FIELD
