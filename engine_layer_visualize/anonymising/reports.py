"""Replaces names in the CSV of `nsys stats`: its columns stay, ranges and kernels get new names."""

from __future__ import annotations

import csv
import io
import re
from typing import Final

from engine_layer_visualize.anonymising.names import Names
from engine_layer_visualize.inputs.buildlog.other_files import NSYS_RANGES

_WORDS: Final = frozenset(
    b"Range NVTX Style PID TID Inst Kern Total Time Avg Med Min Max StdDev Kernel Name Proj"
    b" Projected Duration Start Orig Instances GPU Ops NumGPUOps Lvl NumChild Num Child RangeId"
    b" ParentId RangeStack ns us ms s nsec usec msec sec PushPop StartEnd".split()
)
_OF_TENSORRT: Final = frozenset([b"TensorRT", b"ExecutionContext", b"enqueue"])
_RANGES: Final = ("Range", "NVTX Range", "Name")


class Reports:
    """Knows the columns of the report that a line may be of."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._columns: list[str] = []

    def line(self, line: bytes) -> bytes | None:
        """A header, or a row below one; None of another line."""
        begins = re.match(NSYS_RANGES, line) is not None
        if not (begins or self._columns):
            return None
        try:
            cells = next(csv.reader([line.decode("utf-8", "surrogateescape")]), [])
        except csv.Error:
            cells = []
        if begins:
            self._columns = cells
            return self._names.renamed(line, _WORDS)
        if len(cells) != len(self._columns):
            self._columns = []
            return None
        new = [self._cell(*pair) for pair in zip(self._columns, cells)]
        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow(new)
        return text.getvalue().encode("utf-8", "surrogateescape")

    def _cell(self, column: str, cell: str) -> str:
        words = cell.encode("utf-8", "surrogateescape")
        if column == "Kernel Name":
            words = self._names.kernel(words)
        elif column in _RANGES and words.startswith(b"TensorRT:"):
            words = self._names.renamed(words, _OF_TENSORRT)
        else:
            words = self._names.renamed(words, _WORDS)
        return words.decode("utf-8", "surrogateescape")
