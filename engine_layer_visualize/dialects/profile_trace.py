"""Torch-TensorRT's profile, a Chrome trace: JSON objects with a `name` and a `dur` in microseconds.

takes: the text of a file
gives: its one Profile, and problems
never: takes a trace's other events (those without a duration) for layers
"""

from __future__ import annotations

import json
import math
import re
from typing import Final

from engine_layer_visualize.errors import Place, Problem, ReadError
from engine_layer_visualize.model import JsonValue, Profile, ProfileRow, Timing

_SNIFF: Final = re.compile(r'\s*(?:\{\s*"traceEvents"|\[\s*\{)')
_PHASE: Final = re.compile(r'"ph"\s*:\s*"')


def sniff(text: str) -> bool:
    """Whether this is a trace: its events name their phase."""
    return _SNIFF.match(text) is not None and _PHASE.search(text) is not None


def read(text: str, file: str) -> tuple[list[Profile], list[Problem]]:
    """Raises ReadError (ELV201) where there is no event to use."""
    try:
        data: JsonValue = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        why = getattr(error, "msg", "nested too deeply, or a number too long").lower()
        line = getattr(error, "lineno", 1)
        raise ReadError(Problem(Place(file, line), "ELV201", f"not JSON: {why}")) from None
    events = data.get("traceEvents") if isinstance(data, dict) else data
    rows, problems = [], []
    for event in events if isinstance(events, list) else ():
        if not isinstance(event, dict) or event.get("ph") != "X":
            continue
        name, duration = event.get("name"), event.get("dur")
        if not isinstance(name, str):
            continue
        if isinstance(duration, (int, float)) and math.isfinite(duration) and duration >= 0:
            rows.append(ProfileRow(name, Timing(duration / 1000)))
        else:
            message = f"`{name}` has an unreadable duration: {json.dumps(duration)[:40]}"
            problems.append(Problem(Place(file, 1), "ELV204", message))
    if not rows:
        empty = Problem(Place(file, 1), "ELV201", "a trace without complete events")
        raise ReadError(problems[0] if problems else empty)
    return [Profile(Place(file, 1), tuple(rows))], problems
