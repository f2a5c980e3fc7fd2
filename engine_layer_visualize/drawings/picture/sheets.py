"""Holds what pictures of results have in common: sheets of one width, one below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.core.text import visible
from engine_layer_visualize.drawings.picture.shapes import Frame, Shape, ShapeGroup, Text
from engine_layer_visualize.drawings.picture.text_width import lines
from engine_layer_visualize.drawings.theme import LIGHT

_WIDE: Final = 1160.0
MARGIN: Final = 28.0
ROOM: Final = _WIDE - 2 * MARGIN
WIDER: Final = 1.15  # times: a reader's font may be wider than ours
_TITLE: Final = 20.0  # larger words are a title


class Sheet:
    """Shapes from the top down to `y`, which is where the next ones stand."""

    def __init__(self, between: float = 3.0, most_lines: int = 4) -> None:
        """Begins a sheet. `between`: paragraphs, which have at most so many lines."""
        self.y = 20.0
        self.shapes: list[Shape | ShapeGroup] = []
        self._between, self._most_lines = between, most_lines

    def words(self, words: str, size: float) -> None:
        """Adds a paragraph."""
        bold = size > _TITLE
        room = ROOM / WIDER
        for line in lines(visible(words), size, room, self._most_lines, bold) if words else ():
            self.shapes.append(Text(0, self.y, line, size, LIGHT.ink, bold))
            self.y += size + 5
        self.y += self._between


class Sheets:
    """A picture of sheets, as `svg` writes it."""

    theme = LIGHT

    def __init__(self, title: str, sheets: Sequence[Sheet]) -> None:
        self.title, self._sheets = title, sheets
        tall = sum(sheet.y for sheet in sheets)
        self.size = round(_WIDE), round(tall + MARGIN * (1 + len(sheets)))

    def frames(self) -> Iterator[Frame]:
        """Yields a frame for each sheet."""
        y = MARGIN
        for sheet in self._sheets:
            yield Frame(MARGIN, y, 1.0, iter(sheet.shapes))
            y += sheet.y + MARGIN
