"""Our own SVG -> PDF: vectors, and text that can be searched.

takes: SVG as `svg` writes it, the font's file
gives: a PDF of one page as bytes
never: reads another SVG than ours: it knows the few shapes that ours has
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree

if TYPE_CHECKING:
    from fpdf import FPDF

from engine_layer_visualize.outputs.picture.text_width import width

_NAMESPACE: Final = "{http://www.w3.org/2000/svg}"
_POINT: Final = 0.75  # points of a pixel
_LARGEST: Final = 14_000.0  # points; PDF allows 14,400
_MOVES: Final = re.compile(r"translate\(([-\d.]+) ([-\d.]+)\)")
_SCALES: Final = re.compile(r"scale\(([-\d.]+)\)")
_STEP: Final = re.compile(r"([MLQVhZ])([-\d. ]*)")
_MISSING: Final = re.compile(r"[^\x20-\x7e\xa0-\xff]")


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a group's coordinates lie on the page, in points."""

    scale: float
    x: float = 0.0
    y: float = 0.0

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self.x + x * self.scale, self.y + y * self.scale

    def inside(self, transform: str) -> _Frame:
        x, y, scale = self.x, self.y, self.scale
        if moved := _MOVES.search(transform):
            x, y = self.at(float(moved[1]), float(moved[2]))
        if scaled := _SCALES.search(transform):
            scale *= float(scaled[1])
        return _Frame(scale, x, y)


def convert(svg: str, font: Path | None) -> bytes:
    """`svg`, a drawing of ours, as a PDF; `font` is a variable TrueType font, None: Helvetica."""
    from fpdf import FPDF

    root = ElementTree.fromstring(svg)
    wide, tall = float(root.get("width", "1")), float(root.get("height", "1"))
    scale = min(_POINT, _LARGEST / max(wide, tall))
    pdf = FPDF(unit="pt", format=(wide * scale, tall * scale))
    pdf.set_auto_page_break(False)
    pdf.set_margin(0)
    pdf.set_title(root.findtext(f"{_NAMESPACE}title") or "")
    pdf.add_page()
    with tempfile.TemporaryDirectory(prefix="engine-layer-visualize-") as folder:
        if font is not None:
            font = _subset(font, "".join(root.itertext()), Path(folder) / "font.ttf")
        page = _Page(pdf, font)
        page.draw(root, _Frame(scale))
        return bytes(pdf.output())


def _subset(font: Path, characters: str, to: Path) -> Path:
    """The font with these characters alone and without kerning: the whole takes seconds."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    options = subset.Options(layout_features=[], drop_tables=["GPOS", "GSUB", "GDEF"])
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=characters + " 0123456789abcdefux\\")
    whole = TTFont(font)
    subsetter.subset(whole)
    whole.save(to)
    return to


class _Page:
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

    def draw(self, element: ElementTree.Element, frame: _Frame) -> None:
        for child in element:
            name = child.tag.removeprefix(_NAMESPACE)
            if name in ("g", "a"):
                self.draw(child, frame.inside(child.get("transform", "")))
            elif name == "text":
                self._text(child, frame)
            elif name in ("rect", "path", "circle"):
                self._shape(name, child, frame)

    def _shape(self, name: str, element: ElementTree.Element, frame: _Frame) -> None:
        number = _numbers(element)
        with self.pdf.new_path() as path:
            style = path.style
            style.auto_close = False
            fill, stroke = element.get("fill", "#000000"), element.get("stroke")
            style.fill_color = None if fill == "none" else fill
            style.stroke_color = stroke
            style.stroke_width = number("stroke-width", 1.0) * frame.scale
            style.stroke_join_style = "round"
            if dash := element.get("stroke-dasharray"):
                style.stroke_dash_pattern = [float(part) * frame.scale for part in dash.split()]
            if name == "rect":
                x, y = frame.at(number("x"), number("y"))
                wide, tall = number("width") * frame.scale, number("height") * frame.scale
                radius = min(number("rx") * frame.scale, tall / 2, wide / 2)
                path.rectangle(x, y, wide, tall, radius, radius)
            elif name == "circle":
                path.circle(*frame.at(number("cx"), number("cy")), number("r") * frame.scale)
            else:
                self._path(path, element.get("d", ""), frame)

    def _path(self, path: Any, steps: str, frame: _Frame) -> None:
        at = (0.0, 0.0)
        for command, values in _steps(steps):
            if command == "M":
                at = values[0], values[1]
                path.move_to(*frame.at(*at))
            elif command == "L":
                at = values[0], values[1]
                path.line_to(*frame.at(*at))
            elif command == "Q":
                at = values[2], values[3]
                path.quadratic_curve_to(*frame.at(values[0], values[1]), *frame.at(*at))
            elif command == "V":
                at = at[0], values[0]
                path.line_to(*frame.at(*at))
            elif command == "h":
                at = at[0] + values[0], at[1]
                path.line_to(*frame.at(*at))
            elif command == "Z":
                path.close()

    def _text(self, element: ElementTree.Element, frame: _Frame) -> None:
        number = _numbers(element)
        words = self._writable(element.text or "")
        bold = element.get("font-weight") == "700"
        size = number("font-size") * frame.scale
        self.pdf.set_font(self.family, "B" if bold else "", size)
        color = element.get("fill", "#000000")
        self.pdf.set_text_color(int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16))
        transform = element.get("transform", "")
        x, y = number("x"), number("y")
        if moved := _MOVES.search(transform):
            x, y = float(moved[1]), float(moved[2])
        x, y = frame.at(x, y)
        long = self.pdf.get_string_width(words)
        most = width(element.text or "", size, bold)
        if long > most > 0:  # of a font that is wider than was reckoned with
            self.pdf.set_font_size(size * most / long)
            long = most
        start = {"middle": x - long / 2, "end": x - long}.get(element.get("text-anchor", ""), x)
        if "rotate(-90)" in transform:
            with self.pdf.rotation(90, x, y):
                self.pdf.text(start, y, words)
        else:
            self.pdf.text(start, y, words)

    def _writable(self, words: str) -> str:
        """Characters that the font lacks are spelled."""
        if self.known is None:
            return _MISSING.sub(lambda found: _spelled(found[0]), words)
        known = self.known
        return "".join(c if ord(c) in known else _spelled(c) for c in words)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _steps(text: str) -> Iterator[tuple[str, list[float]]]:
    for command, values in _STEP.findall(text):
        yield command, [float(value) for value in values.split()]


def _numbers(element: ElementTree.Element) -> Any:
    return lambda name, default=0.0: float(element.get(name) or default)
