"""What stands over a picture: totals, the sentence that a reviewer would say, the legend.

takes: a Scene, its colouring, the width there is
gives: `Header`: texts and signs in their places
never: claims more than was measured, or leaves out in silence
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final, Literal

from engine_layer_visualize.errors import visible
from engine_layer_visualize.measures import precision_of
from engine_layer_visualize.model import Layer
from engine_layer_visualize.style import (
    Dash,
    Precision,
    Theme,
    headline,
    ink,
    kind,
    milliseconds,
    part,
    percent,
    precision,
)
from engine_layer_visualize.writers.card import Text
from engine_layer_visualize.writers.colouring import Colouring
from engine_layer_visualize.writers.metrics import fit, lines, width
from engine_layer_visualize.writers.scene import Scene, Wire

TITLE: Final = 22.0
_SAID: Final = 13.0
_SMALL: Final = 10.5
_SWATCH: Final = 52.0
_PLAIN: Final = frozenset({"layer", "port", "constant"})  # these explain themselves
_MOVES: Final = frozenset({"reformat", "hidden"})


@dataclass(frozen=True, slots=True)
class Sign:
    """A legend's sign from `x`, around `y`: a filled swatch, or a line of a precision or a mark."""

    shape: Literal["swatch", "line", "box"]
    x: float
    y: float
    width: float
    color: str
    dash: Dash = "solid"


@dataclass(frozen=True, slots=True)
class Header:
    texts: tuple[Text, ...]
    signs: tuple[Sign, ...]
    height: float


def header(
    scene: Scene, colouring: Colouring, theme: Theme, room: float, notes: Sequence[str]
) -> Header:
    """The header for a sheet of width `room`; `notes` are said below the facts."""
    texts: list[Text] = []
    signs: list[Sign] = []
    texts.append(Text(0, 20, fit(_title(scene), TITLE, room, True), TITLE, theme.ink, True))
    y = 42.0
    for line in lines(". ".join(_said(scene, colouring)), _SAID, room, 3):
        texts.append(Text(0, y, line, _SAID, theme.ink))
        y += 18
    for line in (" · ".join(_facts(scene, colouring)), *notes):
        for piece in lines(visible(line), _SMALL, room, 3):
            texts.append(Text(0, y, piece, _SMALL, theme.muted))
            y += 15
    y = _legend(scene, colouring, theme, room, y + 6, texts, signs)
    return Header(tuple(texts), tuple(signs), y + 8)


def _title(scene: Scene) -> str:
    engine = scene.view.engine
    total = engine.total_ms
    time = "no profile" if total is None else milliseconds(total)
    if total is not None and 1 <= total < 1000:
        time = f"{total:.3f} ms"  # as in the line on stdout
    return f"EngineLayers_{engine.index} · {_count(len(engine.layers), 'layer')} · {time}"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


# ---------------------------------------------------------------- words


def _said(scene: Scene, colouring: Colouring) -> Iterator[str]:
    """The sentence that a reviewer would say."""
    layers = scene.view.engine.layers
    costs = [(cost, layer) for layer in layers if (cost := colouring.cost(layer)) is not None]
    total = colouring.total
    if costs and total:
        costs.sort(key=lambda item: (-item[0], item[1].index))
        cost, slowest = costs[0]
        what = f"{headline(slowest)} {part(slowest)}" if part(slowest) else headline(slowest)
        yield (
            f"Slowest: {fit(visible(what), _SAID, 360)} with {milliseconds(cost)}, "
            f"{percent(cost / total)}"
            + (f"; half of the time is in {_half(costs, total)}" if len(costs) > 3 else "")
        )
    shares = _precisions(layers, colouring)
    if shares:
        yield shares
    moves = [layer for layer in layers if kind(layer) in _MOVES]
    if moves:
        spent = [cost for layer in moves if (cost := colouring.cost(layer)) is not None]
        text = "1 reformat or no-op" if len(moves) == 1 else f"{len(moves)} reformats or no-ops"
        if spent and total:
            text += f" {'takes' if len(moves) == 1 else 'take'} {percent(math.fsum(spent) / total)}"
        yield text
    if colouring.estimated:
        yield "Times are the builder's estimates, not measured"


def _half(costs: Sequence[tuple[float, Layer]], total: float) -> str:
    spent = 0.0
    for number, (cost, _) in enumerate(costs, 1):
        spent += cost
        if spent >= total / 2:
            return f"{number} of {_count(len(costs), 'layer')}"
    return _count(len(costs), "layer")


def _precisions(layers: Sequence[Layer], colouring: Colouring) -> str:
    """Which precisions the time, else the layers, are in."""
    spent: dict[str, float] = {}
    timed = bool(colouring.total)
    for layer in layers:
        if layer.raw is None and kind(layer) == "layer":
            weight = colouring.cost(layer) or 0.0 if timed else 1.0
            label = precision(precision_of(layer)).label
            spent[label] = spent.get(label, 0.0) + weight
    total = math.fsum(spent.values())
    order = sorted(spent.items(), key=lambda item: -item[1])
    told = [(label, share) for label, share in order[:3] if share > 0]
    if not told or total <= 0:
        return ""
    words = ", ".join(f"{label} {percent(share / total)}" for label, share in told)
    return f"Precision of what computes, by {'time' if timed else 'layers'}: {words}"


def _facts(scene: Scene, colouring: Colouring) -> Iterator[str]:
    engine = scene.view.engine
    if engine.tensorrt:
        yield f"TensorRT {engine.tensorrt}"
    yield _count(len(engine.graph.between), "edge")
    if engine.total_ms is not None:
        timed = sum(layer.time is not None for layer in engine.layers)
        yield f"{timed:,} of {_count(len(engine.layers), 'layer')} timed"
    yield PurePath(engine.source.file.replace("\\", "/")).name or engine.source.file
    view = scene.view
    if view.asked:
        yield "shown: " + ", ".join(view.asked)
    if view.hidden:
        yield "hidden: " + ", ".join(f"{count} {name}" for name, count in view.hidden)
    if view.outside:
        edges = _count(view.cut, "edge")
        yield f"{_count(view.outside, 'layer')} outside this picture, {edges} to them"


# ---------------------------------------------------------------- legend


def _legend(
    scene: Scene,
    colouring: Colouring,
    theme: Theme,
    room: float,
    y: float,
    texts: list[Text],
    signs: list[Sign],
) -> float:
    """Entries in a row, and in further rows where they do not fit; the y below them."""
    x = 0.0

    def place(wide: float) -> float:
        nonlocal x, y
        if x and x + wide > room:
            x, y = 0.0, y + 20
        at = x
        x += wide + 18
        return at

    scale = colouring.scale()
    if scale:
        words = f"{colouring.words}:"
        at = place(width(words, _SMALL) + 8 + _SWATCH * len(scale))
        texts.append(Text(at, y + 12, words, _SMALL, theme.muted))
        at += width(words, _SMALL) + 8
        for key in scale:
            signs.append(Sign("swatch", at, y + 8, _SWATCH, key.color))
            words = fit(key.words, 9, _SWATCH - 6)
            texts.append(
                Text(at + _SWATCH / 2, y + 11.5, words, 9, ink(key.color, theme), False, "middle")
            )
            at += _SWATCH
    keys = colouring.keys(scene.view.layers)
    for key in keys:
        words = fit(visible(key.words), _SMALL, min(200.0, room - 24))
        at = place(20 + width(words, _SMALL))
        signs.append(Sign("box", at, y + 8, 14, key.color))
        texts.append(Text(at + 20, y + 12, words, _SMALL, theme.ink))
    found = {wire_precision(wire, theme).label for wire in scene.wires if not wire.jump}
    for entry in (*theme.precisions, theme.other, theme.untold):
        if entry.label in found:
            at = place(30 + width(entry.label, _SMALL))
            signs.append(Sign("line", at, y + 8, 24, entry.color))
            texts.append(Text(at + 30, y + 12, entry.label, _SMALL, theme.ink))
    kinds = {box.kind for box in scene.boxes}
    for name, mark in theme.marks.items():
        if name in kinds and name not in _PLAIN:
            at = place(30 + width(mark.words, _SMALL))
            signs.append(Sign("line", at, y + 8, 24, mark.line, mark.dash))
            texts.append(Text(at + 30, y + 12, mark.words, _SMALL, theme.ink))
    if any(wire.jump for wire in scene.wires):
        words = "jump of control flow"
        at = place(30 + width(words, _SMALL))
        signs.append(Sign("line", at, y + 8, 24, theme.muted, "dashed"))
        texts.append(Text(at + 30, y + 12, words, _SMALL, theme.ink))
    return y + 20 if x else y


def wire_precision(wire: Wire, theme: Theme) -> Precision:
    """The legend entry of a wire: the reader's word, else the writer's."""
    for tensor in (wire.read, wire.written):
        if tensor is not None and tensor.dtype is not None:
            return precision(tensor.dtype, theme)
    return theme.untold
