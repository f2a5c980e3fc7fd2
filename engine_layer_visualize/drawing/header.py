"""Makes the header of a picture: title, sentences, the legend."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.kinds import on_dla, runs_kernel
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, visible
from engine_layer_visualize.drawing.scene import Scene
from engine_layer_visualize.drawing.shapes import (
    SMALL,
    TEXT,
    TITLE,
    Path,
    Rect,
    Shape,
    Text,
    fit,
    lines,
    moved,
    rows,
    width,
)
from engine_layer_visualize.drawing.theme import Coloring, Dash, Theme, ink
from engine_layer_visualize.drawing.tooltips import Badges
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.linting.rules import Rule

_SWATCH: Final = 52.0  # width of one colour of the scale
_ROW: Final = 20.0  # height of a row of the legend
_BETWEEN: Final = 18.0  # two entries of the legend
BADGE_HEIGHT: Final = 13.0
BADGE_OVERHANG: Final = 5.0  # how far a badge stands out at a box's right
BADGE_MIDDLE: Final = -2.0  # from a box's top to the middle of its badge
_MARK_RADIUS: Final = 3.0
_MOST_LINES: Final = 12  # enough for every sentence, however narrow the picture


class Header(NamedTuple):
    """A header whose upper left corner is at (0, 0)."""

    shapes: tuple[Shape, ...]
    height: float


class _Entry(NamedTuple):
    """An entry of the legend whose upper left corner is at (0, 0)."""

    width: float
    signs: tuple[Shape, ...]  # drawn before all texts
    texts: tuple[Text, ...]


def header(
    scene: Scene, coloring: Coloring, badges: Badges, room: float, notes: Sequence[str]
) -> Header:
    """Returns the header of a picture.

    Args:
        scene: What the picture shows.
        coloring: Its fills and its theme.
        badges: Those that the legend explains, and what is said of findings that have none.
        room: Its width.
        notes: Sentences below the facts.
    """
    theme, costs = coloring.theme, coloring.known
    texts: list[Shape] = []
    y = 20.0
    for line in rows(sentences.heading(costs), TITLE, room, True):
        texts.append(Text(0, y, line, TITLE, theme.ink, True))
        y += 26
    y -= 4
    highlights = ". ".join(sentences.highlights(costs))
    above = fit(" · ".join(badges.above), TEXT, room, True)
    paragraphs = [(sentences.coverage(costs), True, 20), (highlights, False, 18), (above, True, 18)]
    for words, bold, step in paragraphs:
        for line in lines(words, TEXT, room, _MOST_LINES, bold):
            texts.append(Text(0, y, line, TEXT, theme.ink, bold))
            y += step
    told = (lines(visible(note), SMALL, room, _MOST_LINES) for note in notes)
    for line in chain(rows(sentences.facts(costs), SMALL, room), *told):
        texts.append(Text(0, y, line, SMALL, theme.muted))
        y += 15
    x, y = 0.0, y + 6
    signs: list[Shape] = []
    shown = {rules[0].code: rules[0] for rules in badges.of_box.values()}  # of several the first
    for entry in _legend(scene, coloring, room, [shown[code] for code in sorted(shown)]):
        if x and x + entry.width > room:
            x, y = 0.0, y + _ROW
        signs += (moved(sign, x, y) for sign in entry.signs)
        texts += (moved(text, x, y) for text in entry.texts)
        x += entry.width + _BETWEEN
    return Header((*signs, *texts), y + (_ROW if x else 0) + 8)


def _legend(
    scene: Scene, coloring: Coloring, room: float, rules: Iterable[Rule]
) -> Iterator[_Entry]:
    """Yields what explains fills, then lines and outlines, then badges."""
    theme = coloring.theme
    title = Text(0, 12, f"{coloring.words}:", SMALL, theme.muted)
    if scale := coloring.scale():
        left = title.wide + 8
        swatches, texts = [], [title]
        for color, value in scale:
            swatches.append(Rect(left, 0.5, _SWATCH, 15, color))
            words, on = fit(value, SMALL, _SWATCH - 6), ink(color, theme)
            texts.append(Text(left + _SWATCH / 2, 11.5, words, SMALL, on, anchor="middle"))
            left += _SWATCH
        yield _Entry(left, tuple(swatches), tuple(texts))
    if keys := coloring.keys():
        yield _Entry(title.wide - 10, (), (title,))
    for color, meaning in keys:
        words = fit(visible(meaning), SMALL, min(200.0, room - 24))
        swatch = Rect(0, 1, 14, 14, color, 2, theme.marks["layer"].line)
        yield _entry((swatch,), 20, words, theme)
    dtypes = theme.in_use(wire.dtype for wire in scene.wires if not wire.jump)
    strokes: list[tuple[str, Dash, str]] = [(each.color, "solid", each.label) for each in dtypes]
    kinds = {box.kind for box in scene.boxes}
    strokes += [(mark.line, mark.dash, mark.words) for mark in theme.to_explain(kinds)]
    if any(wire.jump for wire in scene.wires):
        strokes.append((theme.muted, "dashed", "jump of control flow"))
    for color, dash, words in strokes:
        line = Path((("M", (0.0, 8.0)), ("h", (24.0,))), stroke=color, stroke_width=3, dash=dash)
        yield _entry((line,), 30, words, theme)
    if any(box.layers and all(map(on_dla, box.layers)) for box in scene.boxes):
        yield _entry((dla_bar(4, 1, 14, theme.ink),), 14, "runs on the DLA", theme)
    if marks := [layer for box in scene.boxes for layer in box.marks]:
        words = f"{count(len(marks), 'layer')} {of_marks(marks)}"
        yield _entry((ring(4, 8, theme),), 14, words, theme)
    for rule in rules:
        wide, words = badge_width(rule.code), rule.name.replace("-", " ")
        yield _entry(badge(rule.code, wide, 8, theme), wide + 6, words, theme)


def _entry(signs: tuple[Shape, ...], left: float, words: str, theme: Theme) -> _Entry:
    """Returns an entry whose words stand at the right of its signs."""
    text = Text(left, 12, words, SMALL, theme.ink)
    return _Entry(left + text.wide, signs, (text,))


def ring(x: float, y: float, theme: Theme) -> Rect:
    """Returns the sign of layers without a kernel, around a point of their line."""
    r = _MARK_RADIUS
    return Rect(x - r, y - r, 2 * r, 2 * r, theme.paper, r, theme.muted, 1.2, css="ring")


def of_marks(layers: Iterable[Layer]) -> str:
    """Returns what is said of layers that are marks."""
    return "of 0 µs" if any(map(runs_kernel, layers)) else "without a kernel"


def dla_bar(x: float, y: float, height: float, color: str) -> Rect:
    """Returns the sign of a layer that the DLA runs, at the left of its box."""
    return Rect(x, y, 3.5, height, color, css="dla")


def badge_width(words: str) -> float:
    """Returns the width of a finding's sign."""
    return width(words, SMALL, True) + 8


def badge(words: str, right: float, middle: float, theme: Theme) -> tuple[Rect, Text]:
    """Returns a finding's sign, which ends at the x `right` and is centred on the y `middle`."""
    color, height, wide = theme.marks["unresolved"].line, BADGE_HEIGHT, badge_width(words)
    left = right - wide
    return (
        Rect(left, middle - height / 2, wide, height, color, height / 2, theme.paper, css="badge"),
        Text(left + wide / 2, middle + 3.4, words, SMALL, ink(color, theme), True, "middle"),
    )
