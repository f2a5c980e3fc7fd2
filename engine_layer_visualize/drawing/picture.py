"""Makes the picture of a view: a title, a size, and frames of placed shapes.

A tooltip has the whole of every name.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import on_dla
from engine_layer_visualize.core.options import Options
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.core.words import first_lines
from engine_layer_visualize.drawing import header, placement
from engine_layer_visualize.drawing.cards import WIDTH, Cards
from engine_layer_visualize.drawing.scene import Scene, Wire
from engine_layer_visualize.drawing.shapes import (
    SMALL,
    TEXT,
    Frame,
    Path,
    Point,
    Rect,
    Shape,
    ShapeGroup,
    Step,
    Text,
    fit,
    moved,
    width,
)
from engine_layer_visualize.drawing.theme import DARK, LIGHT, Coloring, Dash, ink
from engine_layer_visualize.drawing.tooltips import EngineFindings, of_tensor
from engine_layer_visualize.facts.sentences import coverage, heading, profile
from engine_layer_visualize.facts.subgraph import View, caption

_MARGIN: Final = 28.0  # around the picture
_LEAST_HEADER_WIDTH: Final = 620.0
_FIRST_HEADER_WIDTH: Final = 1400.0  # before there is a placement
_SCREEN: Final = 1700.0  # of a side; in a larger picture the header is larger
_LARGEST_HEADER_SCALE: Final = 2.4
_LEAST_SIDE: Final = 0.55  # the shorter side of a picture, as a part of the longer one
_LARGEST_INDENT: Final = 60.0  # of boxes that are narrower than the header
_BEND_RADIUS: Final = 6.0
_ARROW_HEIGHT: Final = 6.5
_MOST_READERS: Final = 6  # of a tensor, that its tooltip names
_MOST_CUT_ENDS: Final = 40  # of edges, that a flag's tooltip names


class EnginePicture:
    """The picture of a view."""

    def __init__(
        self, view: View, options: Options, most: int | None = None, aspect: float = 1.6
    ) -> None:
        self.theme = DARK if options.theme == "dark" else LIGHT
        profile = options.optimization_profile
        costs = Costs(view.engine, profile, options.peak)
        self.scene = Scene(view, costs, options.unfold, most)
        # By time all boxes would have the same fill.
        is_untimed = options.color_by == "time" and costs.kind is None
        color_by = "type" if is_untimed else options.color_by
        self.coloring = Coloring(costs, self.theme, color_by, view.layers)
        findings = EngineFindings(costs)
        marked = [box.layers for box in self.scene.boxes if most is None]
        badges = findings.badges(marked)
        self.title = " · ".join(filter(None, (*heading(costs), coverage(costs))))
        notes = list(_notes(self.scene))
        if is_untimed:
            notes.append("No layer is timed, so fills are by type")
        look = self.scene, self.coloring, badges
        above = header.header(*look, _FIRST_HEADER_WIDTH, notes).height + 2 * _MARGIN
        cards = Cards(self.scene, self.coloring, findings, badges)
        self.cards = tuple(map(cards.card, self.scene.boxes))
        placer = placement.Placer(self.scene, self.cards, self.theme)
        self.placement = placed = placer.placement(above, aspect)
        if placed.cut:
            notes.append(
                f"{placed.cut} long or returning edges are cut; "
                "→ 12 at their end names the layer where they go on, 12 → where they come from"
            )
        room = max(placed.width, _LEAST_HEADER_WIDTH)
        # It must be readable in a large picture, too.
        self.scale = min(_LARGEST_HEADER_SCALE, max(1.0, max(room, placed.height) / _SCREEN))
        self.header = header.header(*look, room / self.scale, notes)
        height = self.header.height * self.scale + placed.height + 2 * _MARGIN
        width = room + 2 * _MARGIN
        # Neither side is much shorter than the other.
        width, height = max(width, height * _LEAST_SIDE), max(height, width * _LEAST_SIDE)
        self.size = round(width), round(height)  # in pixels
        self.left = min((width - placed.width) / 2, _MARGIN + _LARGEST_INDENT)

    def frames(self) -> Iterator[Frame]:
        """Yields the header, and under it everything else."""
        yield Frame(_MARGIN, _MARGIN, self.scale, iter(self.header.shapes))
        yield Frame(self.left, _MARGIN + self.header.height * self.scale, 1.0, self.body())

    def body(self) -> Iterator[Shape | ShapeGroup]:
        """Yields what stands under the header."""
        for panel in self.placement.panels:
            if panel.frame is not None:
                x, y, wide, tall = panel.frame
                outline = self.theme.marks["layer"].line
                yield Rect(x, y, wide, tall, "none", 10, outline, 1.2, css="profile")
                words = fit(profile(self.coloring.known, panel.profile), TEXT, wide - 28, True)
                yield Text(x + 14, y + 16, words, TEXT, self.theme.ink, True)
            yield from panel.brackets
            yield from map(self._net, panel.paths)
            yield from map(self._flag, panel.flags)
            for box, corner in panel.boxes.items():
                yield self._box(box, corner)
                yield from self._marks(box, corner)
        for panel in self.placement.panels:
            yield from placement.tensor_labels(self.scene, self.cards, panel, self.theme.muted)

    def _color(self, wire: Wire) -> str:
        return self.theme.muted if wire.jump else self.theme.precision(wire.dtype).color

    def _net(self, paths: placement.Paths) -> ShapeGroup:
        wires = [self.scene.wires[i] for i, _ in paths]
        color = self._color(wires[0])
        lines = (step for _, points in paths for step in _rounded(points))
        heads = (step for _, points in paths for step in _arrow(*points[-1]))
        dash: Dash = "dashed" if wires[0].jump else "solid"
        line = Path(tuple(lines), "none", color, 1.8, dash, self.theme.paper)
        items = line, Path(tuple(heads), color)
        return ShapeGroup(items, _tooltip(self._wires(wires)), "wire")

    def _wires(self, wires: Sequence[Wire]) -> Iterator[str]:
        first = wires[0]
        if first.jump:
            yield f"{first.tensor}: control flow, no tensor"
            return
        tensor = first.written or first.read
        yield of_tensor(tensor) if tensor is not None else first.tensor
        for wire in wires[:_MOST_READERS]:
            read = ""
            if wire.read is not None and (tensor is None or wire.read.dims != tensor.dims):
                read = f", read as {of_tensor(wire.read)}"
            yield f"to {self._named(wire.target)}{read}"
        if len(wires) > _MOST_READERS:
            yield f"and to {len(wires) - _MOST_READERS} more"

    def _named(self, box: int) -> str:
        """Returns what a flag or a tooltip calls a box."""
        named = self.scene.boxes[box]
        if named.end is not None:
            return visible(named.end.name) or "(no name)"
        return str(named.layers[0].index)

    def _flag(self, flag: placement.Flag) -> ShapeGroup:
        wires = [self.scene.wires[i] for i in flag.wires]
        if len(flag.others) == 1:
            name = fit(self._named(flag.others[0]), SMALL, placement.FLAG - 36)
            words = f"→ {name}" if flag.out else f"{name} →"
            lines = self._wires(wires)
        else:
            words = f"+ {len(flag.others)}"
            lines = iter((f"and {', '.join(map(self._named, flag.others[:_MOST_CUT_ENDS]))}",))
        wide, color = width(words, SMALL) + 10, self._color(wires[0])
        tall, paper = placement.FLAG_HEIGHT, self.theme.paper
        items = (
            Rect(flag.x, flag.y, wide, tall, paper, 3, color, 1.4),
            Text(flag.x + 5, flag.y + 9.6, words, SMALL, self.theme.ink),
        )
        return ShapeGroup(items, _tooltip(lines), "flag", link=self.scene.boxes[flag.others[0]].id)

    def _box(self, number: int, corner: Point) -> ShapeGroup:
        box, card = self.scene.boxes[number], self.cards[number]
        (x, y), mark = corner, self.theme.marks[box.kind]
        look = card.fill, 5 if box.end is None else 11.5, mark.line, mark.width, mark.dash
        items: list[Shape] = [Rect(x, y, WIDTH, card.height, *look)]
        if box.layers and all(map(on_dla, box.layers)):
            color = ink(card.fill, self.theme)
            items.append(header.dla_bar(x + 2, y + 4, card.height - 8, color))
        items += [moved(shape, x, y) for shape in card.shapes]
        if card.badge:
            right, middle = x + WIDTH + header.BADGE_OVERHANG, y + header.BADGE_MIDDLE
            items += header.badge(card.badge, right, middle, self.theme)
        return ShapeGroup(tuple(items), card.title, box.kind, box.id)

    def _marks(self, number: int, corner: Point) -> Iterator[ShapeGroup]:
        """Yields the signs of layers without a kernel, where lines enter a box and leave it."""
        box, card = self.scene.boxes[number], self.cards[number]
        x, y = corner[0] + WIDTH / 2, corner[1]
        first = box.layers[0].index if box.layers else -1
        for below, end in ((False, y), (True, y + card.height)):
            if layers := [layer for layer in box.marks if (layer.index > first) == below]:
                lines = first_lines(layers, _MOST_CUT_ENDS, "{0.index}: {0.type} {0.name}".format)
                sign = header.ring(x, end, self.theme)
                yield ShapeGroup((sign,), _tooltip((f"{header.of_marks(layers)}:", *lines)), "mark")


def _notes(scene: Scene) -> Iterator[str]:
    """Yields what of a view is not shown, or shares a box."""
    if left_out := caption(scene.view):
        yield left_out
    number = sum(box.end is None for box in scene.boxes)
    if scene.grouped:
        yield (
            f"{len(scene.view.layers):,} layers in {number:,} boxes. "
            "All layers with --unfold or --format html, a part with --query or --around"
        )


def _tooltip(lines: Iterable[str]) -> str:
    """Returns the lines of a tooltip; a line break in a name makes none."""
    return "\n".join(map(visible, lines))


def _arrow(x: float, y: float) -> tuple[Step, ...]:
    """Returns a head that points down at (x, y) and stops short of the box's outline."""
    top = y - _ARROW_HEIGHT
    return ("M", (x - 3.4, top)), ("L", (x, y - 0.6)), ("L", (x + 3.4, top)), ("Z", ())


def _rounded(points: Sequence[Point]) -> Iterator[Step]:
    """Yields a line through right-angled corners, rounded where there is space, to the arrow."""
    x, y = points[-1]
    points = (*points[:-1], (x, y - 4))
    yield "M", points[0]
    for before, corner, after in zip(points, points[1:], points[2:]):
        radius = min(_BEND_RADIUS, _length(before, corner) / 2, _length(corner, after) / 2)
        yield "L", _towards(corner, before, radius)
        yield "Q", (*corner, *_towards(corner, after, radius))
    yield "L", points[-1]


def _length(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _towards(point: Point, other: Point, distance: float) -> Point:
    """Returns the point at this distance from `point`, on the way to `other`."""
    (x, y), length = point, _length(point, other) or 1.0
    return x + (other[0] - x) / length * distance, y + (other[1] - y) / length * distance
