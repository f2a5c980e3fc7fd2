"""The types of what a log knows besides the listing. The autotuner's times are estimates."""

# Annotations are no texts here: a NamedTuple would compile each of them.

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from engine_layer_visualize.core.onnx_product import OnnxEdge, OnnxProduct
from engine_layer_visualize.core.performance import Performance, Run
from engine_layer_visualize.core.problems import Severity
from engine_layer_visualize.core.reprs import filled
from engine_layer_visualize.core.sources import NO_SOURCES, Sources

MessageKind = Literal["timing", "memory", "fusion"]  # of lines that name a layer
NodesFrom = Literal["metadata", "graph", "name"]
OutputsOrder = Literal["log", "listing"]


# ---- a layer ---------------------------------------------------------------------------------


class Candidate(NamedTuple):
    """A tactic that the autotuner timed for a layer."""

    #: Its name; None where the log has no name for the tactic.
    kernel: str | None
    #: As printed.
    tactic: str
    #: The time that was measured.
    ms: float
    #: The implementation that it belongs to, such as `CaskConvolution`.
    runner: str | None = None
    #: The format combination that it was timed with, as printed; None where the log does not say.
    formats: str | None = None


class RunnerCost(NamedTuple):
    """What autotuning did with one implementation, of a layer or of all layers."""

    #: The implementation, such as `CaskConvolution`.
    runner: str
    #: How often it was tried: once for a format combination.
    profilings: int = 0
    #: How many tactics were timed.
    tried: int = 0
    #: How many tactics were left out for want of memory.
    skipped: int = 0
    #: How often it had no valid tactic.
    unfit: int = 0
    #: The sum of `profiling completed in N seconds`; None before TensorRT 8.6.
    seconds: float | None = None


class Candidates(NamedTuple):
    """What the autotuner tried for a layer, over all of its format combinations.

    Numbers are None where the log has nothing of the layer's autotuning.
    """

    #: How many timings of tactics there were.
    tried: int | None = None
    #: How many tactics were left out for want of memory.
    skipped: int | None = None
    #: How many results came from a timing cache.
    cached: int | None = None
    #: At most three tactics, the fastest first, each with the formats in which it was fastest.
    best: tuple[Candidate, ...] = ()
    #: What was done with each implementation.
    runners: tuple[RunnerCost, ...] = ()
    #: What the layer runs, as it was timed; None where it was not timed, or runs nothing.
    chosen: Candidate | None = None
    #: The fastest tactic of each format combination, the fastest combination first.
    combinations: tuple[Candidate, ...] = ()
    #: The most bytes that a tactic asked for that was left out for want of memory.
    scratch: int | None = None
    #: Milliseconds of the fastest tactic of the implementations that left tactics out; None where
    #: they timed none.
    beside: float | None = None

    @property
    def others(self) -> tuple[Candidate, ...]:
        """Those of `best` that the layer does not run."""
        if self.chosen is None:
            return self.best
        chosen = self.chosen.tactic, self.chosen.ms, self.chosen.formats
        return tuple(
            candidate
            for candidate in self.best
            if (candidate.tactic, candidate.ms, candidate.formats) != chosen
        )

    @property
    def seconds(self) -> float | None:
        """How long the autotuner took for the layer; None where the log does not say."""
        seconds = [cost.seconds for cost in self.runners if cost.seconds is not None]
        return sum(seconds) if seconds else None


_NOT_TIMED: Final = Candidates()


class Memory(NamedTuple):
    """Bytes of one layer; None where the log's version does not print them."""

    host_persistent: int | None = None
    device_persistent: int | None = None
    scratch: int | None = None
    weights: int | None = None


class Step(NamedTuple):
    """One step of the optimiser, such as `ConvReluFusion: Fusing A with B`."""

    #: The fusion's name, or `Removing`, `Replacing`, `Convert`, `Swap`, `Merging`.
    rule: str
    #: As printed.
    text: str
    #: The log's line.
    line: int


DeviceKind: TypeAlias = Literal["GPU", "DLA"]


class DlaUse(NamedTuple):
    """What a build puts on the DLA.

    Attributes:
        layers: how many layers of the engine run there.
        subgraphs: how many of these are ForeignNodes.
        limit: how many subgraphs a core takes; None: the log does not say.
    """

    layers: int
    subgraphs: int
    limit: int | None


class InsideOperation(NamedTuple):
    """An operation inside a ForeignNode, as the builder timed its tactics.

    Attributes:
        name: as the log prints it.
        onnx_nodes: names of the ONNX nodes that it is made of.
        ms: time of its fastest tactic, an estimate; None where the log does not have it.
        kernel: of that tactic.
        tactics: how many were timed.
        line: the log's line.
    """

    name: str
    onnx_nodes: tuple[str, ...]
    ms: float | None
    kernel: str | None
    tactics: int
    line: int


@dataclass(frozen=True, slots=True)
class LayerFacts:
    """What the log says of one layer. None and () where it says nothing."""

    #: The name of the chosen tactic.
    kernel: str | None = None
    #: The implementation of the chosen tactic.
    runner: str | None = None
    #: The time that the autotuner measured for the chosen tactic, an estimate.
    build_ms: float | None = None
    #: The format combination that this time was measured with, as printed.
    formats: str | None = None
    #: Whose timing it is where the builder did not time the layer again: the name of an equal
    #: layer, or of a reformat of equal formats. None where it is the layer's own.
    measured_on: str | None = None
    #: What else the autotuner tried.
    candidates: Candidates = _NOT_TIMED
    memory: Memory | None = None
    #: Names of the ONNX nodes that became this layer.
    onnx_nodes: tuple[str, ...] = ()
    #: The *metadata* of the record or of the log, the *graph* that the log has of the model, or the
    #: layer's *name*, which names only the two ends of a ForeignNode.
    onnx_nodes_from: NodesFrom | None = None
    #: The operator of each node; "" where it is unknown.
    onnx_operators: tuple[str, ...] = ()
    #: The tensors between the nodes of a ForeignNode, where the log parses the model.
    onnx_edges: tuple[OnnxEdge, ...] = ()
    #: Those of the nodes that multiply matrices.
    products: tuple[OnnxProduct, ...] = ()
    #: The steps that made the layer, in order.
    fused_from: tuple[Step, ...] = ()
    #: What runs inside of a ForeignNode.
    inside: tuple[InsideOperation, ...] = ()
    device: DeviceKind | None = None
    #: The log's words for why it is not on the DLA.
    device_reason: str | None = None
    #: The log's words where it runs in another precision than was asked for.
    precision_note: str | None = None
    #: (fact, number of the log's line).
    lines: tuple[tuple[str, int], ...] = ()

    def __repr__(self) -> str:
        """Its type and what the log says; of several values, such as steps, their number."""
        return filled(self)


# ---- an engine -------------------------------------------------------------------------------


class Device(NamedTuple):
    """The machine, as trtexec's `Device Information` tells it; None: unknown."""

    name: str | None = None
    compute_capability: str | None = None
    #: How many multiprocessors it has.
    sms: int | None = None
    #: Global memory.
    memory_mib: int | None = None
    #: Shared memory of one multiprocessor.
    shared_kib: int | None = None
    #: Width of the memory bus.
    bus_bits: int | None = None
    compute_clock_ghz: float | None = None
    memory_clock_ghz: float | None = None


class Option(NamedTuple):
    """`key: value` of one of trtexec's sections (`Model`, `Build`, `System`, `Inference` …)."""

    section: str
    key: str
    value: str
    line: int


class Phase(NamedTuple):
    """`Engine generation completed in 9.5 seconds.`: name and duration, in the log's order."""

    name: str
    seconds: float
    line: int


class Pass(NamedTuple):
    """`After vertical fusions: 45 layers`: layers left after a pass of the optimiser."""

    name: str
    layers: int
    line: int


class Total(NamedTuple):
    """`Total Activation Memory: 74659840`: bytes; where it is printed twice, the last."""

    name: str
    bytes: int
    line: int


class TimingCache(NamedTuple):
    """The timing cache that a build used."""

    #: Local or global.
    kind: str | None = None
    #: How many it has, where the log counts them.
    entries: int | None = None
    #: How often it was used, where the log counts that.
    hits: int | None = None
    #: How many `got cached result` lines there are (TensorRT 10).
    cached_results: int = 0
    #: Entries, or bytes, that an earlier build left (`Loaded 14 timing cache entries`).
    loaded: int | None = None


class Sparsity(NamedTuple):
    """Structured sparsity of weights. None: the log does not say."""

    #: How many layers could use it.
    eligible: int | None = None
    #: How many of these run a sparse tactic.
    chosen: int | None = None
    #: The line with the eligible ones.
    line: int | None = None


class BuildAttempt(NamedTuple):
    """One attempt to build the network: TensorRT 10 tries several backend strategies."""

    #: Its number.
    strategy: int | None
    #: How long it took; None where it gave no engine.
    seconds: float | None
    #: The inference time that the builder estimates for its engine.
    inference_ms: float | None
    #: Whether it is this engine.
    kept: bool


class Tuning(NamedTuple):
    """The autotuning of one attempt to build the network."""

    #: Whether the engine came from it.
    taken: bool
    #: Its cost by implementation.
    runners: tuple[RunnerCost, ...] = ()


class PieceTime(NamedTuple):
    """A ForeignNode that was timed as one piece and is listed as several layers: its fastest ms."""

    name: str
    ms: float
    line: int


class Advised(NamedTuple):
    """What the log advises where tactics were skipped for want of memory."""

    #: As printed.
    text: str
    #: The log's line.
    line: int
    #: The workspace that it asks for, where it names one.
    bytes: int | None = None


class IO(NamedTuple):
    """A network input or output as the parser names it."""

    name: str
    dtype: str | None
    #: As printed, comma-joined; None: no dims are printed.
    dims: str | None
    #: The log's line.
    line: int


class Unassigned(NamedTuple):
    """Lines of a log that belong to none of its engines."""

    what: str
    #: Why they belong to no engine.
    why: str
    first_line: int
    last_line: int
    #: The mean GPU compute time of a run.
    gpu_compute_ms: float | None = None
    #: How many warnings they hold.
    warnings: int = 0
    #: How many errors they hold.
    errors: int = 0
    #: The log, where there are several.
    file: str = ""


class Message(NamedTuple):
    """A warning or an error in the log, in the log's words (cut at 500 characters)."""

    severity: Severity
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Unjoined:
    """Lines of one kind that found no layer, for one reason; a few samples (line, text)."""

    kind: MessageKind
    reason: str
    count: int
    samples: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What the log says of one engine. None and () where it says nothing."""

    #: The version of TensorRT.
    tensorrt: str | None = None
    command: str | None = None
    strongly_typed: bool | None = None
    engine_bytes: int | None = None
    dla: DlaUse | None = None
    context_bytes: int | None = None
    device: Device | None = None
    options: tuple[Option, ...] = ()
    #: Those that the build allowed (`FP32`, `FP16`).
    precisions: tuple[str, ...] = ()
    #: What the build did, and for how long.
    phases: tuple[Phase, ...] = ()
    #: How many layers each pass of the optimiser left.
    passes: tuple[Pass, ...] = ()
    totals: tuple[Total, ...] = ()
    #: The high water of TensorRT's allocator on the host.
    peak_cpu_mib: int | None = None
    #: The high water of TensorRT's allocator on the GPU.
    peak_gpu_mib: int | None = None
    #: The timing cache that the build used.
    timing_cache: TimingCache | None = None
    #: The network's inputs, as the parser names them.
    inputs: tuple[IO, ...] = ()
    #: The network's outputs, as the parser names them.
    outputs: tuple[IO, ...] = ()
    #: Of the last run.
    performance: Performance | None = None
    runs: tuple[Run, ...] = ()
    #: The cost of autotuning by implementation, reformats too, in the attempt that was taken.
    runners: tuple[RunnerCost, ...] = ()
    #: How many there are; None where no log was read.
    warnings: int | None = None
    #: How many there are; None where no log was read.
    errors: int | None = None
    #: The first warnings and errors, and a few of each later kind.
    messages: tuple[Message, ...] = ()
    #: How many lines of each kind found their layer.
    joined: tuple[tuple[MessageKind, int], ...] = ()
    #: The lines that found none, by reason.
    unjoined: tuple[Unjoined, ...] = ()
    #: Which lines of the log all this was taken from.
    sources: Sources = NO_SOURCES
    #: The attempts to build the network; () where the log tells of none.
    attempts: tuple[BuildAttempt, ...] = ()
    #: The cost of autotuning in each attempt.
    tunings: tuple[Tuning, ...] = ()
    #: The log's advice where tactics were skipped for want of memory.
    advised: tuple[Advised, ...] = ()
    #: ForeignNodes that were timed as one piece.
    pieces: tuple[PieceTime, ...] = ()
    #: None where the log says nothing of it.
    sparsity: Sparsity | None = None
    #: The fastest ms of each change of a format that was timed (`Half(8,1) -> Float(8,1)`), in this
    #: engine or not.
    reformats: tuple[tuple[str, float], ...] = ()
    #: Names of the model's tensors and `(1, 3, -1)[FLOAT]`, as the parser prints it.
    onnx_tensors: tuple[tuple[str, str], ...] = ()
    #: Inputs of which the builder uses no values, but perhaps their shapes.
    shape_inputs: tuple[str, ...] = ()
    #: Whose order the engine's outputs have: the *log*'s, which is the network's, or the
    #: *listing*'s, which says nothing of the network's. None: no outputs are known.
    outputs_order: OutputsOrder | None = None

    def total(self, name: str) -> int | None:
        """Bytes of one total, such as `Activation`, `Weights`, `Host Persistent`, `Scratch`."""
        return next((total.bytes for total in self.totals if total.name == name), None)

    def __repr__(self) -> str:
        """Its type and what the log says; of several values, such as options, their number."""
        return filled(self)
