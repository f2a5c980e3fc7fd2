"""Makes a card for each box of a scene: size, fill, texts, tooltip.

Texts are placed from the box's upper left corner. Names that do not fit are cut in the middle; the
tooltip has them whole.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from engine_layer_visualize.analysis import labels as layer_labels
from engine_layer_visualize.analysis.kinds import QUIET
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, milliseconds, percent, visible
from engine_layer_visualize.core.words import first_lines
from engine_layer_visualize.drawing import tooltips
from engine_layer_visualize.drawing.scene import Scene, SceneBox
from engine_layer_visualize.drawing.shapes import SMALL, TEXT, Rect, Text, fit, shortened, width
from engine_layer_visualize.drawing.theme import Coloring, ink
from engine_layer_visualize.drawing.tooltips import Badges, EngineFindings
from engine_layer_visualize.facts.sentences import shape
from engine_layer_visualize.facts.subgraph import Endpoint

_PAD: Final = 9.0  # between a text and the box's left or right
WIDTH: Final = 192.0  # of every box
_ROOM: Final = WIDTH - 2 * _PAD
_MOST_CELLS: Final = 58  # of a strip
_MOST_LAYERS: Final = 12  # of a box, that its tooltip lists


_Drawn = tuple[float, Sequence[Text | Rect]]  # a card's height, and what is on it


class Card(NamedTuple):
    """What a box shows."""

    height: float
    fill: str
    shapes: tuple[Text | Rect, ...]
    title: str  # the lines of its tooltip
    badge: str  # codes of findings, short


class Cards:
    """Makes the cards of one scene."""

    def __init__(
        self, scene: Scene, coloring: Coloring, findings: EngineFindings, badges: Badges
    ) -> None:
        self.scene = scene
        self.theme = coloring.theme
        self.coloring = coloring
        self.findings = findings
        self.badges = {scene.boxes[n].id: rules for n, rules in badges.of_box.items()}

    def card(self, box: SceneBox) -> Card:
        """Returns the card of a box."""
        plain = self.theme.marks[box.kind].fill
        fill = self.coloring.fill(box.layers[0]) if box.layers and not box.name else plain
        strong = ink(fill, self.theme)
        weak = self.theme.muted if fill == plain else strong
        if box.end is not None:
            height, shapes = self._end(box.end, strong, weak)
        elif box.name:
            height, shapes = self._group(box)
        elif box.kind in QUIET:
            height, shapes = self._quiet(box, strong, weak)
        else:
            height, shapes = self._layer(box, strong, weak)
        codes = dict.fromkeys(rule.code for rule in self.badges.get(box.id, ()))
        first, *others = codes or ("",)
        badge = f"{first} +{len(others)}" if others else first
        title = "\n".join(map(visible, self._story(box)))
        return Card(height, fill, tuple(shapes), title, badge)

    def _layer(self, box: SceneBox, strong: str, weak: str) -> _Drawn:
        """Returns the card of a layer; `strong` and `weak` are the colours of its texts."""
        layer = box.layers[0]
        number = f"{layer.index} · "
        share, cost = self.coloring.cost_words(box.layers)
        head = visible(layer_labels.box_head(layer))
        texts = _row(Text(_PAD, 17, head, TEXT, strong, True), share)
        room = _ROOM
        if cost:
            texts.append(Text(WIDTH - _PAD, 32, cost, SMALL, weak, anchor="end"))
            room -= texts[-1].wide + 8
        under = visible(layer_labels.under_head(layer))
        words = number + shortened(under, SMALL, room - width(number, SMALL))
        texts.append(Text(_PAD, 32, words, SMALL, weak))
        return 40.0, texts

    def _group(self, box: SceneBox) -> _Drawn:
        """Returns the card of a group: its name, its time, and a strip of its layers' fills."""
        theme, layers = self.theme, box.layers
        share, cost = self.coloring.cost_words(layers)
        # Flags name a box by its first layer.
        size = f"{count(len(layers) + len(box.marks), 'layer')} from {layers[0].index}"
        texts = _row(Text(_PAD, 17, visible(box.name), TEXT, theme.ink, True), share)
        texts += _row(Text(_PAD, 32, size, SMALL, theme.muted), cost)
        cells = min(len(layers), _MOST_CELLS)
        ends = [len(layers) * cell // cells for cell in range(cells + 1)]
        wide = _ROOM / cells
        strip = [
            Rect(_PAD + wide * cell, 39, wide, 9, self.coloring.hottest(layers[first:stop]))
            for cell, (first, stop) in enumerate(pairwise(ends))
        ]
        return 55.0, [*strip, *texts]

    def _quiet(self, box: SceneBox, strong: str, weak: str) -> _Drawn:
        """Returns a low card of one line, for reformats and constants."""
        layer = box.layers[0]
        share, cost = self.coloring.cost_words(box.layers)
        took = "  ".join(filter(None, (cost, share)))
        room = _ROOM - (width(took, SMALL) + 8 if took else 0)
        details = [layer.type, layer.name if box.kind == "constant" else ""]
        if (head := layer_labels.headline(layer)) != layer.type and box.kind != "constant":
            details.append(f"({head})")
        if box.kind == "hidden":
            details.append("(not listed)")
        reason = self.findings.reasons.get(layer.index)
        changed = (reason.change if reason is not None else "") or layer_labels.change(layer)
        number = f"{layer.index} · "
        words = number + visible(" ".join(filter(None, details)))
        below = visible(changed)
        if below:
            for both in (f"{words} {below}", number + below):
                if width(both, SMALL) <= room:
                    words, below = both, ""
                    break
        color = strong if box.kind != "reformat" else weak
        texts = _row(Text(_PAD, 15.5, words, SMALL, color), took, color=weak)
        if below:
            texts.append(Text(_PAD, 28, fit(below, SMALL, _ROOM), SMALL, color))
        return 35 if below else 23, texts

    def _end(self, end: Endpoint, strong: str, weak: str) -> _Drawn:
        words = "" if end.tensor is None or end.beyond else shape(end.tensor)
        words = fit(visible(words or end.word), SMALL, (_ROOM - 4) * 0.62)
        name = Text(_PAD + 2, 15.5, visible(end.name) or "(no name)", SMALL, strong, True)
        return 23, _row(name, words, color=weak, bold=False)

    def _story(self, box: SceneBox) -> Iterator[str]:
        """Yields the lines of a box's tooltip."""
        known = self.coloring.known
        if box.end is not None:
            yield from tooltips.of_endpoint(box.end)
        elif not box.name:
            yield from tooltips.of_layer(box.layers[0], self.findings)
        else:
            layers = sorted((*box.layers, *box.marks), key=lambda layer: layer.index)
            cost, share = self.coloring.costs(layers), self.coloring.share(layers)
            yield f"{len(layers):,} layers in {box.name}"
            if share is not None:
                time = "" if cost is None else f"{self.coloring.about(cost)}, "
                yield f"together {time}{percent(share)} {known.share_of(box.layers[0])}"

            def line(layer: Layer) -> str:
                cost = known.of(layer)
                time = f", {milliseconds(cost)}" if cost is not None else ""
                return f"{layer.index}: {layer.name}{time}"

            yield from first_lines(layers, _MOST_LAYERS, line)


def _row(left: Text, words: str, **look: Any) -> list[Text]:
    """Returns the texts of a row; `left` is cut where the words at the right begin, if any."""
    right = left._replace(x=WIDTH - left.x, words=words, anchor="end", **look)
    room = right.x - left.x - (right.wide + 8 if right.words else 0)
    fitting = left._replace(words=shortened(left.words, left.size, room, left.bold))
    return [fitting, right] if right.words else [fitting]
