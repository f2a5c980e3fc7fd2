"""Writes pictures as SVG with its font in it: no other font, program or package is needed.

Every name is escaped here, once.
"""

from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any, Final

from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.documents import marks
from engine_layer_visualize.drawing import shapes, theme
from engine_layer_visualize.drawing.picture import EnginePicture
from engine_layer_visualize.drawing.shapes import ShapeGroup, Text
from engine_layer_visualize.facts.subgraph import View

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


def written(picture: EnginePicture, inline: bool = False, source: str = "") -> Iterator[str]:
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


def _path(path: shapes.Path) -> str:
    steps = "".join([command + " ".join(map(_n, values)) for command, values in path.steps])
    halo = f'<path d="{steps}" fill="none"{_stroke(path.halo, shapes.HALO)}/>' if path.halo else ""
    ends = ' stroke-linecap="round"' if path.round_ends else ""
    stroke = _stroke(path.stroke, path.stroke_width, path.dash)
    return f'{halo}<path d="{steps}" fill="{path.fill}"{stroke}{ends}/>'


_WRITE: Final[Mapping[type, Callable[[Any], str]]] = {
    Text: _text,
    shapes.Rect: _rect,
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
