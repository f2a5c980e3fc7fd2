"""trtexec's `--exportTimes`: a JSON list with an object for each iteration of a run.

Of its keys only `computeMs` is read: all versions have it, and the moments beside it (`startEnqMs`,
`endComputeMs` …) are printed with six digits, too few to subtract. A file is taken whole or not at
all: one iteration that cannot be read makes it unusable.
"""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Final

from engine_layer_visualize.core.layer_facts import Iterations
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.json_stream import PLAIN, UNREADABLE, Walk, measured
from engine_layer_visualize.io.source import MAX_WHOLE, Source

MOST: Final = 1_000_000  # iterations of one run: a minute, and 1 GB of memory
_KEY: Final = "computeMs"
_HINT: Final = "write it with `trtexec --loadEngine=… --exportTimes=times.json`"


def read(path: str | Path) -> tuple[Iterations, list[Problem]]:
    """The iterations of one file. Raises ReadError (ELV208, ELV109, ELV401)."""
    return of_source(Source(path, max_line=MAX_WHOLE))


def of_source(source: Source) -> tuple[Iterations, list[Problem]]:
    """Reads the iterations of an open file. Raises ReadError, as `read` does."""
    walk = Walk(source.text(), source.name, PLAIN)
    times = array("d")

    def unusable(message: str) -> ReadError:
        return ReadError(Problem(Place(source.name, walk.line), "ELV208", message), _HINT)

    try:
        if not walk.starts("["):
            raise unusable("no list of iterations in JSON")
        for row in walk.elements():
            if len(times) == MOST:
                raise unusable(f"more than {MOST:,} iterations")
            ms = measured(row.get(_KEY)) if isinstance(row, dict) else None
            if ms is None:
                raise unusable(_wrong(row, len(times)))
            times.append(ms)
        walk.end()
    except UNREADABLE as error:
        raise ReadError(walk.problem("ELV208", "not JSON", error), _HINT) from None
    if not times:
        raise unusable("an empty list: no iteration was measured")
    return Iterations(source.name, times), source.problems


def _wrong(row: JsonValue, number: int) -> str:
    """Why this row is no iteration."""
    if not isinstance(row, dict):
        return f"iteration {number}: no object"
    if _KEY in row:
        return f"iteration {number}: `{_KEY}` is no time: {row[_KEY]!r:.40}"
    if not number and ("averageMs" in row or "count" in row):
        return "these are times of layers, as `--exportProfile` writes them, not of iterations"
    return f"iteration {number}: no `{_KEY}`"
