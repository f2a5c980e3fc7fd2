"""A `Scene`, its colouring and a width in; the header out: title, sentences, the legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.core.text import visible
from engine_layer_visualize.drawings.coloring import Coloring
from engine_layer_visualize.drawings.picture.scene import Scene, Wire
from engine_layer_visualize.drawings.picture.shapes import Path, Rect, Shape, Text
from engine_layer_visualize.drawings.picture.text_width import fit, lines, rows, width
from engine_layer_visualize.drawings.theme import (
    Dash,
    Precision,
    Theme,
    in_use,
    ink,
    precision,
    to_explain,
)
from engine_layer_visualize.fields import sentences
from engine_layer_visualize.linting.finding import Rule
from engine_layer_visualize.views.endpoints import dtype_of

TITLE: Final = 22.0
_COVERED: Final = 14.0
_SENTENCES: Final = 13.0
_SMALL: Final = 10.5
_SWATCH: Final = 52.0
_CODE: Final = 8.0
_BADGE: Final = 12.0  # its height
_MANY: Final = 12  # lines: enough for every sentence, however narrow the picture


class Header(NamedTuple):
    """Its shapes, from (0, 0), and its height in pixels."""

    shapes: tuple[Shape, ...]
    height: float


def header(
    scene: Scene,
    coloring: Coloring,
    theme: Theme,
    room: float,
    notes: Sequence[str],
    rules: Sequence[Rule],
) -> Header:
    """The header for a picture of width `room`; `notes`: sentences below the facts; `rules`: those
    of badges."""
    texts: list[Text] = []
    signs: list[Shape] = []
    costs = coloring.known
    y = 20.0
    for line in rows(sentences.heading(costs), TITLE, room, True):
        texts.append(Text(0, y, line, TITLE, theme.ink, True))
        y += 26
    y -= 4
    for line in lines(sentences.coverage(costs), _COVERED, room, _MANY, True):
        texts.append(Text(0, y, line, _COVERED, theme.ink, True))
        y += 20
    for line in lines(". ".join(sentences.highlights(costs)), _SENTENCES, room, _MANY):
        texts.append(Text(0, y, line, _SENTENCES, theme.ink))
        y += 18
    small = list(rows(sentences.facts(costs), _SMALL, room))
    for note in notes:
        small += lines(visible(note), _SMALL, room, _MANY)
    for line in small:
        texts.append(Text(0, y, line, _SMALL, theme.muted))
        y += 15
    y = _legend(scene, coloring, theme, room, y + 6, texts, signs, rules)
    return Header((*signs, *texts), y + 8)


# ---------------------------------------------------------------- legend


def _legend(
    scene: Scene,
    coloring: Coloring,
    theme: Theme,
    room: float,
    y: float,
    texts: list[Text],
    signs: list[Shape],
    rules: Sequence[Rule],
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

    scale = coloring.scale()
    if scale:
        words = f"{coloring.words}:"
        at = place(width(words, _SMALL) + 8 + _SWATCH * len(scale))
        texts.append(Text(at, y + 12, words, _SMALL, theme.muted))
        at += width(words, _SMALL) + 8
        for key in scale:
            signs.append(Rect(at, y + 0.5, _SWATCH, 15, key.color))
            words = fit(key.words, 9, _SWATCH - 6)
            texts.append(
                Text(at + _SWATCH / 2, y + 11.5, words, 9, ink(key.color, theme), False, "middle")
            )
            at += _SWATCH
    keys = coloring.keys(scene.view.layers)
    if keys:
        words = f"{coloring.words}:"
        texts.append(Text(place(width(words, _SMALL) - 10), y + 12, words, _SMALL, theme.muted))
    for key in keys:
        words = fit(visible(key.words), _SMALL, min(200.0, room - 24))
        at = place(20 + width(words, _SMALL))
        signs.append(Rect(at, y + 1, 14, 14, key.color, 2, theme.marks["layer"].line))
        texts.append(Text(at + 20, y + 12, words, _SMALL, theme.ink))
    dtypes = (dtype_of(wire.written, wire.read) for wire in scene.wires if not wire.jump)
    marks = to_explain({box.kind for box in scene.boxes}, theme)
    entries: list[tuple[str, str, Dash]] = [
        *((entry.label, entry.color, "solid") for entry in in_use(dtypes, theme)),
        *((mark.words, mark.line, mark.dash) for mark in marks),
    ]
    if any(wire.jump for wire in scene.wires):
        entries.append(("jump of control flow", theme.muted, "dashed"))
    for words, color, dash in entries:
        at = place(30 + width(words, _SMALL))
        steps = ("M", (at, y + 8)), ("h", (24.0,))
        signs.append(Path(steps, stroke=color, stroke_width=3, dash=dash))
        texts.append(Text(at + 30, y + 12, words, _SMALL, theme.ink))
    for rule in rules:
        sign = badge(rule.code, 0, 0, theme)[0]
        words = rule.name.replace("-", " ")
        at = place(sign.width + 6 + width(words, _SMALL))
        signs += badge(rule.code, at + sign.width, y + 8, theme)
        texts.append(Text(at + sign.width + 6, y + 12, words, _SMALL, theme.ink))
    return y + 20 if x else y


def badge(words: str, right: float, middle: float, theme: Theme) -> tuple[Rect, Text]:
    """A finding's sign, that ends at `right` and whose middle is at `middle`."""
    color = theme.marks["unresolved"].line
    wide = width(words, _CODE, True) + 8
    left = right - wide
    on = ink(color, theme)
    return (
        Rect(left, middle - _BADGE / 2, wide, _BADGE, color, _BADGE / 2, theme.paper, css="badge"),
        Text(left + wide / 2, middle + 2.9, words, _CODE, on, True, "middle"),
    )


def wire_precision(wire: Wire, theme: Theme) -> Precision:
    """The legend entry of a wire."""
    return precision(dtype_of(wire.written, wire.read), theme)
