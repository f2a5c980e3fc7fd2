"""What is counted of a layer's autotuning: `Trial`, and what it is made of.

It does not grow with the number of lines.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Final, NamedTuple

HOPELESS: Final = 1e30  # `inf`, or the largest float: no tactic worked
_MOST_CHOSEN: Final = 96  # format combinations kept of one name


class Count:
    """What was done with one runner, for one name or for all."""

    def __init__(self) -> None:
        self.profilings = 0
        self.tried = 0
        self.skipped = 0
        self.scratch = 0  # the most bytes that a skipped tactic asked for
        self.fastest = HOPELESS  # ms; of one that is not a reformat's
        self.unfit = 0
        self.seconds = 0.0
        self.timed = False  # whether the log prints seconds

    def skip(self, tactics: int, most: int) -> bool:
        """Counts tactics left out for want of memory; `most`: bytes that one asked for."""
        self.skipped += tactics
        self.scratch = max(self.scratch, most)
        return tactics > 0


class Chosen:
    """The fastest tactic of a runner for one format combination: time, and the log's line."""

    def __init__(self, ms: float, line: int) -> None:
        self.ms = ms
        self.line = line


class Printed:
    """Words of the log: a ForeignNode's metadata, or advice where tactics were skipped for memory.

    `bytes`: the workspace that the advice asks for; 0 where it names none.
    """

    def __init__(self, words: bytes, line: int = 0, bytes: int = 0) -> None:
        self.words = words
        self.line = line
        self.bytes = bytes


class Operation:
    """One operation inside a ForeignNode, with its table of tactics.

    Attributes:
        name: as printed, without the words for its ONNX nodes.
        nodes: these words, `[ONNX Layer: a][ONNX Layer: b]`.
        kernel: of the fastest tactic, which is the first row; empty: it is not known.
        ms: of that tactic.
        tactics: how many rows its table has.
        line: of the table's first line.
    """

    __slots__ = ("kernel", "line", "ms", "name", "nodes", "tactics")

    def __init__(self, name: bytes, nodes: bytes, line: int) -> None:
        self.name = name
        self.nodes = nodes
        self.line = line
        self.kernel = b""
        self.ms = 0.0
        self.tactics = 0


class Trial:
    """The autotuning of one name. `chosen`: by tactic, runner and formats, as printed.

    `best`: (ms, tactic, runner, formats), the fastest first.
    """

    __slots__ = ("best", "cached", "chosen", "inside", "line", "odd", "runners", "slowest", "third")

    def __init__(self, line: int) -> None:
        self.line = line
        self.odd = False  # its name looks like a timing
        self.runners: dict[bytes, Count] = {}
        self.best: list[tuple[float, bytes, bytes, bytes]] = []
        self.third = HOPELESS
        self.chosen: dict[tuple[bytes, bytes, bytes], Chosen] = {}
        self.slowest = HOPELESS  # no chosen one takes longer, once no more are kept
        self.cached = 0
        self.inside: dict[bytes, list[Operation]] = {}  # of a ForeignNode, by formats

    def improve(self, ms: float, tactic: bytes, runner: bytes, formats: bytes) -> None:
        """Keeps the three fastest of different tactics; of equal times the first."""
        best = {timed[1:3]: timed for timed in self.best}
        key = tactic, runner  # implementations number their tactics alike
        if key not in best or ms < best[key][0]:
            best.pop(key, None)
            best[key] = (ms, tactic, runner, formats)
        self.best = sorted(best.values(), key=itemgetter(0))[:3]
        self.third = self.best[2][0] if len(self.best) == 3 else HOPELESS

    def lines(self) -> int:
        """How many lines of the log it stands for."""
        return self.cached + sum(count.tried + count.skipped for count in self.runners.values())

    def choose(self, key: tuple[bytes, bytes, bytes], ms: float) -> bool:
        """Whether a choice is to be kept. Where there are too many, the slowest is deleted."""
        known = self.chosen.get(key)
        if known is not None:
            return ms < known.ms
        if len(self.chosen) >= _MOST_CHOSEN:
            if ms >= self.slowest:
                return False
            slowest = max(self.chosen, key=lambda other: self.chosen[other].ms)
            self.slowest = self.chosen[slowest].ms
            if self.slowest <= ms:
                return False
            del self.chosen[slowest]
        return True


class Runner(NamedTuple):
    """A name and a runner, as they stand in a `Timing Runner` line."""

    trial: Trial
    counted: Count
    name: bytes
    reformat: bool
