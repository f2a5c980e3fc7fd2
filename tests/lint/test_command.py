"""The command `lint`: which findings it prints, what it leaves out, and its exit codes."""

import json
import sys
from pathlib import Path

import pytest
from logtext import file_of, listing_of
from paths import FIXTURES
from program import Ended, Printed, Program, ran

from engine_layer_visualize.api.draw import LINTS
from lint.cases import cases

INPUT = "Reformatting CopyNode for Input Tensor 0 to {}"
OUTPUT = "Reformatting CopyNode for Output Tensor 0 to {}"


def log_of(*convolutions: str) -> str:
    """A listing with a reformat at the input and at the output of each convolution."""
    lines, c3, c4 = ["[V] [TRT] Engine Layer Information:"], "(1,3,32,32)", "(1,4,32,32)"
    for name in convolutions:
        x, a, b, y = (f"{letter}_{name}" for letter in "xaby")
        lines += [
            f"Layer(Reformat): {INPUT.format(name)}, Tactic: 1, {x}[Float{c3}] -> {a}[Half{c3}]",
            f"Layer(CaskConvolution): {name}, Tactic: 5, {a}[Half{c3}] -> {b}[Half{c4}]",
            f"Layer(Reformat): {OUTPUT.format(name)}, Tactic: 1, {b}[Half{c4}] -> {y}[Float{c4}]",
        ]
    return "\n".join([*lines, "[V] [TRT] Total Activation Memory: 4096", ""])


def times_of(*convolutions: str) -> str:
    """0.02 ms at the inputs, 0.9 ms inside, 0.08 ms at the outputs."""
    ms = {INPUT: 0.02, "{}": 0.9, OUTPUT: 0.08}
    rows = [f"{name.format(one)}: {ms[name]}ms\n" for one in convolutions for name in ms]
    return "".join(rows)


@pytest.fixture
def lint(folder: Path, ended: Ended) -> Ended:
    """Runs it in a folder with `build.log` and `prof.txt`, for rules of reformats at the ends."""
    (folder / "build.log").write_text(log_of("conv1"))
    (folder / "prof.txt").write_text(times_of("conv1"))

    def run(*words: str, only: str = "F02,F03") -> tuple[int, str, str]:
        select = ["--select", only] if only and "--select" not in words else []
        return ended("lint", *words, *select)

    return run


def found(text: str) -> list[tuple[str, list[int], float | None]]:
    """Code, layers and ms of each finding of a JSON."""
    document = json.loads(text)
    rows = [one for engine in document["engines"] for one in engine["findings"]]
    return [(row["code"], row["layers"], row["ms"]) for row in rows]


# ---- what is printed ---------------------------------------------------------------------------


def test_lines_of_the_log_are_told_where_all_is_asked_for(lint: Ended) -> None:
    """All that both say stands in docs/why-slow.md."""
    code, out, err = lint("build.log", "prof.txt", "--width", "140")
    assert (code, err) == (0, "")
    assert "lines of the log: add `--full`" in out and "`elv explain F03`" in out
    assert "build.log:2" not in out
    _, out, _ = lint("build.log", "prof.txt", "--full", "--width", "140")
    assert f"  layers 0 `{INPUT.format('conv1')}`, 2 `{OUTPUT.format('conv1')}`\n" in out
    assert "\n  build.log:4: Half → Float\n  build.log:2: Float → Half\n" in out


def test_the_sum_is_of_all_findings_on_the_first_screen_too(lint: Ended) -> None:
    log = str(FIXTURES / "inspector_json" / "trtexec-pretty.json")
    times = str(FIXTURES / "inspector_json" / "trtexec-pretty.profile.json")
    _, short, _ = lint(log, times, only="")
    _, whole, _ = lint(log, times, "--full", only="")
    assert "1 more finding:" in short and "could save 1.80 µs" in whole and "1.80" not in short
    last = "could save 9.30 µs of 100 µs"  # 7.5 + 1.8
    assert last in short.splitlines()[-1] and last in whole.splitlines()[-1]


def test_python_without_docstrings_finds_the_same(lint: Ended, environment: dict[str, str]) -> None:
    """Rules read their severity and sources there; `-OO` is in images of containers."""
    words = ["lint", "--log_file", "build.log", "--full", "--width", "100"]
    program = [sys.executable, "-OO", "-m", "engine_layer_visualize"]
    done = ran([*program, *words], env=environment)
    assert (done.returncode, done.stdout, done.stderr) == lint(*words[1:])
    page = ran([*program, "--explain", "F02"], env=environment, check=True)
    assert "**Found**" in page.stdout


def test_json_has_what_the_text_says(lint: Ended) -> None:
    _, out, _ = lint("build.log", "prof.txt", "--format", "json")
    (one,) = json.loads(out)["engines"]
    assert one["engine"]["source"]["file"] == "build.log"
    assert found(out) == [("F03", [0, 2], 0.1)]
    (row,) = one["findings"]
    told = (row["name"], row["severity"], row["cause"], row["rank"], row["shown"], row["ms_kind"])
    wanted = ("reformat-at-output", "hint", "types-at-the-ends", 1, True, "measured")
    assert told == wanted
    assert row["touches_ms"] == row["saves_ms"] == row["ms"]
    rows = [{"line": 4, "text": "Half → Float"}, {"line": 2, "text": "Float → Half"}]
    assert row["evidence"] == rows
    assert one["header"] == ["3 layers · 1.00 ms in layers (3 of 3 layers timed, measured)"]
    assert one["largest_lever"].startswith("Take this output as Half")
    assert one["in_order"] == []


def test_an_engine_without_times_has_findings_without_them(lint: Ended) -> None:
    code, out, _ = lint("build.log")
    assert code == 0
    assert "touches" not in out and "could save" not in out
    assert "--exportProfile" in out, "how to get times"
    assert out.endswith("1 finding\n") and "no times" in out
    assert "\n1. F02 reformat-at-input, hint\n" in lint("build.log", "--full")[1]
    assert found(lint("build.log", "--format", "json")[1]) == [("F02", [0, 2], None)]


@pytest.mark.parametrize("format", tuple(LINTS))
def test_no_finding_is_no_error(lint: Ended, format: str) -> None:
    code, out, err = lint("build.log", "--select", "P01", "--format", format)
    assert (code, err) == (0, "")
    if format == "text":
        assert out.endswith("no findings, only the advice above\n"), "how to measure the layers"
    if format == "json":
        assert found(out) == []
    if format == "sarif":
        assert json.loads(out)["runs"][0]["results"] == []
    if format == "github":
        assert out.strip() == ""


def test_what_counts_little_is_printed_where_all_is_asked_for(lint: Ended, tmp_path: Path) -> None:
    (tmp_path / "prof.txt").write_text(times_of("conv1").replace("0.9", "90"))
    _, out, _ = lint("build.log", "prof.txt")
    assert "1 finding of little or unknown time: add `--full`" in out
    assert "F03" not in out
    _, out, _ = lint("build.log", "prof.txt", "--full")
    assert "1. F03 reformat-at-output" in out


def test_json_has_an_engine_s_head_as_every_other(lint: Ended, tmp_path: Path) -> None:
    """Its work and its total time are of one optimisation profile, whichever findings are of."""
    text = log_of("conv1", *(f"conv{number} [profile 1]" for number in range(2, 9)))
    (tmp_path / "build.log").write_text(text)
    several = ((), ("--optimization_profile", "1"))
    told = [lint("build.log", *flags, "--format", "json", only="")[1] for flags in several]
    heads = [json.loads(one)["engines"][0]["engine"] for one in told]
    assert heads[0] == heads[1]
    assert (heads[0]["work"]["layers_unknown"], heads[0]["time"]["layers"]) == (1, 3)


def test_costly_layers_without_a_finding_are_told_of_all_rules(lint: Ended, tmp_path: Path) -> None:
    (tmp_path / "build.log").write_text(log_of("conv1").replace("(1,4,", "(1,64,"))
    words = "costly, without a finding: 90.0 % in layer 1 `conv1`"
    assert words in lint("build.log", "prof.txt", "--width", "140", only="")[1]
    assert "costly" not in lint("build.log", "prof.txt")[1]


# ---- which findings ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--select", "F02"), [("F02", [0])]),
        (("--select", "f02,f03", "--ignore", "F"), [("F03", [0, 2])]),
        (("--select", "F", "--ignore", "F02"), [("F03", [2])]),
    ],
)
def test_selection(lint: Ended, flags: tuple[str, ...], told: list[tuple[str, list[int]]]) -> None:
    code, out, _ = lint("build.log", "prof.txt", "--format", "json", *flags)
    assert code == 0
    assert [(one, layers) for one, layers, _ in found(out)] == told


# ---- --fail_on ---------------------------------------------------------------------------------


def test_fail_on_is_an_exit_code_of_its_own(lint: Ended, tmp_path: Path) -> None:
    case = next(case for case in cases() if case.code == "P01" and case.layers)
    (tmp_path / "warned.log").write_text(case.log)
    for severity, code in (("hint", 5), ("warning", 5), ("error", 0)):
        assert lint("warned.log", "--fail_on", severity, only="P01")[0] == code
    assert lint("build.log", "--fail_on", "warning")[0] == 0
    assert lint("build.log", "--fail_on", "hint")[0] == 5


def test_the_codes_of_rules_that_are_no_more_stay_known(lint: Ended) -> None:
    why = "retired in 1.0: "
    code, out, err = lint("build.log", "--select", "T02")
    assert code == 0 and "no findings" in out and f"T02 finds nothing, {why}" in err
    code, out, err = lint("build.log", "--ignore", "T02,T03")
    assert code == 0 and "1 finding\n" in out and why not in err


# ---- what is advised ---------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, -1])
def test_advice_asks_for_shapes_that_vary(batch: int, tmp_path: Path, printed: Printed) -> None:
    log = file_of(tmp_path, listing_of("c", tensor=f"Float[{batch},3,8,8]"))
    assert ("--loadEngine=… --shapes=… " in printed("lint", log, "--width", "300")) is (batch < 0)


RAN = "&&&& RUNNING TensorRT.trtexec [TensorRT v{}] # trtexec --onnx=a.onnx --verbose{}\n"
WITHOUT = "`trtexec --loadEngine=… --exportProfile="


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (
            RAN.format("8601", " --staticPlugins=lib/a.so --dynamicPlugins=b.so --noTF32"),
            "--loadEngine=… --staticPlugins=lib/a.so --dynamicPlugins=b.so --exportProfile=",
        ),
        (RAN.format("8501", " --plugins=a.so"), "--loadEngine=… --plugins=a.so --exportProfile="),
        (RAN.format("8601", ""), WITHOUT),  # trtexec finds TensorRT's own
        ("[V] [TRT] Loaded shared library libnvinfer_builder_resource.so.10.4.0\n", "--static"),
        ("TensorRT version: 8.5.1\n", "--loadEngine=… --plugins=… --exportProfile="),
        ("", "--loadEngine=… --plugins=… --exportProfile="),  # that any version has
    ],
)
def test_advice_names_the_plugins(before: str, words: str, tmp_path: Path, here: Program) -> None:
    for kind in ("PluginV2", "CaskConvolution"):
        log = file_of(tmp_path, before + listing_of("c", kind=kind), f"{kind}.log")
        for command in (["summary"], ["compare", str(log)]):
            text = " ".join(here(*command, log).stdout.split())
            is_given = "lugins=" in before
            assert (words in text) is (kind == "PluginV2" or is_given or words == WITHOUT)
            assert ("lugins=" in text) is (is_given or (kind == "PluginV2" and words != WITHOUT))
