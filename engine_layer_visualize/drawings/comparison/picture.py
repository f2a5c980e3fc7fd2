"""Draws comparisons as SVG: both engines as columns, bands between layers that belong together.

Above them stands what explains the difference. Several comparisons stand one below the other. In a
browser it uses dark colours where the reader's system does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import measures
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.coverage import how
from engine_layer_visualize.analysis.layer_labels import headline, part
from engine_layer_visualize.comparison import cause_words, sentences
from engine_layer_visualize.comparison.result import CauseTime, Comparison
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import count, milliseconds, shorten, visible
from engine_layer_visualize.drawings.comparison import tones
from engine_layer_visualize.drawings.comparison.columns import Band, ColumnItem, ComparisonColumns
from engine_layer_visualize.drawings.picture import svg
from engine_layer_visualize.drawings.picture.shapes import (
    Anchor,
    Path,
    Rect,
    Shape,
    ShapeGroup,
    Text,
)
from engine_layer_visualize.drawings.picture.sheets import ROOM, WIDER, Sheet, Sheets
from engine_layer_visualize.drawings.picture.text_width import fit, width
from engine_layer_visualize.drawings.theme import DARK, DARKENED, LIGHT, Dash, mix

MAX_ITEMS: Final = 400  # items of a column
_MAX_ITEMS_INLINE: Final = 120  # in a notebook, which keeps it in its file
_BOX: Final = 44.0
_MARK: Final = 20.0  # a reformat's width
_LABELS: Final = 368.0  # beside a column
_TIME: Final = 62.0  # of these for the time
_WATERFALL: Final = 19.0  # between its rows
_CAUSES: Final = 330.0  # for the words of its rows
_NUMBERS: Final = 80.0
_MAX_LISTED: Final = 3  # groups, layers in a tooltip
_MAX_NAME: Final = 300  # characters in a tooltip
_SURE: Final[dict[Dash, str]] = {
    "solid": "by names or weights",
    "dashed": "by structure",
    "dotted": "by region",
}
_FADED: Final = 0.55  # share of the paper's colour in a band


def render(
    comparisons: Sequence[Comparison], problems: Sequence[Problem], options: ReportOptions
) -> Iterator[str]:
    """The picture of all comparisons."""
    return svg.written(picture(comparisons), dark=darkened())


def inline(comparison: Comparison) -> str:
    """The picture of a comparison, as a small element of HTML."""
    return "".join(svg.written(picture([comparison], _MAX_ITEMS_INLINE), inline=True))


def picture(comparisons: Sequence[Comparison], most: int = MAX_ITEMS) -> Sheets:
    """All comparisons, one below the other; `most`: items of a column."""
    others = ", ".join(sentences.engine(comparison.b) for comparison in comparisons[:_MAX_LISTED])
    title = f"{others} against {sentences.engine(comparisons[0].a)}"
    return Sheets(title, [_Sheet(comparison, most) for comparison in comparisons])


class _Sheet(Sheet):
    """One comparison."""

    def __init__(self, comparison: Comparison, most: int) -> None:
        super().__init__(most_lines=6)
        self.comparison = comparison
        self.columns = ComparisonColumns(comparison, most, every=False)
        self.tones = tones.palette(LIGHT, self.columns.timed)
        self.words(sentences.title(comparison), 22)
        self.words(sentences.first(comparison), 14)
        if steps := [step for step in comparison.waterfall if step.ms]:
            self._waterfall(steps)
        self._legend()
        for words in self._remarks():
            self.words(words, 11)
        self._heads()
        self._bands()
        for side in (0, 1):
            for number, item in enumerate(self.columns.items[side]):
                self.shapes.append(self._item(side, number, item))
        self.y += self.columns.tall

    def _remarks(self) -> Iterator[str]:
        columns, a, b = self.columns, self.comparison.a, self.comparison.b
        if columns.timed:
            yield f"The height of a layer is its time, at least {columns.floor:g} px."
        if max(len(a.profiles), len(b.profiles)) > 1:
            yield f"Shown are optimisation profile {a.profile} of A and {b.profile} of B."
        if columns.merged:
            yield columns.merged
        if columns.dropped:
            yield f"{count(columns.dropped, 'band')} of the fewest groups are left out."

    # ---- what explains the difference ------------------------------------------------------------

    def _waterfall(self, steps: Sequence[CauseTime]) -> None:
        """A bar for each cause, which begins where the one before it ended."""
        ends = [0.0]
        for step in steps:
            ends.append(ends[-1] + step.ms)
        low, high = min(ends), max(ends)
        room = ROOM - _CAUSES - _NUMBERS
        scale = room / (high - low) if high > low else 0.0
        start, top = _CAUSES - low * scale, self.y
        rows = [(cause_words.CAUSES[step.cause], step.ms, ends[n]) for n, step in enumerate(steps)]
        for words, ms, before in (*rows, ("all", ends[-1], 0.0)):
            bold = words == "all"
            self.shapes.append(Text(0, self.y, words, 11.5, LIGHT.ink, bold))
            left, right = sorted((before, before + ms))
            fill = self.tones[tones.SCALE[-1 if ms < 0 else 0]].fill
            x, wide = start + left * scale, max(1.0, (right - left) * scale)
            self.shapes.append(Rect(x, self.y - 10, wide, 12, fill, 2))
            self.shapes.append(
                Text(ROOM, self.y, cause_words.signed(ms), 11.5, LIGHT.ink, bold, "end")
            )
            self.y += _WATERFALL
        line = (("M", (start, top - 13)), ("V", (self.y - 14,)))
        self.shapes.append(Path(line, stroke=LIGHT.muted, stroke_width=1))
        self.y += 6

    # ---- legend ----------------------------------------------------------------------------------

    def _legend(self) -> None:
        """The scale, or the kinds of change; how sure a band is; what else there is."""
        used = {item.tone for items in self.columns.items for item in items}
        x, ink = 0.0, LIGHT.ink
        if self.columns.timed:
            words = f"B {tones.SPEEDS[-1]:g} × slower"
            self.shapes.append(Text(0, self.y, words, 10.5, ink))
            x = width(words, 10.5) + 8
            for tone in tones.SCALE:
                self.shapes.append(Rect(x, self.y - 9, 34, 11, self.tones[tone].fill))
                step = abs(tone - tones.SAME)
                label = f"{tones.SPEEDS[step - 1]:g}" if step else "same"
                self.shapes.append(
                    Text(x + 17, self.y + 13, label, 9, LIGHT.muted, anchor="middle")
                )
                x += 34
            words = f"{tones.SPEEDS[-1]:g} × faster"
            self.shapes.append(Text(x + 8, self.y, words, 10.5, ink))
            x += width(words, 10.5) + 32
            used -= set(tones.SCALE)
        for tone in sorted(used):
            key = self.tones[tone]
            thick = 4 if tone == tones.REFORMAT else 11
            x = self._room(x, key.words)
            self.shapes.append(Rect(x, self.y + 2 - thick, 16, thick, key.fill, 0, key.line))
            x = self._key(x + 22, key.words)
        for dash, words in _SURE.items():
            if any(tones.DASHES[band.confidence] == dash for band in self.columns.bands):
                x = self._room(x, words)
                steps = (("M", (x, self.y - 4)), ("h", (20.0,)))
                self.shapes.append(Path(steps, stroke=ink, stroke_width=1.4, dash=dash))
                x = self._key(x + 26, words)
        self.y += 34 if self.columns.timed else 22

    def _room(self, x: float, words: str) -> float:
        """Where an entry begins: on the next line where it would not fit."""
        if x + 26 + width(words, 10.5) <= ROOM:
            return x
        self.y += 26 if self.columns.timed else 17
        return 0.0

    def _key(self, x: float, words: str) -> float:
        self.shapes.append(Text(x, self.y, words, 10.5, LIGHT.ink))
        return x + width(words, 10.5) + 18

    # ---- columns ---------------------------------------------------------------------------------

    def _heads(self) -> None:
        self.y += 8
        sides: tuple[tuple[str, Costs, float, Anchor], ...] = (
            ("A", self.comparison.a, _LABELS + _BOX, "end"),
            ("B", self.comparison.b, ROOM - _LABELS - _BOX, "start"),
        )
        for name, costs, x, anchor in sides:
            parts = [f"{name}: {count(len(costs.layers), 'layer')}"]
            if costs.total is not None:
                parts.append(f"{milliseconds(costs.total)}, {how(costs)}")
            words = fit(" · ".join(parts), 13, _LABELS, True)
            self.shapes.append(Text(x, self.y, words, 13, LIGHT.ink, True, anchor))
        self.y += 12

    def _bands(self) -> None:
        tops, heights = self.columns.tops, self.columns.heights

        def ends(side: int, run: tuple[int, int]) -> tuple[float, float]:
            first, last = run
            return self.y + tops[side][first], self.y + tops[side][last] + heights[side][last]

        tall = sorted(
            ((ends(0, band.a), ends(1, band.b), band) for band in self.columns.bands),
            key=lambda ends: ends[0][0] - ends[0][1],
        )
        left, right = _LABELS + _BOX, ROOM - _LABELS - _BOX
        middle = (left + right) / 2
        for (a, a_end), (b, b_end), band in tall:
            tone = self.tones[band.tone]
            steps = (
                ("M", (left, a)),
                ("C", (middle, a, middle, b, right, b)),
                ("V", (b_end,)),
                ("C", (middle, b_end, middle, a_end, left, a_end)),
                ("Z", ()),
            )
            dash = tones.DASHES[band.confidence]
            shape = Path(steps, _faded(tone.fill), tone.line, 0.8, dash)
            self.shapes.append(ShapeGroup((shape,), self._told(band), "band"))

    def _item(self, side: int, number: int, item: ColumnItem) -> ShapeGroup:
        tone = self.tones[item.tone]
        y, tall = self.y + self.columns.tops[side][number], self.columns.heights[side][number]
        wide = _MARK if item.reformat else _BOX
        x = _LABELS + _BOX - wide if side == 0 else ROOM - _LABELS - _BOX
        shapes: list[Shape] = [Rect(x, y, wide, tall, tone.fill, 1, tone.line, 0.8)]
        costs = (self.comparison.a, self.comparison.b)[side]
        if not item.reformat:
            shapes += self._label(side, y, item, costs)
        return ShapeGroup(tuple(shapes), "\n".join(_story(costs, item)), item.place)

    def _label(self, side: int, y: float, item: ColumnItem, costs: Costs) -> Iterator[Text]:
        size = 11.0 if self.columns.floor > 12 else 9.5
        base = y + size
        ms = costs.sum(costs.engine.layers[i] for i in item.layers)
        near = _LABELS - 8 if side == 0 else ROOM - _LABELS + 8
        room = _LABELS - 8
        if ms is not None:
            words = milliseconds(ms)
            right = near if side == 0 else near + _TIME - 8
            yield Text(right, base, words, size, LIGHT.muted, anchor="end")
            room -= _TIME
            near += -_TIME if side == 0 else _TIME
        head, rest = _named(costs, item, side)
        room = room / WIDER - width(head, size)
        words = head + fit(rest, size, room) if room > _TIME else fit(head, size, _LABELS - _TIME)
        yield Text(near, base, words, size, LIGHT.ink, anchor="end" if side == 0 else "start")

    def _told(self, band: Band) -> str:
        """What is known of the groups of a band."""
        told = []
        for number in band.groups[:_MAX_LISTED]:
            group = self.comparison.groups[number]
            told.append(
                f"A {_numbers(group.a)} → B {_numbers(group.b)}: {_ms(group.ms_a)} → "
                f"{_ms(group.ms_b)} ({cause_words.signed(group.delta_ms)})"
            )
            told.append(
                "; ".join(cause_words.changes(self.comparison, group)) or "no change in the logs"
            )
            told.append(f"matched by {group.confidence}: {group.why}")
        if len(band.groups) > _MAX_LISTED:
            told.append(f"and {count(len(band.groups) - _MAX_LISTED, 'more group')}")
        return "\n".join(map(visible, told))


def _named(costs: Costs, item: ColumnItem, side: int) -> tuple[str, str]:
    """`12 Conv + Relu · Half · ` and `layer1.0.conv1`."""
    layers = [costs.engine.layers[i] for i in item.layers]
    first, last = layers[0], layers[-1]
    alone = ("gone: ", "new: ")[side] if item.place == "alone" else ""
    if len(layers) > 1:
        ends = dict.fromkeys(fit(headline(layer), 11, 130) for layer in (first, last))
        where = f"{first.index} to {last.index}"
        return f"{alone}{count(len(layers), 'layer')}, {where}: ", visible(" … ".join(ends))
    dtype = measures.precision_of(first)
    known = f" · {dtype}" if dtype != "unknown" else ""
    what = fit(visible(headline(first)), 11, 230)
    return f"{alone}{first.index} {what}{visible(known)} · ", visible(part(first))


def _story(costs: Costs, item: ColumnItem) -> Iterator[str]:
    """The lines of an item's tooltip."""
    layers = [costs.engine.layers[i] for i in item.layers]
    for layer in layers[:_MAX_LISTED]:
        yield visible(shorten(layer.name or "(no name)", _MAX_NAME))
        yield visible(
            f"{shorten(layer.type, _MAX_NAME)}, layer {layer.index}, {_ms(costs.of(layer))}"
        )
        if layer.kernel is not None:
            yield visible(f"kernel: {shorten(layer.kernel, _MAX_NAME)}")
    if len(layers) > _MAX_LISTED:
        yield f"and {count(len(layers) - _MAX_LISTED, 'more layer')}"


def _numbers(indices: Sequence[int]) -> str:
    more = len(indices) - _MAX_LISTED
    return ", ".join(map(str, indices[:_MAX_LISTED])) + (f" and {more:,} more" if more > 0 else "")


def _ms(ms: float | None) -> str:
    return "no time" if ms is None else milliseconds(ms)


def _faded(fill: str) -> str:
    return mix(fill, LIGHT.paper, _FADED)


def darkened() -> dict[str, str]:
    """The colours of the picture, and those on dark paper."""
    colors = dict(DARKENED)
    for timed in (True, False):
        for light, dark in zip(tones.palette(LIGHT, timed), tones.palette(DARK, timed)):
            colors |= {light.fill: dark.fill, light.line: dark.line}
            colors[_faded(light.fill)] = mix(dark.fill, DARK.paper, _FADED)
    return colors
