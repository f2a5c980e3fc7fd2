"""Writes pictures as SVG with its font in it, and as PNG: of an engine, and of its card.

SVG needs no other font, program or package; every name is escaped here, once. PNG takes the
packages of the extra `render`, whose own font needs none of the system.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize.analysis import scopes
from engine_layer_visualize.core.model import Layer, Listing
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import percent, visible
from engine_layer_visualize.documents import marks
from engine_layer_visualize.drawing import shapes, theme
from engine_layer_visualize.drawing.picture import EnginePicture
from engine_layer_visualize.drawing.shapes import ShapeGroup, Text, fit, lines
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.facts.subgraph import View
from engine_layer_visualize.linting import findings_of, lever
from engine_layer_visualize.linting.rules import Finding
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import versions

_DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_INLINE: Final = 'style="max-width:100%;height:auto" '


def render(view: View, options: Options = DEFAULT) -> Iterator[bytes]:
    """Returns the drawing of `view` as SVG, UTF-8."""
    pieces = written(EnginePicture(view, options), source=marks.in_svg(view.engine.source))
    return (piece.encode("utf-8") for piece in pieces)


def draw(view: View, options: Options = DEFAULT, *, inline: bool = False) -> str:
    """Returns the drawing of a view as SVG.

    Args:
        view: What is drawn.
        options: How it is drawn.
        inline: Whether it is an element of HTML, no wider than its parent. It then has no links and
            no ids: those of several drawings in one page would be the same.
    """
    return "".join(written(EnginePicture(view, options), inline))


def written(
    picture: EnginePicture | CardPicture, inline: bool = False, source: str = ""
) -> Iterator[str]:
    """Yields the file, piece by piece.

    Args:
        picture: What is written.
        inline: Whether it is an element of HTML, without a font, whose style would be that of the
            whole page.
        source: An element after the title.
    """
    wide, tall = picture.size
    write = _WRITE_INLINE if inline else _WRITE
    style = "" if inline else f"<style>{theme.font_face()}</style>\n"
    families = f"{theme.FAMILY}, {escape(picture.theme.families.replace(',', ', '))}"
    yield (
        f"{'' if inline else _DECLARATION}<svg {_INLINE if inline else ''}"
        f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" '
        f'width="{wide}" height="{tall}" font-family="{families}">\n'
        f"<title>{escape(picture.title)}</title>{source}\n"
        f"{style}"
        f'<rect width="{wide}" height="{tall}" fill="{picture.theme.paper}"/>\n'
    )
    for frame in picture.frames():
        scale = f" scale({frame.scale:.3f})" if frame.scale != 1 else ""
        yield f'<g transform="translate({_n(frame.x)} {_n(frame.y)}){scale}">\n'
        for shape in frame.shapes:
            if not isinstance(shape, ShapeGroup):
                yield f"{write[type(shape)](shape)}\n"
                continue
            items = "".join([write[type(item)](item) for item in shape.items])
            inside = f'class="{shape.css}"><title>{escape(shape.tooltip)}</title>{items}'
            if shape.link and not inline:
                yield f'<a href="#{shape.link}" {inside}\n</a>\n'
            else:
                id = f'id="{shape.id}" ' if shape.id and not inline else ""
                yield f"<g {id}{inside}</g>\n"
        yield "</g>\n"
    yield "</svg>\n"


def _text(text: Text) -> str:
    x, y = _n(text.x), _n(text.y)
    place = f'transform="translate({x} {y}) rotate(-90)"' if text.upward else f'x="{x}" y="{y}"'
    weight = ' font-weight="700"' if text.bold else ""
    anchor = f' text-anchor="{text.anchor}"' if text.anchor != "start" else ""
    return (
        f'<text {place} font-size="{text.size:g}"{weight}{anchor} '
        f'fill="{text.color}">{escape(visible(text.words))}</text>'
    )


def _fitted(text: Text) -> str:
    """Returns words that are as wide in any font as in the one that they were measured in."""
    wide = _n(shapes.width(visible(text.words), text.size, text.bold))
    fit = f'<text textLength="{wide}" lengthAdjust="spacingAndGlyphs" '
    return _text(text).replace("<text ", fit, 1)


def _rect(rect: shapes.Rect) -> str:
    css = f'class="{rect.css}" ' if rect.css else ""
    radius = f' rx="{rect.radius:g}"' if rect.radius else ""
    return (
        f'<rect {css}x="{_n(rect.x)}" y="{_n(rect.y)}" width="{_n(rect.width)}" '
        f'height="{_n(rect.height)}"{radius} fill="{rect.fill}"'
        f"{_stroke(rect.stroke, rect.stroke_width, rect.dash)}/>"
    )


def _circle(circle: shapes.Circle) -> str:
    return (
        f'<circle cx="{_n(circle.x)}" cy="{_n(circle.y)}" r="{circle.radius:g}" '
        f'fill="{circle.fill}"{_stroke(circle.stroke, circle.stroke_width)}/>'
    )


def _path(path: shapes.Path) -> str:
    steps = "".join([command + " ".join(map(_n, values)) for command, values in path.steps])
    halo = f'<path d="{steps}" fill="none"{_stroke(path.halo, shapes.HALO)}/>' if path.halo else ""
    ends = ' stroke-linecap="round"' if path.round_ends else ""
    stroke = _stroke(path.stroke, path.stroke_width, path.dash)
    return f'{halo}<path d="{steps}" fill="{path.fill}"{stroke}{ends}/>'


_WRITE: Final[Mapping[type, Callable[[Any], str]]] = {
    Text: _text,
    shapes.Rect: _rect,
    shapes.Circle: _circle,
    shapes.Path: _path,
}
_WRITE_INLINE: Final[Mapping[type, Callable[[Any], str]]] = {**_WRITE, Text: _fitted}


def _stroke(color: str, width: float, dash: theme.Dash = "solid") -> str:
    if not color:
        return ""
    dashes = f' stroke-dasharray="{shapes.DASHES[dash]}"' if dash != "solid" else ""
    return f' stroke="{color}" stroke-width="{width:g}"{dashes}'


def _n(value: float) -> str:
    """Returns a number with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


# ---- PNG -----------------------------------------------------------------------------------------

_RENDERER: Final = "resvg_py"
FONT_PACKAGE: Final = "fontpkg_ibm_plex_sans"  # of the extra `render`
_FAMILY: Final = "IBM Plex Sans"
_ZOOM: Final = 2.0  # pixels of the PNG for each of the SVG
_LONGEST_SIDE: Final = 16_000.0  # pixels


def png(view: View, options: Options = DEFAULT) -> tuple[bytes]:
    """Returns the drawing of `view` as PNG. Raises as `drawn`."""
    picture = EnginePicture(view, options)
    return drawn(picture, view.engine.source, min(_ZOOM, _LONGEST_SIDE / max(picture.size)))


def drawn(picture: EnginePicture | CardPicture, source: Listing, zoom: float) -> tuple[bytes]:
    """Returns a picture as PNG, with so many pixels for each of the SVG.

    Raises:
        ReadError: ELV502 where there is nothing to draw it with, ELV503 where that failed.
    """
    if find_spec(_RENDERER) is None:
        message = "nothing here can draw png: pip install resvg-py fontpkg-ibm-plex-sans"
        raise ReadError(Problem(Place("png"), "ELV502", message), hint="--format svg needs nothing")
    try:
        import resvg_py

        data = resvg_py.svg_to_bytes(
            svg_string="".join(written(picture)),
            zoom=zoom,
            font_files=[str(path) for path in _fonts()],
            font_family=_FAMILY,
            sans_serif_family=_FAMILY,
        )
    except Exception as error:  # a third-party renderer raises arbitrary exceptions
        message = f"{type(error).__name__}: {error}"[:400]
        raise ReadError(Problem(Place("png"), "ELV503", message)) from error
    return (marks.in_png(bytes(data), source),)


def _fonts() -> list[Path]:
    """Returns the font's files, the upright one first; none where the extra is not there."""
    spec = find_spec(FONT_PACKAGE)
    places = spec.submodule_search_locations if spec is not None else None
    fonts = [font for place in places or () for font in Path(place).glob("files/*.ttf")]
    return sorted(fonts, key=lambda path: ("Italic" in path.name, path))


# ---- the card of an engine, to be posted ---------------------------------------------------------

_WIDTH: Final = 1200
_HEIGHT: Final = 630
_MARGIN: Final = 48.0
MOST_ON_CARD: Final = 12  # boxes
_LARGEST_SCALE: Final = 2.2
_NAME, _FACTS, _SENTENCE, _SOURCE = 46.0, 22.0, 28.0, 16.0  # sizes of type
_LEAST_SHARE, _MOST_SHARE = 0.2, 0.95  # of the time, of a module that is worth a sentence


def card(view: View, options: Options = DEFAULT) -> tuple[bytes]:
    """Returns the card of an engine: its blocks, its time, one sentence. Raises as `drawn`."""
    return drawn(CardPicture(view, options), view.engine.source, zoom=1.0)


class CardPicture:
    """The card of a view, without the engine's inputs and outputs."""

    def __init__(self, view: View, options: Options) -> None:
        between = (edge for edge in view.edges if None not in (edge.source, edge.target))
        inner = replace(view, edges=tuple(between), inputs=(), outputs=(), stubs=())
        self.picture = EnginePicture(inner, options, MOST_ON_CARD, aspect=2.6)
        self.theme, self.title = self.picture.theme, self.picture.title
        self.size = _WIDTH, _HEIGHT

    def frames(self) -> Iterator[shapes.Frame]:
        """Yields the words, and under them the drawing."""
        texts = list(card_words(Subject(self.picture.coloring.known), self.theme))
        top = texts[-1].y + 28
        yield shapes.Frame(0, 0, 1.0, iter(texts))
        placed = self.picture.placement
        room = _WIDTH - 2 * _MARGIN, _HEIGHT - _MARGIN / 2 - top
        scale = min(_LARGEST_SCALE, room[0] / placed.width, room[1] / placed.height)
        x, y = ((a - b * scale) / 2 for a, b in zip(room, (placed.width, placed.height)))
        # A picture has no tooltips.
        inner = (getattr(shape, "items", (shape,)) for shape in self.picture.body())
        yield shapes.Frame(_MARGIN + x, top + y, scale, chain.from_iterable(inner))


def card_words(
    subject: Subject, look: theme.Theme, found: Sequence[Finding] | None = None
) -> Iterator[Text]:
    """Yields what stands above the drawing of a card: name, facts and one sentence.

    Args:
        subject: the engine.
        look: the colours.
        found: its findings, where they are known.
    """
    engine, room = subject.engine, _WIDTH - 2 * _MARGIN
    name = fit(visible(sentences.name(engine)), _NAME, room, True)
    yield Text(_MARGIN, 92, name, _NAME, look.ink, True)
    yield Text(_WIDTH - _MARGIN, 36, "engine_layer_visualize", _SOURCE, look.muted, anchor="end")
    device = engine.known.device
    facts = [*sentences.heading(subject.costs)[1:], "" if device is None else device.name or ""]
    facts.append(versions.called(engine.tensorrt) if engine.tensorrt else "")
    told = fit(visible(" · ".join(filter(None, facts))), _FACTS, room)
    yield Text(_MARGIN, 130, told, _FACTS, look.muted)
    y = 178.0
    for line in lines(visible(card_sentence(subject, found)), _SENTENCE, room, 2, True):
        yield Text(_MARGIN, y, line, _SENTENCE, look.ink, True)
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
