"""The page's scripts: their types, their linter, their own tests, and their layout beside Python's.

They need node and what `npm install` puts into this folder; docs/viewer.md says how.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import queries

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.query import parse
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.core.text import amount, count, large, milliseconds, percent
from engine_layer_visualize.outputs.html.data import head
from engine_layer_visualize.outputs.html.page import data, look
from engine_layer_visualize.outputs.layout import Folded, Rows, Spacing, fold, layered, route

HERE = Path(__file__).resolve().parent
WIDTH, FLAG = 232.0, 74.0
NODE = (20, 19)  # as package.json says
Node = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def node() -> Node:
    """Runs `node …` or `npm …` here, those of Python's environment first. Where they are missing
    the tests are left out, but never in CI."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])

    def run(*command: str, given: str = "") -> subprocess.CompletedProcess[str]:
        program = shutil.which(command[0], path=path) or command[0]
        return subprocess.run(
            [program, *command[1:]],
            cwd=HERE,
            input=given,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": path},
        )

    words = ""
    if shutil.which("npm", path=path) is None or shutil.which("node", path=path) is None:
        words = "node and npm not found: pip install -e '.[viewer]'"
    elif (found := run("node", "--version").stdout.strip()) and _number(found) < NODE:
        words = f"node {found} is too old: pip install -e '.[viewer]'"
    elif not (HERE / "node_modules").is_dir():
        words = "npm install --no-package-lock --no-audit --no-fund was not run in tests/viewer"
    if words and os.environ.get("CI"):
        pytest.fail(words)
    if words:
        pytest.skip(words)
    return run


def _number(version: str) -> tuple[int, ...]:
    """`v20.19.1` -> (20, 19, 1)."""
    return tuple(map(int, version.removeprefix("v").split(".")))


@pytest.mark.parametrize("script", ["types", "lint", "test"])
def test_the_scripts_pass_their_own_checks(node: Node, script: str) -> None:
    done = node("npm", "run", "--silent", script)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


# ---- one table of numbers, for both languages --------------------------------------------------

WRITERS: dict[str, Callable[[Any], str]] = {
    "milliseconds": milliseconds,
    "percent": percent,
    "bytes": amount,
    "large": large,
    "count": lambda number: count(number, "layer"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_python_writes_the_numbers_of_the_table(name: str) -> None:
    """`numbers.test.js` holds the page's scripts to the same table."""
    cases = json.loads((HERE / "numbers.json").read_text("utf-8"))
    assert set(cases) == set(WRITERS)
    assert [[value, WRITERS[name](value)] for value, _ in cases[name]] == cases[name]


# ---- one grammar of queries, for both languages ------------------------------------------------


def test_both_languages_find_the_same(node: Node) -> None:
    """`tests/unit/test_query.py` holds Python to the same table."""
    costs = Costs(queries.engine())
    layers = len(costs.engine.layers)
    asked = [query for query, *_ in (*queries.CASES, *queries.ERRORS, *queries.REGEXES)]
    page = {"head": head(costs), "data": data(costs), "grammar": look()["search"]}
    done = node("node", "same_search.js", given=json.dumps({**page, "queries": asked}))
    assert done.returncode == 0, done.stderr[-2000:]
    answers = dict(zip(asked, json.loads(done.stdout), strict=True))
    for query, found in queries.CASES:
        nodes = answers[query]["found"]
        own = range(layers) if nodes is None else [node for node in nodes if node < layers]
        assert (query, list(own)) == (query, found)
    for query, column, message in queries.ERRORS:
        assert answers[query]["column"] == column
        assert answers[query]["message"].startswith(message)
        with pytest.raises(ReadError) as caught:
            parse(query)
        assert answers[query]["expected"] == caught.value.problem.expected
    for query, regex in queries.REGEXES:
        assert answers[query]["regex"] == regex


# ---- one arrangement in both languages ---------------------------------------------------------


def network(seed: int) -> tuple[list[tuple[float, float]], list[tuple[int, int]], list[int]]:
    """Boxes in order, edges between them, and the net of each: long ones and backward ones too."""
    pick = random.Random(seed)
    count = pick.choice([1, 2, 5, 30, 120])
    sizes = [(WIDTH, pick.choice([26.0, 46.0])) for _ in range(count)]
    edges = [(n, n + 1) for n in range(count - 1) if pick.random() < 0.85]
    for _ in range(count // 2):
        first = pick.randrange(count)
        far = pick.choice([2, 3, 8, 40])
        edges.append((first, min(count - 1, first + pick.randint(1, far))))
        if pick.random() < 0.05:
            edges.append((first, pick.randrange(first + 1)))
    edges = [edge for edge in dict.fromkeys(edges) if edge[0] != edge[1]]
    return sizes, edges, [pick.randrange(2) for _ in edges]


def arranged(seed: int) -> tuple[Rows, Folded, list[tuple[int, int]]]:
    sizes, edges, nets = network(seed)
    rows = layered(sizes, edges, nets, serial=bool(seed % 2), flag=FLAG)
    aspect = random.Random(seed).choice([0.3, 1.0, 1.6, 4.0])
    return rows, fold(rows, aspect, spacing=Spacing(slot=18.0)), edges


def given(rows: Rows, folded: Folded, edges: list[tuple[int, int]]) -> dict[str, Any]:
    """What the page's data would hold of it, and the columns that Python chose."""
    return {
        "layout": {
            "width": WIDTH,
            "flag": FLAG,
            "height": [node.height for node in rows.nodes],
            "row": [node.row for node in rows.nodes],
            "slot": [node.slot for node in rows.nodes],
            "netOf": rows.nets_of,
            "gutter": [net.lane.gutter if net.lane else None for net in rows.nets],
            "track": [net.lane.track if net.lane else 0 for net in rows.nets],
        },
        "edges": edges,
        "breaks": [column.last for column in folded.columns],
    }


def expected(rows: Rows, folded: Folded, edges: list[tuple[int, int]]) -> dict[str, Any]:
    paths: list[list[float] | None] = [None] * len(edges)
    for one in route(folded, tuple(edges)):
        paths[one.edge] = [value for point in one.points for value in point]
    return {
        "nets": [
            {"source": net.source, "readers": net.readers, "lane": net.lane and net.lane._asdict()}
            for net in rows.nets
        ],
        "gaps": [list(tracks.items()) for tracks in folded.gaps],
        "x": [x for x, _ in folded.at],
        "y": [y for _, y in folded.at],
        "columns": [
            {
                "first": column.first,
                "last": column.last,
                "left": column.left,
                "right": column.right,
                "slots": [list(pair) for pair in sorted(column.slots.items())],
                "gutters": [list(pair) for pair in sorted(column.gutters.items())],
                "turns": column.turns,
                "passage": column.passage,
                "foot": column.foot,
            }
            for column in folded.columns
        ],
        "width": folded.width,
        "height": folded.height,
        "paths": paths,
    }


def test_both_languages_place_boxes_and_edges_alike(node: Node) -> None:
    cases = [arranged(seed) for seed in range(60)]
    done = node("node", "same_layout.js", given=json.dumps([given(*case) for case in cases]))
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert sum(len(case[1].columns) > 1 for case in cases) > 20
    for seed, (case, one) in enumerate(zip(cases, found, strict=True)):
        wanted = json.loads(json.dumps(expected(*case)))
        assert set(one) == set(wanted)
        for key, value in wanted.items():
            assert one[key] == value, (seed, key)
