"""The page: one HTML file that needs nothing but a browser.

takes: engines, one after the other
gives: pieces of one document: style, a data element for each engine, the script
never: asks for a network, or lets a character of a log become markup or script

The sources of the page are the files in `viewer/`; they are joined here as they stand.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from html import escape
from importlib import resources
from typing import Any, Final

from engine_layer_visualize.errors import visible
from engine_layer_visualize.graph import optimization_profiles
from engine_layer_visualize.layout import layered
from engine_layer_visualize.model import Engine
from engine_layer_visualize.style import LIGHT, Theme, kind
from engine_layer_visualize.writers.html_data import Columns, base, head

FORMATS: Final = ("html",)

# In this order: a file may use what stands before it.
SCRIPTS: Final = (
    "dom", "numbers", "palette", "engine", "rows", "fold", "route", "grid", "camera", "text",
    "scene", "paint", "minimap", "search", "links", "panel", "overview", "table", "legend",
    "printing", "main",
)  # fmt: skip

# A box in the page's own units, which are pixels at scale 1.
WIDTH: Final = 232
_HEIGHTS: Final = {"layer": 46, "opaque": 46, "port": 26, "unresolved": 26, "unused": 26}
_LOW: Final = 26
_FLAG: Final = 74  # beside a box with lines that are too long to be drawn

_ESCAPES: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def render(engine: Engine, format: str = "html") -> bytes:
    """The page of one engine, UTF-8."""
    if format not in FORMATS:
        raise ValueError(f"not a format of this writer: {format}")
    return b"".join(pieces((engine,)))


def pieces(engines: Iterable[Engine]) -> Iterator[bytes]:
    """The page of `engines`, which are taken one by one and not kept."""
    yield start()
    for engine in engines:
        yield from piece(engine)
    yield end()


def start() -> bytes:
    """What stands before the first engine."""
    return _document()[0]


def piece(engine: Engine) -> Iterator[bytes]:
    """One engine's data elements."""
    yield _element("engine-head", head(engine))
    yield _element("engine-data", data(engine))


def end() -> bytes:
    """What stands after the last one."""
    return _document()[1]


def data(engine: Engine, theme: Theme = LIGHT) -> dict[str, Any]:
    """All that the page knows of an engine."""
    columns = Columns(engine, theme)
    profile = engine.profile
    found: dict[str, Any] = {
        "layers": columns.layers(),
        "ports": columns.ports(),
        "edges": {
            "from": [edge[0] for edge in columns.edges],
            "to": [edge[1] for edge in columns.edges],
            "tensor": [edge[2] for edge in columns.edges],
        },
        "jumps": columns.jumps(),
        "layout": _layout(engine, columns),
        "groups": _groups(engine),
        "problems": [
            [problem.severity, problem.code, visible(problem.message), problem.place.line]
            for problem in engine.problems
        ],
        "profile": profile
        and {
            "file": base(profile.file),
            "matched": profile.matched,
            "rows": profile.rows,
            "unmatched": list(map(visible, profile.unmatched_rows)),
            "untimed": len(profile.untimed_layers),
        },
    }
    found["tensors"] = columns.tensors()
    found["strings"] = columns.strings.shown()
    return found


def _layout(engine: Engine, columns: Columns) -> dict[str, Any]:
    """Rows, slots and lanes; the page folds them into columns itself."""
    count = len(engine.layers)
    kinds = [*map(kind, engine.layers), *(end.kind for end in columns.ends)]
    heights = [_HEIGHTS.get(each, _LOW) for each in kinds]
    order = _order(count, columns)
    place = [0] * len(order)
    for at, node in enumerate(order):
        place[node] = at
    rows = layered(
        [(float(WIDTH), float(heights[node])) for node in order],
        [(place[source], place[target]) for source, target, _ in columns.edges],
        columns.nets,
        flag=float(_FLAG),
    )
    nodes = [rows.nodes[at] for at in place]
    return {
        "width": WIDTH,
        "flag": _FLAG,
        "height": heights,
        "row": [node.row for node in nodes],
        "slot": [node.slot for node in nodes],
        "netOf": list(rows.nets_of),
        "gutter": [None if net.lane is None else net.lane.gutter for net in rows.nets],
        "track": [0 if net.lane is None else net.lane.track for net in rows.nets],
    }


def _order(count: int, columns: Columns) -> list[int]:
    """The nodes in order of execution: inputs before their first reader, outputs after."""
    before: dict[int, list[int]] = {}
    after: dict[int, list[int]] = {}
    for number, end in enumerate(columns.ends):
        (before if end.entry else after).setdefault(end.layer, []).append(count + number)
    return [
        node
        for layer in range(count)
        for node in (*before.get(layer, ()), layer, *after.get(layer, ()))
    ]


def _groups(engine: Engine) -> list[dict[str, Any]]:
    """What can be folded away: the optimisation profiles where there are several."""
    profiles = optimization_profiles(engine.layers)
    found = sorted(set(profiles))
    if len(found) < 2:
        return []
    return [
        {
            "label": f"optimisation profile {k}",
            "nodes": spans([n for n, profile in enumerate(profiles) if profile == k]),
        }
        for k in found
    ]


def spans(numbers: list[int]) -> list[int]:
    """Ascending numbers as start, length, start, length …"""
    flat: list[int] = []
    for number in numbers:
        if flat and number == flat[-2] + flat[-1]:
            flat[-1] += 1
        else:
            flat += (number, 1)
    return flat


# ---------------------------------------------------------------- the document


@cache
def _document() -> tuple[bytes, bytes]:
    """What stands before the data elements, and after them."""
    style = _source("page.css")
    script = '(() => {\n"use strict";\n' + "\n".join(map(_script, SCRIPTS)) + "\n})();\n"
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    page = _source("index.html")
    for mark, text in (("policy", escape(policy)), ("style", style), ("script", script)):
        before, found, after = page.partition(f"[[{mark}]]")
        if not found:
            raise ValueError(f"index.html has no place for the {mark}")
        page = before + text + after
    before, _, after = page.partition("[[data]]")
    start = before.encode() + _element("look", look())
    return start, after.encode()


def _source(name: str) -> str:
    folder = resources.files("engine_layer_visualize.writers") / "viewer"
    return (folder / name).read_text("utf-8")


def _script(name: str) -> str:
    return _source(f"{name}.js")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _element(name: str, value: object) -> bytes:
    """Data of the page: nothing in it can end the element, be markup, or be a line's end."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.translate(_ESCAPES)
    return f'<script type="application/json" class="{name}">{text}</script>\n'.encode()


# ---------------------------------------------------------------- colours


def look() -> dict[str, Any]:
    """The themes as data: the page has no palette of its own."""
    return {"light": _theme(LIGHT), "dark": _theme(_DARK), "types": list(_TYPES)}


def _theme(theme: Theme) -> dict[str, Any]:
    order = (*theme.precisions, theme.other, theme.untold)
    return {
        "paper": theme.paper,
        "ink": theme.ink,
        "muted": theme.muted,
        "inks": list(theme.inks),
        "heat": list(theme.heat),
        "group": theme.group,
        "precisions": [[entry.label, entry.color] for entry in order],
        "marks": {
            name: [mark.words, mark.line, mark.fill, mark.dash, mark.width]
            for name, mark in theme.marks.items()
        },
    }


_TYPES: Final = (
    "#0072b2", "#009e73", "#e69f00", "#cc79a7", "#56b4e9", "#8c6d31", "#7b61c4", "#b0b5bc",
)  # fmt: skip
_DARK: Final = replace(
    LIGHT,
    paper="#15181d",
    ink="#e8eaed",
    muted="#9aa3af",
    inks=("#f2f4f6", "#101317", "#ffffff"),
    heat=("#20242b", "#54302c", "#9c3f2c", "#e0623a", "#ffc48a"),
    precisions=tuple(
        replace(entry, color=color)
        for entry, color in zip(
            LIGHT.precisions,
            (
                "#9aa1ab",
                "#4a9fdc",
                "#8fd0f5",
                "#2fc295",
                "#f0b429",
                "#e39cc3",
                "#c29c55",
                "#c9b6ee",
            ),
        )
    ),
    other=replace(LIGHT.other, color="#6d747d"),
    untold=replace(LIGHT.untold, color="#565d66"),
    marks={
        name: replace(mark, line=line, fill=fill)
        for (name, mark), (line, fill) in zip(
            LIGHT.marks.items(),
            (
                ("#5b636e", "#20242b"),
                ("#59616b", "#15181d"),
                ("#3a4049", "#1b1f25"),
                ("#e6a23c", "#3a2f17"),
                ("#7b828c", "#15181d"),
                ("#c9ced6", "#15181d"),
                ("#e6a23c", "#3a2f17"),
                ("#59616b", "#15181d"),
            ),
        )
    },
    group="#1c2027",
)
