"""`Snapshot`: what is kept of an engine and its runs, so that a later build is compared with it."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Kind = Literal["iterations", "summary median", "summary mean", "layers"]
KINDS: Final[tuple[Kind, ...]] = ("iterations", "summary median", "summary mean", "layers")


class Run(NamedTuple):
    """A run of an engine."""

    #: Its file.
    label: str
    #: Its median time, or the one time that is known of it.
    ms: float
    #: How far the logarithm of that median may be off, as equally likely values; empty where only
    #: `ms` is known.
    off: tuple[float, ...] = ()
    #: Of what `ms` is the time; the best is the first of KINDS.
    kind: Kind = "iterations"
    #: Of all its times, by which a copy of the run is known; empty where only `ms` is known.
    digest: str = ""
    #: How much more time one part of its iterations took than another; 0 where that is not known.
    drift: float = 0.0


class Coverage(NamedTuple):
    """How much of an engine a profile times."""

    #: How many layers have a time.
    timed: int
    #: How many layers can have one.
    layers: int
    #: Which part of the time of its rows is of layers.
    part: float


class Conditions(NamedTuple):
    """Under what a time was measured. None: the log does not say."""

    #: The version.
    tensorrt: str | None = None
    #: Its name.
    device: str | None = None
    compute_clock_ghz: float | None = None
    memory_clock_ghz: float | None = None
    #: The shapes of the inputs.
    batch: str | None = None
    #: The number of the one that the times of layers are of.
    optimization_profile: str | None = None
    #: Mean or median of the times of layers.
    statistic: str | None = None


class LayerGroup(NamedTuple):
    """Layers that ONNX nodes join, with the reformats that serve them."""

    #: The names of these nodes.
    nodes: tuple[str, ...]
    #: The names of layers without a node.
    names: tuple[str, ...]
    #: Their indices; those that serve stand last.
    layers: tuple[int, ...]
    #: Of the last layer that computes; None where none does.
    operator: str | None
    #: The shape of that layer's output, without batch; () where no layer computes.
    output: tuple[int, ...]
    #: In each run with times of layers; None where one of them has none.
    ms: tuple[float | None, ...]


class Snapshot(NamedTuple):
    """An engine as a gate knows it."""

    #: Its log.
    file: str
    #: Its number in the log.
    engine: int
    #: Under what its times were measured.
    conditions: Conditions
    #: How many it has.
    layers: int
    #: How many of these are reformats.
    reformats: int
    #: Parts of what it needs on the device, in bytes.
    memory: tuple[tuple[str, int], ...]
    #: Of the whole engine, of one kind or several.
    runs: tuple[Run, ...]
    #: Runs of which the times of layers are known, with their sums.
    profiles: tuple[Run, ...]
    #: Its layers, by the nodes that they were made of.
    groups: tuple[LayerGroup, ...]
    #: Codes, each with the number of its findings.
    findings: tuple[tuple[str, int], ...]
    #: Of each of the profiles; empty where it is not known.
    coverage: tuple[Coverage, ...] = ()
    #: Why its times are not those of the engine, as codes and messages.
    unfit: tuple[tuple[str, str], ...] = ()
