"""What a comparison of two engines says, at which shapes they ran, and whether a ratio means much.

Times are milliseconds; a difference is B minus A. Layers are named by their index in their engine.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple, get_args

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Engine, Layer
from engine_layer_visualize.core.text import count
from engine_layer_visualize.trt.names import without_profile

# Shapes of all inputs, without names, which another export may change.
Shapes = tuple[tuple[int, ...], ...]
Inputs = tuple["Shapes | None", "Shapes | None"]  # of two engines; None: not known

Confidence = Literal["names", "structure", "region"]
Cause = Literal[
    "factor", "time", "kernel", "precision", "fusion", "reformats", "overhead", "unmatched"
]
Change = Literal["fusion", "kernel", "precision", "format", "shape", "reformats"]

CONFIDENCES: Final[tuple[Confidence, ...]] = get_args(Confidence)  # the surest first
CAUSES: Final[tuple[Cause, ...]] = get_args(Cause)


class Group(NamedTuple):
    """Layers of A and of B that do the same work."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    a_reformats: tuple[int, ...]  # reformats and no-ops that serve them
    b_reformats: tuple[int, ...]
    ms_a: float | None  # known times of all of these; None where none is known
    ms_b: float | None
    delta_ms: float | None  # None where a layer has no time, or times are of two kinds
    confidence: Confidence  # what the layers were matched by
    changes: tuple[Change, ...]
    cause: Cause  # what of the waterfall the time of the layers, without reformats, belongs to
    kernels_known: bool  # whether the logs tell if both run the same kernel

    @property
    def both(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The layers of A, and those of B."""
        return self.a, self.b

    @property
    def reformats(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The reformats of A, and those of B."""
        return self.a_reformats, self.b_reformats

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


class PerSample(NamedTuple):
    """The times of two engines by the samples of a run."""

    a_ms: float  # of one sample
    b_ms: float
    samples_a: int  # of a run
    samples_b: int


class Uniform(NamedTuple):
    """How much longer equal layers take in B: the ratios of their times."""

    factor: float  # the median
    low: float  # of the middle half
    high: float


class Comparison(NamedTuple):
    """Two engines, layer by layer.

    Every layer stands in exactly one place: in a group, as a layer or as a reformat, in `overhead`
    or in `unmatched`.
    """

    a: Costs  # the engines with their times
    b: Costs
    # Half of the computing layers of the smaller engine are matched with equal work, or half of all
    # ONNX nodes are in both.
    same_network: bool
    delta_ms: float | None  # B minus A; None where either is unknown
    speedup: float | None  # A by B, of a run; None where that would mean nothing, too
    unknown: str  # why there is no `delta_ms`
    builds: tuple[Difference, ...]
    waterfall: tuple[CauseTime, ...]  # what explains `explained_ms`, which its steps sum to
    groups: tuple[Group, ...]  # the largest difference first
    overhead: Rest  # constants, shape calls, waits without a counterpart
    unmatched: Rest
    no_ratio: str = ""  # why there is no `speedup`
    per_sample: PerSample | None = None  # where inputs differ in their leading dimension alone
    inputs: Inputs = (None, None)  # their shapes when the engines were timed; None: unknown
    called: str = "B"  # of several engines that are compared with A the second is C
    factor: Uniform | None = None  # of layers that compute the same on another GPU

    @property
    def outputs(self) -> tuple[int | None, int | None]:
        """How many outputs they have, as far as whole listings tell."""
        a, b = (costs.engine for costs in self.sides)
        numbers = [
            engine.known.outputs_counted or len({*map(without_profile, engine.outputs)}) or None
            for engine in (a, b)
        ]
        return numbers[0] if a.source.complete else None, numbers[1] if b.source.complete else None

    @property
    def explained_ms(self) -> float | None:
        """B minus A: of a run or, where runs have different numbers of samples, of a sample."""
        per = self.per_sample
        return self.delta_ms if per is None else per.b_ms - per.a_ms

    @property
    def samples(self) -> tuple[int, int]:
        """How many samples a run is of; 1 and 1 where these do not differ, or are not known."""
        per = self.per_sample
        return (1, 1) if per is None else (per.samples_a, per.samples_b)

    @property
    def scales(self) -> tuple[float, float]:
        """What a layer's time counts in the waterfall, on each side."""
        return scales(self.sides, self.factor.factor if self.factor else 1.0, self.samples)

    @property
    def sides(self) -> tuple[Costs, Costs]:
        """A and B."""
        return self.a, self.b

    @property
    def ms(self) -> tuple[float, float]:
        """The ms of a run of A and of B; 0 where it is not known."""
        return ms_of_run(self.a), ms_of_run(self.b)

    @property
    def alone(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The layers of A and of B without a counterpart."""
        return self.overhead.a + self.unmatched.a, self.overhead.b + self.unmatched.b

    @property
    def names(self) -> tuple[str, str]:
        """What the engines are called."""
        return "A", self.called

    def layers(self, both: tuple[Sequence[int], Sequence[int]]) -> tuple[list[Layer], list[Layer]]:
        """The layers of A and of B at these indices."""
        a, b = ([one.engine.layers[i] for i in indices] for one, indices in zip(self.sides, both))
        return a, b

    def took(self, groups: Sequence[Group]) -> tuple[float, float] | None:
        """The ms of these groups in A and in B; None where they cannot be compared.

        They are times of a run or, where runs have different numbers of samples, of a sample.
        """
        if not groups or any(group.delta_ms is None for group in groups):
            return None
        a, b = sum(one.ms_a or 0.0 for one in groups), sum(one.ms_b or 0.0 for one in groups)
        return a / self.samples[0], b / self.samples[1]


# ---- the shapes of the inputs -------------------------------------------------------------------

_FIXED: Final = re.compile(r"\d{1,9}(?:,\d{1,9})*")
_BATCH: Final = re.compile(r"[1-9]\d{0,8}")


def input_shapes(costs: Costs, *, estimated: bool | None = None) -> Shapes | None:
    """The shapes of all inputs, sorted; None where one is not known.

    Measured times are of the shapes that trtexec ran, estimated ones of those that the builder was
    to take for the best; both are those of the network where none varies.

    Args:
        costs: the engine with its times.
        estimated: which of both; None: as the costs are.
    """
    engine = costs.engine
    facts = engine.known
    of_build = costs.estimated if estimated is None else estimated
    asked = trtexec.of_build(facts) if of_build else trtexec.of_run(facts)
    is_of_log = engine.profile is None or engine.profile.file == engine.source.file
    known = tuple((asked or {}).values()) or _declared(facts) or _listed(engine)
    is_sure = of_build or is_of_log or estimated is not None
    if not is_sure and len({run.shapes for run in facts.runs if run.shapes}) > 1:
        known = _declared(facts)  # which run the times of a file are of is not told
    if known is None:
        return None
    batch = _implicit_batch(facts)
    return tuple(sorted((*batch, *shape) for shape in known))


def _declared(facts: EngineFacts) -> Shapes | None:
    """The shapes of the network, where none varies."""
    dims = [declared.dims or "" for declared in facts.inputs]
    if not dims or not all(map(_FIXED.fullmatch, dims)):
        return None
    return tuple(tuple(map(int, text.split(","))) for text in dims)


def _listed(engine: Engine) -> Shapes | None:
    """The shapes that the layers print which read the inputs.

    Where all print the same, and none varies.
    """
    read: dict[str, set[tuple[int, ...]]] = {name: set() for name in engine.inputs}
    for tensor in (tensor for layer in engine.layers for tensor in layer.inputs):
        if tensor.name in read:
            read[tensor.name].add(tensor.shape if tensor.dims else ())
    alike = [shape for printed in read.values() if len(printed) == 1 for shape in printed]
    known = len(alike) == len(read) > 0 and all(shape and min(shape) >= 0 for shape in alike)
    return tuple(alike) if known else None


def _implicit_batch(facts: EngineFacts) -> tuple[int, ...]:
    """What trtexec put before all shapes of a network without a batch of its own.

    A batch of 1 it prints of any engine.
    """
    value = trtexec.option(facts, "Batch", "Inference")
    return (int(value),) if _BATCH.fullmatch(value) and value != "1" else ()


def inputs_differ(inputs: Inputs) -> bool:
    """Whether both shapes are known, and are not the same."""
    return None not in inputs and inputs[0] != inputs[1]


def numbers_of_samples(a: Shapes | None, b: Shapes | None) -> tuple[int, int] | None:
    """How many samples a run of each is, where shapes differ in their leading dimensions alone.

    None where they are the same, or differ in more, or are not known.
    """
    if a is None or b is None or a == b or len(a) != len(b):
        return None
    by_rest = (sorted(shapes, key=lambda shape: (shape[1:], shape[:1])) for shapes in (a, b))
    both = list(zip(*by_rest))
    if any(not first or not second or first[1:] != second[1:] for first, second in both):
        return None
    pairs = {(first[0], second[0]) for first, second in both if first != second}
    pair = next(iter(pairs), (0, 0))
    return pair if len(pairs) == 1 and min(pair) > 0 else None


def shapes_as_text(shapes: Shapes) -> str:
    """`1x10 1x3x224x224`."""
    return " ".join(sorted("x".join(map(str, shape)) for shape in shapes))


# ---- whether the times of two engines have a ratio that means something -------------------------

MIN_MS: Final = 0.001  # below it a time is mostly the clock's resolution
RUNS_VARY: Final = 0.01  # the part by which times of one engine, run again, differ
BUILDS_VARY: Final = 0.05  # the same of single timings of the builder
_MIN_COVERED: Final = 0.98  # of the layers that can have an estimate


def why_no_ratio(
    sides: tuple[Costs, Costs], called: str, same_network: bool, inputs: Inputs
) -> str:
    """Why times of A and the engine `called` so have no ratio that means something; else empty."""
    if not same_network:
        return "two networks"
    if inputs_differ(inputs) and numbers_of_samples(*inputs) is None:
        shapes = " and ".join(map(shapes_as_text, filter(None, inputs)))
        return f"inputs of other shapes, {shapes}"
    for name, costs in zip(("A", called), sides):
        if costs.estimated and costs.now.timed < _MIN_COVERED * costs.now.layers:
            known = f"{costs.now.timed:,} of {count(costs.now.layers, 'layer')}"
            return f"the estimates are of {known} of {name}"
    return ""


def of_groups(comparison: Comparison, groups: Sequence[Group]) -> float | None:
    """The time of groups in B by that in A; None where it would mean nothing."""
    took = comparison.took(groups)
    if took is None or comparison.no_ratio or min(took) < MIN_MS:
        return None
    return took[1] / took[0]


def noise_of_layers(costs: Costs) -> float:
    """The part by which the sum of the layers differs where an engine is timed again."""
    return BUILDS_VARY if costs.estimated else RUNS_VARY


def scales(sides: Iterable[Costs], factor: float, samples: tuple[int, int]) -> tuple[float, float]:
    """What a layer's time counts on each side, so that A's are `factor` times as long."""
    # Rows are rounded: a table's own Total has what they lost.
    a, b = (ms_of_run(costs) / (costs.total or 1.0) or 1.0 for costs in sides)
    return factor * a / samples[0], b / samples[1]


def ms_of_run(costs: Costs) -> float:
    """The time of the layers, as the profile prints its total."""
    return costs.shown_total or 0.0


# ---- what trtexec measured of whole runs --------------------------------------------------------

_MOST_VARIED: Final = 0.05  # of a median: as far as its mean may put it in doubt


class WholeTimes(NamedTuple):
    """A row of both performance summaries, in ms: medians where both have them, else means."""

    statistic: str
    a: float
    b: float
    noise: float = RUNS_VARY  # the part by which they vary


def measured(comparison: Comparison, row: Literal["latency", "gpu_compute"]) -> WholeTimes | None:
    """A row of both performance summaries; None where a log does not have it."""
    runs = (costs.engine.known.performance for costs in comparison.sides)
    a, b = (run and getattr(run, row) for run in runs)
    if a is None or b is None:
        return None
    if None not in (a.median, b.median):
        # The next median may be another one, as far as the mean is from it.
        apart = (abs((one.mean or one.median) - one.median) / (one.median or 1.0) for one in (a, b))
        noise = min(max(RUNS_VARY, *apart), _MOST_VARIED)
        return WholeTimes("median", a.median, b.median, noise)
    return None if None in (a.mean, b.mean) else WholeTimes("mean", a.mean, b.mean)
