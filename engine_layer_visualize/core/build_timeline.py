"""What happened when while engines were built, by the time stamps of the log's lines."""

# Annotations are no texts here: a NamedTuple would compile each of them.

from typing import Literal, NamedTuple

MomentKind = Literal["stage", "pass", "layer", "runner", "timed", "phase"]


class Moment(NamedTuple):
    """A line of the log that says what begins or ends."""

    #: Microseconds since the log's first time stamp.
    us: int
    #: `stage`, `layer`, `runner`: from here on the builder is at this stage, tunes this layer,
    #: times this implementation. `timed`: the timings of the implementation end. `pass`, `phase`:
    #: it ends here.
    kind: MomentKind
    #: The name of the stage, layer, implementation, pass or phase.
    name: str
    #: The log's line.
    line: int
    #: The formats that an implementation is timed with; the layers that a pass left.
    detail: str = ""
    #: Microseconds of a pass or a phase, where the line says them.
    took: int | None = None


class BuildTimeline(NamedTuple):
    """When what happened in a log."""

    #: The log's first time stamp, as printed.
    begins: str
    #: Microseconds from the first time stamp to the last one.
    us: int
    #: In the log's order.
    moments: tuple[Moment, ...]
    #: What the stamps can tell apart.
    resolution_us: int
    #: How many stamps, of the lines that tell moments, are earlier than one before them. The clock
    #: stands still there.
    backwards: int = 0
    #: How many moments there are beyond what is kept.
    lost: int = 0
