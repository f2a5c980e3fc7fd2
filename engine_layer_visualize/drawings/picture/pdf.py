"""Draws a picture as a PDF of one page, of vectors, with text that can be searched."""

from __future__ import annotations

import re
import tempfile
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from fpdf import FPDF

from engine_layer_visualize.core.text import visible
from engine_layer_visualize.drawings.picture import shapes
from engine_layer_visualize.drawings.picture.drawing import EnginePicture
from engine_layer_visualize.drawings.picture.shapes import DASHES, HALO, ShapeGroup, Text

_POINT: Final = 0.75  # points of a pixel
_LONGEST_SIDE: Final = 14_000.0  # points; PDF allows 14,400
_MISSING: Final = re.compile(r"[^\x20-\x7e\xa0-\xff]")  # in Helvetica
_SPELLING: Final = " 0123456789abcdefuxU\\"  # what a missing character is spelled with


def draw(picture: EnginePicture, font: Path | None) -> bytes:
    """Returns `picture` as a PDF; `font` is a variable TrueType font, None: Helvetica."""
    from fpdf import FPDF

    wide, tall = picture.size
    scale = min(_POINT, _LONGEST_SIDE / max(wide, tall))
    pdf = FPDF(unit="pt", format=(wide * scale, tall * scale))
    pdf.set_auto_page_break(False)
    pdf.set_margin(0)
    pdf.set_title(picture.title)
    pdf.add_page()
    frames = [(frame, _flat(frame)) for frame in picture.frames()]
    with tempfile.TemporaryDirectory(prefix="engine-layer-visualize-") as folder:
        if font is not None:
            words = {item.words for _, items in frames for item in items if isinstance(item, Text)}
            font = _subset(font, "".join(map(visible, words)), Path(folder) / "font.ttf")
        page = _Page(pdf, font)
        page.draw([shapes.Rect(0, 0, wide, tall, picture.theme.paper)], 0, 0, scale)
        for frame, items in frames:
            page.draw(items, frame.x * scale, frame.y * scale, frame.scale * scale)
        return bytes(pdf.output())


def _flat(frame: shapes.Frame) -> list[shapes.Shape]:
    """Returns the items of a frame without their groups, which only tooltips need."""
    several = (shape.items if isinstance(shape, ShapeGroup) else (shape,) for shape in frame.shapes)
    return list(chain.from_iterable(several))


def _subset(font: Path, characters: str, to: Path) -> Path:
    """Returns the font with these characters alone and without kerning: the whole takes seconds."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    options = subset.Options(layout_features=[], drop_tables=["GPOS", "GSUB", "GDEF"])
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=characters + _SPELLING)
    whole = TTFont(font)
    subsetter.subset(whole)
    whole.save(to)
    return to


class _Page:
    """A page, the font that is written with, and where the frame lies that is drawn, in points."""

    def __init__(self, pdf: FPDF, font: Path | None) -> None:
        self.pdf = pdf
        self.family = "helvetica"
        self.known: frozenset[int] | None = None
        if font is not None:
            self.family = "elv"
            pdf.add_font("elv", "", font)
            pdf.add_font("elv", "B", font, variations={"wght": 700.0})
            cmap: Any = pdf.fonts["elv"].cmap  # type: ignore[union-attr]
            self.known = frozenset(cmap)

    def draw(self, items: list[shapes.Shape], x: float, y: float, scale: float) -> None:
        """Draws the items of a frame whose origin is at (x, y) and whose unit is `scale`."""
        self.x, self.y, self.scale = x, y, scale
        for item in items:
            if isinstance(item, shapes.Path) and item.halo:
                self._shape(item._replace(stroke=item.halo, stroke_width=HALO, dash="solid"))
            if isinstance(item, Text):
                self._text(item)
            else:
                self._shape(item)

    def _on_page(self, x: float, y: float) -> tuple[float, float]:
        """Returns a point of the frame in points of the page."""
        return self.x + x * self.scale, self.y + y * self.scale

    def _shape(self, shape: shapes.Rect | shapes.Circle | shapes.Path) -> None:
        scale = self.scale
        with self.pdf.new_path() as path:
            style = path.style
            style.auto_close = False
            style.fill_color = None if shape.fill == "none" else shape.fill
            style.stroke_color = shape.stroke or None
            style.stroke_width = shape.stroke_width * scale
            style.stroke_join_style = "round"
            if not isinstance(shape, shapes.Circle) and shape.dash != "solid":
                style.stroke_dash_pattern = [float(n) * scale for n in DASHES[shape.dash].split()]
            if isinstance(shape, shapes.Circle):
                path.circle(*self._on_page(shape.x, shape.y), shape.radius * scale)
            elif isinstance(shape, shapes.Rect):
                radius = min(shape.radius, shape.height / 2, shape.width / 2) * scale
                size = shape.width * scale, shape.height * scale
                path.rectangle(*self._on_page(shape.x, shape.y), *size, radius, radius)
            else:
                self._steps(path, shape.steps)

    def _steps(self, path: Any, steps: tuple[shapes.Step, ...]) -> None:
        x, y = 0.0, 0.0
        for command, values in steps:
            if command == "V":
                y = values[0]
            elif command == "h":
                x += values[0]
            elif values:
                x, y = values[-2:]
            if command == "Z":
                path.close()
            elif command == "M":
                path.move_to(*self._on_page(x, y))
            elif command == "Q":
                path.quadratic_curve_to(*self._on_page(*values[:2]), *self._on_page(x, y))
            else:
                path.line_to(*self._on_page(x, y))

    def _text(self, text: Text) -> None:
        words = self._writable(visible(text.words))
        size, color = text.size * self.scale, text.color
        self.pdf.set_font(self.family, "B" if text.bold else "", size)
        self.pdf.set_text_color(int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16))
        x, y = self._on_page(text.x, text.y)
        long, most = self.pdf.get_string_width(words), text.wide * self.scale
        if long > most > 0:  # of a font that is wider than the measured one
            self.pdf.set_font_size(size * most / long)
            long = most
        start = x - long * {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor]
        with self.pdf.rotation(90, x, y) if text.upward else nullcontext():
            self.pdf.text(start, y, words)

    def _writable(self, words: str) -> str:
        """Returns the words with the characters spelled that the font lacks."""
        if self.known is None:
            return _MISSING.sub(lambda match: _spelled(match[0]), words)
        known = self.known
        return "".join(c if ord(c) in known else _spelled(c) for c in words)


def _spelled(character: str) -> str:
    """Returns the escape of a character."""
    return character.encode("unicode_escape").decode("ascii")
