"""The types of what a log knows of one layer besides the listing, and of its runs."""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.

from array import array
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.core.onnx_model import OnnxEdge, OnnxProduct
from engine_layer_visualize.core.words import filled

NodesFrom = Literal["metadata", "graph", "name"]


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
    #: What the layer runs, as it was timed; None where it was not timed, or runs nothing.
    chosen: Candidate | None = None
    #: The fastest tactic of each format combination, the fastest combination first.
    combinations: tuple[Candidate, ...] = ()
    #: The most bytes that a tactic asked for that was left out for want of memory.
    scratch: int | None = None
    #: Milliseconds of the fastest tactic of the implementations that left tactics out; None where
    #: they timed none.
    beside: float | None = None
    #: The implementations that left tactics out for want of memory, such as `CaskConvolution`, and
    #: how many each.
    skipped_by: tuple[tuple[str, int], ...] = ()

    @property
    def others(self) -> tuple[Candidate, ...]:
        """The tactics of `best` that the layer does not run."""
        chosen = self.chosen and (self.chosen.tactic, self.chosen.ms, self.chosen.formats)
        return tuple(one for one in self.best if (one.tactic, one.ms, one.formats) != chosen)


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


class LayerFacts(NamedTuple):
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
    #: Names of the ONNX nodes that became this layer; in a network that is not ONNX (the engine's
    #: JSON has its `frontend`), of what it is made of: operations of PyTorch, layers.
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
    #: The log's words where it runs in another precision than was asked for.
    precision_note: str | None = None
    device: Literal["GPU", "DLA"] | None = None
    #: The log's words for why it is not on the DLA.
    device_reason: str | None = None
    #: (fact, number of the log's line).
    lines: tuple[tuple[str, int], ...] = ()

    def __repr__(self) -> str:
        return filled(self)


class LaunchedKernel(NamedTuple):
    """What a layer launched under one name: a kernel, a copy, a set."""

    #: The name.
    name: str
    #: How often it was launched in a run, on average.
    launches: float
    #: How long its launches took in a run, on average.
    average_ms: float


class Iterations(NamedTuple):
    """A run's iterations in their order."""

    #: Where they come from.
    file: str
    #: The GPU time of each, without copies from and to the host.
    compute_ms: "array[float]"
