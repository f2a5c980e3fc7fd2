"""Real logs that were cut: inside each of their listings, and before the first."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from paths import RECORDED

from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.problems import Problem, ReadError
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading import scanner, wrapping

LOGS = sorted(RECORDED.glob("*.log"))
every_log = pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name[:3])

# Quoted or shortened by a person.
PARTS = {"112", "147", "302", "304", "307"}
# The log is cut where less than a record stands: a header, or the build before it.
BEFORE = {"ELV105", "ELV412"}


@cache
def listings(log: Path) -> tuple[tuple[int, int, bool], ...]:
    """(where the first record begins, where the last one ends, whether a header is above)."""
    data, source = log.read_bytes(), Source(log, unwrap=wrapping.unwrapped)
    starts = [0]
    while starts[-1] < len(data):
        starts.append(data.find(b"\n", starts[-1]) + 1 or len(data))
    found = []
    for block in scanner.scan(source).listings:
        first, last = block.header, block.last_line
        found.append((starts[first or 0], starts[last] - 1, first is not None))
    return tuple(found)


def cuts(begin: int, end: int, number: int, data: bytes) -> Iterator[int]:
    """Places spread evenly, but none where a record may end."""
    for step in range(number):
        at = begin + (end - begin) * (2 * step + 1) // (2 * number)
        may_end = b"\n" in data[at - 1 : at + 1] or data[at - 2 : at] in (b")]", b"])")
        yield at - 3 if may_end else at


def problems(data: bytes) -> tuple[int, list[Problem]]:
    """(number of engines, what is said); of what is read as a pipe is."""
    try:
        log = Log("build.log", chunks=[data])
        number = len(list(log.engines()))
    except ReadError as error:
        return 0, [error.problem]
    return number, log.problems


@every_log
def test_a_log_that_is_cut_inside_a_listing(log: Path) -> None:
    """At 20 places in each of its listings."""
    data = log.read_bytes()
    for begin, end, headed in listings(log):
        for at in cuts(begin, end, 20, data):
            engines, said = problems(data[:at])
            codes = {problem.code for problem in said if problem.severity == "error"}
            where = f"{log.name} at byte {at}: {data[at - 60 : at]!r}"
            if "ELV114" in codes:
                assert any("cut" in one.message for one in said if one.code == "ELV114")
            elif engines:
                assert codes & BEFORE or not headed, where
            else:
                assert codes, where


# Copied listings around which nothing counts their layers or names an output.
UNTOLD = {"000", "009"}


@pytest.mark.parametrize(
    "log", [log for log in LOGS if log.name[:3] not in {*PARTS, *UNTOLD}], ids=lambda p: p.name[:3]
)
def test_a_log_that_is_cut_between_two_records(log: Path) -> None:
    """At 5 line ends in each of its listings."""
    data = log.read_bytes()
    for begin, end, headed in listings(log):
        lines = data[begin:end].count(b"\n") + 1
        for step in range(5) if headed and lines > 2 else ():
            at = begin
            for _ in range(1 + max(1, (lines - 1) * (2 * step + 1) // 10)):
                at = data.index(b"\n", at, end) + 1
            engines, said = problems(data[:at])
            codes = {problem.code for problem in said}
            assert not engines or codes & {"ELV114", "ELV115"}, f"{log.name} at byte {at}"


@every_log
def test_a_whole_log_is_not_called_cut(log: Path) -> None:
    try:
        engines = list(Log(log).engines())
    except ReadError:
        return
    states = {engine.source.state for engine in engines}
    assert "cut" not in {*states, *(also.state for engine in engines for also in engine.also)}
    assert ("part" in states) is (log.name[:3] in PARTS)
    codes = {problem.code for engine in engines for problem in engine.problems}
    assert not codes & {"ELV114", "ELV412"}


@every_log
def test_a_log_that_ends_with_its_listing_is_not_called_cut(log: Path) -> None:
    """As a user copies it."""
    data = log.read_bytes()
    for number, (_, end, headed) in enumerate(listings(log)):
        detailed = number or b"Layer(" not in data[:end]
        if log.name[:3] in PARTS or detailed or not headed:
            continue  # the names of inputs and outputs belong to a detailed one
        if data[:end].count(b"```") % 2:
            continue  # what quotes it is cut
        for whole in (data[: end + 1], data[:end]):
            _, said = problems(whole)
            assert "ELV114" not in {problem.code for problem in said}, log.name


@every_log
def test_a_verbose_log_that_ends_before_its_listing(log: Path) -> None:
    data = log.read_bytes()
    spots = listings(log)
    end = data.rfind(b"\n", 0, spots[0][0] - 1) + 1 if spots and spots[0][2] else 0
    for at in cuts(0, end, 5, data) if end else ():
        if at <= 0 or b"[V]" not in (before := data[:at]) or b"[TRT]" not in before:
            continue
        _, (said,) = problems(before)
        assert "not a VERBOSE log" not in said.message
        line = before.count(b"\n") + 1
        assert f"ends at line {line}" in said.message
