"""Why a reformat stands where it stands.

takes: an `Engine`
gives: for every reformat what it changes, and which neighbours want what
never: guesses a wish: what a neighbour reads or writes is what its record prints
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Final, Literal

from engine_layer_visualize.model import Engine, Layer, Tensor

Change = Literal["type", "format", "copy", "untold"]

_REFORMATS: Final = frozenset({"Reformat", "MyelinReformat"})
_CHANNEL_MAJOR: Final = re.compile(r"^Channel major .{0,80}channel % (\d+) == 0")
_STRIDES: Final = re.compile(r"\w+\((.*)\)")


@dataclass(frozen=True, slots=True)
class Side:
    """A neighbour of a reformat. `layer`: its index, None for the engine's own end."""

    layer: int | None
    name: str
    wants: str

    @property
    def words(self) -> str:
        return f"`{self.name}`" if self.layer is not None else f"the engine's `{self.name}`"


@dataclass(frozen=True, slots=True)
class Reason:
    """What the reformat `layer` changes, from what to what, and for whom.

    `origin`: why the builder put it there, in its own word (`CONCAT`, `QDQ`), where it says so.
    """

    layer: int
    changes: tuple[Change, ...]
    before: str
    after: str
    sources: tuple[Side, ...]
    targets: tuple[Side, ...]
    origin: str | None = None

    @property
    def text(self) -> str:
        """`conv1` writes Half linear; `conv2` reads Int8 channels last."""
        told = f" (origin: {self.origin})" if self.origin not in (None, "REFORMAT") else ""
        return self._wishes() + told

    def _wishes(self) -> str:
        writes = " and ".join(f"{side.words} {_gives(side)} {side.wants}" for side in self.sources)
        reads = _listed([f"{side.words} {_takes(side)} {side.wants}" for side in self.targets])
        if self.changes in (("copy",), ("untold",)):
            between = " and ".join(side.words for side in self.sources) or "nobody"
            readers = _listed([side.words for side in self.targets]) or "nobody"
            if self.changes == ("copy",):
                return f"a copy of {between} for {readers}: type and format stay"
            return f"from {between} for {readers}: the type stays, the formats are not told"
        return "; ".join(filter(None, (writes, reads)))


def is_reformat(layer: Layer) -> bool:
    """Whether it does nothing but change type or format. A `NoOp` costs nothing: it is none."""
    return layer.type in _REFORMATS


def reasons(engine: Engine) -> dict[int, Reason]:
    """A reason for every reformat, by the layer's index."""
    wanted = {layer.index for layer in engine.layers if is_reformat(layer)}
    sources: dict[int, list[Side]] = defaultdict(list)
    targets: dict[int, list[Side]] = defaultdict(list)
    for edge in engine.graph.edges:
        if edge.target in wanted:
            sources[edge.target].append(_side(engine, edge.source, edge.tensor, written=True))
        if edge.source in wanted:
            targets[edge.source].append(_side(engine, edge.target, edge.tensor, written=False))
    found = {}
    for index in sorted(wanted):
        layer = engine.layers[index]
        if layer.inputs and layer.outputs:
            found[index] = _reason(layer, sources[index], targets[index])
    return found


def _reason(layer: Layer, sources: list[Side], targets: list[Side]) -> Reason:
    read, written = layer.inputs[0], layer.outputs[0]
    attributes = dict(layer.attributes)
    told = [attributes.get("ReformatFrom"), attributes.get("ReformatTo")]
    formats = [layout(text) if isinstance(text, str) else "" for text in told]
    before = _described(read, formats[0])
    after = _described(written, formats[1])
    changes: list[Change] = []
    if read.dtype != written.dtype:
        changes.append("type")
    forms = _format(read, formats[0]), _format(written, formats[1])
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


def _side(engine: Engine, index: int | None, tensor: str, *, written: bool) -> Side:
    if index is None:
        return Side(None, f"{'input' if written else 'output'} {tensor}", "")
    layer = engine.layers[index]
    tensors = layer.outputs if written else layer.inputs
    own = next((t for t in tensors if t.name == tensor), None)
    return Side(index, layer.name, "" if own is None else _described(own, ""))


def _wanting(side: Side, words: str) -> Side:
    """A neighbour's own print, or, where that says no more than a type, the reformat's."""
    plain = not side.wants or (" " not in side.wants and words.startswith(side.wants))
    return Side(side.layer, side.name, words) if plain else side


def _described(tensor: Tensor, words: str) -> str:
    told = tensor.dtype or "an untold type"
    form = _format(tensor, words)
    return f"{told} {form}" if form else told


def _format(tensor: Tensor, words: str) -> str:
    """The memory format in words; empty where nothing tells."""
    if words:
        return words
    if tensor.format and tensor.format != tensor.dtype:
        return _short(tensor.format)
    vector = next((e.partition(":")[2] for e in tensor.dims.split(",") if ":" in e), "")
    return f"channels in {vector}s" if vector else ""


def _short(words: str) -> str:
    """`Thirty-two wide channel vectorized row major Int8 format` and the like, shorter."""
    if vector := _CHANNEL_MAJOR.search(words):
        return f"channels last, in {vector[1]}s"
    if words.startswith("(") and ")" in words:  # `(NHWC) …`
        return words[1 : words.index(")")]
    low = words.casefold()
    for mark, short in _FORMATS:
        if low.startswith(mark):
            return short
    return words


_FORMATS: Final = (
    ("row major linear", "linear"),
    ("channel major", "channels last"),
    ("two wide channel vectorized", "channels in 2s"),
    ("four wide channel vectorized", "channels in 4s"),
    ("sixteen wide channel vectorized", "channels in 16s"),
    ("thirty-two wide channel vectorized", "channels in 32s"),
)


def layout(strides: str) -> str:
    """`Half(1036800,1:8,5760,32)` in words; strides stand in the order N, C, H, W.

    `1:8`: channels lie side by side, in groups of 8; `32400:32`: planes of 32 channels each.
    """
    match = _STRIDES.fullmatch(strides)
    if match is None:
        return ""
    parts = match[1].split(",")
    for part in parts:
        stride, colon, vector = part.partition(":")
        if colon:
            return f"channels last, in {vector}s" if stride == "1" else f"channels in {vector}s"
    if len(parts) > 2 and parts[1] == "1" and parts[-1] != "1":
        return "channels last"
    return "linear"


def _gives(side: Side) -> str:
    return "writes" if side.layer is not None else "is"


def _takes(side: Side) -> str:
    return "reads" if side.layer is not None else "is"


_MOST: Final = 3


def _listed(parts: list[str]) -> str:
    shown = ", ".join(parts[:_MOST])
    more = len(parts) - _MOST
    return f"{shown} and {more} more" if more > 0 else shown
