"""trtexec's `--exportProfile`: a JSON list, the iteration count first, then one object per row.

takes: the text of a file
gives: its one Profile, and problems
never: knows layers
"""

from __future__ import annotations

import json
import math
import re
from typing import Final

from engine_layer_visualize.dialects import trex_metadata
from engine_layer_visualize.errors import Place, Problem, ReadError, excerpt
from engine_layer_visualize.model import JsonValue, Profile, ProfileRow, Timing

_JSON: Final = re.compile(r'\s*(?:\[\s*(?:[{\]]|$)|\{\s*["}])')
_SHOWN: Final = 5  # unreadable rows that are reported one by one


def sniff(text: str) -> bool:
    """Whether this looks like JSON; `[CONSTANT #11] …` is a row of the text form."""
    return _JSON.match(text) is not None and '"ph"' not in text and not trex_metadata.sniff(text)


def read(text: str, file: str) -> tuple[list[Profile], list[Problem]]:
    """Raises ReadError (ELV201) where there is no row to use."""
    try:
        data: JsonValue = json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        line = text.split("\n")[error.lineno - 1]
        shown, caret = excerpt(line, error.colno)
        place = Place(file, error.lineno, error.colno)
        raise ReadError(
            Problem(place, "ELV201", f"not JSON: {error.msg.lower()}", shown, caret)
        ) from None
    except (RecursionError, ValueError):  # ValueError: a number of thousands of digits
        problem = Problem(Place(file, 1), "ELV201", "nested too deeply, or a number too long")
        raise ReadError(problem) from None
    rows: list[ProfileRow] = []
    problems: list[Problem] = []
    count: JsonValue = None
    for number, row in enumerate(data if isinstance(data, list) else ()):
        if isinstance(row, dict) and "name" not in row and isinstance(row.get("count"), int):
            count = row["count"]
            continue
        try:
            rows.append(_row(row, count))
        except _Unreadable as wrong:
            # Only the first ones are shown, so only they are looked for.
            at = _line_of(text, row) if len(problems) < _SHOWN else 1
            problems.append(Problem(Place(file, at), "ELV204", f"row {number}: {wrong}"))
    if not rows:
        raise ReadError(
            Problem(Place(file, 1), "ELV201", problems[0].message if problems else "no rows")
        )
    if len(problems) > _SHOWN:
        more = f"and {len(problems) - _SHOWN} more rows like these"
        problems[_SHOWN:] = [Problem(problems[_SHOWN].place, "ELV204", more)]
    assert count is None or isinstance(count, int)
    return [Profile(Place(file, 1), tuple(rows), count)], problems


class _Unreadable(Exception):
    pass


def _row(row: JsonValue, count: JsonValue) -> ProfileRow:
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        raise _Unreadable("no object with a name")
    name = str(row["name"])
    average, total = _number(row, "averageMs", name), _number(row, "timeMs", name)
    if average is None and total is not None and isinstance(count, int) and count > 0:
        average = _ratio(total, count)
    if average is None:
        raise _Unreadable(f"`{name}` has no `averageMs`")
    return ProfileRow(
        name,
        Timing(average, _number(row, "medianMs", name), total, _number(row, "percentage", name)),
    )


def _ratio(total: float, count: int) -> float:
    try:
        return total / count
    except OverflowError:
        raise _Unreadable(f"{len(str(count))} digits of iterations") from None


def _number(row: dict[str, JsonValue], key: str, name: str) -> float | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Unreadable(f"`{key}` of `{name}` is no number: {json.dumps(value)[:40]}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0:
        raise _Unreadable(f"`{key}` of `{name}` is {value!r:.40}")
    return number


def _line_of(text: str, row: JsonValue) -> int:
    """Where a row stands, found by its name; 1 where it has none."""
    name = row.get("name") if isinstance(row, dict) else None
    at = text.find(json.dumps(name)) if isinstance(name, str) else -1
    return text.count("\n", 0, at) + 1 if at >= 0 else 1
