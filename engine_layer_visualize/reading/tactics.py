"""Reads which tactics were skipped for want of memory, and those inside a ForeignNode."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from engine_layer_visualize.core import limits
from engine_layer_visualize.core.numbers import lazy
from engine_layer_visualize.io.source import line_end, line_start
from engine_layer_visualize.reading.kernels import Operation, Printed, tactic_times_number
from engine_layer_visualize.reading.markers import Stretch

# In lines that say that a tactic was skipped.
_REQUESTED: Final = b" requested"
_BUDGET: Final = b"Exceeded mem budget of "
# e.g. (-8.5) Tactic: 0x0f skipped. Scratch requested: 4096, available: 1024
# e.g. (8.4-) Skipping tactic 3 due to insufficient memory on requested size of 4096.
_SKIPPED: Final = lazy(
    rb"Tactic: \S+ skipped\. Scratch requested: (\d+)(?:, available: \d+)?[. \t\r]*$"
    rb"|Skipping tactic \S+ due to (?:insuff?icient memory|oom error) on requested size of (\d+)"
    rb"(?: detected for tactic|[. \t\r]*$)",
    re.MULTILINE,
)
# What a piece of Myelin's needs beside what its tactic then is said to have requested.
# e.g. (10) (foreignNode) [pass.cpp:2131: run_passes] Exceeded mem budget of 4096. Need 8192
_NEED: Final = lazy(rb"Exceeded mem budget of \d+\. Need (\d{1,19})[ \t\r]*$", re.MULTILINE)
_AMOUNT_MARK: Final = b"Setting workspace to "
_MARKS: Final = (
    b"Some tactics do not have sufficient workspace memory to run",
    b"Try increasing the workspace size",
    b"Try decreasing the workspace size",
    b"Example of equivalent trtexec option: --memPoolSize=workspace:",
    _AMOUNT_MARK,
)
_IN_ALL_MARKS: Final = b"workspace"  # is in all of them
# e.g. (7-8.0) Setting workspace to 4096 enables more tactics
_AMOUNT: Final = lazy(rb"Setting workspace to (\d{1,19}) ?enables more tactics")
# What stands before a layer's name in a line, and what stands behind it.
_BEFORE: Final = (b"Computing costs for ", b"valid tactics for ", b"Timing Runner: ")
_BEHIND: Final = (b" (", b" [", b" Tactic", b" metadata:")


def tells_skips(stretch: Stretch) -> bool:
    """Whether a line may say that a tactic was skipped."""
    return stretch.find(_REQUESTED) >= 0 or stretch.find(_BUDGET) >= 0


def workspace_skipped(piece: bytes, begin: int, end: int) -> tuple[int, int]:
    """How many tactics were left out for want of memory, and the most bytes that one asked for."""
    needs = [int(match[1]) for match in _NEED.finditer(piece, begin, end)]
    number, first, most = 0, begin, max(needs, default=0)
    while (place := piece.find(_REQUESTED, begin, end)) >= 0:
        start, begin = max(first, line_start(piece, place)), min(end, line_end(piece, place))
        if match := _SKIPPED.search(piece, start, begin):
            number += 1
            most = max(most, int((match[1] or match[2])[: limits.DIGITS]))
    return number, most


def advice(stretch: Stretch) -> Iterator[tuple[bytes, Printed]]:
    """The log's advice on its workspace, each with its mark; none from a name."""
    for mark in _MARKS if stretch.find(_IN_ALL_MARKS) >= 0 else ():
        for rest, before, line in stretch.marked(mark):
            words = (mark + rest)[: limits.MESSAGE].strip()
            amount = _AMOUNT.match(words)
            named = any(word in before for word in _BEFORE) or any(w in words for w in _BEHIND)
            if not named and (amount is not None or mark is not _AMOUNT_MARK):
                yield mark, Printed(words, line, int(amount[1]) if amount else 0)


# A table begins with `(foreignNode) Autotuning op NAME: [ONNX Layer: …]`; its rows are sorted, the
# fastest tactic first (TensorRT 10.8 and later).


MARK: Final = b"(foreignNode) Autotuning op "
_NODES: Final = b": [ONNX Layer: "
# e.g. (10)  (foreignNode)   11, 0.0228192, 1.21131, 0.93599, sm80_xmma_gemm_f32, 0x3cf17f0300ad1,
_ROW: Final = lazy(
    rb"\(foreignNode\) {1,9}\d{1,9}, ([\d.e+-]{1,24}|inf), ([\d.e+-]{1,24}|inf), [^,\n]{0,24}, "
    rb"([^,\n]{1,4096}), 0x"
)
_ROUNDED: Final = 0.01  # of a row's time by the fastest one's


def foreign_operations_read(
    operations: list[Operation], piece: bytes, line_of: Callable[[int], int]
) -> None:
    """Takes in lines of one timing of a ForeignNode, whose tables may have begun before them.

    `line_of`: the number of the line of a place of the piece.
    """
    rest, *tables = piece.split(MARK)
    if operations:
        _rows(operations[-1], rest, 0)
    place = len(rest)
    for table in tables:
        if len(operations) == limits.OPERATIONS:
            return
        end = line_end(table, 0)
        words = table[:end].rstrip()
        cut = words.find(_NODES)
        name, nodes = (words[:cut], words[cut + 2 :]) if cut >= 0 else (words.rstrip(b": "), b"")
        operations.append(Operation(name, nodes, line_of(place)))
        _rows(operations[-1], table, end)
        place += len(MARK) + len(table)


def _rows(operation: Operation, lines: bytes, start: int) -> None:
    """Takes in rows. Each says its time by the fastest: one that does not is of another table."""
    for row in _ROW.finditer(lines, start):
        ms, ratio = tactic_times_number(row[1]), tactic_times_number(row[2])
        if not operation.tactics:
            operation.kernel, operation.ms = row[3], ms
        operation.tactics += 1
        by_fastest = ms / operation.ms if operation.ms > 0 else 0.0
        if not by_fastest or abs(by_fastest - ratio) > _ROUNDED * ratio:
            operation.kernel = b""
