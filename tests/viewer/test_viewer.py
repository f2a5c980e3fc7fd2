"""The page's scripts: their types, their linter, their own tests, and their layout beside Python's.

They need node and what `npm install` puts into this folder; CONTRIBUTING.md says how.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import queries
from program import demand, ran

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.core.text import amount, count, large, milliseconds, percent
from engine_layer_visualize.drawing.folding import Folded, Spacing, fold
from engine_layer_visualize.drawing.routing import route
from engine_layer_visualize.drawing.rows import Rows, layered
from engine_layer_visualize.facts.query import PATTERNS, parse
from engine_layer_visualize.facts.search import Searched
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.page.data import head
from engine_layer_visualize.page.html import data, look

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
        own = {**os.environ, "PATH": path}
        return ran([program, *command[1:]], cwd=HERE, input=given, env=own)

    words = ""
    if shutil.which("npm", path=path) is None or shutil.which("node", path=path) is None:
        words = "node and npm not found: pip install -e '.[viewer]'"
    elif tuple(map(int, re.findall(r"\d+", run("node", "--version").stdout))) < NODE:
        words = "node is too old: pip install -e '.[viewer]'"
    elif not (HERE / "node_modules").is_dir():
        words = "npm install --no-package-lock --no-audit --no-fund was not run in tests/viewer"
    demand(words)
    return run


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


# ---- one language of queries in both -----------------------------------------------------------


def test_scripts_are_tested_with_the_language_of_queries(request: pytest.FixtureRequest) -> None:
    text = json.dumps(look()["search"], indent=1) + "\n"
    golden = HERE / "grammar.json"
    if request.config.getoption("--update-golden"):
        golden.write_text(text, "utf-8")
    assert text.split("\n") == golden.read_text("utf-8").split("\n")


def test_blanks_are_those_of_python() -> None:
    blank = re.compile(PATTERNS["blank"])
    others = [chr(n) for n in range(0x11000) if bool(blank.match(chr(n))) != chr(n).isspace()]
    assert others == []


def of_page(node: Node, engine: Engine, asked: list[str]) -> list[dict[str, Any]]:
    """What the page's scripts answer to queries; of hits the layers."""
    costs = Costs(engine)
    page = {"head": head(costs), "data": data(costs), "grammar": look()["search"]}
    done = node("node", "same_search.js", given=json.dumps({**page, "queries": asked}))
    assert done.returncode == 0, done.stderr[-2000:]
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    layers = len(engine.layers)
    for answer in answers:
        if "found" in answer:
            found = range(layers) if answer["found"] is None else answer["found"]
            answer["found"] = [number for number in found if number < layers]
    return answers


def of_python(searched: Searched, query: str) -> dict[str, Any]:
    try:
        known = parse(query)
    except ReadError as error:
        wrong = error.problem
        at, said = wrong.place.column, wrong.message
        return {"column": at, "message": said, "expected": wrong.expected}
    return {"found": sorted(searched.find(known))}


def test_both_languages_find_the_same(node: Node) -> None:
    """`tests/unit/test_query.py` holds Python to the same table."""
    wrong = [query for query, *_ in queries.ERRORS]
    asked = [*(query for query, _ in queries.CASES), *wrong]
    answers = dict(zip(asked, of_page(node, queries.engine(), asked), strict=True))
    for query, found in queries.CASES:
        assert (query, answers[query]["found"]) == (query, found)
    searched = Searched(Subject(Costs(queries.engine())))
    for query in wrong:
        assert (query, answers[query]) == (query, of_python(searched, query))


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))]
)
def test_both_languages_answer_random_queries_alike(node: Node, seed: int) -> None:
    engine = queries.odd_engine() if seed % 2 else queries.engine()
    asked = queries.made(seed, 3000)
    searched = Searched(Subject(Costs(engine)))
    told = {"found": 0, "column": 0}
    for query, page in zip(asked, of_page(node, engine, asked), strict=True):
        python = of_python(searched, query)
        assert (query, page) == (query, python)
        told[next(iter(python))] += 1
    assert min(told.values()) > 600


@pytest.mark.slow
def test_both_languages_know_which_words_are_near_a_field(node: Node) -> None:
    asked = [f"{word}{rest}" for word in queries.near() for rest in (">1", ":x")]
    searched = Searched(Subject(Costs(queries.engine())))
    answers = of_page(node, queries.engine(), asked)
    assert len(asked) > 8000
    for query, page in zip(asked, answers, strict=True):
        assert (query, page) == (query, of_python(searched, query))


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
    if seed % 3 == 0:  # many boxes read the last of a long chain
        edges += [(n, n + 1) for n in range(19) if count > 60]
        edges += [(19, n) for n in range(20, count)]
        edges = [(u, v) for u, v in dict.fromkeys(edges) if v > 19 or v == u + 1]
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
        "nets": [{**net._asdict(), "lane": net.lane and net.lane._asdict()} for net in rows.nets],
        "gaps": [list(tracks.items()) for tracks in folded.gaps],
        "x": [x for x, _ in folded.places],
        "y": [y for _, y in folded.places],
        "columns": [
            {
                **column._asdict(),
                "slots": sorted(column.slots.items()),
                "gutters": sorted(column.gutters.items()),
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
