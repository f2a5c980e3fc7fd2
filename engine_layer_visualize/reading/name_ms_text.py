"""The old text profile, one `name: 0.1ms` a line (TensorRT's sample profiler, fx2trt, torch2trt).

Gives one profile, and problems. A name may hold `: `: the time is what stands after the last one.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Final

from engine_layer_visualize.core.model import Profile, ProfileRow, Timing
from engine_layer_visualize.core.numbers import measured
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import Source, decode
from engine_layer_visualize.reading.listings import Format

_TIME: Final = re.compile(r": *([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?|[-+]?nan|[-+]?inf) ?ms$")
_TICK, _MICROSECOND = 32, 1000  # ns; CUDA's events tick so: a mean of several runs does not
_TRTEXEC: Final = b"&&&& RUNNING TensorRT.trtexec"


def sniff(head: bytes) -> bool:
    """Whether a line ends in `: TIMEms`. trtexec prints options so (`Sleep time: 0ms`)."""
    if _TRTEXEC in head:
        return False
    return any(_TIME.search(line.rstrip(" \t\r")) for line in decode(head).split("\n"))


def read(source: Source) -> tuple[list[Profile], list[Problem]]:
    """Skips lines that are no rows. Raises ReadError (ELV201) where there is none to use."""
    file, rows, problems = source.name, [], []
    for number, line in enumerate(source.text().split("\n"), 1):
        line = line.rstrip(" \t\r")
        match = _TIME.search(line)
        if match is None:
            continue
        name = line[: match.start()].strip(" \t")
        try:
            average = float(match[1])
        except ValueError:
            average = math.nan
        if measured(average):
            rows.append(ProfileRow(name, Timing(average), line=number))
        else:
            message = f"`{name:.80}` has an unreadable time: {match[1]:.40}"
            problems.append(Problem(Place(file, number, match.start() + 1), "ELV204", message))
    if not rows:
        raise ReadError(problems[0] if problems else Problem(Place(file, 1), "ELV201", "no rows"))
    if _are_of_one_run([round(row.time.average_ms * 1e6) for row in rows if row.time.average_ms]):
        rows = [replace(row, time=replace(row.time, n=1)) for row in rows]
    return [Profile(Place(file, 1), tuple(rows))], problems


def _are_of_one_run(times: list[int]) -> bool:
    return any(ns % _MICROSECOND for ns in times) and not any(ns % _TICK for ns in times)


FORMAT: Final = Format("name_ms_text", sniff, read)
