"""`Snapshot`: what is kept of an engine and its runs, so that a later build is compared with it."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Kind = Literal["iterations", "summary median", "summary mean", "layers"]
KINDS: Final[tuple[Kind, ...]] = ("iterations", "summary median", "summary mean", "layers")


class Run(NamedTuple):
    """A run of an engine. `label`: its file; `ms`: its median time, or the one time that is known
    of it; `off`: how far the log of that median may be off, as equally likely values, empty where
    only `ms` is known. `kind`: of what `ms` is the time; the best is the first of KINDS. `digest`:
    of all its times, by which a copy of the run is known; empty where only `ms` is known. `drift`:
    how much more time one part of its iterations took than another; 0 where that is not known."""

    label: str
    ms: float
    off: tuple[float, ...] = ()
    kind: Kind = "iterations"
    digest: str = ""
    drift: float = 0.0


class Coverage(NamedTuple):
    """How much of an engine a profile times: of the `layers` that can have a time how many are
    `timed`, and which part of the time of its rows is of layers."""

    timed: int
    layers: int
    part: float


class Conditions(NamedTuple):
    """Under what a time was measured. None: the log does not say. Clocks are GHz, `batch`: the
    shapes of the inputs; `optimization_profile`, `statistic`: of the times of layers, its number,
    and mean or median."""

    tensorrt: str | None = None
    device: str | None = None
    compute_clock_ghz: float | None = None
    memory_clock_ghz: float | None = None
    batch: str | None = None
    optimization_profile: str | None = None
    statistic: str | None = None


class LayerGroup(NamedTuple):
    """Layers that ONNX nodes join, with the reformats that serve them. `nodes`: these nodes;
    `names`: of layers without a node; `layers`: their indices, those that serve last; `operator`,
    `output`: of the last layer that computes, its shape without batch, None and () where none
    does; `ms`: in each run with times of layers, None where one of them has none."""

    nodes: tuple[str, ...]
    names: tuple[str, ...]
    layers: tuple[int, ...]
    operator: str | None
    output: tuple[int, ...]
    ms: tuple[float | None, ...]


class Snapshot(NamedTuple):
    """An engine as a gate knows it. `file`: its log; `engine`: its number there; `layers`: how many
    it has; `reformats`: of them; `memory`: parts of what it needs on the device, in bytes; `runs`:
    of the whole engine, of one kind or several; `profiles`: runs of which the times of layers are
    known, with their sums; `findings`: codes, each with the number of its findings; `coverage`: of
    each of the profiles, empty where it is not known; `unfit`: why its times are not those of the
    engine, as codes and messages."""

    file: str
    engine: int
    conditions: Conditions
    layers: int
    reformats: int
    memory: tuple[tuple[str, int], ...]
    runs: tuple[Run, ...]
    profiles: tuple[Run, ...]
    groups: tuple[LayerGroup, ...]
    findings: tuple[tuple[str, int], ...]
    coverage: tuple[Coverage, ...] = ()
    unfit: tuple[tuple[str, str], ...] = ()
