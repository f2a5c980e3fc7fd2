"""What a picture is made of: rectangles, circles, paths and texts with their final positions.

`drawing` makes them from a view; `svg` writes them as XML, `pdf` draws them on a page. Lengths are
in pixels, y grows downwards, colors are `#rrggbb`. These are named tuples, because a picture has
thousands of them and a frozen dataclass takes three times as long to make.
"""

# Annotations are no texts here: a NamedTuple would compile each of them.

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.drawings.picture.text_width import width
from engine_layer_visualize.drawings.theme import Dash

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]
# A command of SVG's paths and its numbers: M, L, Q and Z, V (to a y) and h (by a width).
Step = tuple[str, tuple[float, ...]]

DASHES: Final[dict[Dash, str]] = {"solid": "", "dashed": "5 3", "dotted": "1.5 2.5"}  # on, off
HALO: Final = 4.5  # width of the line under an edge


class Text(NamedTuple):
    """`words` on the baseline `y`, from, around or up to `x`; `upward`: turned to the left."""

    x: float
    y: float
    words: str
    size: float
    color: str
    bold: bool = False
    anchor: Anchor = "start"
    upward: bool = False

    @property
    def wide(self) -> float:
        """Its width in pixels."""
        return width(self.words, self.size, self.bold)

    def moved(self, x: float, y: float) -> "Text":
        """The text, moved by (x, y)."""
        left, base = self.x + x, self.y + y
        return Text(left, base, self.words, self.size, self.color, self.bold, self.anchor)


class Rect(NamedTuple):
    """`radius` is that of its corners. Without a `stroke` it has no outline."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0.0
    stroke: str = ""
    stroke_width: float = 1.0
    dash: Dash = "solid"
    css: str = ""


class Circle(NamedTuple):
    """Around (`x`, `y`)."""

    x: float
    y: float
    radius: float
    fill: str
    stroke: str
    stroke_width: float


class Path(NamedTuple):
    """`halo` is the color of a line of width `HALO` under it, if there is one."""

    steps: tuple[Step, ...]
    fill: str = "none"
    stroke: str = ""
    stroke_width: float = 1.0
    dash: Dash = "solid"
    halo: str = ""
    round_ends: bool = False


Shape = Text | Rect | Circle | Path


class ShapeGroup(NamedTuple):
    """Shapes with one tooltip; `link` is the id of the group that a click goes to."""

    items: tuple[Shape, ...]
    tooltip: str
    css: str
    id: str = ""
    link: str = ""


class Frame(NamedTuple):
    """Shapes whose origin is at (`x`, `y`) of the picture and whose unit is `scale` pixels."""

    x: float
    y: float
    scale: float
    shapes: Iterator[Shape | ShapeGroup]
