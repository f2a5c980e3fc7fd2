"""Writes the page of engines, or of comparisons, in pieces: one HTML file that needs no network.

It holds the style, two data elements for each engine, and the modules of `viewer/` as one script.
No character of a log becomes markup or script.
"""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import Any, Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.groups import Folds, folds, groups
from engine_layer_visualize.analysis.kinds import QUIET, kind_of
from engine_layer_visualize.analysis.scopes import scopes
from engine_layer_visualize.comparison.causes import CHANGES
from engine_layer_visualize.comparison.result import BUILDS_VARY, RUNS_VARY, Comparison
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import DEFAULT, Options, ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.documents import marks
from engine_layer_visualize.drawing import png, theme
from engine_layer_visualize.drawing.rows import layered
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.facts.query import COMPARED, grammar
from engine_layer_visualize.facts.subgraph import View
from engine_layer_visualize.linting import of_profiles
from engine_layer_visualize.page import comparison
from engine_layer_visualize.page.data import EngineColumns, head, memory_words
from engine_layer_visualize.page.findings import findings, roofline, totals
from engine_layer_visualize.page.groups import HIGH, LOW, Insides, scoped

# How the modules of `viewer/` import and export.
_IMPORT: Final = re.compile(r'^import (?:\* as )?([^;"]+) from "\./(\w+)\.js";$', re.MULTILINE)
# Types and other comments, and what makes the scripts' lines readable: a fifth of their size.
_LEFT_OUT: Final = re.compile(
    r"^export |^ */\*\*(?:(?!\*/)(?s:.))*\*/\n|/\*\* @\w+ \{(?:(?!\*/).)*\*/ "
    r"|^ *//.*\n|^\n|^ +|(?<=[;,{]) // [^\"'`\n]*$",
    re.MULTILINE,
)
# Of a style: comments, and blanks that mean nothing; its strings have none after these characters.
_IDLE: Final = re.compile(r"^/\*.*\*/\n|^\n|; (?=\})|(?<=[:;,{]) | (?=\{)|^ +", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?:function|const|class) (\w+)", re.MULTILINE)

# A box in the page's own units, which are pixels at scale 1.
_WIDTH: Final = 232
_FLAG: Final = 74  # beside a box with lines that are too long to be drawn

_ESCAPED: Final = "<>&\u2028\u2029"


def render(view: View, options: Options = DEFAULT) -> Iterator[bytes]:
    """Returns the page of one engine, UTF-8: all of it, whatever the view."""
    return pieces((view.engine,), options)


def pieces(engines: Iterable[Engine], options: Options = DEFAULT) -> Iterator[bytes]:
    """Yields the page of `engines`, which are taken one by one and not kept."""
    yield start(options)
    for engine in engines:
        yield from piece(engine, options)
    yield end()


def start(options: Options = DEFAULT, title: str = "TensorRT engine") -> bytes:
    """Returns the page before the data of the first engine."""
    return document()[0].replace(b"[[title]]", title.encode()) + element("look", look(options))


def piece(engine: Engine, options: Options = DEFAULT) -> Iterator[bytes]:
    """Yields the data elements of one engine."""
    engine = sentences.with_shown_files(engine, options.full_paths)
    costs = Costs(engine, options.optimization_profile, options.peak)
    yield f"<!-- {marks.in_words(engine.source)} -->".encode()
    yield element("engine-head", head(costs))
    yield deflated("engine-data", data(costs))


def end() -> bytes:
    """Returns the page after the data of the last engine."""
    return document()[1]


def of_comparisons(
    comparisons: Sequence[Comparison], problems: Sequence[Problem], options: ReportOptions
) -> Iterator[str]:
    """The page of comparisons, piece by piece."""
    yield start(title="Two TensorRT engines").decode()
    for each in comparisons:
        told = comparison.data(each)
        yield element("comparison-head", told["title"]).decode()
        yield deflated("comparison", told).decode()
    yield end().decode()


def data(costs: Costs) -> dict[str, Any]:
    """Returns all data of an engine."""
    engine = costs.engine
    columns = EngineColumns(costs)
    profile = engine.profile
    profiles = [costs.profile_of(layer) for layer in engine.layers]
    forms, layers = columns.layers()
    insides = Insides(columns)
    all_scopes = scopes(engine.layers, columns.subject.paths)
    boxes = [layer.index for layer in engine.layers if layer.index not in columns.hosts]
    of_layers = groups(engine.layers, profiles, all_scopes)
    folded = folds(of_layers, boxes, len(columns.ends), costs.profile)
    closed = folds(of_layers, boxes, 0, costs.profile, png.MOST_ON_CARD).closed()
    on_card = (each._replace(parent=None, depth=0) for each in closed)
    found = of_profiles(costs)
    own = next(several for known, several in found if known.profile == costs.profile)
    edges = [*columns.edges, *(wire[:3] for wire in insides.wires)]
    return {
        "columns": forms,
        "fields": columns.fields(),
        "layers": layers,
        "records": list(columns.records),
        "memory": memory_words(engine.layers),
        "types": list(map(columns.strings, theme.ranked_types(engine.layers, costs))),
        "times": totals(costs, columns.strings),
        "findings": findings(found, columns.strings),
        "rooflines": [
            roofline(known, columns.subject.work, columns.precision) for known, _ in found
        ],
        "ports": columns.ports(),
        "edges": {
            "from": [source for source, _, _ in edges],
            "to": [target for _, target, _ in edges],
            "tensor": [tensor for _, _, tensor in edges],
            "instead": [wire.edge for wire in insides.wires],
        },
        "jumps": [[jump.source, jump.target] for jump in engine.graph.jumps],
        "layout": _layout(engine, columns, profiles, insides),
        "groups": list(insides.groups(folded)),
        "card": {
            "words": [
                (text.x, text.y, text.words, text.size, text.bold, text.anchor)
                for text in png.card_words(columns.subject, theme.LIGHT, own)
            ],
            "groups": list(insides.groups(Folds(tuple(on_card), frozenset()))),
        },
        "inside": insides.boxes(),
        "scopes": scoped(engine.layers, columns.strings, all_scopes),
        "problems": [
            [problem.severity, problem.code, visible(problem.message), visible(str(problem.place))]
            for problem in engine.problems
        ],
        "profile": profile and visible(profile.file),
        "unmatched": list(map(visible, profile.unmatched_rows)) if profile else [],
        # Now all of them have their numbers.
        "tensors": columns.tensors(),
        "strings": columns.strings.shown(),
    }


def _layout(
    engine: Engine, columns: EngineColumns, profiles: Sequence[int], insides: Insides
) -> dict[str, Any]:
    """Returns rows, slots and lanes; the page folds them into columns itself.

    Optimisation profiles come one below the other: they are copies that share nothing.
    """
    count = len(engine.layers)
    kinds = [*map(kind_of, engine.layers), *(end.kind for end in columns.ends)]
    # Without edges the boxes are a grid, whose cells are equal.
    high = kinds if not columns.edges else ("layer", "opaque")
    heights = [HIGH if each in high else LOW for each in kinds]
    belongs = [*profiles, *(profiles[max(0, min(end.layer, count - 1))] for end in columns.ends)]
    # In order of execution: inputs before their first reader, outputs after their last writer.
    places = [*range(count), *(end.place for end in columns.ends)]
    order = sorted(range(len(places)), key=places.__getitem__)
    row, slot = [0] * len(order), [0] * len(order)
    net_of = [-1] * len(columns.edges)
    gutter: list[int | None] = []
    track: list[int] = []
    top = 0
    for profile in sorted(set(profiles)):
        nodes = [node for node in order if belongs[node] == profile]
        place = {node: number for number, node in enumerate(nodes)}
        own = [n for n, (a, b, _) in enumerate(columns.edges) if a in place and b in place]
        edges = [columns.edges[number] for number in own]
        rows = layered(
            [(_WIDTH, heights[node]) for node in nodes],
            [(place[a], place[b]) for a, b, _ in edges],
            [columns.edge_names[number] for number in own],
            flag=_FLAG,
            serial=True,
        )
        for node, box in zip(nodes, rows.nodes):
            row[node], slot[node] = top + box.row, box.slot
        for number, net in zip(own, rows.nets_of):
            net_of[number] = net + len(gutter) if net >= 0 else -1
        gutter += [net.lane.gutter if net.lane else None for net in rows.nets]
        track += [net.lane.track if net.lane else 0 for net in rows.nets]
        top += rows.depth
    inner = list(insides.layout())
    return {
        "width": _WIDTH,
        "flag": _FLAG,
        "height": [*heights, *(height for height, _, _ in inner)],
        "row": [*row, *(row for _, row, _ in inner)],
        "slot": [*slot, *(slot for _, _, slot in inner)],
        "netOf": net_of,
        "gutter": gutter,
        "track": track,
    }


@cache
def document() -> tuple[bytes, bytes]:
    """Returns the page before and after its data elements."""
    style, script = _parts()
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "font-src data:; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    text = _source("index.html")
    for mark, part in (("policy", escape(policy)), ("style", style), ("script", script)):
        text = text.replace(f"[[{mark}]]", part)
    before, _, after = text.partition("[[data]]")
    return before.encode(), after.encode()


@cache
def digests() -> tuple[str, str]:
    """Returns the hashes of the page's script and style."""
    style, script = _parts()
    return _digest(script), _digest(style)


def _parts() -> tuple[str, str]:
    """Returns the style and the script of the page."""
    style = theme.font_face() + _IDLE.sub("", _source("page.css"))
    joined = "".join(scripts("main", {}).values())
    # No text is measured before the font is there.
    loaded = f"document.fonts.load('13px \"{theme.FAMILY}\"')"
    return style, f'{loaded}.finally(() => {{\n"use strict";\nconst modules = {{}};\n{joined}}});\n'


def _source(name: str) -> str:
    """Returns a file of `viewer/`."""
    folder = resources.files("engine_layer_visualize.page") / "viewer"
    return (folder / name).read_text("utf-8")


def scripts(name: str, joined: dict[str, str]) -> dict[str, str]:
    """Returns `joined`, with the module `name` after what it imports.

    A module becomes a function that is called once; what it exports is kept in `modules`.
    """
    source = _source(f"{name}.js")
    for _, imported in _IMPORT.findall(source):
        if imported not in joined:
            scripts(imported, joined)
    exports = ", ".join(_EXPORT.findall(source))
    body = _LEFT_OUT.sub("", _IMPORT.sub(r"const \1 = modules.\2;", source))
    joined[name] = f"modules.{name} = (() => {{\n{body}return {{ {exports} }};\n}})();\n"
    return joined


def _digest(text: str) -> str:
    """Returns the hash by which the page's policy allows a script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def deflated(name: str, value: object) -> bytes:
    """Returns data of the page, deflated: a third of its size."""
    data = base64.b64encode(zlib.compress(_json(value).encode())).decode()
    return f'<script type="application/octet-stream" class="{name}">{data}</script>\n'.encode()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def element(name: str, value: object) -> bytes:
    """Returns data of the page: nothing in it ends the element, is markup, or ends a line."""
    text = _json(value)
    for character in _ESCAPED:  # five times faster than `translate`
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json" class="{name}">{text}</script>\n'.encode()


# ---- what all engines of a page look like --------------------------------------------------------

_HEAT_STEPS: Final = 64  # few fills are drawn faster than many


def look(options: Options = DEFAULT) -> dict[str, Any]:
    """Returns the themes as data; `first` is the one asked for, None: that of the system."""
    return {
        "light": _theme(theme.LIGHT),
        "dark": _theme(theme.DARK),
        "first": "dark" if options.theme == "dark" else None,
        "quiet": sorted(QUIET),
        "color": options.color_by,
        "search": grammar(),
        "pair": {
            "fields": {name: field._asdict() for name, field in COMPARED.items()},
            "tones": [tone.words for tone in comparison.palette(theme.LIGHT, timed=True)],
            "untimed": [tone.words for tone in comparison.palette(theme.LIGHT, timed=False)],
            "same": comparison.SAME,
            "speeds": comparison.SPEEDS,
            "vary": [RUNS_VARY, BUILDS_VARY],
            "changes": {change: CHANGES[change] for change in comparison.CHANGED},
        },
    }


def _theme(own: theme.Theme) -> dict[str, Any]:
    dark = own is theme.DARK
    heats = [theme.heat(step / _HEAT_STEPS, own) for step in range(_HEAT_STEPS + 1)]
    types = own.type_fills  # of the first of an engine's `types`, the last of the rest
    precisions = [theme.tint(entry.color, own) for entry in own.entries]
    marks = (mark.fill for mark in own.marks.values())
    fills = (*heats, *types, *precisions, *marks)
    return {
        "css": {  # of the style sheet and the canvas, by the names of its variables
            "paper": own.paper,
            "ink": own.ink,
            "muted": own.muted,
            "line": theme.mix(own.paper, own.ink, 0.16 if dark else 0.12),
            "hover": theme.mix(own.paper, own.ink, 0.06),
            "group": own.group,
            "block": theme.mix(own.group, own.ink, 0.05 if dark else 0.035),
            "accent": own.precisions[2 if dark else 1].color,
            "warn": own.marks["unresolved"].line,
            "onwarn": theme.ink(own.marks["unresolved"].line, own),
            "hot": theme.heat(0.45, own),
        },
        "heat": heats,
        "ticks": list(theme.ticks(1.0)),  # of the legend, as parts of its largest value
        "types": list(own.kinds),
        "tones": [tone[:2] for tone in comparison.palette(own, timed=True)],
        "fills": {"types": types, "precisions": precisions},
        "inks": {fill: theme.ink(fill, own) for fill in fills},
        "precisions": [entry[:2] for entry in own.entries],
        "marks": own.marks,  # each as a list
    }
