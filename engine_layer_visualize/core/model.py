"""What an engine is: the frozen values Tensor, Layer, Timing, Graph, Engine, Build."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, Union

from engine_layer_visualize.core.numbers import product
from engine_layer_visualize.core.outcome import INCOMPLETE, ListingState
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.reprs import brief, filled, some
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.core.text import dims as shown_dims
from engine_layer_visualize.trt.layer_names import onnx_nodes

if TYPE_CHECKING:
    from engine_layer_visualize.core.build_info import Device, EngineFacts, LayerFacts
    from engine_layer_visualize.core.build_timeline import BuildTimeline
    from engine_layer_visualize.core.onnx_model import JoinedModel
    from engine_layer_visualize.core.run_samples import LaunchedKernel, RunSamples

TimeKind = Literal["measured", "estimated"]
Dialect: TypeAlias = str  # the name of a format in `inputs/listings`
JsonValue: TypeAlias = Union[bool, int, float, str, "list[JsonValue]", "dict[str, JsonValue]", None]


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor as one record prints it.

    `dims` is the text between the brackets, comma-joined, without blanks; `shape` the same as
    integers without the vector part (`64:8` -> 64). Negative: a symbolic dimension (TensorRT
    8.0-8.4) or an unknown one (-1). `dtype` is None where the record does not name it. `format` is
    the memory format's words, `strides` text like `dims`: detailed records alone print them.
    """

    name: str
    dtype: str | None
    dims: str
    shape: tuple[int, ...]
    format: str | None = None
    strides: str | None = None

    @property
    def elements(self) -> int | None:
        """Number of elements; None where a dimension is symbolic or unknown, or from 2**63 on."""
        return None if min(self.shape, default=0) < 0 else product(self.shape)

    def __repr__(self) -> str:
        """`<Tensor 255: Int8 1×64×128×128>`."""
        known = (self.dtype, shown_dims(self.dims), self.format and f"({self.format})")
        return f"<Tensor {brief(self.name)}: {brief(' '.join(filter(None, known)))}>"


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of one layer, or of one profile row, in milliseconds and percent; None: not given.

    `average_ms` is of one run, `total_ms` the sum over all of them; `n`: how many runs. Where that
    is not known a time may be such a sum alone: then `average_ms` is None. `parts` counts the
    profile rows that were summed (kernels of one Myelin layer), `rows` are these where there are
    several. Where a profile has each run (Nsight Systems): of these also the shortest, the longest,
    the 95th percentile, the mean time that the host spent on launching, the mean time for which the
    GPU's stream was idle before the layer (`gap_ms`, None where it begins a run), and the `kernels`
    that the layer launched.
    """

    average_ms: float | None
    median_ms: float | None = None
    total_ms: float | None = None
    percent: float | None = None
    parts: int = 1
    rows: tuple[ProfileRow, ...] = field(default=(), compare=False, repr=False)
    n: int | None = None
    min_ms: float | None = None
    max_ms: float | None = None
    p95_ms: float | None = None
    host_ms: float | None = None
    gap_ms: float | None = None
    kernels: tuple[LaunchedKernel, ...] = ()

    def __repr__(self) -> str:
        """`Timing(average_ms=0.02, percent=0.8)`."""
        return filled(self)


@dataclass(frozen=True, slots=True)
class Layer:
    """One record of the listing, in execution order.

    `index` counts the engine's layers from 0; `place` is its record's, `also_line` the line of its
    record in a second listing. `type`, `name` and `tactic` (None: it has none) are as printed;
    `kernel`: the tactic's name, None where the log has none. `inputs`, `outputs`: the tensors that
    it reads and writes. `attributes`: (key, value) of every further key of a detailed record.
    `time`: measured by a profile, None where it has no row for the layer. `raw` is the record's
    text where it could not be read (an opaque layer), else None. `listed` is False for a reformat
    that only an `Adding reformat layer` line names. `position` is the 0-based index in the listing
    (the I of `_myl<I>_<k>`), None if not listed. `facts`: what else the log knows of it, None where
    that was not asked for.
    """

    index: int
    place: Place
    type: str
    name: str
    tactic: str | None
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    kernel: str | None = None
    attributes: tuple[tuple[str, JsonValue], ...] = ()
    time: Timing | None = None
    raw: str | None = None
    listed: bool = True
    position: int | None = None
    also_line: int | None = None
    facts: LayerFacts | None = None

    @property
    def onnx_nodes(self) -> tuple[str, ...]:
        """Names of the ONNX nodes that became this layer, from a detailed record's `Metadata`."""
        words = dict(self.attributes).get("Metadata") if self.attributes else None
        return onnx_nodes(words) if isinstance(words, str) else ()

    def __repr__(self) -> str:
        """`<Layer 3, line 1012: CaskConvolution Conv_0 + Relu_1, 397 µs>`."""
        parts = [brief(" ".join(filter(None, (self.type, self.name))))]
        parts += [] if self.raw is None else ["unreadable record"]
        parts += [] if self.listed else ["not listed"]
        if self.time is not None:
            parts.append(_briefly(self.time))
        elif self.facts is not None and self.facts.build_ms is not None:
            parts.append(f"≈ {milliseconds(self.facts.build_ms)} by the builder's estimate")
        return f"<Layer {self.index}, line {self.place.line}: {', '.join(filter(None, parts))}>"


def _briefly(time: Timing) -> str:
    if time.average_ms is not None:
        return milliseconds(time.average_ms)
    return f"{milliseconds(time.total_ms or 0.0)} in an unknown number of runs"


@dataclass(frozen=True, slots=True)
class Edge:
    """`tensor` flows from layer `source` to layer `target`.

    Indices into the engine's layers. `source` None: the engine's own input, or a tensor that
    no listed layer writes; `target` None: the engine's own output, or one that none reads.
    """

    source: int | None
    target: int | None
    tensor: str


@dataclass(frozen=True, slots=True)
class Graph:
    """Who reads which tensor. `inputs`, `outputs`: names of the engine's own tensors; `edges` in
    order of the layers, those from inputs and to outputs too; `unresolved`: tensors read
    that nothing writes and that are no engine input; `unused`: tensors written that nothing reads
    and that are no engine output; `constants`: weights inside Myelin, which no record writes;
    `jumps`: control flow from layer to layer, the jump's key (`JumpTargetThen`) in the tensor's
    stead."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    edges: tuple[Edge, ...]
    unresolved: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    jumps: tuple[Edge, ...] = ()

    @property
    def between(self) -> tuple[Edge, ...]:
        """The edges between two layers."""
        return tuple(e for e in self.edges if e.source is not None and e.target is not None)

    def __repr__(self) -> str:
        """`<Graph: input → hm, wh, reg; 69 edges between layers, 73 in all>`."""
        edges = f"{count(len(self.between), 'edge')} between layers, {len(self.edges):,} in all"
        return f"<Graph: {some(self.inputs)} → {some(self.outputs)}; {edges}>"


@dataclass(frozen=True, slots=True)
class Listing:
    """Where a listing stands: `first_line` is the header's, `last_line` the last record's.

    `state`: whole; cut, where the log ends inside it; part, where it was quoted or shortened;
    names, where it has no more than those.
    """

    file: str
    first_line: int
    last_line: int
    dialect: Dialect = "classic"
    state: ListingState = "whole"

    @property
    def complete(self) -> bool:
        """Whether it has all of the engine's layers."""
        return self.state not in INCOMPLETE


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One row of a profile: a layer's or a kernel's name and its times. Where a profile has each
    run: `within`, the names of the ranges around it, the innermost first, and the `samples`."""

    name: str
    time: Timing
    within: tuple[str, ...] = ()
    samples: RunSamples | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile: its rows in order, and where it stands. `count`: iterations, None: unknown.
    `total`: the sum of all rows as it is printed, None: it is not. `device`: of a file that has no
    rows, but names the device. `also`: of a report, its other runs that may be of the same engine.
    """

    place: Place
    rows: tuple[ProfileRow, ...]
    count: int | None = None
    total: Timing | None = None
    device: Device | None = None
    also: tuple[Profile, ...] = ()

    @property
    def sampled(self) -> bool:
        """Whether it has the times of each run."""
        return bool(self.rows) and self.rows[0].samples is not None


@dataclass(frozen=True, slots=True)
class Join:
    """What a profile gave an engine: rows and layers that found each other, and those left over.

    `file`: the profile's; `matched`: how many of the `layers` have a time, `rows`: how many the
    profile has; `unmatched_rows`, `untimed_layers`: names of those without the other. `total_ms`:
    the sum of all rows' averages, `median_total_ms`: of their medians (of averages where a row has
    none), None where a row has no average; `sum_ms`: of their sums over all runs, None where a row
    has none. `printed`: the sum of all rows as the profile prints it.
    """

    file: str
    matched: int
    layers: int
    rows: int
    unmatched_rows: tuple[str, ...]
    untimed_layers: tuple[str, ...]
    total_ms: float | None = 0.0
    median_total_ms: float | None = 0.0
    sum_ms: float | None = None
    printed: Timing | None = None


@dataclass(frozen=True, slots=True)
class ProfileTime:
    """The time of one optimisation profile: `timed` of its `layers` sum to `total_ms`."""

    profile: int
    total_ms: float | None
    timed: int
    layers: int


@dataclass(frozen=True, slots=True)
class EngineTime:
    """What is known of an engine's time, in ms, of its first optimisation profile.

    `kind`: measured (a profile's rows), estimated (the builder's timings of kernels) or None.
    `total_ms`: sum of the `timed` of `layers`; NoOps and constants count as layers where times are
    measured, and not where they are estimated. `of_profile_ms`: sum of all rows of the profile,
    those without a layer and of other optimisation profiles, too, as the profile itself prints it
    where it does; None without a profile. Both are None where the times are sums over an unknown
    number of runs.
    """

    kind: TimeKind | None
    total_ms: float | None
    timed: int
    layers: int
    of_profile_ms: float | None
    by_optimization_profile: tuple[ProfileTime, ...]


class ProfileShapes(NamedTuple):
    """The shapes that an optimisation profile allows for an input, and the one it is best for."""

    least: tuple[int, ...]
    best: tuple[int, ...]
    most: tuple[int, ...]


class InputRange(NamedTuple):
    """An input whose shape varies: its shapes in each optimisation profile."""

    name: str
    profiles: tuple[ProfileShapes, ...]


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine of a log.

    `index` counts the engines of the log from 0, in the order they were built. `source`, `also`:
    where its listing stands, and a second listing of the same engine. `layers`: in execution order.
    `graph`: the edges between them. `tensorrt`: the version, None where the log does not say.
    `profile`: how the rows of a profile and the layers found each other, None without a profile.
    `problems`: what could not be read, of this engine and of its log. `facts`: what else the log
    knows of it (build info), None where that was not asked for. `digest`: what gives `build_id`.
    `timeline`: when what happened in the log, None where that was not asked for.
    `onnx`: the model that was given for it, None: none. `ranges`: of inputs that vary, where the
    listing tells them. `bindings`: names of inputs or outputs that the listing gives without saying
    which of both they are, and that no layer tells.
    """

    index: int
    source: Listing
    layers: tuple[Layer, ...]
    graph: Graph
    tensorrt: str | None = None
    also: tuple[Listing, ...] = ()
    profile: Join | None = None
    problems: tuple[Problem, ...] = ()
    facts: EngineFacts | None = None
    digest: Callable[[], str | None] | None = field(default=None, compare=False, repr=False)
    timeline: BuildTimeline | None = field(default=None, compare=False)
    onnx: JoinedModel | None = field(default=None, compare=False, repr=False)
    ranges: tuple[InputRange, ...] = ()
    bindings: tuple[str, ...] = ()

    @property
    def build_id(self) -> str | None:
        """SHA-256 of the log, as `sha256sum` prints it; None where that is not known, such as of a
        file that has changed since. A file is read for it when it is asked for."""
        return self.digest() if self.digest is not None else None

    @property
    def dialect(self) -> Dialect:
        """The listing's format: classic, detailed or inspector-json."""
        return self.source.dialect

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the engine's input tensors."""
        return self.graph.inputs

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the engine's output tensors."""
        return self.graph.outputs


Statistic = Literal["mean", "median"]
