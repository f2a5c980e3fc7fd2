"""What a gate keeps of an engine and its runs, so that a later build is compared with it."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, get_args

from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.problems import Place

Kind = Literal["iterations", "summary median", "summary mean", "layers"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
MIN_ITERATIONS: Final = 10  # of a side, of which a time is one
NOWHERE: Final = Place("", 0)  # a snapshot does not say where in its log a layer stands
KEPT_WEIGHTS: Final = "KeptWeights"  # the attribute that has count, kernel, stride and groups
_EXTENT: Final = re.compile(r"\d{1,18}")


class GateRun(NamedTuple):
    """A run of an engine."""

    file: str
    ms: float  # its median time, or the one time that is known of it
    kind: Kind = "iterations"  # of what `ms` is the time; the best is the first of KINDS
    digest: str = ""  # of all its times, by which a copy is known; empty where only `ms` is known
    drift: float = 0.0  # how much more time one part of its iterations took than another
    iterations: int | None = None  # of which `ms` is the time; None: unknown
    mean: float | None = None  # ms, where `ms` is a median
    p99: float | None = None  # ms, the 99th percentile


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
    statistic: str | None = None  # mean or median of the times of a layer


class Snapshot(NamedTuple):
    """An engine as a gate knows it."""

    file: str  # its log
    engine: int  # its number there
    conditions: Conditions
    memory: tuple[tuple[str, int], ...]  # parts of what it needs on the device, in bytes
    runs: tuple[GateRun, ...]  # of the whole engine, of one kind or several
    profiles: tuple[GateRun, ...]  # runs of which the times of layers are known, with their sums
    layers: tuple[Layer, ...]  # with what a comparison asks of them alone
    edges: tuple[tuple[int, int | None], ...]  # from layer to layer; None: to an output
    times: tuple[tuple[float | None, ...], ...]  # ms in each of the profiles, layer by layer
    coverage: tuple[Coverage, ...] = ()  # of each of the profiles; empty where it is not known
    # Why its times are not those of the engine, as codes and messages.
    unfit: tuple[tuple[str, str], ...] = ()


def kept_tensor(name: str, dtype: str | None, dims: str) -> Tensor:
    """A tensor as a snapshot keeps it: its shape is what its dims tell, -1 where they do not."""
    extents = [dim.partition(":")[0] for dim in dims.split(",") if dim]
    shape = tuple(int(text) if _EXTENT.fullmatch(text) else -1 for text in extents)
    return Tensor(name, dtype, dims, shape)
