"""Reads the tables of tactics that the builder prints for the operations inside a ForeignNode.

A table begins with `(foreignNode) Autotuning op NAME: [ONNX Layer: …]`; its rows are sorted, the
fastest tactic first (TensorRT 10.8 and later).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.messages.autotuning_counts import Operation
from engine_layer_visualize.inputs.buildlog.messages.tactic_times import number
from engine_layer_visualize.io.source import line_end

MARK: Final = b"(foreignNode) Autotuning op "
_NODES: Final = b": [ONNX Layer: "
# e.g. (10)  (foreignNode)   11, 0.0228192, 1.21131, 0.93599, sm80_xmma_gemm_f32, 0x3cf17f0300ad1,
_ROW: Final = lazy(
    rb"\(foreignNode\) {1,9}\d{1,9}, ([\d.e+-]{1,24}|inf), ([\d.e+-]{1,24}|inf), [^,\n]{0,24}, "
    rb"([^,\n]{1,4096}), 0x"
)
_MOST: Final = 1_000  # operations of one timing of a ForeignNode
_ROUNDED: Final = 0.01  # of a row's time by the fastest one's


def read(operations: list[Operation], piece: bytes, line_of: Callable[[int], int]) -> None:
    """Takes in lines of one timing of a ForeignNode, whose tables may have begun before them.

    `line_of`: the number of the line of a place of the piece.
    """
    rest, *tables = piece.split(MARK)
    if operations:
        _rows(operations[-1], rest, 0)
    place = len(rest)
    for table in tables:
        if len(operations) == _MOST:
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
        ms, ratio, kernel = row.groups()
        if not operation.tactics:
            operation.kernel, operation.ms = kernel, number(ms)
        operation.tactics += 1
        by_fastest = number(ms) / operation.ms if operation.ms > 0 else 0.0
        if not by_fastest or abs(by_fastest - number(ratio)) > _ROUNDED * number(ratio):
            operation.kernel = b""
