"""`summary`: what its sections say, how its pages are set, and its brief form."""

import csv
import io
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from factories import chain, engine_of
from lint.test_command import log_of
from logtext import HEADER, TV, cached, chose, classic, costs, exported, file_of, listing_of, timed
from paths import CENTERNET, FIXTURES, TIMES
from program import Patch, Printed, Program
from summarised import blocks_of, csv_of, data_of, said_of

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.draw import LINTS, render_comparison, render_report
from engine_layer_visualize.api.read import read
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.core.model import Engine, Join, Timing
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.core.words import Name
from engine_layer_visualize.documents.blocks import Advice, Heading
from engine_layer_visualize.export.tables import tables
from engine_layer_visualize.facts.sentences import heading
from engine_layer_visualize.linting.selection import selected
from engine_layer_visualize.reports.brief import ENGINES, MOST, Listed, Said, fitted

TUNED = (
    timed("conv", "CaskConvolution", (5, 0.25), (6, 0.75))
    + chose("CaskConvolution", 5)
    + timed("pool", "TiledPooling", (9, 0.5))
    + chose("TiledPooling", 9)
    + f"{TV}Layer: conv Host Persistent: 16 Device Persistent: 32 Scratch Memory: 64\n"
    + HEADER
    + f"{classic('conv', 'x', 't', 'CaskConvolution', '5')}\n"
    + f"{classic('pool', 't', 'y', 'TiledPooling', '9')}\n"
)


def test_the_builder_s_estimates_stand_beside_measured_times_or_for_them(tmp_path: Path) -> None:
    times = file_of(tmp_path, exported(("conv", 0.5), ("pool", 0.1)), "prof.json")
    measured, estimated = (engine_of(TUNED, *given, facts=True) for given in ([times], []))
    several = (data_of(engine)["slowest"] for engine in (measured, estimated))
    told = [[(row["name"], row["ms"], row["build_ms"]) for row in rows] for rows in several]
    assert told[0] == [("conv", 0.5, 0.25), ("pool", 0.1, 0.5)]
    assert told[1] == [("pool", 0.5, 0.5), ("conv", 0.25, 0.25)]
    assert data_of(estimated)["engine"]["times"] == "estimated"
    without = data_of(measured._replace(profile=None))  # made by hand: times of no profile
    assert [r["ms"] for r in without["slowest"]] == [0.5, 0.25]
    text = " ".join(said_of(estimated, 120).split())
    assert "2 of 2 layers timed: ≈ 750 µs, estimated by the builder." in text


def test_without_times_it_says_how_to_measure_once_and_sections_without_data_are_left_out() -> None:
    line = "Layer(A): a, Tactic: 1, x[Half(1)] -> y[Half(1)]"
    engine = engine_of(f"{HEADER}{line}\n", facts=True)
    told = blocks_of(engine)
    advice = [block.text for block in told if isinstance(block, Advice)]
    assert sum("--exportProfile" in text for text in advice) == 1
    titles = [block.text for block in told if isinstance(block, Heading)]
    assert titles == ["Engine 0 of build.log", "Findings", "Work"]


@pytest.mark.parametrize("log", [CENTERNET, TUNED])
def test_a_list_of_layers_has_cells_of_their_table(log: Path | str) -> None:
    engine = (
        elv.read(log, TIMES).engines[0] if isinstance(log, Path) else engine_of(log, facts=True)
    )
    rows = list(csv.DictReader(io.StringIO(csv_of(engine))))
    wanted = [dict(row) for row in tables([engine])["layers"].rows()]
    assert len(rows) == len(wanted) > 0
    for row, own in zip(rows, wanted):
        own["index"] = own["layer"]
        for name in ("index", "line", "name", "type", "tactic", "ms", "share", "time_kind"):
            said = row[name].removeprefix("'")  # before a tactic such as -7
            assert said == ("" if own[name] is None else str(own[name])), name


def test_whose_the_width_is(monkeypatch: Patch, printed: Printed) -> None:
    """--width, then COLUMNS, then the terminal, else 140; a pipe obeys COLUMNS, too."""

    def widest(*more: str) -> int:
        return max(map(len, printed("summary", CENTERNET, TIMES, *more).split("\n")))

    monkeypatch.delenv("COLUMNS", raising=False)
    assert widest() == 140
    monkeypatch.setenv("COLUMNS", "77")
    assert widest() == 77
    assert widest("--width", "51") == 51
    for words in ("wide", "0", "-9", "1" * 4_301):
        monkeypatch.setenv("COLUMNS", words)
        assert widest() == 140


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_full_keeps_names_whole(tmp_path: Path, format: str, printed: Printed) -> None:
    name = "".join(f"part{number}/" for number in range(60))
    arguments = [file_of(tmp_path, listing_of(name, kind="Reformat")), "--format", format]
    assert name not in "".join(printed("summary", *arguments).split())
    arguments.append(file_of(tmp_path, exported((name, 1.0)), "prof.json"))
    assert "…" in printed("summary", *arguments)
    assert name in "".join(printed("summary", *arguments, "--full", "--width", "80").split())


def test_top_is_how_many_findings_the_summary_shows(printed: Printed) -> None:
    log = str(FIXTURES / "classic" / "8.5-new-descriptors.log")
    (one,) = json.loads(printed("summary", log, "--format", "json", "--top", "1"))["engines"]
    codes = [each["code"] for each in one["findings"] if each["shown"]]
    assert len(codes) > 2, "data is whole"
    for top in (1, len(codes)):
        out = printed("summary", log, "--sections", "findings", "--top", top)
        assert (f"… {len(codes) - 1} more findings: " in out) == (top == 1)
        assert [code for code in codes if f" {code} " in out] == codes[:top]


_FRAGMENT = (
    "Layer(CaskConvolution): b, Tactic: 0x1, q (Half[1,8,4,4]) -> r (Half[1,8,4,4])\n"
    "Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to c, Tactic: 0x0, r (Half[1,8,4,4])"
    " -> Reformatted Input Tensor 0 to c (Int8[1,8,4,4])\n"
)


@pytest.mark.parametrize("header", ["", HEADER])
def test_of_a_part_of_a_listing_nothing_is_said_of_the_whole(header: str) -> None:
    engine = engine_of(header + _FRAGMENT, facts=True)
    words = said_of(engine, 140)
    assert ("a part of a listing" if not header else "listing is cut") in words
    assert "layers alone" in words or "layers before the cut" in words
    assert "unknown outputs" in words
    assert "F02" not in words and "F03" not in words
    assert "the engine's input" not in words and "the engine's output" not in words


def test_the_tactics_of_a_shortened_log_are_those_of_its_lines() -> None:
    tuned = costs("b", "Half(1)") + "".join(timed("b", "CaskConvolution", (1, 0.5), (2, 0.25)))
    shortened = f"{HEADER}{_FRAGMENT}...more\n{_FRAGMENT}"
    words = said_of(engine_of(tuned + shortened, facts=True), 140)
    assert "2 tactics timed" in words and "This is a part of a listing" in words


@pytest.mark.parametrize(
    ("name", "lines", "is_torch"),
    [
        ("a", (), False),
        ("a", ("Original: 1 layers", "After dead-layer removal: 1 layers"), False),
        ("[RELU]-[aten_ops.relu.default]-[/1/relu]", (), True),
    ],
)
def test_where_times_come_from(name: str, lines: tuple[str, ...], is_torch: bool) -> None:
    """A part of a PyTorch model is timed elsewhere."""
    log = "".join(f"{TV}{line}\n" for line in lines) + listing_of(name)
    told = said_of(engine_of(log, facts=True), 240)
    assert ("Torch-TensorRT writes the layers' times there" in told) == is_torch
    assert ("Measure the layers: `trtexec --loadEngine=… " in told) != is_torch


def test_lines_of_no_engine_are_a_warning(tmp_path: Path, here: Program) -> None:
    failed = "[V] [TRT] Original: 3 layers\n[E] [TRT] 10: no implementation\n"
    run = "&&&& {} TensorRT.trtexec [TensorRT v8502] # trtexec --onnx=oak.onnx\n"
    text = run.format("RUNNING") + failed + run.format("PASSED") + listing_of("a")
    logs = [file_of(tmp_path, text, name) for name in ("quay.log", "pier.log")]
    told = [f"{log}:1:1: warning[ELV415]: a build that failed, up to line 4, " for log in logs]
    for command in ("summary", "lint", "layers"):
        found = here(command, *logs, "--format", "json")
        assert [line[: len(words)] for line, words in zip(found.stderr.split("\n"), told)] == told
    assert [problem.code for problem in elv.read(logs[0]).problems] == ["ELV415"]
    assert elv.read(logs[0], facts=False).problems == ()


QUANTISED = (
    "Layer(Reformat): QuantizeLinear_2, Tactic: 0x0, x (Float[1,8]) -> q (Int8[1,8])\n"
    "Layer(CaskConvolution): c.weight + QuantizeLinear_7_quantize_scale_node + Conv_9 + Relu_10, "
    "Tactic: 0x1, q (Int8[1,8]) -> y (Int8[1,8])\n"
    "Layer(Reformat): Reformatting CopyNode for Output Tensor 0 to c, Tactic: 0x0, "
    "y (Int8[1,8]) -> z (Float[1,8])\n"
)


@pytest.mark.parametrize("metadata", [False, True])
def test_what_quantises_for_a_layer_is_none_of_its_nodes(metadata: bool) -> None:
    """The names have it, metadata of records does not: both count the same."""
    text = HEADER + QUANTISED
    assert "2 reformats (1 of them Q/DQ)" in said_of(engine_of(text, facts=True))
    if metadata:
        record = {
            "Name": "c.weight + QuantizeLinear_7 + Conv_9 + Relu_10",
            "LayerType": "CaskConvolution",
            "Inputs": [{"Name": "q", "Dimensions": [1, 8], "Format/Datatype": "Int8"}],
            "Outputs": [{"Name": "y", "Dimensions": [1, 8], "Format/Datatype": "Int8"}],
            "Metadata": "[ONNX Layer: Conv_9]\x1e[ONNX Layer: Relu_10]",
        }
        text = json.dumps({"Layers": [record], "Bindings": ["q", "y"]})
    (row,) = data_of(engine_of(text, facts=True))["fusions"]
    assert (row["nodes"], row["operators"]) == (2, {"Conv": 1, "Relu": 1})


def test_a_title_tells_of_records_that_could_not_be_read(tmp_path: Path, here: Program) -> None:
    torn = QUANTISED.replace("q (Int8[1,8]) -> y", "q (Int8[1,8])Done!\n -> y")
    log = file_of(tmp_path, HEADER + torn)
    told = here("summary", log).stdout
    assert "3 layers (1 of them unread: edges are missing), " in told
    (engine,) = elv.read(log).engines
    assert heading(Costs(engine))[1] == "3 layers, 1 of them unread: edges are missing"
    out = " ".join(here("lint", log).stdout.split())
    assert "1 record of the listing could not be read: edges are missing." in out


def test_a_build_from_a_timing_cache_is_not_told_to_be_verbose() -> None:
    formats = "Half(1) -> Half(1)"
    log = costs("a", formats) + cached("a", formats, "CaskConvolution", 1, 0.1) + listing_of("a")
    assert "every result came from a timing cache" in said_of(engine_of(log, facts=True))


# ---- `summary --brief`, `--sections`, `--format brief`: short, and they say what they leave o


INPUTS = ("--log_file", str(CENTERNET), "--profile_file", str(TIMES))
LIMIT = 65_536  # characters of a comment on GitHub


def test_what_to_try_is_what_counts_the_most(printed: Printed) -> None:
    log = str(FIXTURES / "classic" / "8.5-new-descriptors.log")
    full = json.loads(printed("summary", log, "--format", "json"))["engines"][0]
    shown = [one for one in full["findings"] if one["shown"]]
    left = len(shown) - 3
    assert left > 0
    text = printed("summary", log, "--brief", "--width", "140")
    _, _, table = text.partition("What to try")
    codes = re.findall(r" ([A-Z]\d\d) ", table)
    assert codes == [one["code"] for one in shown[:3]]
    assert f"… and {count(left, 'more thing')} to try." in table
    for one in shown[:3]:
        assert one["touches_ms"] is None or milliseconds(one["touches_ms"]) in table


def test_many_engines_have_a_row_each(tmp_path: Path, printed: Printed) -> None:
    log = file_of(tmp_path, log_of("conv") * 12)
    text = printed("summary", "--log_file", log, "--brief", "--width", "140")
    assert "12 engines of " in text
    for number in range(12):
        assert [line for line in text.split("\n") if line.startswith(f"  {number:6} ")]
    assert text.count("\n") <= 12 * 3 + 12
    one = printed("summary", "--log_file", log, "--brief", "--engine", "7")
    assert "\nEngine 7 of " in one


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engines", "name"),
    [(1, "conv"), (11, "conv"), *((number, "a_|_*`[x](y) @you #1 " * 9) for number in (1, 2, 90))],
)
def test_markdown_fits_a_comment(tmp_path: Path, engines: int, name: str, printed: Printed) -> None:
    log = file_of(tmp_path, log_of(name) * engines)
    text = printed("summary", "--log_file", log, "--brief", "--format", "markdown")
    assert len(text) <= LIMIT
    bars = {line.count("|") for line in text.split("\n") if line.startswith("| ")}
    assert engines < 3 or len(bars) == 1, "no row is cut"


HEADS = {"precisions": "By precision", "work": "Work", "slowest": "Slowest layers"}


@pytest.mark.parametrize("format", ["text", "markdown"])
@pytest.mark.parametrize("keys", [["precisions", "slowest"], ["slowest", "work", "precisions"]])
def test_sections_that_are_named_in_order(format: str, keys: list[str], printed: Printed) -> None:
    text = printed("summary", *INPUTS, "--sections", ",".join(keys), "--format", format)
    places = [text.find(HEADS[key]) for key in keys]
    assert -1 not in places and places == sorted(places)
    assert text.index("Engine 0 of ") < places[0], "which engine they are of"
    assert not [head for key, head in HEADS.items() if key not in keys and head in text]
    assert "layers timed" not in text, "that is the section `engine`"


def test_a_section_that_is_named_says_that_the_log_has_none(printed: Printed) -> None:
    text = printed("summary", *INPUTS, "--sections", "memory")
    assert "`memory`: nothing in this log." in text


def test_sections_and_brief_do_not_change_data(printed: Printed) -> None:
    whole = printed("summary", *INPUTS, "--format", "json")
    assert printed("summary", *INPUTS, "--format", "json", "--brief") == whole
    assert printed("summary", *INPUTS, "--format", "json", "--sections", "memory") == whole


# ---- a few kilobytes for any engine --------------------------------------------------------------


NAMES = {
    "long": "encoder/layer.{}/" + "attention" * 500,
    "wide": "🙂" * 4_000 + "{}",
    "quoted": '\\"' * 2_000 + "{}",
    "control": "\x00\x1b\u202e" * 1_000 + "{}",
}


def small(text: str) -> Any:
    assert len(text.encode()) <= MOST
    return json.loads(text)


def brief(*engines: Engine) -> Any:
    return small("".join(render_report(engines, "brief", ReportOptions())))


def lint(*engines: Engine, problems: Iterable[Problem] = ()) -> Any:
    found = [selected(Costs(engine)) for engine in engines]
    return small("".join(LINTS["brief"].load()([*found, *problems], ReportOptions())))


def compared(a: Engine, *others: Engine) -> Any:
    found = [compare(Costs(a), Costs(b)) for b in others]
    return small(render_comparison(found, (), "brief", ReportOptions()))


def with_times(engine: Engine, ms: float = 0.01) -> Engine:
    layers = tuple(one._replace(time=Timing(ms * (1 + one.index % 7))) for one in engine.layers)
    number = len(layers)
    return engine._replace(layers=layers, profile=Join("p", number, number, number, (), ()))


def centernet() -> Engine:
    return read(CENTERNET, TIMES).engines[0]


def test_it_has_what_lint_finds_and_where_the_time_is() -> None:
    engine = centernet()
    (found,) = brief(engine)["engines"]
    assert found["header"] == [*selected(Costs(engine)).header] and found["header_left"] == 0
    assert found["causes"][0]["lines"] == [53, 55, 57]
    assert found["causes"][0]["touches_ms"] == pytest.approx(0.589672)
    assert found["coverage"] == "54 of 54 layers timed, measured, 961 runs"
    slow = found["slowest"][0]
    assert (slow["index"], slow["line"], slow["does"]) == (43, 57, "ConvTranspose")
    assert len(found["slowest"]) + found["slowest_left"] == 54
    assert [row["module"] for row in found["modules"]][:2] == ["deconv_layers", "layer3"]
    members = [layer for layer in engine.layers if layer.name.startswith("deconv_layers")]
    assert found["modules"][0]["layers"] == len(members)
    assert found["modules"][0]["ms"] == pytest.approx(Costs(engine).sum(members), rel=1e-5)


def test_lint_and_summary_say_the_same_where_nothing_is_left_out(printed: Printed) -> None:
    said = []
    for words in (["summary"], ["lint"], ["lint", "--ignore", "H10"]):
        said.append(json.loads(printed(*words, CENTERNET, TIMES, "--format", "brief")))
    assert said[0] == said[1]
    assert [cause["code"] for cause in said[2]["engines"][0]["causes"]] == ["H08"]


def test_a_comparison_has_its_causes_and_groups() -> None:
    a, b = (read(FIXTURES / "comparison" / f"{name}.log").engines[0] for name in ("fp16", "int8"))
    document = compared(a, b)
    (found,) = document["comparisons"]
    assert found["header"].startswith("B is 1.57 × faster (442 µs → 281 µs): 5 layers went from")
    assert sum(cause["ms"] for cause in found["causes"]) == pytest.approx(found["delta_ms"])
    assert found["causes"][0] == {
        "cause": "precision", "says": "other precisions", "ms": -0.146,
        "a": [4, 3, 5, 1, 2], "a_left": 0, "b": [4, 3, 5, 1, 2], "b_left": 0,
    }  # fmt: skip
    assert found["modules"][0]["module"] == "/block1"
    assert (found["modules"][0]["ms_a"], found["modules"][0]["ms_b"]) == (0.172, 0.095)


def test_of_many_engines_the_longest_are_there() -> None:
    engine = chain(*(f"c{at}" for at in range(5)))
    times = (0.01 * (1 + number % 6) for number in range(12))
    engines = [with_times(engine, ms)._replace(index=number) for number, ms in enumerate(times)]
    document = brief(*engines)
    shown = [engine["engine"] for engine in document["engines"]]
    assert len(shown) + document["engines_left"] == 12
    assert set(shown) <= {4, 5, 10, 11} and shown == sorted(shown)
    assert lint(*engines)["engines"] == document["engines"]
    others = compared(engines[0], *engines[1:])
    assert len(others["comparisons"]) + others["comparisons_left"] == 11
    assert ENGINES >= len(others["comparisons"]) >= 1


def test_errors_stand_before_warnings() -> None:
    warnings = [Problem(Place("a.log", at + 1), "ELV203", f"warned {at}") for at in range(30)]
    problems = [*warnings, Problem(Place("b.log"), "ELV401", "not there")]
    document = lint(chain("a"), problems=problems)
    assert document["problems"][0]["code"] == "ELV401"
    assert len(document["problems"]) + document["problems_left"] == 31


def test_its_file_is_called_after_it(here: Program, tmp_path: Path, printed: Printed) -> None:
    words = [str(CENTERNET), str(TIMES), "--format", "json,brief", "--output_dir"]
    for _ in range(2):  # the second time what stands there is replaced
        assert len(printed("lint", *words, tmp_path / "out").split()) == 2
    assert json.loads((tmp_path / "out" / "lint.brief.json").read_text("utf-8"))["more"]
    one = tmp_path / "one.brief.json"
    here("lint", CENTERNET, "--output_dir", one, code=0)
    assert json.loads(one.read_text("utf-8"))["more"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("what", ["brief", "brief_comparison"])
def test_the_commands_that_print_more_run(what: str, printed: Printed) -> None:
    engine = centernet()
    more = (brief(engine) if what == "brief" else compared(engine, engine))["more"]
    assert len(more) >= 2
    for row in more:
        given = {"LOG": str(CENTERNET), "PROFILE": str(TIMES), "CODE": "H10"}
        assert printed(*(given.get(word, word) for word in row["command"].split()))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_leave_it_small_and_visible(name: str) -> None:
    engine = with_times(chain(*(NAMES[name].format(at) for at in range(40))))
    document = brief(engine)
    assert document["engines"][0]["slowest"]
    for other in (document, lint(engine), compared(engine, engine, engine, engine, engine)):
        assert json.dumps(other, ensure_ascii=False).isprintable()


def test_what_is_cut_is_counted() -> None:
    value = {
        "names": Listed([Name(f"{at} + " + "x" * 300) for at in range(20)], 5),
        "numbers": Listed(list(range(100))),
        "text": Said(("of ", Name("y" * 300), " and so on")),
        "ms": 0.1234567891,
    }
    text = fitted(value, 400)
    found = json.loads(text)
    assert len(text) <= 400
    assert len(found["names"]) + found["names_left"] == 25
    assert len(found["numbers"]) + found["numbers_left"] == 100
    assert all("…" in name for name in found["names"])
    assert found["text"].startswith("of yy") and found["text"].endswith("and so on")
    assert found["ms"] == 0.123457
    with pytest.raises(ValueError, match="cut to 10 bytes"):
        fitted(value, 10)
