"""Finds the `Reason` of each reformat: what it changes, for whom, what it came from.

The type and format of a neighbour are those that its record prints, never a guess. Not all layers
of type Reformat were added by the builder to change a format: it also runs Slices, Casts and the
copies of a concatenation so.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import is_reformat
from engine_layer_visualize.analysis.origin import onnx_operators
from engine_layer_visualize.analysis.precisions import format_words
from engine_layer_visualize.core.model import Edge, Engine, Layer, Tensor
from engine_layer_visualize.core.words import Name, Words, first_of, joined, parts, plain
from engine_layer_visualize.trt import names
from engine_layer_visualize.trt.names import without_profile
from engine_layer_visualize.trt.operators import operators, unnumbered
from engine_layer_visualize.trt.types import as_listed, layout

Change = Literal["type", "format", "copy", "untold"]
Cause = Literal["builder", "quantiser", "cast", "concat", "network", "unknown"]
_Causes = Mapping[str, Cause]
# By the record's own word, and by the operator that the layer's name or the log gives.
_ORIGINS: Final[_Causes] = {
    **{"REFORMAT": "builder", "QDQ": "quantiser"},
    **{"CAST": "cast", "CONCAT": "concat"},
}
_OPERATORS: Final[_Causes] = {
    **{"QuantizeLinear": "quantiser", "DequantizeLinear": "quantiser"},
    **{"Quantize": "quantiser", "Dequantize": "quantiser", "Cast": "cast", "_to_copy": "cast"},
}
_INTO_CONCAT: Final = "a copy into a Concat's output"
_UNKNOWN: Final = "an unknown type"


class Side(NamedTuple):
    """A neighbour of a reformat."""

    layer: int | None  # its index; None for an input or output of the engine
    name: str
    wants: str  # the type and format that it writes or reads, in words

    @property
    def words(self) -> Words:
        """The neighbour in a sentence, such as `conv1`, or: the engine's input `x`."""
        if self.layer is not None:
            return "`", Name(self.name), "`"
        return f"the engine's {self.name.partition(' ')[0]} `", Name(self.tensor), "`"

    @property
    def tensor(self) -> str:
        """The name of an input or output of the engine."""
        return self.name.partition(" ")[2]


class Reason(NamedTuple):
    """What the reformat `layer` changes, `before` and `after`, and its neighbours.

    `changes`: `untold` where the type stays and the formats are unknown. `origin`: the builder's
    own word for why it is there (`CONCAT`, `QDQ`); None where its record has none. `cause`: what it
    came from: the `builder` added it, or it is a `quantiser`, a `cast`, a copy into a `concat` or
    another layer of the `network`, such as a Slice. `in_part`: it writes a part of its tensor;
    others write the rest.
    """

    layer: int
    changes: tuple[Change, ...]
    before: str
    after: str
    sources: tuple[Side, ...]
    targets: tuple[Side, ...]
    origin: str | None = None
    cause: Cause = "unknown"
    in_part: bool = False

    @property
    def is_builders(self) -> bool:
        """Whether nothing says that it is a layer of the network."""
        return self.cause in ("builder", "unknown")

    @property
    def is_vague(self) -> bool:
        """Whether a type is unknown, which says nothing of a change."""
        return self.before.startswith(_UNKNOWN) or self.after.startswith(_UNKNOWN)

    @property
    def change(self) -> str:
        """The change in words; empty where it is untold.

        `Float linear → Int8 CHW4`, `Float → Half`, `Half linear → HWC`, `copy`.
        """
        if not self._changes:
            return "copy" if self.changes == ("copy",) else ""
        before, after = self.before, self.after
        if "type" not in self.changes:
            dtype = _UNKNOWN if before.startswith(_UNKNOWN) else before.partition(" ")[0]
            after = after.removeprefix(dtype).lstrip()
        elif self.changes == ("type",):  # one form, after both
            form = before.removeprefix(_UNKNOWN).partition(" ")[2]
            before, after = (words.removesuffix(form).rstrip() for words in (before, after))
        return f"{before} → {after}"

    @property
    def text(self) -> str:
        """The reason in a sentence: `conv1` writes Half linear; `conv2` reads Int8 linear."""
        return plain(self.words)

    @property
    def _changes(self) -> bool:
        return self.changes not in (("copy",), ("untold",))

    @property
    def words(self) -> Words:
        """The sentence, with the names apart: what the neighbours write and read.

        Where nothing changes it tells which they are.
        """
        origin = f" ({_INTO_CONCAT})" if self.cause == "concat" else ""
        origin = f" (origin: {self.origin})" if self.origin not in (None, "REFORMAT") else origin
        if self._changes:
            writes = joined(" and ", [_side_in_words(side, "writes") for side in self.sources])
            reads = first_of([_side_in_words(side, "reads") for side in self.targets])
            both: list[Words] = [sides for sides in (writes, reads) if sides]
            return (*joined("; ", both), origin)
        between = joined(" and ", [side.words for side in self.sources]) or ("no layer",)
        readers = first_of([side.words for side in self.targets]) or ("no layer",)
        if self.changes == ("copy",):
            start, stays = "a copy of ", "type and format stay"
        elif self.cause == "network":
            start, stays = "from ", "a layer of the network, which keeps the type"
        else:
            start, stays = "from ", "the type stays, the formats are unknown"
            stays = "types and formats are unknown" if self.is_vague else stays
        return (start, *between, " for ", *readers, f": {stays}", origin)


def of(costs: Costs) -> Mapping[int, Reason]:
    """A reason for every reformat of an engine, by the layer's index, found once."""
    return costs.once(_reasons)


def _reasons(costs: Costs) -> Mapping[int, Reason]:
    engine = costs.engine
    wanted = {layer.index for layer in engine.layers if is_reformat(layer)}
    sources: dict[int, list[Side]] = defaultdict(list)
    targets: dict[int, list[Side]] = defaultdict(list)
    writers: dict[tuple[str, int | None], set[int]] = defaultdict(set)
    in_part: set[int] = set()
    ends: dict[tuple[int, bool], set[str]] = defaultdict(set)  # of NoOps: the engine's, else ""

    @cache
    def tensors(index: int, written: bool) -> dict[str, Tensor]:
        """By name, of equal names the first."""
        layer = engine.layers[index]
        return {t.name: t for t in reversed(layer.outputs if written else layer.inputs)}

    def side(index: int | None, tensor: str, written: bool) -> Side:
        """The layer at the other end of a tensor, with the type and format in its record."""
        if index is None:
            return Side(None, f"{'input' if written else 'output'} {tensor}", "")
        own = tensors(index, written).get(tensor)
        return Side(index, engine.layers[index].name, "" if own is None else described(own, ""))

    def past(one: Side, entry: bool) -> Side:
        """Steps over a NoOp to the engine's input or output."""
        known = ends.get((-1 if one.layer is None else one.layer, not entry), {""})
        return one if len(known) > 1 or "" in known else side(None, min(known), written=entry)

    written = {tensor.name for index in wanted for tensor in engine.layers[index].outputs}
    for edge in _known(engine):
        for near, far in (edge.source, edge.target), (edge.target, edge.source):
            if near is not None and engine.layers[near].type == "NoOp":
                ends[near, near == edge.source].add(edge.tensor if far is None else "")
        if edge.source is not None and edge.tensor in written:
            writers[edge.tensor, edge.target].add(edge.source)
        if edge.target in wanted:
            sources[edge.target].append(side(edge.source, edge.tensor, written=True))
        if edge.source in wanted:
            targets[edge.source].append(side(edge.target, edge.tensor, written=False))
    for (tensor, target), several in writers.items():
        if len(several) > 1:
            in_part |= several
        elif target is not None and several <= wanted:
            (source,) = several
            read, own = tensors(target, False).get(tensor), tensors(source, True)[tensor]
            if read is not None and read.elements != own.elements:
                in_part.add(source)
    found = {}
    for index in sorted(wanted):
        layer = engine.layers[index]
        if layer.inputs and layer.outputs:
            reason = _reason(layer, sources[index], targets[index])
            if reason.changes == ("type",):  # a format may be what the NoOp reshapes
                before = [past(one, True) for one in sources[index]]
                reason = _reason(layer, before, [past(one, False) for one in targets[index]])
            found[index] = reason._replace(in_part=index in in_part)
    return found


def _known(engine: Engine) -> Iterator[Edge]:
    """The edges, but for those whose other end is unknown.

    Their tensor is one that nothing writes or reads and that is no input or output of the engine.
    """
    inputs, outputs = (set(map(without_profile, ends)) for ends in (engine.inputs, engine.outputs))
    for edge in engine.graph.edges:
        ends = inputs if edge.source is None else outputs
        inside = edge.source is not None and edge.target is not None
        if inside or without_profile(edge.tensor) in ends:
            yield edge


def _reason(layer: Layer, sources: list[Side], targets: list[Side]) -> Reason:
    texts = {key: value for key, value in layer.attributes if isinstance(value, str)}
    read, written = layer.inputs[0], layer.outputs[0]
    ends = ((read, "ReformatFrom"), (written, "ReformatTo"))
    forms = [layout(texts.get(key, "")) or format_words(tensor) for tensor, key in ends]
    before, after = (described(one, form) for one, form in zip((read, written), forms))
    known = None not in (read.dtype, written.dtype)
    changes: list[Change] = ["type"] if known and read.dtype != written.dtype else []
    if forms[0] != forms[1]:
        changes.append("format")
    if not changes:
        changes.append("copy" if known and all(forms) else "untold")
    writers = tuple(_detailed(side, before) for side in dict.fromkeys(sources))
    readers = tuple(_detailed(side, after) for side in dict.fromkeys(targets))
    told = texts.get("Origin")
    return Reason(layer.index, tuple(changes), before, after, writers, readers, told, cause(layer))


def without_reason(layer: Layer) -> str:
    """What to say of a reformat that has no reason: its name may tell what it came from."""
    by_name = cause(layer) == "concat"
    return f"by its name {_INTO_CONCAT}" if by_name else "nothing tells what it changes"


def cause(layer: Layer) -> Cause:
    """What a layer of type Reformat came from.

    It is told by the builder's own word, else by a message of the log that names it, its name and
    its shapes.
    """
    origin = dict(layer.attributes).get("Origin")
    if isinstance(origin, str) and origin:
        return _ORIGINS.get(origin, "network")
    name = without_profile(layer.name)
    if names.is_reformat(name):
        return "builder"
    if any(step.rule == "Replacing" for step in layer.known.fused_from):
        return "network"
    if names.is_concat_copy(name):
        return "concat"
    if names.is_cast(name):
        return "cast"
    if known := onnx_operators(layer) or operators(unnumbered(name)):
        return _OPERATORS.get(known[-1], "network")
    read, written = (side[0].shape if side else () for side in (layer.inputs, layer.outputs))
    return "unknown" if read == written else "network"


def _detailed(side: Side, words: str) -> Side:
    """Uses the reformat's record where the neighbour's is vaguer."""
    bare = not side.wants or (" " not in side.wants and words.startswith(side.wants))
    vague = side.wants == as_listed(words)
    return Side(side.layer, side.name, words) if bare or vague else side


def described(tensor: Tensor, words: str) -> str:
    """A tensor's type and format, such as `Half HWC8`."""
    form = words or format_words(tensor)
    return (tensor.dtype or _UNKNOWN) + (f" {form}" if form else "")


def _side_in_words(side: Side, verb: str) -> Words:
    """A neighbour, such as `conv1`, with its verb, type and format; an end of the engine *is*."""
    return (*parts(side.words), f" {'is' if side.layer is None else verb} {side.wants}")
