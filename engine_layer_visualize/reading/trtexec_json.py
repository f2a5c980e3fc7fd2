"""trtexec's `--exportProfile`: a JSON list, the iteration count first, then one object per row.

Gives one profile, and a problem for each row that cannot be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.model import JsonValue, Profile, ProfileRow, Timing
from engine_layer_visualize.core.numbers import TOO_MANY
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.json_stream import PLAIN, UNREADABLE, Walk, measured
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading import chrome_trace, gpu_trace
from engine_layer_visualize.reading.listings import Format

_JSON: Final = re.compile(rb'\s*(?:\[\s*(?:[{\]]|$)|\{\s*["}])')
# An object may be a line of a log that docker wrote.
_ROWS: Final = re.compile(
    rb'\s*\[\s*\{\s*"(?:count"\s*:\s*\d{1,18}\s*[,}]|name"[^{}]{0,9999}"(?:average|time)Ms"\s*:)'
)


def sniff(head: bytes) -> bool:
    """Whether this looks like JSON; `[CONSTANT #11] …` is a row of the text form."""
    others = (chrome_trace.sniff, gpu_trace.sniff)
    return _JSON.match(head) is not None and not any(sniff(head) for sniff in others)


def read(source: Source) -> tuple[list[Profile], list[Problem]]:
    """Reads the rows. Raises ReadError (ELV201) where there is no row to use."""
    file = source.name
    rows: list[ProfileRow] = []
    problems: list[Problem] = []
    count: int | None = None
    walk = Walk(source.text(), file, PLAIN)
    try:
        for number, row in enumerate(_elements(walk)):
            known = row.get("count") if isinstance(row, dict) and "name" not in row else None
            if isinstance(known, int):
                count = known
                continue
            try:
                rows.append(_row(row, count))
            except _Unreadable as wrong:
                problems.append(Problem(Place(file, walk.line), "ELV204", f"row {number}: {wrong}"))
    except UNREADABLE as error:
        raise ReadError(walk.problem("ELV201", "not JSON", error)) from None
    if not rows:
        raise ReadError(
            Problem(Place(file, 1), "ELV201", problems[0].message if problems else "no rows")
        )
    return [Profile(Place(file, 1), tuple(rows), count)], problems


def _elements(walk: Walk) -> Iterator[JsonValue]:
    """The rows, where this is a list."""
    if walk.starts("["):
        yield from walk.elements()
    else:
        walk.value()
    walk.end()


class _Unreadable(Exception):
    pass


def _row(row: JsonValue, count: int | None) -> ProfileRow:
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        raise _Unreadable("no object with a name")
    name = str(row["name"])
    runs = count if count is not None and 0 < count < TOO_MANY else None
    average, total = _number(row, "averageMs", name), _number(row, "timeMs", name)
    if average is None and total is not None and runs is not None:
        average = measured(total, per=runs)
    if average is None:
        raise _Unreadable(f"`{name:.80}` has no `averageMs`")
    return ProfileRow(
        name,
        Timing(
            average,
            _number(row, "medianMs", name),
            total,
            _number(row, "percentage", name),
            n=runs,
        ),
    )


def _number(row: dict[str, JsonValue], key: str, name: str) -> float | None:
    value = row.get(key)
    if value is None:
        return None
    number = measured(value)
    if number is None:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        what = f"{value!r:.40}" if is_number else f"no number: {json.dumps(value)[:40]}"
        raise _Unreadable(f"`{key}` of `{name:.80}` is {what}")
    return number


FORMAT: Final = Format("trtexec_json", sniff, read)
