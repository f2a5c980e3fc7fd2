"""What a comparison says: groups of layers, what explains the difference, the rest.

Times are milliseconds; a difference is B minus A. Layers are named by their index in their engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.samples import Inputs, PerSample

Confidence = Literal["names", "weights", "structure", "region"]
Fusion = Literal["same", "split", "merged", "regrouped"]
Cause = Literal["time", "kernel", "precision", "fusion", "reformats", "overhead", "unmatched"]
Change = Literal["fusion", "kernel", "precision", "format", "shape", "reformats"]
Matching = Literal["auto", "names", "structure"]

CONFIDENCES: Final[tuple[Confidence, ...]] = get_args(Confidence)  # the surest first
CAUSES: Final[tuple[Cause, ...]] = get_args(Cause)
MATCHINGS: Final[tuple[Matching, ...]] = get_args(Matching)


class Group(NamedTuple):
    """Layers of A and of B that do the same work."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    a_reformats: tuple[int, ...]  # reformats and no-ops that serve them
    b_reformats: tuple[int, ...]
    ms_a: float | None  # known times of all of these; None where none is known
    ms_b: float | None
    delta_ms: float | None  # None where a layer has no time, or times are of two kinds
    fusion: Fusion
    confidence: Confidence  # what the layers were matched by
    why: str  # the same in words
    changes: tuple[Change, ...]
    cause: Cause  # what of the waterfall the time of the layers, without reformats, belongs to
    kernels_known: bool  # whether the logs tell if both run the same kernel

    @property
    def all(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The layers of A with their reformats, and those of B."""
        return self.a + self.a_reformats, self.b + self.b_reformats


class Rest(NamedTuple):
    """Layers of A and of B that stand in no group, and their known times."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    ms_a: float | None
    ms_b: float | None


class CauseTime(NamedTuple):
    """A part of the difference, and what explains it."""

    cause: Cause
    ms: float
    a: tuple[int, ...] = ()  # the layers of A whose times are in it
    b: tuple[int, ...] = ()


class Difference(NamedTuple):
    """What differs between two builds; None: the log does not say, and then nothing is told."""

    what: str
    a: str | None
    b: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two engines, layer by layer.

    Every layer stands in exactly one place: in a group, as a layer or as a reformat, in `overhead`
    or in `unmatched`.
    """

    a: Costs  # the engines with their times
    b: Costs
    # At least half of the computing layers of the smaller engine stand in groups of equal
    # operators and output shapes.
    same_network: bool
    delta_ms: float | None  # B minus A; None where either is unknown
    speedup: float | None  # A by B, of a run; None where that would mean nothing, too
    unknown: str  # why there is no `delta_ms`
    builds: tuple[Difference, ...]
    waterfall: tuple[CauseTime, ...]  # what explains `delta_ms`, which its steps sum to
    groups: tuple[Group, ...]  # the largest difference first
    overhead: Rest  # constants, shape calls, waits
    unmatched: Rest
    no_ratio: str = ""  # why there is no `speedup`
    per_sample: PerSample | None = None  # where inputs differ in their leading dimension alone
    inputs: Inputs = (None, None)  # their shapes when the engines were timed; None: unknown

    def took(self, groups: Sequence[Group]) -> tuple[float, float] | None:
        """The ms of these groups in A and in B; None where they cannot be compared.

        They are times of a run or, where runs have different numbers of samples, of a sample.
        """
        if not groups or any(group.delta_ms is None for group in groups):
            return None
        a, b = sum(one.ms_a or 0.0 for one in groups), sum(one.ms_b or 0.0 for one in groups)
        if (per := self.per_sample) is None or self.of_a_sample:
            return a, b
        return a / per.samples_a, b / per.samples_b

    @property
    def of_a_sample(self) -> bool:
        """Whether all times are of a sample, and not of a run."""
        return self.a.samples > 1 or self.b.samples > 1
