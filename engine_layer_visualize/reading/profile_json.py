"""Times in JSON: trtexec's `--exportProfile` and `--exportTimes`, Torch-TensorRT's Chrome trace."""

import json
import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from engine_layer_visualize.core.layer_facts import Iterations
from engine_layer_visualize.core.limits import TOO_MANY
from engine_layer_visualize.core.model import JsonValue, Profile, ProfileRow, Timing
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.json_stream import PLAIN, UNREADABLE, Walk, measured, text_of
from engine_layer_visualize.io.source import JSON, Source, decode
from engine_layer_visualize.reading.envelopes import ROW_KEYS
from engine_layer_visualize.reading.wrapping import without_logger

# Where the rows of trtexec's `--exportProfile` begin.
# e.g. (all) [ { "count" : 961 }
# e.g. (all) [ { "name" : "conv1", "timeMs" : 1.0
_ROWS: Final = re.compile(
    r'\[\s*\{\s*"(?:count"\s*:\s*\d{1,18}\s*[,}]|name"\s*:\s*"(?:[^"\\]|\\.){0,9999}"\s*,\s*'
    r'"(?:time|average)Ms"\s*:)'
)
_TRACE: Final = re.compile(rb'\s*\{\s*"traceEvents"')
_LIST: Final = re.compile(rb"\s*\[\s*\{")
_PHASE: Final = re.compile(rb'"ph"\s*:\s*"')
_FIRST: Final = 1 << 12  # characters that show whether a text begins as JSON
MOST: Final = 1_000_000  # iterations of one run: a minute, and 1 GB of memory
_ITERATION: Final = "computeMs"
_HINT: Final = "write it with `trtexec --loadEngine=… --exportTimes=times.json`"


def holds_rows(head: bytes) -> bool:
    """Whether a text begins as JSON, or rows of trtexec begin further down."""
    has_keys = any(key in head for key in ROW_KEYS)
    is_json = JSON.match(head) is not None
    return is_json or (has_keys and bool(_ROWS.search(without_logger(decode(head)))))


def read_trtexec(source: Source) -> tuple[list[Profile], list[Problem]]:
    """A profile for each list, the iteration count first, then one object per row.

    Other text may stand around the lists. Raises ReadError (ELV201) where the first has no row to
    use.
    """
    text = without_logger(text_of(source))
    begin = _ROWS.search(text)
    walk = Walk(text, source.name, PLAIN)
    if begin is not None and not JSON.match(text[:_FIRST].encode()):
        walk.go(begin.start())
    profile, problems = _profile(walk, source.name)
    profiles = [profile]
    while (begin := _ROWS.search(text, walk.at)) is not None:
        walk.go(begin.start())
        try:
            profile, more = _profile(walk, source.name)
        except ReadError as error:
            return profiles, [*problems, error.problem]
        profiles.append(profile)
        problems += more
    return profiles, problems


def _profile(walk: Walk, file: str) -> tuple[Profile, list[Problem]]:
    """The profile of the list that begins here. Raises ReadError (ELV201)."""
    rows: list[ProfileRow] = []
    problems: list[Problem] = []
    count: int | None = None
    place = Place(file, walk.line)
    for number, (line, row) in enumerate(json_rows(walk)):
        known = row.get("count") if isinstance(row, dict) and "name" not in row else None
        if isinstance(known, int):
            count = known
            continue
        try:
            rows.append(_row(row, count))
        except ValueError as wrong:
            problems.append(Problem(Place(file, line), "ELV204", f"row {number}: {wrong}"))
    if not rows:
        raise ReadError(Problem(place, "ELV201", problems[0].message if problems else "no rows"))
    return Profile(place, tuple(rows)), problems


def _row(row: JsonValue, count: int | None) -> ProfileRow:
    if not isinstance(row, dict) or not isinstance(name := row.get("name"), str):
        raise ValueError("no object with a name")

    def number(key: str) -> float | None:
        value = row.get(key)
        ms = measured(value)
        if value is not None and ms is None:
            raise ValueError(f"`{key}` of `{name:.80}` is no time: {json.dumps(value)[:40]}")
        return ms

    runs = count if count is not None and 0 < count < TOO_MANY else None
    average, total = number("averageMs"), number("timeMs")
    if average is None and total is not None and runs is not None:
        average = measured(total, per=runs)
    if average is None:
        raise ValueError(f"`{name:.80}` has no `averageMs`")
    median, share = number("medianMs"), number("percentage")
    return ProfileRow(name, Timing(average, median, total, share, n=runs))


def is_trace(head: bytes) -> bool:
    """Whether this is a Chrome trace: it says so, or its first events have a key `ph`."""
    return bool(_TRACE.match(head) or (_LIST.match(head) and _PHASE.search(head)))


def read_trace(source: Source) -> tuple[list[Profile], list[Problem]]:
    """The profile of a trace's complete events, with a `name` and a `dur` in microseconds.

    A duration is the sum over all calls of the engine, and the file does not give their number.
    """
    file, rows, problems = source.name, [], []
    for line, event in json_rows(Walk(text_of(source), file), "traceEvents"):
        if not isinstance(event, dict) or event.get("ph") != "X":
            continue
        name, ms = event.get("name"), measured(event.get("dur"), per=1000)
        if isinstance(name, str) and ms is not None:
            rows.append(ProfileRow(name, Timing(None, total_ms=ms)))
        elif isinstance(name, str):
            duration = json.dumps(event.get("dur"))[:40]
            message = f"`{name:.80}` has an unreadable duration: {duration}"
            problems.append(Problem(Place(file, line), "ELV204", message))
    return [Profile(Place(file, 1), tuple(rows))] * bool(rows), problems


def json_rows(walk: Walk, key: str = "") -> Iterator[tuple[int, JsonValue]]:
    """The values of a list, or of the list under a key of an object, with their lines.

    Raises ReadError (ELV201) where the text is no JSON.
    """
    try:
        for found in [key] if walk.starts("[") else walk.members():
            if found != key or not walk.starts("["):
                walk.value()
                continue
            for value in walk.elements():
                yield walk.line, value
    except UNREADABLE as error:
        raise ReadError(walk.problem("ELV201", "not JSON", error)) from None


def read_iterations(source: Source | str | Path) -> tuple[Iterations, list[Problem]]:
    """The iterations of `--exportTimes`, a list with an object for each, of one file.

    Of the keys only `computeMs` is read: all versions have it, and the moments beside it
    (`startEnqMs`, `endComputeMs` …) are printed with six digits, too few to subtract. A file is
    taken whole or not at all. Raises ReadError (ELV208, ELV109, ELV401).
    """
    source = source if isinstance(source, Source) else Source(source)
    walk = Walk(text_of(source), source.name, PLAIN)
    times = array("d")

    def unusable(message: str) -> ReadError:
        return ReadError(Problem(Place(source.name, walk.line), "ELV208", message), _HINT)

    try:
        if not walk.starts("["):
            raise unusable("no list of iterations in JSON")
        for row in walk.elements():
            if len(times) == MOST:
                raise unusable(f"more than {MOST:,} iterations")
            ms = measured(row.get(_ITERATION)) if isinstance(row, dict) else None
            if ms is None:
                raise unusable(f"iteration {len(times)} has no time as `{_ITERATION}`")
            times.append(ms)
        walk.end()
    except UNREADABLE as error:
        raise ReadError(walk.problem("ELV208", "not JSON", error), _HINT) from None
    if not times:
        raise unusable("an empty list: no iteration was measured")
    return Iterations(source.name, times), source.problems
