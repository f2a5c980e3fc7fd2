"""The types of what a log knows besides the listing. The autotuner's times are estimates."""

# Annotations are no texts here: a NamedTuple would compile each of them.

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

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
    """A tactic that the autotuner timed for a layer: milliseconds, the tactic as printed.

    `kernel` is None where the log has no name for the tactic. `runner`: the implementation that
    it belongs to, such as `CaskConvolution`. `formats`: the format combination that it was timed
    with, as printed; None where the log does not say.
    """

    kernel: str | None
    tactic: str
    ms: float
    runner: str | None = None
    formats: str | None = None


class RunnerCost(NamedTuple):
    """What autotuning did with one implementation (`CaskConvolution`), of a layer or of all.

    `profilings`: how often it was tried (once for a format combination); `tried`: tactics timed;
    `skipped`: tactics left out, for want of memory; `unfit`: how often it had no valid tactic;
    `seconds`: the sum of `profiling completed in N seconds`, None before TensorRT 8.6.
    """

    runner: str
    profilings: int = 0
    tried: int = 0
    skipped: int = 0
    unfit: int = 0
    seconds: float | None = None


class Candidates(NamedTuple):
    """What the autotuner tried for a layer, over all of its format combinations.

    `tried`: timings of tactics; `skipped`: tactics left out for want of memory; `cached`:
    results that came from a timing cache; `best`: at most three tactics, the fastest first, each
    with the formats in which it was fastest; `runners`: the same by implementation; `chosen`: what
    the layer runs, as it was timed, None where it was not (or where the layer runs nothing);
    `combinations`: the fastest tactic of each format combination, the fastest combination first;
    `scratch`: the most bytes that a tactic left out for want of memory asked for; `beside`: ms of
    the fastest tactic of those implementations, None where they timed none. Numbers are None where
    the log has nothing of the layer's autotuning.
    """

    tried: int | None = None
    skipped: int | None = None
    cached: int | None = None
    best: tuple[Candidate, ...] = ()
    runners: tuple[RunnerCost, ...] = ()
    chosen: Candidate | None = None
    combinations: tuple[Candidate, ...] = ()
    scratch: int | None = None
    beside: float | None = None

    @property
    def others(self) -> tuple[Candidate, ...]:
        """`best` without the chosen one."""
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
    """One step of the optimiser: `ConvReluFusion: Fusing A with B`, as printed, and its line.
    `rule`: the fusion's name, or `Removing`, `Replacing`, `Convert`, `Swap`, `Merging`."""

    rule: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class LayerFacts:
    """What the log says of one layer. None and () where it says nothing.

    `kernel`: the chosen tactic's; `runner`: its implementation; `build_ms`: the time that the
    autotuner measured for the chosen tactic, an estimate; `formats`: the format combination that
    this time was measured with, as printed; `measured_on`: whose timing it is where the builder did
    not time the layer again (an equal layer, by its name; a reformat of equal formats), None where
    it is its own; `onnx_nodes`: names of the ONNX nodes that became this layer; `onnx_operators`:
    the operator of each, "" where it is unknown; `onnx_edges`: the tensors between the nodes of a
    ForeignNode, where it parses the model; `products`: those nodes that multiply matrices;
    `onnx_nodes_from`: the record's or the log's *metadata*, the *graph* that the log has of the
    model, or the layer's *name*, which names only the two ends of a ForeignNode; `fused_from`: the
    steps that made it, in order; `precision_note`: the log's words where it runs in another
    precision than was asked for; `lines`: (fact, number of the log's line).
    """

    kernel: str | None = None
    runner: str | None = None
    build_ms: float | None = None
    formats: str | None = None
    measured_on: str | None = None
    candidates: Candidates = _NOT_TIMED
    memory: Memory | None = None
    onnx_nodes: tuple[str, ...] = ()
    onnx_nodes_from: NodesFrom | None = None
    onnx_operators: tuple[str, ...] = ()
    onnx_edges: tuple[OnnxEdge, ...] = ()
    products: tuple[OnnxProduct, ...] = ()
    fused_from: tuple[Step, ...] = ()
    precision_note: str | None = None
    lines: tuple[tuple[str, int], ...] = ()

    def __repr__(self) -> str:
        """Its type and what the log says; of several values, such as steps, their number."""
        return filled(self)


# ---- an engine -------------------------------------------------------------------------------


class Device(NamedTuple):
    """The machine of trtexec's `Device Information`; None: unknown.

    `memory_mib`: global memory; clocks are GHz; `shared_kib`: shared memory of one SM;
    `bus_bits`: width of the memory bus.
    """

    name: str | None = None
    compute_capability: str | None = None
    sms: int | None = None
    memory_mib: int | None = None
    shared_kib: int | None = None
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
    """The timing cache: `kind` local or global; entries and hits where the log counts them.

    `cached_results`: `got cached result` lines (TensorRT 10); `loaded`: entries, or bytes, that
    an earlier build left (`Loaded 14 timing cache entries`).
    """

    kind: str | None = None
    entries: int | None = None
    hits: int | None = None
    cached_results: int = 0
    loaded: int | None = None


class Sparsity(NamedTuple):
    """Structured sparsity of weights: `eligible` layers, of which `chosen` run a sparse tactic.
    None: the log does not say; `line`: that of the eligible ones."""

    eligible: int | None = None
    chosen: int | None = None
    line: int | None = None


class BuildAttempt(NamedTuple):
    """One attempt to build the network: TensorRT 10 tries several backend strategies.

    `strategy`: its number; `seconds`: how long it took, None where it gave no engine;
    `inference_ms`: the inference time that the builder estimates for its engine; `kept`: whether
    it is this engine.
    """

    strategy: int | None
    seconds: float | None
    inference_ms: float | None
    kept: bool


class Tuning(NamedTuple):
    """The autotuning of one attempt to build the network; `taken`: the engine came from it."""

    taken: bool
    runners: tuple[RunnerCost, ...] = ()


class PieceTime(NamedTuple):
    """A ForeignNode that was timed as one piece and is listed as several layers: its fastest ms."""

    name: str
    ms: float
    line: int


class Advised(NamedTuple):
    """What the log advises where tactics were skipped for memory, as printed, and its line.

    `bytes`: the workspace that it asks for, where it names one.
    """

    text: str
    line: int
    bytes: int | None = None


class IO(NamedTuple):
    """A network input or output as the parser names it; `dims` as printed, comma-joined, None: no
    dims are printed."""

    name: str
    dtype: str | None
    dims: str | None
    line: int


class Unassigned(NamedTuple):
    """Lines of a log that belong to none of its engines: `what` they are, and `why`.

    `gpu_compute_ms`: mean GPU compute time of a run; `warnings`, `errors`: how many they hold;
    `file`: the log, where there are several.
    """

    what: str
    why: str
    first_line: int
    last_line: int
    gpu_compute_ms: float | None = None
    warnings: int = 0
    errors: int = 0
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
    """What the log says of one engine. None and () where it says nothing.

    `precisions`: that the build allowed (`FP32`, `FP16`); `peak_cpu_mib`, `peak_gpu_mib`: of
    TensorRT's allocators; `performance`: of the last run, `runs`: of all; `runners`: autotuning's
    cost by implementation, reformats too, in the attempt that was taken; `attempts`: () where the
    log tells of none; `tunings`: autotuning's cost in each attempt; `advised`: the log's advice
    where tactics were skipped for memory; `warnings`, `errors`: how many there are, None where no
    log was read, of which `messages` keeps the first and a few of each later kind; `joined`: how
    many lines of each kind found their layer, `unjoined` the others, by reason; `sources`: which
    lines of the log all this was taken from; `pieces`: ForeignNodes that were timed as one;
    `sparsity`: None where the log says nothing of it; `reformats`: the fastest ms of each change of
    a format that was timed (`Half(8,1) -> Float(8,1)`), in this engine or not; `onnx_tensors`:
    names of the model's tensors and `(1, 3, -1)[FLOAT]`, as the parser prints it; `shape_inputs`:
    inputs of which the builder uses no values, but perhaps their shapes; `outputs_order`: whose
    order the engine's outputs have: the *log*'s, which is the network's, or the *listing*'s, which
    says nothing of the network's; None: no outputs are known.
    """

    tensorrt: str | None = None
    device: Device | None = None
    options: tuple[Option, ...] = ()
    precisions: tuple[str, ...] = ()
    phases: tuple[Phase, ...] = ()
    passes: tuple[Pass, ...] = ()
    totals: tuple[Total, ...] = ()
    peak_cpu_mib: int | None = None
    peak_gpu_mib: int | None = None
    timing_cache: TimingCache | None = None
    inputs: tuple[IO, ...] = ()
    outputs: tuple[IO, ...] = ()
    performance: Performance | None = None
    runs: tuple[Run, ...] = ()
    runners: tuple[RunnerCost, ...] = ()
    warnings: int | None = None
    errors: int | None = None
    messages: tuple[Message, ...] = ()
    joined: tuple[tuple[MessageKind, int], ...] = ()
    unjoined: tuple[Unjoined, ...] = ()
    sources: Sources = NO_SOURCES
    attempts: tuple[BuildAttempt, ...] = ()
    tunings: tuple[Tuning, ...] = ()
    advised: tuple[Advised, ...] = ()
    pieces: tuple[PieceTime, ...] = ()
    sparsity: Sparsity | None = None
    reformats: tuple[tuple[str, float], ...] = ()
    onnx_tensors: tuple[tuple[str, str], ...] = ()
    shape_inputs: tuple[str, ...] = ()
    outputs_order: OutputsOrder | None = None

    def total(self, name: str) -> int | None:
        """Bytes of one total: `Activation`, `Weights`, `Host Persistent`, `Scratch` …"""
        return next((total.bytes for total in self.totals if total.name == name), None)

    def __repr__(self) -> str:
        """Its type and what the log says; of several values, such as options, their number."""
        return filled(self)
