"""Joins the lines of a log that a terminal or a page broke at its width.

A terminal cuts at one width, wherever that is; other programs break between words, or behind a
bracket or a hyphen. A line that begins as a logger's lines or a record do is never a rest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Final

from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.reading.envelopes import Held, Step, taken
from engine_layer_visualize.reading.hosts import LONGEST, OWN

_WIDTHS: Final = range(40, 400)
_FEWEST: Final = 3  # lines of the full width
_LONGEST: Final = 1 << 17  # bytes of a record
# Where no line of TensorRT's own ends: inside of a descriptor, behind a tactic.
# As: Layer(NoOp): a, Tactic: 1, x[Half(-
_OPEN: Final = lazy(rb"(?:\w ?[\[(](?:\w+[\[(])?[-\d,:]*|, Tactic: [-\w]+,) *\Z")
_INSIDE: Final = lazy(rb"\w ?[\[(](?:\w+[\[(])?[-\d,:]*\Z")
_BEGIN: Final = rb"Layer\(\w{1,80}\): "
_LAYER: Final = lazy(_BEGIN)
_RECORD: Final = lazy(_BEGIN + rb"|(?:\A|[\]:] )Name: ")
_SIGNS: Final = (b"Layer(", b"] Name: ", b": Name: ", b"\nName: ")
_SECTION: Final = (b"Bindings:", b"I/O Tensors:", b"Engine Metadata:", b"```", b"~~~")
_BEHIND_NAMES: Final = (b", LayerType: ", b", Location: ", b", Dimensions: ")
_ENDED: Final = (b")]", b"])", b"->")
_TIGHT: Final = (b"-", b"/", b"_", b"[", b"(", b".")


def rejoined(head: bytes) -> Step | None:
    """What joins the lines of a log that begins so; None where its lines are whole."""
    lines = head.split(b"\n")
    lengths = [*map(len, lines)]
    width = max(lengths)
    if width not in _WIDTHS:
        return None
    if lengths.count(width) >= _FEWEST and _is_cut(lines, width):
        return _joined(partial(_cut, width))
    if not any(sign in head for sign in _SIGNS) and not head.startswith(b"Name: "):
        return None
    records = [*filter(_is_record, lines)]
    if 1 < sum(_OPEN.search(record) is not None for record in records) > len(records) / 2:
        return _joined(_worded)
    if all(map(_is_whole, records)):
        return None
    told = [pair for pair in _rests(lines) if not (_is_whole(pair[0]) or _is_in_name(pair[0]))]
    filled = sum(len(before) + len(line.split(None, 1)[0]) >= width for before, line in told)
    return _joined(_worded) if 1 < filled >= len(told) * 3 / 4 else None


def _is_cut(lines: list[bytes], width: int) -> bool:
    """Whether the lines that go on are those of the full width."""
    exact = [before for before, _ in _rests(lines, width)]
    if len(exact) < _FEWEST or sum(map(_begins, exact)) < 2:
        return False
    rests = _rests(lines)
    return sum(len(before) >= width - 1 for before, _ in rests) * 4 >= len(rests) * 3


def _rests(lines: list[bytes], least: int = 1) -> list[tuple[bytes, bytes]]:
    """Lines of so many bytes at least, each with the line behind it that may be its rest."""
    return [
        (before, line)
        for before, line in pairwise(lines)
        if len(before) >= least and before.strip() and line.strip() and not _begins(line)
    ]


def _is_record(line: bytes) -> bool:
    """Whether one begins on a line: as `_RECORD`, and faster."""
    if line.startswith(b"Name: ") or b"] Name: " in line or b": Name: " in line:
        return True
    return b"Layer(" in line and _LAYER.search(line) is not None


def _is_whole(record: bytes) -> bool:
    return b"Outputs: [" in record or record.rstrip().endswith(_ENDED)


def _is_in_name(record: bytes) -> bool:
    """Whether a detailed record ends in a name, which may hold a newline."""
    _, mark, rest = record.rpartition(b"Name: ")
    return bool(mark) and not any(key in rest for key in _BEHIND_NAMES)


def _begins(line: bytes) -> bool:
    return OWN.match(line.lstrip()) is not None or line.startswith(_SECTION)


def _cut(width: int, held: bytes, last: bytes, line: bytes) -> bytes | None:
    """The line behind what is held, of which `last` was the last one; None: it begins anew."""
    if len(last) < width - 1 or not line.strip() or len(held) > _LONGEST or _begins(line):
        return None
    return held + (b"" if len(last) == width else b" ") + line


def _worded(held: bytes, last: bytes, line: bytes) -> bytes | None:
    """The same, where a record was broken between its words."""
    record = _RECORD.search(held)
    before, rest = held.rstrip(), line.strip()
    if record is None or not rest or len(held) > _LONGEST:
        return None
    if _begins(line) and not before.endswith(b"{"):
        return None
    if record[0].startswith(b"Layer") and before.endswith(_ENDED):
        goes_on = (
            rest.endswith(_ENDED) if before.endswith(b"->") else rest.startswith((b"->", b","))
        )
        if not goes_on:
            return None
    if _INSIDE.search(before, max(0, len(before) - LONGEST)) or (
        before.endswith(b"-") and rest.startswith(b">")
    ):
        return before + rest
    has_blank = before != held or line != line.lstrip()
    tight = rest.startswith(b",") or (before.endswith(_TIGHT) and not has_blank)
    return before + (b"" if tight else b" ") + rest


def _joined(follows: Callable[[bytes, bytes, bytes], bytes | None]) -> Step:
    last = b""  # the line before

    def take(held: Held, line: bytes) -> tuple[bytes | None, Held]:
        nonlocal last
        whole = None if held is None else bytes(held)
        joined = None if whole is None else follows(whole, last, line)
        last = line
        return (whole, line) if joined is None else (None, joined)

    return partial(taken, take=take)
