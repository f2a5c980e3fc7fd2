"""Draws PNG: the picture of an engine, and its card, 1200 × 630, to be posted.

It takes the packages of the extra `render`, whose own font needs none of the system.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib import resources
from importlib.util import find_spec
from itertools import chain
from typing import Final

from engine_layer_visualize.analysis import scopes
from engine_layer_visualize.core.model import Layer, Listing
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import percent, visible
from engine_layer_visualize.documents import marks
from engine_layer_visualize.drawing import svg
from engine_layer_visualize.drawing.picture import EnginePicture
from engine_layer_visualize.drawing.shapes import Frame, Text, fit, lines
from engine_layer_visualize.drawing.theme import Theme
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.facts.subgraph import View
from engine_layer_visualize.linting import findings_of, lever
from engine_layer_visualize.linting.rules import Finding
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import versions

_RENDERER: Final = "resvg_py"
FONT_PACKAGE: Final = "fontpkg_ibm_plex_sans"  # of the extra `render`
_FAMILY: Final = "IBM Plex Sans"
_ZOOM: Final = 2.0  # pixels of the PNG for each of the SVG
_LONGEST_SIDE: Final = 16_000.0  # pixels


def render(view: View, options: Options = DEFAULT) -> tuple[bytes]:
    """Returns the drawing of `view` as PNG. Raises as `of`."""
    picture = EnginePicture(view, options)
    return of(picture, view.engine.source, min(_ZOOM, _LONGEST_SIDE / max(picture.size)))


def of(picture: EnginePicture, source: Listing, zoom: float) -> tuple[bytes]:
    """Returns a picture as PNG, with so many pixels for each of the SVG.

    Raises:
        ReadError: ELV502 where there is nothing to draw it with, ELV503 where that failed.
    """
    if find_spec(_RENDERER) is None or find_spec(FONT_PACKAGE) is None:
        message = "nothing here can draw png: pip install resvg-py fontpkg-ibm-plex-sans"
        raise ReadError(Problem(Place("png"), "ELV502", message), hint="--format svg needs nothing")
    try:
        import resvg_py

        drawn = resvg_py.svg_to_bytes(
            svg_string="".join(svg.written(picture)),
            zoom=zoom,
            font_files=_fonts(),
            font_family=_FAMILY,
            sans_serif_family=_FAMILY,
        )
    except Exception as error:  # a third-party renderer raises arbitrary exceptions
        message = f"{type(error).__name__}: {error}"[:400]
        raise ReadError(Problem(Place("png"), "ELV503", message)) from error
    return (marks.in_png(bytes(drawn), source),)


def _fonts() -> list[str]:
    """Returns the font's files, the upright one first."""
    fonts = (resources.files(FONT_PACKAGE) / "files").iterdir()
    return sorted(map(str, fonts), key=lambda path: ("Italic" in path, path))


# ---- the card of an engine, to be posted ---------------------------------------------------------

_WIDTH: Final = 1200
_HEIGHT: Final = 630
_MARGIN: Final = 48.0
MOST_ON_CARD: Final = 12  # boxes
_LARGEST_SCALE: Final = 2.2
_NAME, _FACTS, _SENTENCE, _SOURCE = 46.0, 22.0, 28.0, 16.0  # sizes of type
_LEAST_SHARE, _MOST_SHARE = 0.2, 0.95  # of the time, of a module that is worth a sentence


def card(view: View, options: Options = DEFAULT) -> tuple[bytes]:
    """Returns the card of an engine: its blocks, its time, one sentence. Raises as `of`."""
    return of(CardPicture(view, options), view.engine.source, zoom=1.0)


class CardPicture(EnginePicture):
    """The card of a view, without the engine's inputs and outputs."""

    def __init__(self, view: View, options: Options) -> None:
        between = (edge for edge in view.edges if None not in (edge.source, edge.target))
        inner = view._replace(edges=tuple(between), inputs=(), outputs=(), stubs=())
        super().__init__(inner, options, MOST_ON_CARD, aspect=2.6)
        self.size = _WIDTH, _HEIGHT

    def frames(self) -> Iterator[Frame]:
        """Yields the words, and under them the drawing."""
        texts = list(card_words(Subject(self.coloring.known), self.theme))
        top, placed = texts[-1].y + 28, self.placement
        yield Frame(0, 0, 1.0, iter(texts))
        room = _WIDTH - 2 * _MARGIN, _HEIGHT - _MARGIN / 2 - top
        scale = min(_LARGEST_SCALE, room[0] / placed.width, room[1] / placed.height)
        x, y = ((a - b * scale) / 2 for a, b in zip(room, (placed.width, placed.height)))
        # A picture has no tooltips.
        shapes = (getattr(shape, "items", (shape,)) for shape in self.body())
        yield Frame(_MARGIN + x, top + y, scale, chain.from_iterable(shapes))


def card_words(
    subject: Subject, theme: Theme, found: Sequence[Finding] | None = None
) -> Iterator[Text]:
    """Yields what stands above the drawing of a card: name, facts and one sentence.

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
    for line in lines(visible(card_sentence(subject, found)), _SENTENCE, room, 2, True):
        yield Text(_MARGIN, y, line, _SENTENCE, theme.ink, True)
        y += 36


def card_sentence(subject: Subject, found: Sequence[Finding] | None = None) -> str:
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
