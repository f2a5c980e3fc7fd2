"""What an engine is: the frozen values Tensor, Layer, Timing, Graph, Engine, Build."""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, NoReturn, TypeAlias, Union

from engine_layer_visualize.core.build_info import INCOMPLETE, Device, EngineFacts, ListingState
from engine_layer_visualize.core.layer_facts import LaunchedKernel, LayerFacts
from engine_layer_visualize.core.limits import product
from engine_layer_visualize.core.onnx_model import JoinedModel
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.text import dims as shown_dims
from engine_layer_visualize.core.words import brief, filled, some
from engine_layer_visualize.trt.operators import nodes_of_record

_NO_FACTS: Final = EngineFacts()
_NO_LAYER_FACTS: Final = LayerFacts()
TimeKind = Literal["measured", "estimated"]
Dialect: TypeAlias = str  # the name of a format in `inputs/listings`
JsonValue: TypeAlias = Union[bool, int, float, str, "list[JsonValue]", "dict[str, JsonValue]", None]


class Frozen:
    """A value that is no sequence; its attributes are set when it is made."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def __setattr__(self, name: str, value: NoReturn) -> None:
        raise AttributeError(f"this value is frozen: {name}")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))


class Tensor(NamedTuple):
    """A tensor as one record prints it."""

    #: Its name, as printed.
    name: str
    #: The data type in the listing's word, such as `Half`; None where the record does not name it.
    dtype: str | None
    #: The text between the brackets, comma-joined, without blanks.
    dims: str
    #: `dims` as integers, without the vector part (`64:8` -> 64). Negative: a symbolic extent.
    shape: tuple[int, ...]
    #: The words of the memory format, which detailed records alone print.
    format: str | None = None
    #: The strides, written like `dims`; detailed records alone print them.
    strides: str | None = None

    @property
    def elements(self) -> int | None:
        """Number of elements; None where a dimension is symbolic or unknown, or from 2**63 on."""
        return None if min(self.shape, default=0) < 0 else product(self.shape)

    def __repr__(self) -> str:
        """`<Tensor 255: Int8 1×64×128×128>`."""
        known = (self.dtype, shown_dims(self.dims), self.format and f"({self.format})")
        return f"<Tensor {brief(self.name)}: {brief(' '.join(filter(None, known)))}>"


class Timing(NamedTuple):
    """Times of one layer, or of one profile row, in milliseconds and percent; None: not given."""

    #: Of one run. None where the profile has sums over an unknown number of runs.
    average_ms: float | None
    #: The median of all runs.
    median_ms: float | None = None
    #: The sum over all runs.
    total_ms: float | None = None
    #: Its part of the sum of all rows, as the profile prints it.
    percent: float | None = None
    #: How many rows of the profile were summed, such as the kernels of one Myelin layer.
    parts: int = 1
    #: These rows, where there are several.
    rows: "tuple[ProfileRow, ...]" = ()
    #: How many runs there were.
    n: int | None = None
    #: The shortest run; this and what follows: where the profile has each run.
    min_ms: float | None = None
    #: The longest run.
    max_ms: float | None = None
    #: The 95th percentile of the runs.
    p95_ms: float | None = None
    #: What the layer launched.
    kernels: tuple[LaunchedKernel, ...] = ()

    def __repr__(self) -> str:
        return filled(self)


class Layer(NamedTuple):
    """One record of the listing, in execution order."""

    #: Counts the engine's layers from 0.
    index: int  # type: ignore[assignment]  # a tuple has a method of this name
    #: Where its record stands.
    place: Place
    #: As printed, such as `CaskConvolution`.
    type: str
    #: As printed.
    name: str
    #: As printed; None: it has none.
    tactic: str | None
    #: The tensors that it reads.
    inputs: tuple[Tensor, ...]
    #: The tensors that it writes.
    outputs: tuple[Tensor, ...]
    #: The tactic's name; None where the log has none.
    kernel: str | None = None
    #: (key, value) of every further key of a detailed record.
    attributes: tuple[tuple[str, JsonValue], ...] = ()
    #: Measured by a profile; None where that has no row for the layer.
    time: Timing | None = None
    #: The record's text where it could not be read (an opaque layer), else None.
    raw: str | None = None
    #: False for a reformat that only an `Adding reformat layer` line names.
    listed: bool = True
    #: The 0-based index in the listing (the I of `_myl<I>_<k>`); None if not listed.
    position: int | None = None
    #: The line of its record in a second listing.
    also_line: int | None = None
    #: What else the log knows of it; None where that was not asked for.
    facts: LayerFacts | None = None

    @property
    def known(self) -> LayerFacts:
        """`facts`, empty where there are none."""
        return self.facts or _NO_LAYER_FACTS

    @property
    def onnx_nodes(self) -> tuple[str, ...]:
        """Names of the ONNX nodes that became this layer, from a detailed record's `Metadata`."""
        words = dict(self.attributes).get("Metadata") if self.attributes else None
        return nodes_of_record(self.name, words) if isinstance(words, str) else ()

    def __repr__(self) -> str:
        """`<Layer 3, line 1012: CaskConvolution Conv_0 + Relu_1>`."""
        head = f"<Layer {self.index}, line {self.place.line}: "
        unread = "" if self.raw is None else ", unreadable record"
        return f"{head}{brief(f'{self.type} {self.name}'.strip())}{unread}>"


class Edge(NamedTuple):
    """`tensor` flows from layer `source` to layer `target`, which are indices of layers."""

    #: None: the engine's own input, or a tensor that no listed layer writes.
    source: int | None
    #: None: the engine's own output, or a tensor that no listed layer reads.
    target: int | None
    #: The tensor's name.
    tensor: str


class Graph(NamedTuple):
    """Which layer reads which tensor."""

    #: Names of the engine's own input tensors.
    inputs: tuple[str, ...]
    #: Names of the engine's own output tensors.
    outputs: tuple[str, ...]
    #: In the order of the layers; those from inputs and to outputs, too.
    edges: tuple[Edge, ...]
    #: Tensors that are read, that nothing writes, and that are no input of the engine.
    unresolved: tuple[str, ...] = ()
    #: Tensors that are written, that nothing reads, and that are no output of the engine.
    unused: tuple[str, ...] = ()
    #: Weights inside Myelin, which no record writes.
    constants: tuple[str, ...] = ()
    #: Control flow from layer to layer, with the jump's key (`JumpTargetThen`) as the tensor.
    jumps: tuple[Edge, ...] = ()
    #: How many edges are left out: a tensor has at most 65,536.
    omitted: int = 0

    @property
    def between(self) -> tuple[Edge, ...]:
        """The edges between two layers."""
        return tuple(e for e in self.edges if e.source is not None and e.target is not None)

    def __repr__(self) -> str:
        """`<Graph: input → hm, wh, reg; 69 edges between layers, 73 in all>`."""
        edges = f"{count(len(self.between), 'edge')} between layers, {len(self.edges):,} in all"
        return f"<Graph: {some(self.inputs)} → {some(self.outputs)}; {edges}>"


class Listing(NamedTuple):
    """Where a listing stands."""

    #: The log, or the file that is the listing.
    file: str
    #: The line of its header.
    first_line: int
    #: The line of its last record.
    last_line: int
    #: The name of its format.
    dialect: Dialect = "classic"
    #: Whole; cut: the log ends inside it; part: it was quoted or shortened; names: no more.
    state: ListingState = "whole"

    @property
    def complete(self) -> bool:
        """Whether it has all of the engine's layers."""
        return self.state not in INCOMPLETE


class ProfileRow(NamedTuple):
    """One row of a profile."""

    #: The name of a layer or a kernel.
    name: str
    #: Its times.
    time: Timing
    #: The file's line, of a table in a log; None of other formats.
    line: int | None = None


class Profile(NamedTuple):
    """One profile of an engine."""

    #: Where it stands.
    place: Place
    #: In the profile's order.
    rows: tuple[ProfileRow, ...]
    #: The sum of all rows as it is printed; None: it is not printed.
    total: Timing | None = None
    #: The device, where the file names it.
    device: Device | None = None
    #: Whether it is a trace of the GPU, whose rows are kernels.
    of_kernels: bool = False
    #: Whether its rows are NVTX ranges, which name Myelin's records without their numbers.
    of_ranges: bool = False


class Join(NamedTuple):
    """What a profile gave an engine: rows and layers that found each other, and those left over."""

    #: The profile's file.
    file: str
    #: How many of the layers have a time.
    matched: int
    #: How many layers there are.
    layers: int
    #: How many rows the profile has.
    rows: int
    #: Names of rows without a layer.
    unmatched_rows: tuple[str, ...]
    #: Names of layers without a row.
    untimed_layers: tuple[str, ...]
    #: The sum of the averages of all rows; None where a row has no average.
    total_ms: float | None = 0.0
    #: The sum of all rows over all runs; None where a row has no sum.
    sum_ms: float | None = None
    #: The sum of all rows as the profile prints it.
    printed: Timing | None = None
    #: The longest rows without a layer: averages and names.
    longest_left: tuple[tuple[float, str], ...] = ()
    #: Whether rows were cut off, whose times are in the sums.
    is_part: bool = False
    #: The times of all rows, in ascending order.
    every_ms: tuple[float, ...] = ()


class ProfileTime(NamedTuple):
    """The time of one optimisation profile."""

    #: Its number.
    profile: int
    #: The sum of the layers that have a time.
    total_ms: float | None
    #: How many layers have a time.
    timed: int
    #: How many layers it has.
    layers: int


class EngineTime(NamedTuple):
    """What is known of an engine's time, in ms, of its first optimisation profile.

    `total_ms` and `of_profile_ms` are None where the times are sums over an unknown number of runs.
    """

    #: Measured (a profile's rows), estimated (the builder's timings of kernels) or None.
    kind: TimeKind | None
    #: The sum of the layers that have a time.
    total_ms: float | None
    #: How many layers have a time.
    timed: int
    #: How many there are; NoOps and constants count where times are measured alone.
    layers: int
    #: The sum of all rows of the profile, as it prints it where it does; None without a profile.
    of_profile_ms: float | None
    #: The time of each optimisation profile.
    by_optimization_profile: tuple[ProfileTime, ...]


class ProfileShapes(NamedTuple):
    """The shapes that an optimisation profile allows for an input, and the one it is best for."""

    least: tuple[int, ...]
    best: tuple[int, ...]
    most: tuple[int, ...]


class InputRange(NamedTuple):
    """An input whose shape varies."""

    #: The input's name.
    name: str
    #: Its shapes in each optimisation profile.
    profiles: tuple[ProfileShapes, ...]


class Engine(NamedTuple):
    """One engine of a log."""

    #: Counts the engines of the log from 0, in the order in which they were built.
    index: int  # type: ignore[assignment]  # a tuple has a method of this name
    #: Where its listing stands.
    source: Listing
    #: In execution order.
    layers: tuple[Layer, ...]
    #: The edges between the layers.
    graph: Graph
    #: The version of TensorRT; None where the log does not say.
    tensorrt: str | None = None
    #: Other listings of the same engine.
    also: tuple[Listing, ...] = ()
    #: How the rows of a profile and the layers found each other; None without a profile.
    profile: Join | None = None
    #: What could not be read, of this engine and of its log.
    problems: tuple[Problem, ...] = ()
    #: What else the log knows of it; None where that was not asked for.
    facts: EngineFacts | None = None
    #: What gives `build_id`.
    digest: Callable[[], str | None] | None = None
    #: How well the model that was given fits it; None: none was given.
    onnx: JoinedModel | None = None
    #: The inputs whose shapes vary, where the listing tells them.
    ranges: tuple[InputRange, ...] = ()
    #: Names of inputs or outputs that the listing gives without saying which of both they are, and
    #: that no layer tells.
    bindings: tuple[str, ...] = ()

    @property
    def known(self) -> EngineFacts:
        """`facts`, empty where there are none."""
        return self.facts or _NO_FACTS

    @property
    def build_id(self) -> str | None:
        """SHA-256 of the log, as `sha256sum` prints it.

        None where it is not known, such as of a file that has changed since. A file is read for it
        when it is asked for.
        """
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
