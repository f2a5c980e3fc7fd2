"""Reads what the lines around a listing say of it: timings above it, trtexec's buffers below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.build_context import INPUT, TIMING
from engine_layer_visualize.inputs.buildlog.markers import FENCE
from engine_layer_visualize.io.source import Span, decode, line_end
from engine_layer_visualize.trt.layer_names import OPTIMIZER_REFORMAT

# e.g. (8-) [V] [TRT] Engine generation completed in 12.5 seconds.
GENERATED: Final = b"Engine generation completed in "
_REFORMAT: Final = OPTIMIZER_REFORMAT.encode()
# e.g. (8-) [I] Created output binding for y with dimensions 1x10
# e.g. (10) [I] Output binding for y with dimensions 1x10 and type fp32 is created.
# A line that goes on otherwise is taken whole: each of its marks would be followed to its end.
_BOUND: Final = lazy(
    rb"(?:Created |\b(?=[IO]))([Ii]n|[Oo]ut)put binding for (?:(.+) with dimensions |.*)"
)


def timed_layers(spans: Iterable[Span], begin: int, end: int) -> tuple[str, ...]:
    """The layers that were timed in the lines from `begin` to `end`, by their last timing.

    Reformats are left out, as an engine keeps few of them. Empty if there were several attempts.
    """
    names: dict[bytes, None] = {}
    attempts = 0
    for span in lines_after(spans, begin):
        if span.line >= end:
            break
        attempts += span.buffer.count(GENERATED)
        stop = 0
        while (place := span.buffer.find(TIMING, stop)) >= 0:  # one a line
            stop = line_end(span.buffer, place)
            name = span.buffer[place + len(TIMING) : stop].rpartition(b" (")[0]
            names.pop(name, None)
            names[name] = None
    if attempts > 1:
        return ()
    return tuple(decode(name) for name in names if name and not name.startswith(_REFORMAT))


def is_fenced(spans: Sequence[Span], end: int) -> bool:
    """Whether the line `end` stands behind a fence of Markdown that was opened and not closed.

    `spans`: the end of the log. If it does not begin at line 1, the answer is False.
    """
    if not spans or spans[0].line > 1:
        return False
    above = (span.data.split(b"\n")[: end - span.line] for span in spans if span.line < end)
    return sum(FENCE.match(line) is not None for lines in above for line in lines) % 2 == 1


def trtexec_bindings(data: bytes, begin: int, end: int) -> tuple[tuple[str, str], ...]:
    """The inputs and outputs that trtexec made buffers for: (name, Input or Output)."""
    found = (match.groups() for match in _BOUND.finditer(data, begin, end))
    return tuple((decode(name), f"{mode.decode().capitalize()}put") for mode, name in found if name)


def may_hold_a_build(spans: Iterable[Span], line: int) -> bool:
    """Whether a network may be defined or optimised below a line."""
    marks = (INPUT, b"Parsing node: ", b" layers")
    return any(mark in span.buffer for span in lines_after(spans, line) for mark in marks)


def lines_after(spans: Iterable[Span], line: int) -> Iterator[Span]:
    """The spans without all lines up to and with `line`."""
    known = [*spans]
    for number, span in enumerate(known):
        if number + 1 < len(known) and known[number + 1].line <= line + 1:
            continue  # it ends at or above `line`
        lines = span.data.split(b"\n", max(0, line - span.line + 1))
        if len(lines) > max(0, line - span.line + 1):
            yield Span(max(span.line, line + 1), lines[-1], 0, len(lines[-1]))
