"""Reads the tables of tactics that the builder prints for the operations inside a ForeignNode.

A table begins with `(foreignNode) Autotuning op NAME: [ONNX Layer: …]`; its rows are sorted, the
fastest tactic first (TensorRT 10.8 and later).
"""

from __future__ import annotations

from collections.abc import Iterator
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


def operations(piece: bytes) -> Iterator[tuple[Operation, int]]:
    """The operations of lines that time one ForeignNode, each with its place and without a line."""
    first, *tables = piece.split(MARK)
    place = len(first)
    for table in tables[:_MOST]:
        end = line_end(table, 0)
        words = table[:end].rstrip()
        cut = words.find(_NODES)
        name, nodes = (words[:cut], words[cut + 2 :]) if cut >= 0 else (words.rstrip(b": "), b"")
        rows = [row.groups() for row in _ROW.finditer(table, end)]
        kernel, ms = (rows[0][2], number(rows[0][0])) if rows and _is_one(rows) else (b"", 0.0)
        yield Operation(name, nodes, kernel, ms, len(rows), 0), place
        place += len(MARK) + len(table)


def _is_one(rows: list[tuple[bytes, ...]]) -> bool:
    """Whether rows are of one table that has its first row: each says its time by the fastest."""
    fastest = number(rows[0][0])
    return fastest > 0 and all(
        abs(number(ms) / fastest - number(ratio)) <= _ROUNDED * number(ratio)
        for ms, ratio, _ in rows
    )
