"""Reads a search among build routes: trtexec's lines in a log, and its cache of JSON Lines.

Both are known from the sources of trtexec 11.1. A cache is written while the search runs, so its
last line may be cut.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.tuning import Iteration, Search
from engine_layer_visualize.io.json_stream import UNREADABLE, finite, measured
from engine_layer_visualize.io.source import Source, decode, line_words

_LONGEST: Final = 4_000  # characters of a route or of a message
_MULTILINE: Final = 8  # `re.MULTILINE`
# Lines of the search, and the time of a run; before them only what a logger writes.
# e.g. (11.1) [I] Tuning iteration [3]: -match_ragged_mha=on -copy_ppg=off
# e.g. (11.1) [E] Iteration [3] failed: child killed by signal 9
# e.g. (11.1) [I] Best iteration: -match_ragged_mha=on (gpu_time_ms=1.234)
# e.g. (11.1) [I] Expanded to 8 build route configurations
# e.g. (11.1) [I] Tuning summary: 7 / 8 iterations succeeded.
# e.g. (11.1) [I] Using tuning build route: -match_ragged_mha=on
# e.g. (8-) [I] GPU Compute Time: min = 1 ms, max = 2 ms, mean = 1.5 ms, median = 1.4 ms
_LINE: Final = lazy(
    rb"^(?:\x1b\[[\d;]{0,9}m|\[[^\]\n]{1,40}\] ?){0,6}"
    rb"(Tuning iteration \[\d{1,9}\]: |Iteration \[\d{1,9}\] failed: |Best iteration: "
    rb"|Expanded to |Tuning summary: |Using tuning build route: |GPU Compute Time: )"
    rb"([^\r\n]{0,4000})",
    _MULTILINE,
)
# e.g. (11.1) [I] Expanded to 8 build route configurations
_NUMBER: Final = lazy(rb"\d+")
# e.g. (11.1) [I] Best iteration: -match_ragged_mha=on (gpu_time_ms=1.234)
_BEST: Final = lazy(r"(.*?) ?\(gpu_time_ms=([\d.e+-]{1,24})\)$")
# e.g. (8-) [I] GPU Compute Time: min = 1 ms, max = 2 ms, mean = 1.5 ms, median = 1.4 ms
_MEDIAN: Final = lazy(r"\bmedian = ([\d.e+-]{1,24}) ms")
# e.g. (8-) [I] GPU Compute Time: min = 1 ms, max = 2 ms, mean = 1.5 ms
_MEAN: Final = lazy(r"\bmean = ([\d.e+-]{1,24}) ms")
_HEADER: Final = ("tuning_expr", "default_build_route")  # keys of the first row of a cache
_HINT: Final = "`trtexec --tuneBuildRoutes=… --tuningCacheFile=tune.jsonl` writes it"


def is_cache(head: bytes) -> bool:
    """Whether a file is a cache of a search, by its first bytes."""
    start = head.lstrip()[:1]
    return start == b"{" and any(f'"{key}"'.encode() in head for key in (*_HEADER, "build_route"))


# ---- the log -------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Found:
    """What was read so far."""

    iterations: list[Iteration] = field(default_factory=list)
    at: dict[int, int] = field(default_factory=dict)  # where the iteration of a number stands
    best: str | None = None
    planned: int | None = None
    ended: bool = False
    route: str = ""
    compute: float | None = None


def of_log(source: Source) -> Search:
    """The search of a log. Raises ReadError (ELV401)."""
    found = _Found()
    for line, mark, words in _lines(source):
        _read(found, line, mark, words)
    each = found.iterations
    ended = found.ended or not each
    return Search(tuple(each), None, found.best, found.planned, ended, found.route, found.compute)


def _lines(source: Source) -> Iterator[tuple[int, bytes, str]]:
    """The number of each line of the search, its mark, and what follows that."""
    for span in source.spans():
        data = span.data
        line, before = span.line, 0
        for match in _LINE.finditer(data):
            line += data.count(b"\n", before, match.start())
            before = match.start()
            yield line, match[1], decode(line_words(match[2])).strip()


def _read(found: _Found, line: int, mark: bytes, words: str) -> None:
    each, number = found.iterations, _NUMBER.search(mark)
    if number is not None and mark.startswith(b"Tuning"):
        found.at[int(number[0])] = len(each)
        each.append(Iteration(int(number[0]), words, line))
    elif number is not None:
        if (at := found.at.get(int(number[0]))) is not None:
            each[at] = each[at]._replace(failure=words or "failed")
    elif mark.startswith(b"Best"):
        told = _BEST.match(words)
        found.best = told[1] if told else words
    elif mark.startswith(b"Expanded"):
        found.planned = int(planned[0]) if (planned := _NUMBER.match(words.encode())) else None
    elif mark.startswith(b"GPU"):
        time = _MEDIAN.search(words) or _MEAN.search(words)
        ms = None if time is None else _printed(time[1])
        found.compute = ms or found.compute
        if each and ms:
            each[-1] = each[-1]._replace(compute=ms)
    elif mark.startswith(b"Using"):
        found.route = words
    else:
        found.ended = True


# ---- the cache -----------------------------------------------------------------------------------


def of_cache(source: Source) -> tuple[Search, list[Problem]]:
    """The search of a cache, and problems of its rows. Raises ReadError (ELV214, ELV401)."""
    problems: list[Problem] = []
    iterations: list[Iteration] = []
    default: str | None = None
    for line, text, is_whole in _rows(source):
        row = _object(text)
        if row is None:
            problems.append(_unread(source.name, line, is_whole))
        elif any(key in row for key in _HEADER):
            default = _text(row.get("default_build_route")) or default
        elif (iteration := _iteration(row)) is not None:
            iterations.append(iteration)
        else:
            message = "a row without the number and the build route of an iteration"
            problems.append(Problem(Place(source.name, line), "ELV214", message))
    if not iterations:
        message = "no cache of a search among build routes: it has no iteration"
        raise ReadError(Problem(Place(source.name, 1), "ELV214", message), _HINT)
    return Search(tuple(iterations), default), [*source.problems, *problems]


def _rows(source: Source) -> Iterator[tuple[int, bytes, bool]]:
    """Lines that are not empty: number, bytes, and whether the line is whole."""
    for span in source.spans():
        lines = span.data.split(b"\n")
        for number, text in enumerate(lines):
            if text.strip():
                yield span.line + number, text, number < len(lines) - 1


def _object(text: bytes) -> dict[str, Any] | None:
    try:
        row: Any = json.loads(text)
    except UNREADABLE:
        return None
    return row if isinstance(row, dict) else None


def _unread(file: str, line: int, is_whole: bool) -> Problem:
    if is_whole:
        return Problem(Place(file, line), "ELV214", "a row that is no object of JSON")
    message = "the last row is cut: the search was ended, or is still running"
    return Problem(Place(file, line), "ELV108", message)


def _iteration(row: dict[str, Any]) -> Iteration | None:
    number, route = row.get("iter"), row.get("build_route")
    if not isinstance(number, int) or isinstance(number, bool) or not isinstance(route, str):
        return None
    failure = _text(row.get("error_message")).strip()
    if not failure and row.get("crash"):
        failure = "it crashed"
    ms = None if failure else measured(row.get("gpu_time")) or None  # -1 and 0 are none
    return Iteration(
        number, route.strip()[:_LONGEST], 0, failure, ms, None, finite(row.get("accuracy_loss"))
    )


def _text(value: Any) -> str:
    return value[:_LONGEST] if isinstance(value, str) else ""


def _printed(text: str) -> float | None:
    """A time in ms as it is printed."""
    try:
        return measured(float(text)) or None
    except ValueError:
        return None


def joined(log: Search, cache: Search) -> Search:
    """One search of its log and its cache: an iteration has one number, and one route."""
    told = {(each.number, each.route): each for each in cache.iterations}
    both = []
    for each in log.iterations:
        known = told.pop((each.number, each.route), None)
        if known is not None:
            each = each._replace(
                failure=each.failure or known.failure,
                gpu_time=known.gpu_time,
                accuracy_loss=known.accuracy_loss,
            )
        both.append(each)
    return log._replace(iterations=(*both, *told.values()), default_route=cache.default_route)
