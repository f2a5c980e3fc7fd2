"""An `Engine` in; a `Reason` for each reformat out: what it changes, and for which neighbours.

The type and format of a neighbour are those that its record prints, never a guess.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.analysis.measures import format_words
from engine_layer_visualize.core.model import Engine, Layer, Tensor
from engine_layer_visualize.core.words import Name, Words, joined, parts, plain
from engine_layer_visualize.trt.memory_formats import layout

Change = Literal["type", "format", "copy", "untold"]
_UNKNOWN: Final = "an unknown type"
UNREADABLE: Final = "its record cannot be read"  # of a reformat that has no reason


class Side(NamedTuple):
    """A neighbour of a reformat. `layer`: its index, None for an input or output of the engine;
    `wants`: the type and format that it writes or reads, in words."""

    layer: int | None
    name: str
    wants: str

    @property
    def words(self) -> Words:
        """`conv1`, or: the engine's input `x`."""
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
    own word for why it is there (`CONCAT`, `QDQ`); None where its record has none.
    """

    layer: int
    changes: tuple[Change, ...]
    before: str
    after: str
    sources: tuple[Side, ...]
    targets: tuple[Side, ...]
    origin: str | None = None

    @property
    def change(self) -> str:
        """`Float linear → Int8 channels in 4s`, `Float → Half`, `Half linear → channels last`;
        `copy`; empty where it is untold."""
        if self.changes in (("copy",), ("untold",)):
            return self.changes[0] if self.changes == ("copy",) else ""
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
        """`conv1` writes Half linear; `conv2` reads Int8 channels last."""
        return plain(self.words)

    @property
    def words(self) -> Words:
        """The same, with the names apart."""
        origin = f" (origin: {self.origin})" if self.origin not in (None, "REFORMAT") else ""
        return (*self._wishes(), origin)

    def _wishes(self) -> tuple[str | Name, ...]:
        """What the neighbours write and read, or, where nothing changes, which they are."""
        if self.changes in (("copy",), ("untold",)):
            between = joined(" and ", [side.words for side in self.sources]) or ("no layer",)
            readers = _listed([side.words for side in self.targets]) or ("no layer",)
            if self.changes == ("copy",):
                return ("a copy of ", *between, " for ", *readers, ": type and format stay")
            stays = ": the type stays, the formats are unknown"
            return ("from ", *between, " for ", *readers, stays)
        writes = joined(" and ", [_wish(side, _gives(side)) for side in self.sources])
        reads = _listed([_wish(side, _takes(side)) for side in self.targets])
        several: list[Words] = [wishes for wishes in (writes, reads) if wishes]
        return joined("; ", several)


def of(costs: Costs) -> Mapping[int, Reason]:
    """The same of an engine whose times are known: found once."""
    return costs.once(_reasons)


def _reasons(costs: Costs) -> Mapping[int, Reason]:
    return reasons(costs.engine)


def reasons(engine: Engine) -> dict[int, Reason]:
    """A reason for every reformat, by the layer's index."""
    wanted = {layer.index for layer in engine.layers if is_reformat(layer)}
    sources: dict[int, list[Side]] = defaultdict(list)
    targets: dict[int, list[Side]] = defaultdict(list)

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

    for edge in engine.graph.edges:
        if edge.target in wanted:
            sources[edge.target].append(side(edge.source, edge.tensor, written=True))
        if edge.source in wanted:
            targets[edge.source].append(side(edge.target, edge.tensor, written=False))
    found = {}
    for index in sorted(wanted):
        layer = engine.layers[index]
        if layer.inputs and layer.outputs:
            found[index] = _reason(layer, sources[index], targets[index])
    return found


def _reason(layer: Layer, sources: list[Side], targets: list[Side]) -> Reason:
    read, written = layer.inputs[0], layer.outputs[0]
    attributes = dict(layer.attributes)
    printed = [attributes.get("ReformatFrom"), attributes.get("ReformatTo")]
    formats = [layout(text) if isinstance(text, str) else "" for text in printed]
    before = described(read, formats[0])
    after = described(written, formats[1])
    changes: list[Change] = []
    if read.dtype != written.dtype:
        changes.append("type")
    forms = (
        formats[0] or format_words(read),
        formats[1] or format_words(written),
    )
    if forms[0] != forms[1]:
        changes.append("format")
    if not changes:
        changes.append("copy" if all(forms) else "untold")
    return Reason(
        layer.index,
        tuple(changes),
        before,
        after,
        tuple(_wanting(side, before) for side in dict.fromkeys(sources)),
        tuple(_wanting(side, after) for side in dict.fromkeys(targets)),
        origin if isinstance(origin := attributes.get("Origin"), str) else None,
    )


def _wanting(side: Side, words: str) -> Side:
    """The neighbour with `words` of the reformat's record, where its own record has less detail."""
    bare = not side.wants or (" " not in side.wants and words.startswith(side.wants))
    vague = side.wants == words.replace("channels last, in ", "channels in ")
    return Side(side.layer, side.name, words) if bare or vague else side


def described(tensor: Tensor, words: str) -> str:
    """`Half channels last`: a tensor's type and format."""
    dtype = tensor.dtype or _UNKNOWN
    form = words or format_words(tensor)
    return f"{dtype} {form}" if form else dtype


def _wish(side: Side, verb: str) -> Words:
    """`conv1` with its verb, type and format."""
    return (*parts(side.words), f" {verb} {side.wants}")


def _gives(side: Side) -> str:
    return "writes" if side.layer is not None else "is"


def _takes(side: Side) -> str:
    return "reads" if side.layer is not None else "is"


_MOST: Final = 3


def _listed(several: list[Words]) -> tuple[str | Name, ...]:
    """The first few, and how many more there are."""
    more = len(several) - _MOST
    shown = joined(", ", several[:_MOST])
    return (*shown, f" and {more} more") if more > 0 else shown
