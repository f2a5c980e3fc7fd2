"""One run, six outputs, one set of numbers: JSON, summary, table, picture, page and dot."""

import csv
import html as markup
import io
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from factories import engine_of
from logtext import chose, exported, file_of, listing_of, timed
from paths import fixture_logs, profiles_of
from program import Program
from rendered import page_data
from totals import MOVES, contradictions, outputs

from engine_layer_visualize.analysis.costs import HOTTEST
from engine_layer_visualize.api.draw import render
from engine_layer_visualize.core.text import milliseconds, percent
from engine_layer_visualize.drawing import theme as style
from engine_layer_visualize.facts.sentences import total

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Run:
    """What each output says of one engine, as it was read back."""

    json: dict[str, Any]
    summary: dict[str, Any]
    table: list[dict[str, str]]
    header: str  # of the picture
    boxes: dict[int, list[str]]  # texts of the picture's boxes
    tips: dict[int, str]
    legend: list[str]
    head: dict[str, Any]  # of the page
    page: dict[str, Any]
    title: str  # of dot
    labels: dict[int, str]

    def text(self, number: int) -> str | None:
        """A text of the page."""
        return None if number < 0 else self.page["strings"][number]

    @property
    def now(self) -> dict[str, Any]:
        """The page's optimisation profile."""
        shown: dict[str, Any] = self.page["times"]["profiles"][self.page["times"]["shown"]]
        return shown

    @property
    def own(self) -> list[int]:
        """Layers of that optimisation profile."""
        shown = self.page["times"]["shown"]
        return [n for n, at in enumerate(self.page["layers"]["profile"]) if at == shown]


def picture(text: str) -> tuple[str, dict[int, list[str]], dict[int, str], list[str]]:
    root = ElementTree.fromstring(text)
    header, body = root.findall(f"{SVG}g")
    boxes: dict[int, list[str]] = {}
    tips: dict[int, str] = {}
    for group in body.iter(f"{SVG}g"):
        if match := re.fullmatch(r"layer_(\d+)", group.get("id", "")):
            boxes[int(match[1])] = [found.text or "" for found in group.findall(f"{SVG}text")]
            tips[int(match[1])] = group.findtext(f"{SVG}title") or ""
    texts = list(header.iter(f"{SVG}text"))
    scale = (found for found in texts if found.get("text-anchor") == "middle")
    legend = [found.text or "" for found in scale if found.get("font-weight") is None]
    return " ".join(found.text or "" for found in texts), boxes, tips, legend


def plain(label: str) -> str:
    return " ".join(markup.unescape(re.sub(r"<[^>]*>", " ", label)).split())


def dot(text: str) -> tuple[str, dict[int, str]]:
    nodes = re.finditer(r'^layer_(\d+) \[label=<(.*?)>, tooltip="', text, re.MULTILINE)
    title = re.search(r"^label=<(.*)>;$", text, re.MULTILINE)
    assert title is not None
    return plain(title[1]), {int(node[1]): plain(node[2]) for node in nodes}


def given(profiles: Iterable[Path]) -> list[str]:
    return [f"--profile_file={path}" for path in profiles]


def runs(log: Path, folder: Path, here: Program, *more: str, times: Iterable[Path]) -> list[Run]:
    """Every engine of a log, by all outputs; none where there is nothing to draw."""
    words = [log, *more, *given(times)]
    formats = ("--format", "json,svg,html,dot", "--output_dir", folder)
    if here("draw", *words, *formats).returncode > 1:
        assert list(folder.iterdir()) == []
        return []
    summaries = json.loads(here("summary", *words, "--format", "json").stdout)["engines"]
    rows = list(csv.DictReader(io.StringIO(here("layers", *words, "--format", "csv").stdout)))
    [page] = folder.glob("*.html")
    text = page.read_text("utf-8")
    found = []
    for summary, head, data in zip(
        summaries, page_data(text, "engine-head"), page_data(text, "engine-data"), strict=True
    ):
        index = summary["engine"]["index"]
        stem = folder / f"EngineLayers_{index}"
        drawn, graph = (stem.with_suffix(f".{end}").read_text("utf-8") for end in ("svg", "dot"))
        header, boxes, tips, legend = picture(drawn)
        title, labels = dot(graph)
        check_ends(graph, drawn, data)
        table = [row for row in rows if row["engine"] == str(index)]
        facts = json.loads(stem.with_suffix(".json").read_text("utf-8"))
        read_back = (header, boxes, tips, legend, head, data, title, labels)
        found.append(Run(facts, summary, table, *read_back))
    return found


def check_ends(dot: str, svg: str, page: dict[str, Any]) -> None:
    """Every drawing has the same inputs, outputs and tensors without another side."""
    ends = "|".join(("input", "output", "unresolved", "unused"))
    dot_ids = re.findall(rf"^((?:{ends})_\d+) \[label=", dot, re.MULTILINE)
    strings, ports = page["strings"], page["ports"]
    words = [
        kind if (kind := strings[number]) != "port" else "input" if entry else "output"
        for number, entry in zip(ports["kind"], ports["entry"])
    ]
    assert sorted(re.findall(rf'<g id="((?:{ends})_\d+)"', svg)) == sorted(dot_ids)
    assert sorted(id.partition("_")[0] for id in dot_ids) == sorted(words)


def close(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def sums(rows: Iterable[tuple[str, float | None]]) -> dict[str, tuple[int, float | None]]:
    groups: dict[str, list[float | None]] = defaultdict(list)
    for name, ms in rows:
        groups[name].append(ms)
    known = {name: [ms for ms in all_ if ms is not None] for name, all_ in groups.items()}
    return {n: (len(ms), math.fsum(known[n]) if known[n] else None) for n, ms in groups.items()}


def number(cell: str) -> float | None:
    return float(cell) if cell else None


def check(run: Run) -> None:
    """All that is counted, in all outputs."""
    engine, now, time = run.summary["engine"], run.now, run.json["engine"]["time"]
    layers = run.json["layers"]
    # Totals and what they cover.
    assert close(time["total_ms"], engine["total_ms"]) and close(now["ms"], time["total_ms"])
    assert (time["timed"], time["kind"]) == (engine["timed"], engine["times"])
    timed = sum(row[2] for row in now["types"])  # what the page shows of it, type by type
    assert (timed, run.page["times"]["kind"]) == (time["timed"], time["kind"])
    said = "no " if time["total_ms"] is None else total(time["total_ms"])
    assert said in run.header and said in run.title
    assert time["total_ms"] is None or said in now["total"]
    if engine["timed"]:
        assert engine["coverage"] in run.header and engine["coverage"] in run.title
        assert now["coverage"] in ("", engine["coverage"])
    # How many of what.
    assert len(layers) == engine["layers"] == run.head["layers"] == len(run.table)
    assert len(run.boxes) == len(run.labels) == len(layers) == len(run.page["layers"]["name"])
    edges = [e for e in run.json["edges"] if e["from"] is not None and e["to"] is not None]
    assert len(edges) == engine["edges"] == run.head["edges"]
    words = f"{len(edges):,} edge{'' if len(edges) == 1 else 's'} "
    assert words in run.header and words in run.title
    assert engine["reformats"] == sum(layer["type"] in MOVES for layer in layers)
    moves = [n for n in run.own if layers[n]["type"] in MOVES]
    assert len(moves) == len(run.summary["reformats"])
    assert re.match(rf"{len(moves) or 'none'}\b", now["reformats"])
    counted = [str(len(moves))] if moves else []
    for text in (run.header, run.title):
        assert re.findall(r"(?<![\d.])(\d+) reformats?\b(?! or)", text) == counted
    # Each layer.
    for n, row in enumerate(run.table):
        ms, share = number(row["ms"]), number(row["share"])
        assert close(ms, run.page["layers"]["ms"][n])
        assert close(share and float(f"{share:.6g}"), run.page["layers"]["share"][n])
        if time["kind"] == "measured":
            assert close(ms, layers[n]["time"] and layers[n]["time"]["average_ms"])
        missing = n in run.page["layers"]["missing"]
        plain_box = run.text(run.page["layers"]["kind"][n]) in ("layer", "reformat")
        for text in (" ".join(run.boxes[n]), run.labels[n]):
            assert ("not timed" in text) == (missing and plain_box)
            assert ms is None or milliseconds(ms) in text
            assert share is None or percent(share) in text
    # Sums.
    own = [run.table[n] for n in run.own]
    for key in ("type", "precision"):
        told = {row[key] or "": row for row in run.summary[f"{key}s"]}
        page = {run.text(row[0]) or "": row for row in now[f"{key}s"]}
        cells = sums((row[key].removeprefix("'"), number(row["ms"])) for row in own)
        assert set(told) == set(page)
        for name, row in told.items():
            assert [row["layers"], row["timed"]] == page[name][1:3]
            assert close(row["ms"], page[name][3]) and close(row["share"], page[name][4])
            if name in cells:  # but for what the table spells
                assert row["layers"] == cells[name][0] and close(row["ms"], cells[name][1])
        assert sum(row["layers"] for row in told.values()) == len(own) == now["layers"]
        assert close(math.fsum(row["ms"] or 0.0 for row in told.values()), time["total_ms"] or 0.0)
    precisions(run)
    # All of it, or words on the rest.
    shares = [float(row["share"]) for row in own if row["share"]]
    rounded = 1e-6 + 0.0005 * len(shares)  # a printed percentage has one digit
    if time["total_ms"] and not math.isclose(math.fsum(shares), 1.0, abs_tol=rounded):
        assert "time is not theirs" in engine["coverage"] and engine["coverage"] in run.header
    elif engine["timed"] and not engine["ranked"]:
        for text in (run.header, run.title, now["of"]):
            assert engine["share_of"] in text
            assert "Slowest" not in text and "lowest:" not in text


_SHARE = r"\S+ <?[\d.]+ %"


def precisions(run: Run) -> None:
    """The sentence of picture and dot."""
    rows = {row["precision"] or "unknown": row["share"] for row in run.summary["precisions"]}
    timed = bool(run.summary["engine"]["total_ms"])
    for text in (run.header, run.title):
        if (found := re.search(rf"Precision by [^:]+: ({_SHARE}(?:, {_SHARE})*)", text)) is None:
            assert not run.own
            continue
        told = re.findall(r"(\S+) (<?[\d.]+ %)", found[1])
        assert told
        for name, share in told:
            if timed and name != "others":
                assert share == percent(rows[name])


@pytest.mark.parametrize(
    ("log", "times"),
    [(log, own) for log in fixture_logs() for own in dict.fromkeys(((), tuple(profiles_of(log))))],
    ids=lambda value: value.name if isinstance(value, Path) else "profile" if value else "alone",
)
def test_outputs_agree(log: Path, times: tuple[Path, ...], tmp_path: Path, here: Program) -> None:
    found = runs(log, tmp_path, here, times=times)
    assert found or log.parent.name in ("broken", "cases")
    for run in found:
        check(run)


TUNED = timed("conv", "CaskConvolution", (5, 0.25)) + chose("CaskConvolution", 5)
LISTED = """\
[V] [TRT] Engine Layer Information:
Layer(CaskConvolution): conv, Tactic: 5, x[Float(1,3,8,8)] -> t[Float(1,4,8,8)]
Layer(NoOp): squeeze, Tactic: 0, t[Float(1,4,8,8)] -> u[Float(4,8,8)]
Layer(Reformat): move, Tactic: 0, u[Float(4,8,8)] -> y[Half(4,8,8)]
"""
One = Callable[..., Run]


@pytest.fixture
def one(tmp_path: Path, here: Program) -> One:
    """The run of a log's text, with times of layers."""

    def run(text: str, ms: dict[str, float], *more: str) -> Run:
        times = file_of(tmp_path, exported(*ms.items()), "net.json")
        [found] = runs(file_of(tmp_path, text), tmp_path / "out", here, *more, times=[times])
        return found

    return run


def test_a_profile_of_another_engine_leaves_the_estimates(one: One) -> None:
    run = one(TUNED + LISTED, {"elsewhere": 1.0})
    check(run)
    assert run.json["engine"]["time"]["kind"] == "estimated"
    for text in (run.header, run.title, run.now["total"], " ".join(run.boxes[0]), run.labels[0]):
        assert "250 µs" in text and "≈" in text
    assert "= 0 µs" not in run.header and "· 0 µs" not in run.header
    assert "estimates, not measured" in run.header and "estimates, not measured" in run.title


def test_a_tooltip_is_the_same_in_dot_and_in_the_picture() -> None:
    engine = engine_of(LISTED, facts=True)  # without these DOT has no findings
    _, _, tips, _ = picture(render(engine, "svg").decode())
    [of_dot] = re.findall(r'^layer_2 \[.*tooltip="(.*?)"', render(engine, "dot").decode(), re.M)
    lines = tips[2].split("\n")
    assert lines[2].startswith("why: `squeeze` writes Float")
    assert [markup.unescape(line) for line in of_dot.split("\\n")] == lines


def test_a_part_is_not_called_the_whole(one: One) -> None:
    run = one(listing_of("c0", "c1", "c2", "c3"), {"c0": 0.5, "far": 9.5}, "--force")
    check(run)
    for text in (run.header, run.title, run.now["coverage"]):
        assert "1 of 4 layers timed" in text
        assert "95.0 % of the profile's time is not theirs" in text
    for text in (run.header, run.title):
        assert "lowest" not in text and "5.0 % of the profile" in text
    assert "5.0 % of the profile" in run.tips[0]
    assert not run.now["ranked"] and run.now["of"] == "of the profile"


def test_the_legend_ends_at_the_slowest_box(one: One) -> None:
    run = one(LISTED, {"conv": 0.75, "move": 0.25})
    assert run.legend[0] == "0 µs" and run.legend[-1] == "750 µs"
    names = [f"c{n}" for n in range(50)]
    run = one(listing_of(*names), dict.fromkeys(names, 0.1))
    assert run.legend[-1] == "100 µs"
    assert run.page["times"]["hottest"] == HOTTEST
    assert style.contrast(style.heat(0.02 / HOTTEST), "#ffffff") < 1.6  # looks light


@pytest.mark.parametrize("log", fixture_logs(), ids=lambda path: path.name)
def test_reports_say_one_number(log: Path, tmp_path: Path, here: Program) -> None:
    words = [str(log), *given(profiles_of(log))]
    for index, said in outputs(words, tmp_path, here).items():
        assert said["title"].layers is not None
        assert not contradictions(said), f"engine {index}"
