"""Engine -> SVG, drawn by ourselves: the chain folded into columns.

takes: an `Engine`, or a View of one
gives: SVG as UTF-8: every name in it is text, and whole in a `title`
never: needs a font, a program or a package, or lets a character of a name mean anything to XML
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from engine_layer_visualize.analysis.repeated_blocks import MANY, Repeat, alike, repeats
from engine_layer_visualize.analysis.subgraph import View
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.outputs.coloring import Colouring
from engine_layer_visualize.outputs.options import DEFAULT, Options
from engine_layer_visualize.outputs.picture.node_cards import SMALL, Card, Cards, Text
from engine_layer_visualize.outputs.picture.placement import (
    FLAG,
    FLAG_HEIGHT,
    Bracket,
    Flag,
    Panel,
    Path,
    Point,
    Sheet,
    sheet,
)
from engine_layer_visualize.outputs.picture.scene import Scene, Wire, scene
from engine_layer_visualize.outputs.picture.shape_labels import Label, shape_labels
from engine_layer_visualize.outputs.picture.text_width import fit, width
from engine_layer_visualize.outputs.picture.title_legend import Header, Sign, header, wire_precision
from engine_layer_visualize.outputs.said import coverage, heading, profile, shown
from engine_layer_visualize.outputs.theme import DARK, LIGHT, Dash, Theme, ink
from engine_layer_visualize.outputs.tooltips import of_tensor, through

_MARGIN: Final = 28.0
_NARROW: Final = 620.0  # a header is never narrower
_SCREEN: Final = 1700.0  # wide; on a larger sheet the header is larger
_LARGEST: Final = 2.4
_RADIUS: Final = 6.0
_TOLD: Final = 6  # readers of a tensor that its tooltip names
_DASHES: Final[dict[Dash, str]] = {"solid": "", "dashed": "5 3", "dotted": "1.5 2.5"}


def render(view: View, format: str, options: Options = DEFAULT) -> Iterator[bytes]:
    """The drawing of `view` as SVG, UTF-8."""
    if format != "svg":
        raise ValueError(f"not a format of this module: {format}")
    return (piece.encode("utf-8") for piece in _Drawing(view, options).svg())


def draw(view: View, options: Options = DEFAULT) -> str:
    """The drawing of a view as SVG."""
    return "".join(_Drawing(view, options).svg())


def size(text: str) -> tuple[float, float]:
    """Width and height of a drawing of ours."""
    wide, tall = text.partition('viewBox="0 0 ')[2].partition('"')[0].split()
    return float(wide), float(tall)


def remarks(view: View) -> tuple[Problem, ...]:
    """What to tell whoever asked for this drawing: that it is too large to be read."""
    if len(view.layers) <= MANY:
        return ()
    listing = view.engine.source
    said = _too_large(view, bool(_folded(view)))
    return (Problem(Place(listing.file, listing.first_line), "ELV504", said),)


def _folded(view: View) -> tuple[Repeat, ...]:
    return alike(view.layers) if len(view.layers) > MANY else ()


def _too_large(view: View, folded: bool) -> str:
    how = "repeated blocks are shown once, times summed" if folded else "nothing in it repeats"
    return (
        f"{len(view.layers):,} layers are too many for one picture: {how}. "
        "See a part with --query REGEX or --around LAYER --radius N, or all with --format html"
    )


@dataclass(frozen=True, slots=True)
class _Placed:
    sheet: Sheet
    cards: tuple[Card, ...]
    header: Header
    scale: float  # of the header, which must be read on a large sheet, too
    labels: tuple[Label, ...]
    width: float
    height: float


class _Drawing:
    def __init__(self, view: View, options: Options) -> None:
        self.view = view
        self.options = options
        self.theme: Theme = DARK if options.theme == "dark" else LIGHT
        folded = _folded(view)
        self.scene: Scene = scene(view, folded)
        self.repeats = folded or repeats(view.layers)
        self.colouring = Colouring(view, self.theme, options)
        self.colouring.heated([box.layers for box in self.scene.boxes if box.layers])
        self.placed = self._placed(bool(folded))

    def _placed(self, folded: bool) -> _Placed:
        notes = list(filter(None, (shown(self.view),)))
        if len(self.view.layers) > MANY:
            notes.append(_too_large(self.view, folded))
        room = 1400.0
        for numbered in (False, True):  # boxes bear numbers where flags name them
            cards = Cards(self.scene, self.theme, self.colouring, self.options.labels, numbered)
            drawn = tuple(cards.card(box) for box in self.scene.boxes)
            above = header(self.scene, self.colouring, self.theme, room, notes)
            placed = sheet(self.scene, drawn, self.repeats, above.height + 2 * _MARGIN)
            if not placed.cut:
                break
            if not numbered:
                notes.append(
                    f"{placed.cut} long or returning edges are cut; "
                    "→ 12 at their end names the layer where they go on, 12 → where they come from"
                )
        room = max(placed.width, _NARROW)
        scale = min(_LARGEST, max(1.0, max(room, placed.height) / _SCREEN))
        above = header(self.scene, self.colouring, self.theme, room / scale, notes)
        height = above.height * scale + placed.height + 2 * _MARGIN
        wide = room + 2 * _MARGIN
        # A strip is no picture.
        wide, height = max(wide, height * 0.55), max(height, wide * 0.55)
        labels: tuple[Label, ...] = ()
        if self.options.labels != "none":
            labels = shape_labels(self.scene, drawn, placed)
        return _Placed(placed, drawn, above, scale, labels, wide, height)

    # ---- the file

    def svg(self) -> Iterator[str]:
        placed, theme = self.placed, self.theme
        families = escape(theme.families.replace(",", ", "))
        size = f"{placed.width:.0f} {placed.height:.0f}"
        yield (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" '
            f'width="{placed.width:.0f}" height="{placed.height:.0f}" font-family="{families}">\n'
            f"<title>{escape(self._name())}</title>\n"
            f'<rect width="{placed.width:.0f}" height="{placed.height:.0f}" '
            f'fill="{theme.paper}"/>\n'
        )
        scale = f" scale({placed.scale:.3f})" if placed.scale > 1 else ""
        yield f'<g transform="translate({_MARGIN:g} {_MARGIN:g}){scale}">\n'
        yield from self._header(placed.header)
        yield "</g>\n"
        x = (placed.width - placed.sheet.width) / 2
        x = min(x, _MARGIN + 60)
        y = _MARGIN + placed.header.height * placed.scale
        yield f'<g transform="translate({_n(x)} {_n(y)})">\n'
        for panel in placed.sheet.panels:
            yield from self._panel(panel)
        for label in placed.labels:
            yield _text(Text(label.x, label.y, label.words, label.size, theme.muted))
        yield "</g>\n</svg>\n"

    def _name(self) -> str:
        costs = self.colouring.known
        return " · ".join(filter(None, (*heading(costs), coverage(costs))))

    def _header(self, above: Header) -> Iterator[str]:
        for sign in above.signs:
            yield self._sign(sign)
        for text in above.texts:
            yield _text(text)

    def _sign(self, sign: Sign) -> str:
        if sign.shape == "line":
            dash = _dash(sign.dash)
            return (
                f'<path d="M{_n(sign.x)} {_n(sign.y)}h{_n(sign.width)}" fill="none" '
                f'stroke="{sign.color}" stroke-width="3"{dash}/>\n'
            )
        tall, outline = 15.0, ""
        if sign.shape == "box":
            tall, outline = 14.0, f' rx="2" stroke="{self.theme.marks["layer"].line}"'
        return (
            f'<rect x="{_n(sign.x)}" y="{_n(sign.y - tall / 2)}" width="{_n(sign.width)}" '
            f'height="{_n(tall)}" fill="{sign.color}"{outline}/>\n'
        )

    def _panel(self, panel: Panel) -> Iterator[str]:
        theme = self.theme
        if panel.frame is not None:
            x, y, wide, tall = panel.frame
            yield (
                f'<rect class="profile" x="{_n(x)}" y="{_n(y)}" width="{_n(wide)}" '
                f'height="{_n(tall)}" rx="10" fill="none" stroke="{theme.marks["layer"].line}" '
                'stroke-width="1.2"/>\n'
            )
            words = fit(profile(self.colouring.known, panel.profile), 11, wide - 28, True)
            yield _text(Text(x + 14, y + 16, words, 11, theme.ink, True))
        for bracket in panel.brackets:
            yield from self._bracket(bracket)
        for path in panel.paths:
            yield from self._path(path)
        for flag in panel.flags:
            yield self._flag(flag)
        for box, corner in panel.boxes.items():
            yield from self._box(box, corner)

    def _bracket(self, bracket: Bracket) -> Iterator[str]:
        theme, repeat = self.theme, bracket.repeat
        for x, y, wide, tall in bracket.stripes:
            yield (
                f'<rect class="repeat" x="{_n(x)}" y="{_n(y)}" width="{_n(wide)}" '
                f'height="{_n(tall)}" rx="7" fill="{theme.group}"/>\n'
            )
        bars = "".join(f"M{_n(bar.x)} {_n(bar.top)}V{_n(bar.bottom)}" for bar in bracket.bars)
        yield (
            f'<path d="{bars}" fill="none" stroke="{theme.muted}" stroke-width="1.6" '
            'stroke-linecap="round"/>\n'
        )
        words = fit(visible(f"{repeat.name} × {len(repeat.blocks)}"), 10, bracket.room, True)
        x, y = bracket.at
        yield (
            f'<text transform="translate({_n(x)} {_n(y)}) rotate(-90)" font-size="10" '
            f'font-weight="700" text-anchor="middle" fill="{theme.muted}">{escape(words)}</text>\n'
        )

    # ---- wires

    def _path(self, path: Path) -> Iterator[str]:
        theme = self.theme
        wires = [self.scene.wires[i] for i in path.wires]
        first = wires[0]
        color = theme.muted if first.jump else wire_precision(first, theme).color
        dash = ' stroke-dasharray="5 3"' if first.jump else ""
        lines = "".join(_rounded((*line[:-1], _above(line[-1]))) for line in path.lines)
        heads = "".join(_arrow(line[-1]) for line in path.lines)
        yield (
            f'<g class="wire"><title>{_title(self._wires(wires))}</title>'
            f'<path d="{lines}" fill="none" stroke="{theme.paper}" stroke-width="4.5"/>'
            f'<path d="{lines}" fill="none" stroke="{color}" stroke-width="1.8"{dash}/>'
            f'<path d="{heads}" fill="{color}"/></g>\n'
        )

    def _wires(self, wires: Sequence[Wire]) -> Iterator[str]:
        first = wires[0]
        if first.jump:
            yield f"{first.tensor}: control flow, no tensor"
            return
        told = first.written or first.read
        yield of_tensor(told) if told is not None else first.tensor
        for wire in wires[:_TOLD]:
            target = self._named(wire.target)
            way = f", {through(wire.hops)}" if wire.hops else ""
            views = wire.read is not None and (told is None or wire.read.dims != told.dims)
            read = f", read as {of_tensor(wire.read)}" if views and wire.read is not None else ""
            yield f"to {target}{way}{read}"
        if len(wires) > _TOLD:
            yield f"and to {len(wires) - _TOLD} more"

    def _named(self, box: int) -> str:
        """What a flag or a tooltip calls a box."""
        one = self.scene.boxes[box]
        if one.end is None:
            return str(one.layers[0].index)
        return visible(one.end.name) or "(no name)"

    def _flag(self, flag: Flag) -> str:
        theme = self.theme
        wire = self.scene.wires[flag.wires[0]]
        color = theme.muted if wire.jump else wire_precision(wire, theme).color
        room = FLAG - 22.0
        if len(flag.others) == 1:
            name = fit(self._named(flag.others[0]), SMALL - 0.5, room - 14)
            words = f"→ {name}" if flag.out else f"{name} →"
        else:
            words = f"+ {len(flag.others)}"
        wide = width(words, SMALL - 0.5) + 10
        lines = list(self._wires([self.scene.wires[i] for i in flag.wires]))
        if len(flag.others) > 1:
            lines = [f"and {', '.join(self._named(other) for other in flag.others[:40])}"]
        text = _text(Text(flag.x + 5, flag.y + 9.6, words, SMALL - 0.5, theme.ink))
        target = self.scene.boxes[flag.others[0]].id
        return (
            f'<a href="#{target}" class="flag"><title>{_title(lines)}</title>'
            f'<rect x="{_n(flag.x)}" y="{_n(flag.y)}" width="{_n(wide)}" '
            f'height="{_n(FLAG_HEIGHT)}" rx="3" fill="{theme.paper}" stroke="{color}" '
            f'stroke-width="1.4"/>{text}</a>\n'
        )

    # ---- boxes

    def _box(self, number: int, corner: Point) -> Iterator[str]:
        box, card = self.scene.boxes[number], self.placed.cards[number]
        x, y = corner
        told = _title(card.title.split("\n"))
        yield (
            f'<g id="{box.id}" class="{box.kind}"><title>{told}</title>'
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(card.width)}" height="{_n(card.height)}" '
            f'rx="{card.round:g}" fill="{card.fill}" stroke="{card.mark.line}" '
            f'stroke-width="{card.mark.width:g}"{_dash(card.mark.dash)}/>'
        )
        for text in card.texts:
            yield _text(
                Text(
                    x + text.x,
                    y + text.y,
                    text.words,
                    text.size,
                    text.color,
                    text.bold,
                    text.anchor,
                )
            ).rstrip()
        if card.rank:
            yield self._badge(card.rank, x, y)
        yield "</g>\n"

    def _badge(self, rank: int, x: float, y: float) -> str:
        color = self.theme.heat[-1]
        text = _text(Text(x, y + 4.2, str(rank), 11, ink(color, self.theme), True, "middle"))
        return (
            f'<circle cx="{_n(x)}" cy="{_n(y)}" r="9" fill="{color}" '
            f'stroke="{self.theme.paper}" stroke-width="2"/>{text.rstrip()}'
        )


# ---------------------------------------------------------------- XML


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _title(lines: Iterable[str]) -> str:
    """Lines of a tooltip; a line break in a name makes none."""
    return escape("\n".join(map(visible, lines)))


def _text(text: Text) -> str:
    weight = ' font-weight="700"' if text.bold else ""
    anchor = f' text-anchor="{text.anchor}"' if text.anchor != "start" else ""
    return (
        f'<text x="{_n(text.x)}" y="{_n(text.y)}" font-size="{text.size:g}"{weight}{anchor} '
        f'fill="{text.color}">{escape(visible(text.words))}</text>\n'
    )


def _dash(dash: Dash) -> str:
    return f' stroke-dasharray="{_DASHES[dash]}"' if dash != "solid" else ""


def _above(point: Point) -> Point:
    return point[0], point[1] - 4


def _arrow(point: Point) -> str:
    x, y = point
    return f"M{_n(x - 3.4)} {_n(y - 6.5)}L{_n(x)} {_n(y - 0.6)}L{_n(x + 3.4)} {_n(y - 6.5)}Z"


def _rounded(points: Sequence[Point]) -> str:
    """A path through right-angled corners, which are rounded where there is room."""
    out = [f"M{_n(points[0][0])} {_n(points[0][1])}"]
    for before, at, after in zip(points, points[1:], points[2:]):
        radius = min(_RADIUS, _length(before, at) / 2, _length(at, after) / 2)
        a, b = _towards(at, before, radius), _towards(at, after, radius)
        out.append(f"L{_n(a[0])} {_n(a[1])}Q{_n(at[0])} {_n(at[1])} {_n(b[0])} {_n(b[1])}")
    out.append(f"L{_n(points[-1][0])} {_n(points[-1][1])}")
    return "".join(out)


def _length(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _towards(at: Point, other: Point, by: float) -> Point:
    length = _length(at, other)
    if length == 0:
        return at
    return (
        at[0] + (other[0] - at[0]) / length * by,
        at[1] + (other[1] - at[1]) / length * by,
    )
