"""What a gate keeps of an engine and its runs, so that a later build is compared with it."""

from typing import Final, Literal, NamedTuple, get_args

from engine_layer_visualize.core.layer_facts import NodesFrom

Kind = Literal["iterations", "summary median", "summary mean", "layers"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
MIN_ITERATIONS: Final = 10  # of a side, of which a time is one
KEPT_WEIGHTS: Final = "KeptWeights"  # the attribute that has count, kernel, stride and groups


class GateRun(NamedTuple):
    """A run of an engine."""

    file: str
    ms: float  # its median time, or the one time that is known of it
    kind: Kind = "iterations"  # of what `ms` is the time; the best is the first of KINDS
    # Of all its times, by which a copy is known, `a` or `a:b`; empty where only `ms` is known.
    digest: str = ""
    drift: float = 0.0  # how much more time one part of its iterations took than another
    iterations: int | None = None  # of which `ms` is the time; None: unknown
    mean: float | None = None  # ms, where `ms` is a median
    p99: float | None = None  # ms, the 99th percentile

    @property
    def digests(self) -> list[str]:
        """One in common with another run: the same times."""
        return [one for one in self.digest.split(":") if one]


class Coverage(NamedTuple):
    """How much of an engine a profile times."""

    timed: int  # layers that have a time
    layers: int  # layers that can have one
    part: float  # of the time of the profile's rows, in rows of layers


class Conditions(NamedTuple):
    """Under what a time was measured. None: the log does not say."""

    tensorrt: str | None = None
    device: str | None = None
    compute_clock_ghz: float | None = None
    memory_clock_ghz: float | None = None
    batch: str | None = None  # the shapes of the inputs
    optimization_profile: str | None = None  # the number of that whose layers are timed
    statistic: str | None = None  # of the times of a layer: mean; median in older baselines
    streams: str | None = None  # in how many trtexec ran at once
    graph: str | None = None  # whether a CUDA graph launched it: on or off


class Part(NamedTuple):
    """A part of what an engine needs on the device."""

    part: str
    bytes: int


class Unfit(NamedTuple):
    """Why times are not those of the engine: a problem of reading."""

    code: str
    message: str


class LayerKind(NamedTuple):
    """What tells the work of a layer, but for its tensors."""

    type: str
    weights: tuple[str | None, ...] | None  # count, kernel, stride and groups, as far as known
    operation: str | None  # the ParameterType, where the type does not tell it
    listed: bool
    opaque: bool


class KeptTensor(NamedTuple):
    """A tensor as a record prints it."""

    name: str
    dtype: str | None
    dims: str


class KeptLayer(NamedTuple):
    """A layer with what a comparison asks of it alone."""

    kind: int  # its place among the kinds
    name: str
    inputs: tuple[int, ...]  # places among the tensors
    outputs: tuple[int, ...]
    ms: tuple[float | None, ...]  # in each of the profiles
    nodes: tuple[str, ...]  # of ONNX, where the name does not tell them
    nodes_from: NodesFrom | None


class KeptEdge(NamedTuple):
    """From layer to layer; None: to an output."""

    source: int
    target: int | None


class Snapshot(NamedTuple):
    """An engine as a gate knows it, and as its file has it."""

    file: str  # its log
    engine: int  # its number there
    conditions: Conditions
    layers: int  # how many
    memory: tuple[Part, ...]
    runs: tuple[GateRun, ...]  # of the whole engine, of one kind or several
    profiles: tuple[GateRun, ...]  # runs of which the times of layers are known, with their sums
    coverage: tuple[Coverage, ...]  # of each of the profiles
    unfit: tuple[Unfit, ...]
    kinds: tuple[LayerKind, ...]
    tensors: tuple[KeptTensor, ...]
    listing: tuple[KeptLayer, ...]
    edges: tuple[KeptEdge, ...]
