"""The command `sweep`: searches among build routes, several logs, bad files, its formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence, Sized
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import made_search
import pytest
from escaping.poison import POISON
from made_search import EIGHT, FP16, INT8, Made, route
from paths import FIXTURES, ROOT

from engine_layer_visualize import cli
from engine_layer_visualize.comparison.sweep.knobs import effects, parsed
from engine_layer_visualize.drawings.picture.text_width import width
from engine_layer_visualize.inputs import tuning
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.writers import SWEEPS
from fuzz import budget

Capture = pytest.CaptureFixture[str]
LOGS = [FIXTURES / "comparison" / f"{name}.log" for name in (FP16, INT8)]


def told(capsys: Capture, *words: object, code: int = 0) -> str:
    assert cli.main(["sweep", *map(str, words)]) == code
    return capsys.readouterr().out


def found(capsys: Capture, *words: object, code: int = 0) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(told(capsys, *words, "-f", "json", code=code))
    return document


# ---- what is read --------------------------------------------------------------------------------


def test_the_lines_of_a_search(tmp_path: Path) -> None:
    log, cache = made_search.write(tmp_path)
    search = tuning.of_log(Source(log))
    assert [(each.number, each.route) for each in search.iterations] == [
        (number, one.route) for number, one in enumerate(EIGHT)
    ]
    assert [each.failure for each in search.iterations] == [one.failure for one in EIGHT]
    assert [each.compute for each in search.iterations] == [one.ms or None for one in EIGHT]
    assert search.best_route == EIGHT[6].route and search.planned == 8 and search.ended
    text = log.read_text("utf-8").split("\n")
    assert all(f"Tuning iteration [{n.number}]" in text[n.line - 1] for n in search.iterations)
    kept, problems = tuning.of_cache(Source(cache))
    assert not problems and kept.default_route == EIGHT[0].route
    assert [each.gpu_time for each in kept.iterations] == [one.ms or None for one in EIGHT]


def test_a_name_in_a_message_begins_no_iteration(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(
        "[V] [TRT] Layer x Tuning iteration [7]: -a=on\n"
        "\x1b[32m[I] Tuning iteration [0]: -a=off\x1b[0m\n",
        "utf-8",
    )
    (only,) = tuning.of_log(Source(path)).iterations
    assert (only.number, only.route) == (0, "-a=off")


# ---- knobs ---------------------------------------------------------------------------------------


def of_routes(times: dict[str, float | None]) -> dict[tuple[str, str], tuple[Any, int]]:
    routes = [parsed(text) for text in times]
    each = effects(routes, list(times.values()), [False] * len(times), 0)
    return {(one.knob, one.value): (one.change, one.pairs) for one in each}


def test_a_knob_is_told_by_builds_that_differ_in_it_alone() -> None:
    known = of_routes({"-a=0 -b=0": 1.0, "-a=1 -b=0": 2.0, "-a=0 -b=1": 1.0, "-a=1 -b=1": 2.0})
    assert known["a", "1"] == (pytest.approx(1.0), 2)
    assert known["b", "1"] == (pytest.approx(0.0), 2)
    assert of_routes({"-a=0 -b=0": 1.0, "-a=1 -b=1": 2.0}) == {}


def test_a_knob_that_is_not_named_has_a_value_of_its_own() -> None:
    assert of_routes({"": 1.0, "-a=on": 0.5, "-b=on": None}) == {
        ("a", "on"): (pytest.approx(-0.5), 1),
        ("b", "on"): (None, 1),
    }


def test_the_time_grows_with_the_builds() -> None:
    draw = Random(1)

    def prepared(number: int) -> Callable[[], Sized]:
        knobs = range(number.bit_length() - 1)
        settings = [[f"-k{place}={value}" for value in (0, 1)] for place in knobs]
        routes = [parsed(" ".join(words)) for words in product(*settings)]
        times: Sequence[float | None] = [draw.random() for _ in routes]
        return partial(effects, routes, times, [False] * len(routes), 0)

    assert len(prepared(1 << 9)()) == 9
    budget.linear(prepared, 1 << 9, 1 << 13)


# ---- the command ---------------------------------------------------------------------------------


def test_a_search_with_its_log_and_cache(tmp_path: Path, capsys: Capture) -> None:
    document = found(capsys, *made_search.write(tmp_path))
    sweep = document["sweep"]
    assert (sweep["of"], sweep["kind"]) == ("routes", "search")
    assert (sweep["base"], sweep["best"]) == (0, 6)
    assert sweep["told_best"] == EIGHT[6].route and not sweep["unfinished"]
    assert sweep["builds"][6]["change"] == pytest.approx(0.2801 / 0.446 - 1)
    assert sweep["builds"][6]["changed"]["layers"] == [10, 12]
    assert sweep["builds"][5]["failure"] == "child killed by signal 9"
    assert sweep["builds"][5]["ms"] is None
    first, *others = sweep["knobs"]
    assert (first["knob"], first["value"], first["against"]) == ("match_ragged_mha", "on", "off")
    assert first["pairs"] == 3 and first["changed"]["precisions"] == 6
    assert all(abs(other["change"]) < 0.02 for other in others)
    assert all(other["changed"]["kernels"] == 0 for other in others)
    text = told(capsys, *made_search.write(tmp_path))
    assert "Iteration 6 (match_ragged_mha=on copy_ppg=off) is the fastest" in text


def test_the_log_alone_and_the_cache_alone(tmp_path: Path, capsys: Capture) -> None:
    log, cache = made_search.write(tmp_path)
    by_log, by_cache = (found(capsys, path)["sweep"] for path in (log, cache))
    assert (by_log["kind"], by_cache["kind"]) == ("compute", "search")
    assert by_log["best"] == by_cache["best"] == 6
    assert by_log["builds"][6]["layers"] == 12 and by_cache["builds"][6]["layers"] is None
    assert [build["ms"] for build in by_log["builds"]] == [b["ms"] for b in by_cache["builds"]]


def test_a_search_that_did_not_end(tmp_path: Path, capsys: Capture) -> None:
    log, cache = made_search.write(tmp_path)
    text = made_search.log(ends=False)
    log.write_text(text[: text.index("Tuning iteration [3]")], "utf-8")
    rows = cache.read_text("utf-8").split("\n")
    cache.write_text("\n".join([*rows[:4], rows[4][:20]]), "utf-8")
    document = found(capsys, log, cache, code=1)
    assert "did not come to its end: 3 of 8 iterations" in document["sweep"]["unfinished"]
    assert [(p["code"], p["line"]) for p in document["problems"]] == [("ELV108", 5)]
    assert len(document["sweep"]["builds"]) == 3


def test_all_iterations_failed(tmp_path: Path, capsys: Capture) -> None:
    cache = tmp_path / "tune.jsonl"
    failed = [Made(route(on, "on", "on"), FP16, 0.0, "out of memory") for on in ("on", "off")]
    cache.write_text(made_search.cache(failed), "utf-8")
    text = told(capsys, cache)
    assert "Every build failed." in text and "2 × out of memory" in text


@pytest.mark.parametrize(
    "row",
    ["[1]", "null", '{"iter": true, "build_route": "-a=1"}', '{"iter": 1}', "{" * 200, '"' + "9"],
)
def test_a_row_that_is_none(row: str, tmp_path: Path, capsys: Capture) -> None:
    cache = tmp_path / "tune.jsonl"
    cache.write_text(f"{made_search.cache()}{row}\n{made_search.cache()}", "utf-8")
    document = found(capsys, cache, code=1)
    assert [problem["code"] for problem in document["problems"]] == ["ELV214"]
    assert len(document["sweep"]["builds"]) == 16


def test_other_files(tmp_path: Path, capsys: Capture) -> None:
    header = tmp_path / "header.jsonl"
    header.write_text(made_search.cache([]), "utf-8")
    other = tmp_path / "other.jsonl"
    other.write_text('{"step": 1, "loss": 0.5}\n{"step": 2, "loss": 0.4}\n', "utf-8")
    assert cli.main(["sweep", str(header)]) == 3
    assert "it has no iteration" in capsys.readouterr().err
    assert cli.main(["sweep", str(other)]) == 3
    assert "a sweep needs two" in capsys.readouterr().err
    log, cache = made_search.write(tmp_path)
    assert cli.main(["sweep", str(cache), str(header)]) == 3
    assert len(found(capsys, log, tmp_path / "none.log", code=1)["sweep"]["builds"]) == 8


def test_a_folder_of_logs(tmp_path: Path, capsys: Capture) -> None:
    """As ModelOpt's autotuner leaves them."""
    fp16, int8 = (path.read_text("utf-8") for path in LOGS)
    summary = next(line for line in int8.split("\n") if "GPU Compute Time: " in line)
    for name, text in {
        "baseline": fp16,
        "region_0_scheme_10": int8,
        "region_0_scheme_2": summary,
        "region_1_scheme_0": "[E] Error[10]: Could not find any implementation for node x.",
        "final": int8,
    }.items():
        (tmp_path / f"{name}.log").write_text(text, "utf-8")
    sweep = found(capsys, tmp_path)["sweep"]
    assert sweep["of"] == "logs" and sweep["base"] == 0 and not sweep["knobs"]
    assert [build["name"].removesuffix(".log") for build in sweep["builds"]] == [
        "baseline", "region_0_scheme_2", "region_0_scheme_10", "region_1_scheme_0", "final",
    ]  # fmt: skip
    assert sweep["builds"][1]["ms"] == sweep["builds"][2]["ms"]
    assert sweep["builds"][1]["layers"] is None
    assert sweep["builds"][3]["failure"]


# ---- formats -------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", tuple(SWEEPS))
def test_a_file_is_replaced_by_the_same_command(
    format: str, tmp_path: Path, capsys: Capture
) -> None:
    words = [*LOGS, "-f", format, "-o", tmp_path / "out"]
    path = Path(told(capsys, *words).strip())
    before = path.read_bytes()
    told(capsys, *words)
    assert path.read_bytes() == before
    path.write_text("notes")
    told(capsys, *words, code=4)
    assert path.read_text() == "notes"


def test_names_are_no_markup(tmp_path: Path, capsys: Capture) -> None:
    from escaping.test_markdown_names import MARKUP, tokens

    cache = tmp_path / "tune.jsonl"
    made = [Made(f"-{name}=on", FP16, 1.0 + number) for number, name in enumerate(POISON)]
    failed = [Made(f"-f={number}", FP16, 0.0, name) for number, name in enumerate(POISON)]
    cache.write_text(made_search.cache([*made, *failed]), "utf-8")
    page = told(capsys, cache, "-f", "markdown", "--full")
    assert not {token.type for token in tokens(page)} & MARKUP
    assert all(line.isprintable() for line in told(capsys, cache, "--full").split("\n"))
    told(capsys, cache, "-f", "svg", "-o", tmp_path)
    root = ElementTree.fromstring((tmp_path / "sweep.svg").read_text("utf-8"))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} == {
        "svg", "title", "style", "rect", "g", "text", "path",
    }  # fmt: skip
    told(capsys, cache, "-f", "html", "-o", tmp_path)
    text = (tmp_path / "sweep.html").read_text("utf-8")
    assert text.count("<script") == 0 and text.count("<img") == 0


def test_no_words_of_the_picture_stand_on_others(tmp_path: Path, capsys: Capture) -> None:
    told(capsys, *made_search.write(tmp_path), "-f", "svg", "-o", tmp_path)
    root = ElementTree.fromstring((tmp_path / "sweep.svg").read_text("utf-8"))
    rows: dict[str, list[tuple[float, float]]] = {}
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        long = width(text.text or "", float(text.attrib["font-size"]), "font-weight" in text.attrib)
        left = float(text.attrib["x"]) - long * (text.attrib.get("text-anchor") == "end")
        assert left >= 0 and left + long < float(root.attrib["width"]) - 28
        rows.setdefault(text.attrib["y"], []).append((left, left + long))
    for spans in rows.values():
        spans.sort()
        assert all(before[1] < after[0] for before, after in pairwise(spans))


def test_the_picture_of_the_docs(
    tmp_path: Path, capsys: Capture, request: pytest.FixtureRequest
) -> None:
    told(capsys, *made_search.write(tmp_path), "-f", "svg", "-o", tmp_path)
    golden = ROOT / "docs" / "sweep.svg"
    if request.config.getoption("--update-golden"):
        golden.write_bytes((tmp_path / "sweep.svg").read_bytes())
    assert (tmp_path / "sweep.svg").read_bytes() == golden.read_bytes()
