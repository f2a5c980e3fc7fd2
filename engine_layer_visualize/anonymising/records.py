"""Replaces names in a layer's record, and in the line of an input or output below a listing.

Types, dimensions, formats and kernels stay.
"""

from __future__ import annotations

import re
from typing import Final

from engine_layer_visualize.anonymising import vocabulary
from engine_layer_visualize.anonymising.names import Names
from engine_layer_visualize.inputs.buildlog import markers

# What stands in a detailed record besides keys and values of TensorRT.
_SLOT: Final = re.compile(
    rb"(?<![A-Za-z])Name: (?P<name>(?:(?!Name: ).){0,4200}?)"
    rb"(?=, LayerType: \w+, Inputs: \[|, Location: \w+, Dim"
    rb"|, Dimensions: \[|, IOMode: )"
    rb"|, LayerType: (?P<type>\w+)"
    rb"|, TacticName: (?P<kernel>.{0,4200}?)(?=, [A-Z]\w{0,40}: |[ \t\r]*\Z)"
    rb"|, Metadata: ?(?P<metadata>.*)",
    re.DOTALL,
)


def is_classic(text: bytes) -> bool:
    """Returns whether a record of the classic listing begins in a line."""
    return b"Layer(" in text and markers.CLASSIC_RECORD.search(text) is not None


def classic(text: bytes, names: Names) -> bytes:
    """Rewrites `Layer(TYPE): NAME, Tactic: …`; without a tactic the type may be another's word."""
    match = markers.CLASSIC_RECORD.search(text)
    assert match is not None  # the caller has found it
    before, kind, rest = text[: match.start()], match[0], text[match.end() :]
    if not markers.TACTIC.search(rest):
        kind = names.renamed(kind)
    return names.before(before) + kind + names.renamed(rest)


def is_detailed(text: bytes) -> bool:
    """Returns whether a detailed record, an input or an output begins in a line."""
    if b"Name: " not in text:
        return False
    return (b", LayerType: " in text and markers.TYPE.search(text) is not None) or (
        b", IOMode: " in text and markers.IO_LINE.match(text) is not None
    )


def detailed(text: bytes, names: Names) -> bytes:
    """Rewrites `Name: NAME, LayerType: …`, or ` Name: NAME, IOMode: …`."""
    parts: list[bytes] = []
    done = 0
    for match in _SLOT.finditer(text):
        kind = match.lastgroup
        assert kind is not None  # every alternative has one
        start, end = match.span(kind)
        parts.append(names.renamed(text[done:start], vocabulary.RECORDS))
        if kind == "type":
            parts.append(match[kind])
        elif kind == "kernel":
            parts.append(names.kernel(match[kind]))
        else:
            parts.append(names.renamed(match[kind]))
        done = end
    parts.append(names.renamed(text[done:], vocabulary.RECORDS))
    return b"".join(parts)
