"""Draws the card of an engine, 1200 × 630, to be posted: its blocks, its time, one sentence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from engine_layer_visualize.analysis import scopes
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.text import percent, visible
from engine_layer_visualize.drawing import png
from engine_layer_visualize.drawing.picture import EnginePicture
from engine_layer_visualize.drawing.shapes import Frame, Text, fit, lines
from engine_layer_visualize.drawing.theme import Theme
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.facts.subgraph import View
from engine_layer_visualize.linting import findings_of, lever
from engine_layer_visualize.linting.rules import Finding
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import versions

_WIDTH: Final = 1200
_HEIGHT: Final = 630
_MARGIN: Final = 48.0
MOST: Final = 12  # boxes
_LARGEST_SCALE: Final = 2.2
_NAME, _FACTS, _SENTENCE, _SOURCE = 46.0, 22.0, 28.0, 16.0  # sizes of type
_LEAST_SHARE, _MOST_SHARE = 0.2, 0.95  # of the time, of a module that is worth a sentence


def render(view: View, options: Options = DEFAULT) -> Iterable[bytes]:
    """Returns the card of an engine as PNG. Raises as `png.render`."""
    return png.of(CardPicture(view, options), view.engine.source, zoom=1.0)


class CardPicture:
    """The card of a view, without the engine's inputs and outputs."""

    def __init__(self, view: View, options: Options) -> None:
        between = (edge for edge in view.edges if None not in (edge.source, edge.target))
        inner = replace(view, edges=tuple(between), inputs=(), outputs=(), stubs=())
        self.picture = EnginePicture(inner, options, MOST, aspect=2.6)
        self.theme, self.title = self.picture.theme, self.picture.title
        self.size = _WIDTH, _HEIGHT

    def frames(self) -> Iterator[Frame]:
        """Yields the words, and under them the drawing."""
        texts = list(words(Subject(self.picture.coloring.known), self.theme))
        top = texts[-1].y + 28
        yield Frame(0, 0, 1.0, iter(texts))
        placed = self.picture.placement
        room = _WIDTH - 2 * _MARGIN, _HEIGHT - _MARGIN / 2 - top
        scale = min(_LARGEST_SCALE, room[0] / placed.width, room[1] / placed.height)
        x, y = ((a - b * scale) / 2 for a, b in zip(room, (placed.width, placed.height)))
        # A picture has no tooltips.
        shapes = (getattr(shape, "items", (shape,)) for shape in self.picture.body())
        yield Frame(_MARGIN + x, top + y, scale, chain.from_iterable(shapes))


def words(subject: Subject, theme: Theme, found: Sequence[Finding] | None = None) -> Iterator[Text]:
    """Yields what stands above the drawing: name, facts and one sentence.

    Args:
        subject: the engine.
        theme: the colours.
        found: its findings, where they are known.
    """
    engine, room = subject.engine, _WIDTH - 2 * _MARGIN
    name = fit(visible(sentences.name(engine)), _NAME, room, True)
    yield Text(_MARGIN, 92, name, _NAME, theme.ink, True)
    yield Text(_WIDTH - _MARGIN, 36, "engine_layer_visualize", _SOURCE, theme.muted, anchor="end")
    device = engine.known.device
    facts = [*sentences.heading(subject.costs)[1:], "" if device is None else device.name or ""]
    facts.append(versions.called(engine.tensorrt) if engine.tensorrt else "")
    told = fit(visible(" · ".join(filter(None, facts))), _FACTS, room)
    yield Text(_MARGIN, 130, told, _FACTS, theme.muted)
    y = 178.0
    for line in lines(visible(sentence(subject, found)), _SENTENCE, room, 2, True):
        yield Text(_MARGIN, y, line, _SENTENCE, theme.ink, True)
        y += 36


def sentence(subject: Subject, found: Sequence[Finding] | None = None) -> str:
    """Returns the module that takes most of the time, else what is worth most."""
    costs = subject.costs
    of: dict[scopes.Path, list[Layer]] = defaultdict(list)
    for layer, path in zip(costs.engine.layers, subject.paths):
        for depth in range(1, len(path) + 1):
            of[path[:depth]].append(layer)
    shares = {path: costs.part(layers) or 0.0 for path, layers in of.items()}
    some = [path for path, share in shares.items() if _LEAST_SHARE <= share <= _MOST_SHARE]
    if not some:
        found = findings_of(subject) if found is None else found
        return (lever.largest(subject, found) or "").replace("`", "")
    largest = max(some, key=lambda path: (shares[path], len(path)))
    return f"{percent(shares[largest])} of the time is in {scopes.written(largest).strip('/')}"
