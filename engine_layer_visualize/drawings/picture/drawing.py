"""A `View` and `Options` in; a `Picture` out: a title, a size, and frames of placed shapes.

A tooltip has the whole of every name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.repeated_blocks import MANY, Repeat, alike, repeats
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.drawings.coloring import Coloring
from engine_layer_visualize.drawings.findings import Found
from engine_layer_visualize.drawings.picture import placement, shapes
from engine_layer_visualize.drawings.picture.node_cards import SMALL, Card, Cards
from engine_layer_visualize.drawings.picture.scene import Scene, Wire, scene
from engine_layer_visualize.drawings.picture.shapes import Group, Point, Shape, Step, Text
from engine_layer_visualize.drawings.picture.tensor_labels import tensor_labels
from engine_layer_visualize.drawings.picture.text_width import fit, width
from engine_layer_visualize.drawings.picture.title_legend import (
    Header,
    badge,
    header,
    wire_precision,
)
from engine_layer_visualize.drawings.theme import DARK, LIGHT, Dash, Theme, ink
from engine_layer_visualize.drawings.tooltips import of_tensor, through
from engine_layer_visualize.fields.sentences import coverage, heading, profile
from engine_layer_visualize.views.subgraph import View, caption

_MARGIN: Final = 28.0  # around the picture
_NARROW: Final = 620.0  # a header is never narrower
_GUESS: Final = 1400.0  # the header's width, before there is a placement
_SCREEN: Final = 1700.0  # of a side; in a larger picture the header is larger
_LARGEST: Final = 2.4  # scale of a header
_SQUAT: Final = 0.55  # a picture's shorter side is at least this much of the longer one
_INDENT: Final = 60.0  # of boxes that are narrower than the header, at most
_RADIUS: Final = 6.0  # of an edge's bends
_ONCE: Final = "repeated blocks are shown once, times summed"
_ARROW: Final = 6.5  # the height of an arrowhead
_NAMED: Final = 6  # readers of a tensor that its tooltip names
_OVER: Final = 5.0  # how far a badge stands out at a box's right
_OTHERS: Final = 40  # ends of cut edges that a flag's tooltip names
_TOO_MANY: Final = 1500  # layers of a picture that can be read
_AFAR: Final = 1.8  # least scale of a header that is read from afar


def remarks(view: View, options: Options = DEFAULT) -> tuple[Problem, ...]:
    """A warning where the drawing is too large to be read."""
    if len(view.layers) <= _TOO_MANY:
        return ()
    listing = view.engine.source
    message = _too_large(view, bool(_folded(view, options)), options)
    return (Problem(Place(listing.file, listing.first_line), "ELV504", message),)


def boxes(view: View) -> int:
    """How many layers the drawing shows: of repeats that are drawn as one block, only that."""
    return _boxes(view, _folded(view, DEFAULT))


def _boxes(view: View, folded: Sequence[Repeat]) -> int:
    return len(view.layers) - sum((len(one.blocks) - 1) * one.size for one in folded)


def _folded(view: View, options: Options) -> tuple[Repeat, ...]:
    """The repeats that are drawn as one block: those of a large view."""
    return alike(view.layers) if len(view.layers) > MANY and not options.unfold else ()


def _few(view: View, folded: Sequence[Repeat]) -> str:
    shown = f"{len(view.layers):,} layers in {_boxes(view, folded):,} boxes"
    return f"{shown}: {_ONCE}. All blocks with --unfold, or with --format html"


def _too_large(view: View, folded: bool, options: Options) -> str:
    how = _ONCE if folded else "no block is folded" if options.unfold else "nothing in it repeats"
    return (
        f"{len(view.layers):,} layers are too many for one picture: {how}. "
        "See a part with --query QUERY or --around LAYER --radius N, or all with --format html"
    )


class Picture:
    """The picture of a view: `size` (width and height in whole pixels), `title` and `frames`."""

    def __init__(self, view: View, options: Options) -> None:
        self.view = view
        self.theme: Theme = DARK if options.theme == "dark" else LIGHT
        folded = _folded(view, options)
        self.scene: Scene = scene(view, folded)
        self.coloring = Coloring(view, self.theme, options)
        if self.coloring.untimed:  # all boxes would have the same fill
            self.coloring = Coloring(view, self.theme, options._replace(color_by="type"))
        self.coloring.heated([box.layers for box in self.scene.boxes if box.layers])
        costs = self.coloring.known
        self.found = Found(costs)
        self.title = " · ".join(filter(None, (*heading(costs), coverage(costs))))
        self.labels = options.labels
        self._lay_out(folded, options)

    def _lay_out(self, folded: tuple[Repeat, ...], options: Options) -> None:
        """The cards, their placement, the header above them, and the size of all."""
        notes = list(filter(None, (caption(self.view),)))
        if len(self.view.layers) > _TOO_MANY:
            notes.append(_too_large(self.view, bool(folded), options))
        elif folded:
            notes.append(_few(self.view, folded))
        if options.color_by != self.coloring.color_by:
            notes.append("No layer is timed, so fills are by type")
        blocks = folded or repeats(self.view.layers)
        room = _GUESS
        for numbered in (False, True):  # boxes show numbers where flags name them
            cards = Cards(
                self.scene, self.theme, self.coloring, self.found, options.labels, numbered
            )
            self.cards: tuple[Card, ...] = cards.all()
            above = self._header(room, notes)
            self.placement: placement.Placement = placement.place(
                self.scene, self.cards, blocks, above.height + 2 * _MARGIN
            )
            if not self.placement.cut:
                break
            if not numbered:
                notes.append(
                    f"{self.placement.cut} long or returning edges are cut; "
                    "→ 12 at their end names the layer where they go on, 12 → where they come from"
                )
        room = max(self.placement.width, _NARROW)
        # It must be readable in a large picture, too.
        least = _AFAR if options.labels == "large" else 1.0
        self.scale = min(_LARGEST, max(least, max(room, self.placement.height) / _SCREEN))
        self.header: Header = self._header(room / self.scale, notes)
        height = self.header.height * self.scale + self.placement.height + 2 * _MARGIN
        width = room + 2 * _MARGIN
        # Neither side is much shorter than the other.
        width, height = max(width, height * _SQUAT), max(height, width * _SQUAT)
        self.size = round(width), round(height)
        self.left = min((width - self.placement.width) / 2, _MARGIN + _INDENT)

    def _header(self, room: float, notes: Sequence[str]) -> Header:
        rules = self.found.badged(self.view.layers) if self.labels != "large" else ()
        return header(self.scene, self.coloring, self.theme, room, notes, rules)

    def frames(self) -> Iterator[shapes.Frame]:
        """The header, and under it everything else."""
        yield shapes.Frame(_MARGIN, _MARGIN, self.scale, iter(self.header.shapes))
        yield shapes.Frame(self.left, _MARGIN + self.header.height * self.scale, 1.0, self._body())

    def _body(self) -> Iterator[Shape | Group]:
        for panel in self.placement.panels:
            yield from self._panel(panel)
        if self.labels not in ("large", "none"):
            yield from tensor_labels(self.scene, self.cards, self.placement, self.theme.muted)

    def _panel(self, panel: placement.Panel) -> Iterator[Shape | Group]:
        theme = self.theme
        if panel.frame is not None:
            x, y, wide, tall = panel.frame
            outline = theme.marks["layer"].line
            yield shapes.Rect(x, y, wide, tall, "none", 10, outline, 1.2, css="profile")
            words = fit(profile(self.coloring.known, panel.profile), 11, wide - 28, True)
            yield Text(x + 14, y + 16, words, 11, theme.ink, True)
        for bracket in panel.brackets:
            yield from self._bracket(bracket)
        for paths in panel.paths:
            yield self._net(paths)
        for flag in panel.flags:
            yield self._flag(flag)
        for box, corner in panel.boxes.items():
            yield self._box(box, corner)

    def _bracket(self, bracket: placement.Bracket) -> Iterator[Shape]:
        theme, repeat = self.theme, bracket.repeat
        for x, y, wide, tall in bracket.stripes:
            yield shapes.Rect(x, y, wide, tall, theme.group, 7, css="repeat")
        bars: list[Step] = []
        for x, top, bottom in bracket.bars:
            bars += (("M", (x, top)), ("V", (bottom,)))
        yield shapes.Path(tuple(bars), stroke=theme.muted, stroke_width=1.6, round_ends=True)
        if self.labels == "large":
            return
        words = fit(visible(f"{repeat.name} × {len(repeat.blocks)}"), 10, bracket.room, True)
        yield Text(*bracket.at, words, 10, theme.muted, True, "middle", upward=True)

    # ---- edges

    def _color(self, wire: Wire) -> str:
        return self.theme.muted if wire.jump else wire_precision(wire, self.theme).color

    def _net(self, paths: placement.NetPaths) -> Group:
        wires = [self.scene.wires[i] for i in paths.wires]
        color = self._color(wires[0])
        lines: list[Step] = []
        heads: list[Step] = []
        for points in paths.lines:
            lines += _rounded(points)
            heads += _arrow(*points[-1])
        dash: Dash = "dashed" if wires[0].jump else "solid"
        halo = self.theme.paper
        items = (
            shapes.Path(tuple(lines), "none", color, 1.8, dash, halo),
            shapes.Path(tuple(heads), color),
        )
        return Group(items, _tooltip(self._wires(wires)), "wire")

    def _wires(self, wires: Sequence[Wire]) -> Iterator[str]:
        first = wires[0]
        if first.jump:
            yield f"{first.tensor}: control flow, no tensor"
            return
        tensor = first.written or first.read
        yield of_tensor(tensor) if tensor is not None else first.tensor
        for wire in wires[:_NAMED]:
            target = self._named(wire.target)
            way = f", {through(wire.hops)}" if wire.hops else ""
            views = wire.read is not None and (tensor is None or wire.read.dims != tensor.dims)
            read = f", read as {of_tensor(wire.read)}" if views and wire.read is not None else ""
            yield f"to {target}{way}{read}"
        if len(wires) > _NAMED:
            yield f"and to {len(wires) - _NAMED} more"

    def _named(self, box: int) -> str:
        """What a flag or a tooltip calls a box."""
        one = self.scene.boxes[box]
        if one.end is None:
            return str(one.layers[0].index)
        return visible(one.end.name) or "(no name)"

    def _flag(self, flag: placement.Flag) -> Group:
        wires = [self.scene.wires[i] for i in flag.wires]
        size = SMALL - 0.5
        if len(flag.others) == 1:
            name = fit(self._named(flag.others[0]), size, placement.FLAG - 36)
            words = f"→ {name}" if flag.out else f"{name} →"
            lines = self._wires(wires)
        else:
            words = f"+ {len(flag.others)}"
            lines = iter((f"and {', '.join(map(self._named, flag.others[:_OTHERS]))}",))
        wide, color = width(words, size) + 10, self._color(wires[0])
        items = (
            shapes.Rect(
                flag.x, flag.y, wide, placement.FLAG_HEIGHT, self.theme.paper, 3, color, 1.4
            ),
            Text(flag.x + 5, flag.y + 9.6, words, size, self.theme.ink),
        )
        return Group(items, _tooltip(lines), "flag", link=self.scene.boxes[flag.others[0]].id)

    # ---- boxes

    def _box(self, number: int, corner: Point) -> Group:
        box, card = self.scene.boxes[number], self.cards[number]
        (x, y), mark = corner, card.mark
        look = card.fill, card.round, mark.line, mark.width, mark.dash
        items: list[Shape] = [shapes.Rect(x, y, card.width, card.height, *look)]
        items += [text.moved(x, y) for text in card.texts]
        if card.badge:
            items += badge(card.badge, x + card.width + _OVER, y - 2, self.theme)
        if card.rank:
            color = self.theme.heat[-1]
            items.append(shapes.Circle(x, y, 9, color, self.theme.paper, 2))
            on = ink(color, self.theme)
            items.append(Text(x, y + 4.2, str(card.rank), 11, on, True, "middle"))
        return Group(tuple(items), _tooltip(card.title.split("\n")), box.kind, box.id)


def _tooltip(lines: Iterable[str]) -> str:
    """Lines of a tooltip; a line break in a name makes none."""
    return "\n".join(map(visible, lines))


def _arrow(x: float, y: float) -> tuple[Step, ...]:
    """A head that points down at (x, y) and stops short of the box's outline."""
    top = y - _ARROW
    return ("M", (x - 3.4, top)), ("L", (x, y - 0.6)), ("L", (x + 3.4, top)), ("Z", ())


def _rounded(points: Sequence[Point]) -> Iterator[Step]:
    """A line through right-angled corners, rounded where there is space, to the arrow's head."""
    x, y = points[-1]
    points = (*points[:-1], (x, y - 4))
    yield "M", points[0]
    for before, at, after in zip(points, points[1:], points[2:]):
        radius = min(_RADIUS, _length(before, at) / 2, _length(at, after) / 2)
        yield "L", _towards(at, before, radius)
        yield "Q", (*at, *_towards(at, after, radius))
    yield "L", points[-1]


def _length(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _towards(at: Point, other: Point, by: float) -> Point:
    """The point at the distance `by` from `at`, on the way to `other`."""
    (x, y), length = at, _length(at, other) or 1.0
    return x + (other[0] - x) / length * by, y + (other[1] - y) / length * by
