"""The types of what a log knows of a build: device, options, phases, runs, how it ended."""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.

from typing import Final, Literal, NamedTuple

from engine_layer_visualize.core.problems import Severity
from engine_layer_visualize.core.words import filled

# ---- the types of what a log knows besides the listing. The autotuner's times are estimate ------


class Span(NamedTuple):
    """Lines of the log, the first and the last; `what` they are."""

    what: str
    first_line: int
    last_line: int


class Sources(NamedTuple):
    """Which lines of the log an engine's facts were taken from."""

    sections: tuple[Span, ...] = ()
    warnings: tuple[Span, ...] = ()
    autotuning: tuple[Span, ...] = ()
    memory: tuple[Span, ...] = ()


NO_SOURCES: Final = Sources()


ListingState = Literal["whole", "cut", "part", "names", "times"]  # as `Listing` explains them
INCOMPLETE: Final = frozenset({"cut", "part"})
# `ended`: the log stops, and does not say why; `unlisted`: built by a VERBOSE logger, but the
# listing is not in the log; `quiet`: built by a logger that tells less; `loaded`: not built here.
BuildState = Literal["failed", "crashed", "killed", "ended", "unlisted", "quiet", "loaded", "none"]


class BuildEnd(NamedTuple):
    """How a build without a listing ended."""

    #: What became of it.
    state: BuildState
    #: Where the log says so, else its last line.
    line: int
    #: What the log says there.
    words: str = ""
    #: What was going on, such as `while timing conv1`.
    doing: str = ""


class Measure(NamedTuple):
    """A row of trtexec's performance summary, in milliseconds."""

    #: As printed, such as `GPU Compute Time`.
    name: str
    min: float | None
    max: float | None
    mean: float | None
    median: float | None
    #: Such as ((99.0, 4.2), …).
    percentiles: tuple[tuple[float, float], ...]
    #: The log's line.
    line: int


class Performance(NamedTuple):
    """trtexec's performance summary: queries per second, rows in ms, totals in seconds."""

    throughput_qps: float | None = None
    measures: tuple[Measure, ...] = ()
    host_walltime_s: float | None = None
    gpu_compute_s: float | None = None
    #: Median of trtexec's averages of the GPU latency in each half of the run, in ms.
    halves_ms: tuple[float, float] | None = None
    line: int | None = None

    @property
    def latency(self) -> Measure | None:
        """End to end, as trtexec's `Latency` row has it."""
        return next((row for row in self.measures if row.name == "Latency"), None)

    @property
    def gpu_compute(self) -> Measure | None:
        """The `GPU Compute Time` row: what the sum of the layers compares with."""
        return next((row for row in self.measures if row.name == "GPU Compute Time"), None)


class Run(NamedTuple):
    """One run of an engine by trtexec."""

    #: The file that it loaded; None where it built the engine.
    engine: str | None
    #: What trtexec says of the run.
    performance: Performance
    #: The shapes of its inputs, as trtexec's options have them.
    shapes: tuple[str, ...] = ()
    #: The machine, where the run tells it.
    device: "Device | None" = None
    #: How trtexec ran it: streams, CUDA graph, optimisation profile.
    setup: tuple[str, ...] = ()
    #: Whether trtexec says that it failed.
    failed: bool = False


OutputsOrder = Literal["log", "listing"]


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


class PieceTime(NamedTuple):
    """A ForeignNode that was timed as one piece and is listed as several layers: its fastest ms."""

    name: str
    ms: float
    line: int


class IO(NamedTuple):
    """A network input or output as the parser names it."""

    name: str
    dtype: str | None
    #: As printed, comma-joined; None: no dims are printed.
    dims: str | None
    #: The log's line.
    line: int


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


class Message(NamedTuple):
    """A warning or an error in the log, in the log's words (cut at 500 characters).

    Behind one about weights stands the VERBOSE line that names them.
    """

    severity: Severity
    text: str
    line: int


class EngineFacts(NamedTuple):
    """What the log says of one engine. None and () where it says nothing."""

    #: The version of TensorRT.
    tensorrt: str | None = None
    command: str | None = None
    strongly_typed: bool | None = None
    engine_bytes: int | None = None
    dla: DlaUse | None = None
    context_bytes: int | None = None
    device: Device | None = None
    #: The newest compute capability that named kernels were made for; None: it is not told by all.
    newest_kernels: tuple[int, int] | None = None
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
    #: Of the run that printed the layers' times, else of the last.
    performance: Performance | None = None
    runs: tuple[Run, ...] = ()
    #: How many timings of tactics there were, of reformats too, in the attempt that was taken; None
    #: where the log times nothing.
    tactics_tried: int | None = None
    #: How many tactics were left out there for want of memory.
    tactics_skipped: int | None = None
    #: How many there are; None where no log was read.
    warnings: int | None = None
    #: How many there are; None where no log was read.
    errors: int | None = None
    #: The first warnings and errors, and a few of each later kind.
    messages: tuple[Message, ...] = ()
    #: Which lines of the log all this was taken from.
    sources: Sources = NO_SOURCES
    #: The attempts to build the network; () where the log tells of none.
    attempts: tuple[BuildAttempt, ...] = ()
    #: ForeignNodes that were timed as one piece.
    pieces: tuple[PieceTime, ...] = ()
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
    #: How many outputs the builder counted, where the listing has more tensors that nothing reads.
    outputs_counted: int | None = None

    def total(self, name: str) -> int | None:
        """Bytes of one total, such as `Activation`, `Weights`, `Host Persistent`, `Scratch`."""
        return next((total.bytes for total in self.totals if total.name == name), None)

    def on(self, device: Device | None) -> "EngineFacts":
        """The same with a device, where the log names none."""
        is_known = self.device is not None and self.device.name is not None
        return self if device is None or is_known else self._replace(device=device)

    def __repr__(self) -> str:
        return filled(self)
