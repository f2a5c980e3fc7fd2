"""A second reader of the classic listing, by regexes, to compare the program with.

It shares no code with the program's reader, and decides no line that has two readings.
"""

import re
from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.core.model import Layer

_RECORD: Final = re.compile(r"Layer\((\w+)\): (.*?), Tactic: (0x[0-9a-fA-F]+|-?\d+), (.*)")
_LAYER: Final = re.compile(r"Layer\(\w+\): ")

# A descriptor and what ends the tensor: a comma, the arrow, or the end of the record.
_ENDS: Final = {
    "old": re.compile(r"\[(\w+)\(([-0-9,:]*)\)\](?:(, )|( -> | ->$)|$)"),
    "new": re.compile(r" \((\w+)\[([-0-9,:]*)\]\)(?:(, )|( -> | ->$)|$)"),
}
_STYLE: Final = {"old": re.compile(r"\)\](?: ->)?$"), "new": re.compile(r"\]\)(?: ->)?$")}


@dataclass(frozen=True)
class Reading:
    """Tensors are (name, dtype, dims)."""

    type: str
    name: str
    tactic: str
    inputs: tuple[tuple[str, str | None, str], ...]
    outputs: tuple[tuple[str, str | None, str], ...]


def sides(layer: Layer) -> tuple[tuple[tuple[str, str | None, str], ...], ...]:
    """Inputs and outputs of what the program read, as a reading has them."""
    ends = (layer.inputs, layer.outputs)
    return tuple(tuple((one.name, one.dtype, one.dims) for one in some) for some in ends)


def read_record(line: str) -> Reading | None:
    """One line, whatever stands before its `Layer(`; None where there is no one reading."""
    line = line.rstrip(" \t\r\n")
    while color := re.search(r"\x1b\[[0-9;]*[A-Za-z]$", line):
        line = line[: color.start()].rstrip(" \t\r")
    start = _LAYER.search(line)
    record = _RECORD.match(line, start.start()) if start else None
    if record is None:
        return None
    type, name, tactic, body = record.groups()
    style = next((style for style, end in _STYLE.items() if end.search(body)), "old")
    sides: list[list[tuple[str, str, str]]] = [[]]
    at = 0
    if nothing := re.match(r" ->(?: |$)", body):
        sides.append([])
        at = nothing.end()
    while at < len(body):
        end = _ENDS[style].search(body, at)
        if end is None:
            return None
        sides[-1].append((body[at : end.start()], end[1], end[2]))
        at = end.end()
        if end[4] is not None:
            sides.append([])
    if len(sides) != 2:
        return None
    return Reading(type, name, tactic, tuple(sides[0]), tuple(sides[1]))


def record_lines(text: str) -> list[tuple[int, str]]:
    """(number from 1, text) of every line that holds a layer record."""
    lines = enumerate(text.split("\n"), 1)
    return [(number, line) for number, line in lines if _LAYER.search(line)]


def read_log(text: str) -> list[list[tuple[int, Reading | None]]]:
    """The listings of a log: the records after each header, with their lines' numbers."""
    listings: list[list[tuple[int, Reading | None]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if _LAYER.search(line):
            if not listings:
                listings.append([])  # records before any header
            listings[-1].append((number, read_record(line)))
        elif "Engine Layer Information:" in line:
            listings.append([])
    return [listing for listing in listings if listing]
