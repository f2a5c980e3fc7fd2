"""What happened when while engines were built, by the time stamps of the log's lines."""

# Annotations are no texts here: a NamedTuple would compile each of them.

from typing import Literal, NamedTuple

MomentKind = Literal["stage", "pass", "layer", "runner", "timed", "phase"]


class Moment(NamedTuple):
    """A line of the log that says what begins or ends. `us`: µs since the log's first time stamp.

    `stage`, `layer`, `runner`: from here on the builder is at this stage, tunes this layer, times
    this implementation; `timed`: the implementation's timings end. `pass`, `phase`: it ends here;
    `took`: its µs, where the line says it. `detail`: the formats that an implementation is timed
    with, the layers that a pass left.
    """

    us: int
    kind: MomentKind
    name: str
    line: int
    detail: str = ""
    took: int | None = None


class BuildTimeline(NamedTuple):
    """`begins`: the log's first time stamp, as printed; `us`: from it to the last one; `moments`:
    in the log's order. `resolution_us`: what the stamps can tell apart. `backwards`: how many
    stamps, of the lines that tell moments, are earlier than one before them; the clock stands still
    there. `lost`: moments beyond what is kept."""

    begins: str
    us: int
    moments: tuple[Moment, ...]
    resolution_us: int
    backwards: int = 0
    lost: int = 0
