"""Holds what drawings look like: colours, marks, the heat scale, the font; and fills their boxes.

Fills are by time, type or precision, and so are the scale and the keys of the legend, for DOT, SVG
and the page.
"""

import base64
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import QUIET, Kind, kind_of
from engine_layer_visualize.analysis.precisions import UNKNOWN, precision_of
from engine_layer_visualize.core.limits import sum_of_known
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.options import ColorBy
from engine_layer_visualize.core.text import milliseconds, percent
from engine_layer_visualize.trt.types import canonical

Dash = Literal["solid", "dashed", "dotted"]
# The font that SVG and pages embed: a part of IBM Plex Sans, which PNG has whole. `docs/font.py`
# makes `sans.woff2`, from regular to bold, and `widths.json`, what the layout measures texts with.
FAMILY: Final = "Engine Sans"
# Of the heat scale: the top two steps differ visibly, and 1 % still differs from nothing.
_POWER: Final = 0.8


class Precision(NamedTuple):
    """An entry of the legend: data types that share a colour."""

    label: str
    color: str
    dtypes: tuple[str, ...] = ()  # as listings name them


class NodeMark(NamedTuple):
    """How one kind of node looks."""

    words: str  # its entry of the legend, empty where it needs none
    line: str  # the colour of its outline
    fill: str  # without heat
    dash: Dash = "solid"
    width: float = 1.0


class Theme(NamedTuple):
    """All colours of a drawing."""

    families: str  # a CSS list: the first font that is there is used
    paper: str
    ink: str
    muted: str
    inks: tuple[str, str, str]  # dark, white, and the darkest for the few fills between them
    heat: tuple[str, ...]  # stops of one hue, from nothing to the most
    precisions: tuple[Precision, ...]
    other: Precision
    unknown: Precision
    marks: dict[Kind, NodeMark]
    group: str  # behind the layers of one optimisation profile
    kinds: tuple[str, ...]  # of layer types, the costliest first; the last is of all others
    slower: str = "#d55e00"  # the ends of the scale of speed-ups: vermillion and blue of Okabe-Ito
    faster: str = "#0072b2"

    @property
    def entries(self) -> tuple[Precision, ...]:
        """All entries that a legend of precisions can have, in order."""
        return (*self.precisions, self.other, self.unknown)

    @property
    def type_fills(self) -> tuple[str, ...]:
        """A fill for each of the first types of layers; the last one is for all others."""
        return tuple(tint(color, self) for color in self.kinds)

    def precision(self, dtype: str | None) -> Precision:
        """Returns the entry of the legend of a data type; the set of those is open."""
        if dtype is None or dtype == UNKNOWN:
            return self.unknown
        name = canonical(dtype)
        return next((entry for entry in self.precisions if name in entry.dtypes), self.other)

    def in_use(self, dtypes: Iterable[str | None]) -> tuple[Precision, ...]:
        """Returns the entries of the legend of the data types that occur, each once."""
        known = set(map(self.precision, set(dtypes)))
        return tuple(entry for entry in self.entries if entry in known)

    def to_explain(self, kinds: Collection[Kind]) -> tuple[NodeMark, ...]:
        """Returns the marks of the kinds that occur, without those that need no entry."""
        return tuple(m for name, m in self.marks.items() if name in kinds and m.words)


# Okabe-Ito without its yellow (too pale for a line) and vermillion (too near to the heat).
_PRECISIONS: Final = (
    Precision("Float", "#5a5f66", ("Float",)),
    Precision("Half", "#0072b2", ("Half",)),
    Precision("BFloat16", "#56b4e9", ("BFloat16",)),
    Precision("Int8", "#009e73", ("Int8",)),
    Precision("FP8", "#e69f00", ("FP8",)),
    Precision("FP4, Int4", "#cc79a7", ("FP4", "Int4")),
    Precision("Int32, Int64", "#8c6d31", ("Int32", "Int64")),
    Precision("Bool, UInt8", "#b39ddb", ("Bool", "UInt8")),
)

# Those that are too dark on dark paper.
_PALER: Final = {"Float": "#aab0b9", "Half": "#4aa3e0", "BFloat16": "#8fd0f5", "Int8": "#1fc797"}

LIGHT: Final = Theme(
    families="IBM Plex Sans,Helvetica,Arial,sans-serif",
    paper="#ffffff",
    ink="#1b2027",
    muted="#555d68",
    inks=("#1b2027", "#ffffff", "#000000"),
    heat=("#fdf9f4", "#f9d3bf", "#ee9173", "#d6452f", "#8f0f16"),
    precisions=_PRECISIONS,
    other=Precision("another type", "#a3a8ae"),
    unknown=Precision("unknown", "#c9ccd1"),
    marks={
        "layer": NodeMark("", "#8b9099", "#ffffff"),
        "reformat": NodeMark("reformat or no-op", "#b4b9c0", "#ffffff", "dashed"),
        "constant": NodeMark("", "#e3e5e8", "#f4f5f6"),
        "opaque": NodeMark("record that could not be read", "#c77700", "#fff3d1", width=2.0),
        "hidden": NodeMark("reformat not listed", "#7b828c", "#ffffff", "dotted", 1.3),
        "port": NodeMark("", "#1b2027", "#ffffff", width=1.3),
        "unresolved": NodeMark(
            "read, but no listed layer writes it", "#c77700", "#fff3d1", "dashed"
        ),
        "unused": NodeMark("written, but no listed layer reads it", "#b4b9c0", "#ffffff", "dotted"),
        "stub": NodeMark("goes on outside this picture", "#8b9099", "#ffffff", "dotted"),
    },
    group="#f3f5f8",
    # Okabe-Ito, mixed with the paper.
    kinds=("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b3a000", "#7a7f87"),
)

_MARKS_ON_DARK: Final[dict[Kind, tuple[str, str]]] = {  # colours of outlines and fills
    "layer": ("#6b7480", "#1b2027"),
    "reformat": ("#5a626d", "#181d23"),
    "constant": ("#343b45", "#1d2229"),
    "opaque": ("#e69f00", "#3a2c0c"),
    "hidden": ("#7b828c", "#181d23"),
    "port": ("#e9ecf1", "#14181e"),
    "unresolved": ("#e69f00", "#3a2c0c"),
    "unused": ("#5a626d", "#181d23"),
    "stub": ("#8b95a1", "#181d23"),
}

DARK: Final = LIGHT._replace(
    paper="#14181e",
    ink="#e9ecf1",
    muted="#a3acb8",
    inks=("#ffffff", "#0b0e12", "#000000"),
    heat=("#20262e", "#4b2a26", "#86382b", "#d4553a", "#ffb199"),
    precisions=tuple(p._replace(color=_PALER.get(p.label, p.color)) for p in _PRECISIONS),
    other=Precision("another type", "#6f7782"),
    unknown=Precision("unknown", "#565d67"),
    marks={
        kind: LIGHT.marks[kind]._replace(line=line, fill=fill)
        for kind, (line, fill) in _MARKS_ON_DARK.items()
    },
    group="#1b2129",
    slower="#f08a3c",
    faster="#4aa3e0",
)


def _channels(color: str) -> bytes:
    return bytes.fromhex(color[1:])


@lru_cache(maxsize=4096)
def _luminance(color: str) -> float:
    """Returns the relative luminance of WCAG, 0 to 1."""
    parts = [channel / 255 for channel in _channels(color)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    """Returns the WCAG contrast of two `#rrggbb` colours, 1 to 21."""
    dark, light = sorted((_luminance(a), _luminance(b)))
    return (light + 0.05) / (dark + 0.05)


def heat(part: float, theme: Theme = LIGHT) -> str:
    """Returns the fill for a part, from 0 to 1, of what has the hottest colour."""
    place = min(1.0, max(0.0, part)) ** _POWER if part == part else 0.0
    step = place * (len(theme.heat) - 1)
    low = min(int(step), len(theme.heat) - 2)
    return mix(theme.heat[low], theme.heat[low + 1], step - low)


def ticks(most: float) -> tuple[float, ...]:
    """Returns the ticks of the heat scale, from 0 to `most`, at even steps of colour."""
    return (*(most * (step / 5) ** (1 / _POWER) for step in range(5)), most)


def mix(a: str, b: str, part: float) -> str:
    """Returns colour `a` with `part` (0 to 1) of `b`."""
    mixed = [round(x + (y - x) * part) for x, y in zip(_channels(a), _channels(b))]
    return f"#{bytes(mixed).hex()}"


def ink(fill: str, theme: Theme = LIGHT) -> str:
    """Returns a text colour that can be read on `fill` (at least 4.5 : 1)."""
    # Of black and white, which are among them, one always can.
    return next(color for color in theme.inks if contrast(color, fill) >= 4.5)


@cache
def font_face() -> str:
    """Returns the rule of CSS that has the font."""
    data = resources.files(__package__).joinpath("sans.woff2").read_bytes()
    return (
        f'@font-face{{font-family:"{FAMILY}";font-weight:400 700;'
        f"src:url(data:font/woff2;base64,{base64.b64encode(data).decode()})}}"
    )


@cache
def font_widths(bold: bool) -> dict[str, int]:
    """Returns the width of each of its characters in thousandths of the size."""
    text = resources.files(__package__).joinpath("widths.json").read_text("utf-8")
    known: dict[str, dict[str, int]] = json.loads(text)
    return known["700" if bold else "400"]


# ---- the fills of boxes --------------------------------------------------------------------------

_TINT: Final = 0.55  # of paper in a fill that stands for a type or a precision


class Coloring:
    """Costs and fills of one drawing."""

    def __init__(
        self, known: Costs, theme: Theme, color_by: ColorBy, layers: Sequence[Layer]
    ) -> None:
        """Takes the layers that are drawn."""
        self.known, self.theme, self.color_by, self._layers = known, theme, color_by, layers
        self._types = ranked_types(layers, known) if color_by == "type" else ()
        fills, last = theme.type_fills, len(theme.kinds) - 1
        self._fill_of = {name: fills[min(n, last)] for n, name in enumerate(self._types)}
        shares = [known.share(layer) or 0.0 for layer in layers] if color_by == "time" else []
        self._most = max(shares, default=0.0)  # the largest share of a layer
        # The share that has the hottest colour.
        self._top = max(self._most, known.top)
        # The time of the layer with the largest share.
        self._ms = self.costs((layers[shares.index(self._most)],)) if self._most else None

    def costs(self, layers: Sequence[Layer]) -> float | None:
        """Returns the sum of the known times in ms; None where none is known."""
        return self.known.sum(layers)

    def share(self, layers: Sequence[Layer]) -> float | None:
        """Returns their share of their optimisation profile's time, 0 to 1; None where unknown."""
        return sum_of_known(map(self.known.share, layers))

    def cost_words(self, layers: Sequence[Layer]) -> tuple[str, str]:
        """Returns share and time as texts; both are empty if unknown."""
        time, share = self.costs(layers), self.share(layers)
        took = "" if time is None else self.about(time)
        if time is None and share is None:
            runs = kind_of(layers[0]) in ("layer", "reformat")
            return "", "not timed" if runs and all(map(self.known.missing, layers)) else ""
        return "" if share is None else percent(share), took

    def about(self, ms: float) -> str:
        """Returns a time in words, marked where it is an estimate."""
        return f"≈ {milliseconds(ms)}" if self.known.estimated else milliseconds(ms)

    def fill(self, layer: Layer) -> str:
        """Returns the fill of a layer's box."""
        kind, share = kind_of(layer), self.known.share(layer)
        if layer.raw is None:
            if self.color_by == "time" and share is not None and self._top:
                return heat(share / self._top, self.theme)
            if self.color_by == "type" and kind not in QUIET:
                return self._fill_of[layer.type]
            if self.color_by == "precision":
                return tint(self.theme.precision(precision_of(layer)).color, self.theme)
        return self.theme.marks[kind].fill

    def hottest(self, layers: Sequence[Layer]) -> str:
        """Returns the fill of the one of these layers that takes the largest share."""
        return self.fill(max(layers, key=lambda layer: self.known.share(layer) or 0.0))

    @property
    def words(self) -> str:
        """Says what the fill stands for."""
        estimated = self.color_by == "time" and self.known.estimated
        return "builder's estimate, not measured" if estimated else self.color_by

    def scale(self) -> tuple[tuple[str, str], ...]:
        """Returns the colours in use, each with the value that it stands for.

        The last is the slowest layer's own. Without times there are none.
        """
        if self._ms is None:
            return ()
        values = ticks(self._most)
        if len(self.known.profiles) > 1:  # a share is of the layer's own: no time is for all
            words = list(map(percent, values))
        else:
            words = [milliseconds(value / self._most * self._ms) for value in values]
        return tuple(zip((heat(value / self._top, self.theme) for value in values), words))

    def keys(self) -> tuple[tuple[str, str], ...]:
        """Returns the colours in use, each with what it stands for, where the fill is no scale."""
        if self.color_by == "type":
            names, fills = self._types, self.theme.type_fills
            if len(names) > len(fills):
                names = (*names[: len(fills) - 1], "other types")
            return tuple(zip(fills, names))
        if self.color_by != "precision":
            return ()
        entries = self.theme.in_use(map(precision_of, self._layers))
        return tuple((tint(entry.color, self.theme), entry.label) for entry in entries)


def ranked_types(layers: Iterable[Layer], costs: Costs) -> tuple[str, ...]:
    """Returns the types that get a fill, the costliest or else the most frequent first.

    Reformats, no-ops, constants and unreadable records have a look of their own.
    """
    weights: dict[str, float] = defaultdict(float)
    for layer in layers:
        if kind_of(layer) == "layer":
            weights[layer.type] += 1.0 if costs.kind is None else costs.share(layer) or 0.0
    return tuple(sorted(weights, key=lambda name: (-weights[name], name)))


def tint(color: str, theme: Theme) -> str:
    """Returns the fill of a box for a colour that stands for a type or a precision."""
    return mix(color, theme.paper, _TINT)
