"""The command `history`: steps and noise, builds that are not comparable, bad files, formats."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from functools import partial
from itertools import pairwise
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import made_search
import pytest
from escaping.poison import POISON
from paths import ROOT

from engine_layer_visualize import cli
from engine_layer_visualize.comparison.history.steps import LEAST_BUILDS, steps
from engine_layer_visualize.writers import HISTORIES
from fuzz import budget
from gate import made_builds

Capture = pytest.CaptureFixture[str]
MEASURED = (0.004, 0.011)  # how far medians of public runs lie apart, as a standard deviation


def noisy(draw: Random, number: int, noise: float, by: float = 0.0, at: int = 0) -> list[float]:
    return [2.0 * (1 + draw.gauss(0, noise)) * (1 + by * (n >= at)) for n in range(number)]


def told(capsys: Capture, *words: object, code: int = 0) -> str:
    assert cli.main(["history", *map(str, words)]) == code
    return capsys.readouterr().out


def document(capsys: Capture, *words: object, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told(capsys, *words, "-f", "json", code=code))
    return found


def changed(path: Path, **values: Any) -> Path:
    """The snapshot with other values."""
    kept = json.loads(path.read_text("utf-8"))
    kept["snapshot"] |= values
    path.write_text(json.dumps(kept), "utf-8")
    return path


# ---- steps ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("noise", MEASURED)
@pytest.mark.parametrize("number", [10, 25, 100])
def test_noise_has_no_step(noise: float, number: int) -> None:
    draw = Random(number)
    wrong = sum(bool(steps(noisy(draw, number, noise))) for _ in range(300))
    sys.stdout.write(f"\n{number} builds, noise {noise}: {wrong} of 300 have a step")
    assert wrong <= 1


def outliers(draw: Random, number: int) -> list[float]:
    return [ms * (1 + 0.15 * (draw.random() < 0.08)) for ms in noisy(draw, number, 0.004)]


def two_kernels(draw: Random, number: int) -> list[float]:
    return [ms * (1 + 0.04 * (draw.random() < 0.5)) for ms in noisy(draw, number, 0.003)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [outliers, two_kernels])
@pytest.mark.parametrize("number", [25, 100])
def test_builds_that_differ_from_themselves_have_no_step(kind: Any, number: int) -> None:
    """One of 12 is slow by chance; or the autotuner takes now one kernel, now another."""
    draw = Random(number)
    wrong = sum(bool(steps(kind(draw, number))) for _ in range(300))
    sys.stdout.write(f"\n{kind.__name__}, {number} builds: {wrong} of 300 have a step")
    assert wrong <= 6


@pytest.mark.slow
@pytest.mark.parametrize("noise", MEASURED)
@pytest.mark.parametrize("by", [0.03, 0.05, 0.10])
@pytest.mark.parametrize("at", [5, 10, 20])
def test_a_step_is_found_at_its_place(noise: float, by: float, at: int) -> None:
    """Ten builds after it."""
    draw, places, found = Random(at), Counter[int](), 0
    for _ in range(100):
        each = [step.place - at for step in steps(noisy(draw, at + 10, noise, by, at))]
        found += bool(each)
        places.update(each)
    sys.stdout.write(f"\n+{by:.0%} at {at}, noise {noise}: {found} of 100, {dict(places)}")
    small = by / (noise * sqrt(1 / at + 1 / 10)) < 8.5
    assert found >= (15 if small else 93)
    assert sum(number for off, number in places.items() if abs(off) <= 1) >= 0.9 * found


def test_a_slow_time_between_is_two_steps() -> None:
    draw = Random(1)
    times = noisy(draw, 20, 0.004) + noisy(draw, 8, 0.004, 0.08) + noisy(draw, 20, 0.004)
    found = steps(times)
    assert [step.place for step in found] == [20, 28]
    assert found[0].change == pytest.approx(0.08, abs=0.01) and found[1].change < 0
    low, high = found[0].interval or (0, 0)
    assert low < 0.08 < high


def test_what_is_too_short_or_too_small_is_no_step() -> None:
    assert steps([]) == steps([1.0]) == []
    assert steps([1.0] * 20) == []
    assert steps([1.0] * (LEAST_BUILDS - 1) + [2.0] * 20) == []  # one slow run may be an outlier
    assert steps([1.0] * 10 + [1.005] * 10) == []  # runs of one engine lie so far apart
    assert [step.place for step in steps([1.0] * 3 + [2.0] * 3)] == [3]


def test_the_time_grows_with_the_builds() -> None:
    budget.linear(lambda number: partial(steps, noisy(Random(1), number, 0.011)), 2_000, 20_000)


# ---- the command ---------------------------------------------------------------------------------


def test_a_step_is_told_with_what_came_with_it(tmp_path: Path, capsys: Capture) -> None:
    (found,) = document(capsys, *made_builds.write(tmp_path))["histories"]
    (step,) = found["steps"]
    assert (step["build"], step["until"]) == (made_builds.STEP, None)
    assert step["change"] == pytest.approx(0.054, abs=0.005)
    assert step["tensorrt"] == ["8.5.1", "10.3.0"] and step["reformats"] == [1, 2]
    assert {module["module"] for module in step["modules"]} == {"/block1", "/stem"}
    with_step = [module["name"] for module in found["modules"] if module["steps"]]
    assert with_step == ["/block1", "/stem"]
    assert found["reformats"] == [{"build": made_builds.STEP, "before": 1, "after": 2}]
    assert [build["label"] for build in found["builds"]] == list(made_builds.LABELS)


def test_builds_without_a_step(tmp_path: Path, capsys: Capture) -> None:
    text = told(capsys, *made_builds.write(tmp_path, slower=0.0))
    assert "No step: in 16 builds no change is larger than noise" in text
    few = told(capsys, *made_builds.write(tmp_path, 4))
    assert "Of a step nothing can be told: 4 builds with a time, 6 are needed" in few


def test_the_order_is_that_of_the_numbers_or_the_given_one(tmp_path: Path, capsys: Capture) -> None:
    paths = made_builds.write(tmp_path, 11, labels=())
    by_shell = sorted(paths)
    assert by_shell[1].name == "build10.snapshot.json"
    (found,) = document(capsys, *by_shell)["histories"]
    assert [build["label"] for build in found["builds"]] == [f"build{n}" for n in range(1, 12)]
    given = [paths[3], paths[0], paths[2]]
    (found,) = document(capsys, *given)["histories"]
    assert [build["label"] for build in found["builds"]] == ["build4", "build1", "build3"]


def test_what_is_not_comparable_is_another_history(tmp_path: Path, capsys: Capture) -> None:
    paths = made_builds.write(tmp_path, 9)
    conditions = json.loads(paths[0].read_text("utf-8"))["snapshot"]["conditions"]
    changed(paths[7], conditions={**conditions, "device": "T4"})
    changed(paths[8], conditions={**conditions, "device": None})
    found = document(capsys, *paths)["histories"]
    assert [len(series["builds"]) for series in found] == [7, 2]
    assert found[0]["network"] == found[1]["network"]
    assert "measured otherwise" in told(capsys, *paths)


def test_a_run_of_unknown_samples_is_another_history(tmp_path: Path, capsys: Capture) -> None:
    paths = made_builds.write(tmp_path, 6)
    conditions = json.loads(paths[0].read_text("utf-8"))["snapshot"]["conditions"]
    for path in paths[:4]:
        changed(path, conditions={**conditions, "batch": "8x3x8x8"})
    for path in paths[4:]:
        changed(path, conditions={**conditions, "batch": None})
    found = document(capsys, *paths)["histories"]
    assert [len(series["builds"]) for series in found] == [4, 2]
    assert "the shape of the inputs is known there alone" in " ".join(told(capsys, *paths).split())


def test_another_network_is_another_history(tmp_path: Path, capsys: Capture) -> None:
    paths = made_builds.write(tmp_path / "a", 4)
    other = made_builds.write(tmp_path / "b", 3, seed=8)
    for path in other:
        kept = json.loads(path.read_text("utf-8"))["snapshot"]
        for number, row in enumerate(kept["tensors"]):
            row[:] = [f"t{number}", "Float", f"1,{7 + number},3"]
        for number, row in enumerate(kept["listing"]):
            row[1], row[4] = f"Gemm_{900 + number}", row[4]
        changed(path, listing=kept["listing"], tensors=kept["tensors"])
    found = document(capsys, *paths, *other)["histories"]
    assert [series["network"] for series in found] == [0, 1]
    assert "of another network" in told(capsys, *paths, *other)


def test_a_bad_file_is_left_out(tmp_path: Path, capsys: Capture) -> None:
    paths = made_builds.write(tmp_path, 3)
    cut = tmp_path / "cut.json"
    cut.write_bytes(paths[0].read_bytes()[:500])
    newer = tmp_path / "newer.json"
    newer.write_text(paths[0].read_text("utf-8").replace('"schema": 2', '"schema": 3', 1), "utf-8")
    found = document(capsys, *paths, cut, newer, tmp_path / "none.json", code=1)
    assert [problem["code"] for problem in found["problems"]] == ["ELV705", "ELV705", "ELV401"]
    assert len(found["histories"][0]["builds"]) == 3
    assert cli.main(["history", str(paths[0]), str(cut)]) == 3
    assert "a history needs two" in capsys.readouterr().err
    assert cli.main(["history", str(paths[0]), str(paths[0])]) == 3


def test_a_snapshot_without_a_label_is_called_by_its_file(tmp_path: Path, capsys: Capture) -> None:
    """As those of versions before."""
    paths = made_builds.write(tmp_path, 2)
    kept = json.loads(paths[0].read_text("utf-8"))
    del kept["snapshot"]["label"]
    paths[0].write_text(json.dumps(kept), "utf-8")
    (found,) = document(capsys, *paths)["histories"]
    assert [build["label"] for build in found["builds"]] == ["build1", "1.0.1"]


def test_times_that_are_given_twice_count_once(tmp_path: Path, capsys: Capture) -> None:
    paths = made_builds.write(tmp_path, 3)
    copy = tmp_path / "copy.json"
    copy.write_bytes(paths[0].read_bytes())
    (found,) = document(capsys, *paths, copy)["histories"]
    assert [build["label"] for build in found["builds"]] == [
        "1.0.0 (build1.snapshot.json)", "1.0.1", "1.0.2", "1.0.0 (copy.json)",
    ]  # fmt: skip
    assert found["builds"][3]["note"] == "not compared: its times are those of build1.snapshot.json"
    assert found["builds"][3]["ms"] is None


def test_a_listing_that_is_cut_is_not_compared(tmp_path: Path, capsys: Capture) -> None:
    paths = made_builds.write(tmp_path, 3)
    changed(paths[1], unfit=[{"code": "ELV114", "message": "cut after 3 layers"}], profiles=[])
    kept = json.loads(paths[1].read_text("utf-8"))["snapshot"]["listing"]
    for row in kept:
        row[4] = []
    changed(paths[1], listing=kept, coverage=[])
    (found,) = document(capsys, *paths)["histories"]
    assert found["builds"][1]["note"] == "not compared: ELV114: cut after 3 layers"


# ---- formats -------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", tuple(HISTORIES))
def test_a_file_is_replaced_by_the_same_command(
    format: str, tmp_path: Path, capsys: Capture
) -> None:
    paths = made_builds.write(tmp_path / "builds", 3)
    words = [*paths, "-f", format, "-o", tmp_path / "out"]
    path = Path(told(capsys, *words).strip())
    before = path.read_bytes()
    told(capsys, *words)
    assert path.read_bytes() == before
    path.write_text("notes")
    told(capsys, *words, code=4)
    assert path.read_text() == "notes"


def test_names_are_no_markup(tmp_path: Path, capsys: Capture) -> None:
    from escaping.test_markdown_names import MARKUP, tokens

    paths = made_builds.write(tmp_path, len(POISON), labels=POISON, at=len(POISON) // 2)
    page = told(capsys, *paths, "-f", "markdown", "--full")
    assert not {token.type for token in tokens(page)} & MARKUP
    assert all(line.isprintable() for line in told(capsys, *paths).split("\n"))
    told(capsys, *paths, "-f", "svg", "-o", tmp_path)
    root = ElementTree.fromstring((tmp_path / "history.svg").read_text("utf-8"))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
        "svg", "title", "style", "rect", "g", "text", "path", "circle",
    }  # fmt: skip
    told(capsys, *paths, "-f", "html", "-o", tmp_path)
    text = (tmp_path / "history.html").read_text("utf-8")
    assert text.count("<script") == 0 and text.count("<img") == 0


def test_a_long_history_is_listed_and_drawn_in_part(tmp_path: Path, capsys: Capture) -> None:
    paths = made_builds.write(tmp_path / "builds", 60, at=20)
    text = told(capsys, *paths, "--top", "10")
    assert "46 builds are not shown" in text
    assert "build40" in told(capsys, *paths, "--full") and "build40" not in text


def test_no_words_of_the_picture_stand_on_others(tmp_path: Path, capsys: Capture) -> None:
    paths = made_builds.write(tmp_path / "builds", 60, at=30, labels=["a long label " * 9] * 60)
    told(capsys, *paths, "-f", "svg", "-o", tmp_path)
    root = ElementTree.fromstring((tmp_path / "history.svg").read_text("utf-8"))
    wide = float(root.attrib["width"])
    rows: dict[str, list[tuple[float, float]]] = {}
    from engine_layer_visualize.drawings.picture.text_width import width

    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        if "x" not in text.attrib:
            continue
        long = width(text.text or "", float(text.attrib["font-size"]), "font-weight" in text.attrib)
        shift = {"middle": 0.5, "end": 1.0}.get(text.attrib.get("text-anchor", ""), 0.0)
        left = float(text.attrib["x"]) - shift * long
        assert left > -28 and left + long < wide - 28
        rows.setdefault(text.attrib["y"], []).append((left, left + long))
    for spans in rows.values():
        spans.sort()
        assert all(before[1] < after[0] for before, after in pairwise(spans))


def test_the_picture_of_the_docs(
    tmp_path: Path, capsys: Capture, request: pytest.FixtureRequest
) -> None:
    told(capsys, *made_builds.write(tmp_path / "builds"), "-f", "svg", "-o", tmp_path)
    golden = ROOT / "docs" / "history.svg"
    if request.config.getoption("--update-golden"):
        golden.write_bytes((tmp_path / "history.svg").read_bytes())
    assert (tmp_path / "history.svg").read_bytes() == golden.read_bytes()


def test_the_label_of_a_snapshot(tmp_path: Path, capsys: Capture) -> None:
    log = os.fspath(ROOT / "fixtures" / "comparison" / "fp16.log")
    path = tmp_path / "a.json"
    assert cli.main(["snapshot", log, "--label", "v1.0", "-o", str(path)]) == 0
    assert json.loads(path.read_text("utf-8"))["snapshot"]["label"] == "v1.0"


def test_the_history_in_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, *made_builds.write(tmp_path))
    (series,) = found["histories"]
    assert found["history"]["iterations"] == []
    assert found["history"]["builds"] == [
        {"file": build["file"], "total_ms": build["ms"]} for build in series["builds"]
    ]
    assert found["history"]["steps"] == [
        {"at": step["build"], "before_ms": step["before_ms"], "after_ms": step["after_ms"]}
        for step in series["steps"]
    ]
    assert found["history"]["steps"]


def test_the_cache_of_a_search(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, cache = made_search.write(tmp_path)
    found = document(capsys, cache)
    assert found["histories"] == []
    told = found["history"]["iterations"]
    assert [each["index"] for each in told] == [*range(8)]
    assert [each["index"] for each in told if each["failed"]] == [5]
    assert told[5]["error"] == "child killed by signal 9" and told[5]["ms"] is None
    assert [each["index"] for each in told if each["kept"]] == [6]
    assert told[6]["ms"] == 0.2801
