"""Bad input, and good input in odd clothes: one line each, the right exit code, no traceback."""

import bz2
import gzip
import json
import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from logtext import HEADER, file_of
from paths import FIXTURES
from program import Patch, Program

from engine_layer_visualize import read
from engine_layer_visualize.io import source

BROKEN = FIXTURES / "broken"
SUFFIX = ".expected.json"
EXPECTED = sorted(BROKEN.glob(f"*{SUFFIX}"))

RECORD = "Layer(Conv): a{0}, Tactic: 1, {0}[Float(1)] -> {1}[Float(1)]\n"
GOOD = HEADER + "".join(RECORD.format(number, number + 1) for number in range(3))
BAD = "Layer(Conv): a, Tactic: 1, zzz\n"

_PROBLEM = re.compile(r"(.+?)(?::(\d+):(\d+))?: (error|warning)\[(ELV\d{3})\]: (.+)")


@dataclass
class Told:
    """What a run said and left."""

    exit: int
    problems: list[tuple[str, int, int, str, str]]  # file, line, column, severity, code
    outputs: dict[str, Any]
    stdout: str
    stderr: str

    @property
    def codes(self) -> list[tuple[str, int]]:
        return [(code, line) for _, line, _, _, code in self.problems]

    @property
    def layers(self) -> int | None:
        """Of all engines; None where nothing was drawn."""
        if not self.outputs:
            return None
        return sum(len(engine["layers"]) for engine in self.outputs.values())


def told(done: subprocess.CompletedProcess[str], output: Path) -> Told:
    """Holds what is true of every run, whatever its input."""
    assert "Traceback" not in done.stderr
    assert "Warning:" not in done.stderr, "a warning of Python's own"
    assert "\x1b" not in done.stdout + done.stderr
    problems = []
    for line in done.stderr.split("\n"):
        if match := _PROBLEM.fullmatch(line):
            problems.append((match[1], int(match[2] or 0), int(match[3] or 0), match[4], match[5]))
        elif done.returncode != 2:
            assert not line or line.startswith("  ") or "more of these" in line, line
    outputs = {}
    for path in sorted(output.iterdir()) if output.is_dir() else ():
        assert re.fullmatch(r"EngineLayers_\d+\.json", path.name), "half a file"
        outputs[path.name] = json.loads(path.read_text("utf-8"))
    errors = [problem for problem in problems if problem[3] == "error"]
    assert bool(errors) == (done.returncode in (1, 2, 3, 4)), done.stderr
    if done.returncode in (0, 1):
        written = [line.partition("  ")[0] for line in done.stdout.split("\n") if line]
        assert sorted(Path(name).name for name in written) == sorted(outputs)
    return Told(done.returncode, problems, outputs, done.stdout, done.stderr)


@pytest.fixture
def run(here: Program, program: Program, tmp_path: Path) -> Callable[..., Told]:
    """`run("--log_file", …)` draws JSON into a folder of its own; a process that reads `data`."""

    def start(*arguments: str | Path, **options: Any) -> Told:
        output = tmp_path / "drawn"
        given = ["--format", "json", "--output_dir", str(output), *map(str, arguments)]
        return told((program if "data" in options else here)(*given, **options), output)

    return start


Run: TypeAlias = Callable[..., Told]


@pytest.mark.parametrize(
    "path", EXPECTED, ids=[path.name.removesuffix(SUFFIX) for path in EXPECTED]
)
def test_a_broken_fixture_is_reported_as_expected(path: Path, run: Run) -> None:
    expected = json.loads(path.read_text("utf-8"))
    arguments = ["--log_file", expected["args"]["log"]]
    for profile in expected["args"]["profiles"]:
        arguments += ["--profile_file", profile]
    found = run(*arguments, cwd=BROKEN)
    assert found.exit == expected["exit"], found.stderr
    codes = [(code, line) for code, line in expected["codes"]]
    unpinned = {code for code, line in codes if line is None}
    told_at = [(code, None if code in unpinned else line) for code, line in found.codes]
    assert Counter(told_at) == Counter(codes), found.stderr
    assert found.layers == expected["layers"]
    given = {expected["args"]["log"], *expected["args"]["profiles"]}
    assert {problem[0] for problem in found.problems} <= given
    if found.outputs:
        told_of = [one["code"] for engine in found.outputs.values() for one in engine["problems"]]
        assert {code for code, _ in codes} == set(told_of)


def test_every_broken_input_has_an_expectation() -> None:
    stems = {path.name.removesuffix(SUFFIX) for path in EXPECTED}
    names = [path.name for path in BROKEN.iterdir() if not path.name.endswith(SUFFIX)]
    inputs = {re.split(r"\.(?:log|profile)\b", name)[0] for name in names}
    assert inputs <= stems
    assert stems - inputs <= {"no-such-file"}


WRITTEN = (  # by which command, under which name, and what that is called
    ("draw -f dot", "EngineLayers_0.dot", "a drawing for Graphviz"),
    ("draw -f json", "EngineLayers_0.json", "an engine as JSON (--format json)"),
    ("draw -f svg", "EngineLayers_0.svg", "a drawing (SVG)"),
    ("draw -f html", "EngineLayers_0.html", "a page of HTML"),
    ("draw -p times.txt -f trace", "EngineLayers_0.trace.json", "a trace (--format trace)"),
    ("summary -f json -o report.json", "report.json", "a report as JSON (--format json)"),
    ("compare build.log -f json -o .", "comparison.json", "a report as JSON (--format json)"),
    ("gate -p times.txt --save base.json", "base.json", "a baseline (of gate --save)"),
    ("table -f csv", "layers.csv", "a table (of the command table)"),
    ("table -f jsonl", "layers.jsonl", "a table (of the command table)"),
)


@pytest.mark.parametrize(("command", "name", "said"), WRITTEN)
def test_its_own_output(here: Program, tmp_path: Path, command: str, name: str, said: str) -> None:
    """No log. `anonymise` refuses it, too: what is known of a log's words is not known of these."""
    file_of(tmp_path, GOOD)
    file_of(tmp_path, "a0: 1ms\na1: 1ms\na2: 1ms\n", "times.txt")
    first, *flags = command.split()
    here(first, "build.log", *flags, cwd=tmp_path, code=0)
    start = f"{name}:1:1: error[ELV402]: this is {said}, "
    assert here("summary", name, code=3).stderr.startswith(f"{start}not a log\n  give the log")
    refused = here("anonymise", name, code=3)
    assert refused.stdout == "" and refused.stderr.startswith(f"{start}and no log\n")


@pytest.mark.parametrize(
    ("before", "after", "exit", "layers"),
    [
        ("", "", 3, None),
        ("", "\n" + GOOD, 1, 3),
        (GOOD, "", 1, 3),
        (GOOD[:-1] + " ", "\n" + GOOD, 1, 6),  # the record that holds it cannot be whole
    ],
    ids=["alone", "before a listing", "after a listing", "inside a record"],
)
def test_a_line_over_the_limit(
    run: Run, tmp_path: Path, monkeypatch: Patch, before: str, after: str, exit: int, layers: int
) -> None:
    """`faults/test_inputs.py` has one of 2 GiB."""
    monkeypatch.setattr(source, "MAX_LINE", 500_000)
    found = run("--log_file", file_of(tmp_path, before + "x" * 3_000_000 + after))
    assert (found.exit, found.layers) == (exit, layers)
    assert "ELV109" in {code for code, _ in found.codes}
    assert len(found.stderr) < 4000


def test_a_gzip_that_ends_before_its_listing(run: Run, tmp_path: Path) -> None:
    """That it is cut short is why there is nothing to draw."""
    words = "".join(f"[V] [TRT] {random.Random(n).getrandbits(200)}\n" for n in range(5000))
    packed = gzip.compress((words + GOOD).encode())
    found = run("--log_file", file_of(tmp_path, packed[: len(packed) // 2]))
    assert (found.exit, found.layers) == (3, None)
    assert "ELV108" in {code for code, _ in found.codes}


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "conv", "averageMs": 0.5}]',
        '{"traceEvents": [{"name": "conv", "ph": "X", "dur": 5.0}]}',
        '[{"name": "conv", "ph": "X", "ts": 0.0, "dur": 5.0}]',
        "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer\n 1 2 3 100 conv\n",
    ],
)
def test_a_profile_as_the_log_is_times_alone(run: Run, tmp_path: Path, text: str) -> None:
    """Those that `test_times.py` does not draw."""
    found = run("--log_file", file_of(tmp_path, text, "prof.json"))
    assert (found.exit, found.codes) == (0, [])
    assert "1 layer, times alone, 0 edges" in found.stdout


LOADED = "[I] [TRT] Loaded engine size: 3 MiB\n"
TABLE = "[I] === Profile (3 iterations ) ===\n[I]  Layer   Time (ms)   Avg. Time (ms)\n"
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 7\n    go()\nTypeError: no plan\n'
RAN = (
    "[I] === Performance summary ===\n[I] GPU Compute Time: min = 0.2 ms, max = 0.9 ms, "
    "mean = 0.3 ms, median = 0.25 ms, percentile(99%) = 0.6 ms\n"
)
WITH_LOG = "--log_file build.log --profile_file {}"
ENGINE = b"ftrt\0\0\0\0\x02\0\0\0\x4c\x62\x0a\0"
MODEL = (
    b"\x08\x0a\x12\x07pytorch\x1a\x032.1:\x9d\x02\x0a\x1c\x0a\x01x\x12\x01y\x1a\x02op\x22\x04Relu\0"
)
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + random.Random(1).randbytes(5000)
# What a file holds; the code, its line, words of the message; {} is the file.
NO_LOGS: tuple[tuple[bytes | str, str, int, tuple[str, ...]], ...] = (
    *((data, "ELV402", 1, ()) for data in ("", "\n", " \n\t\r\n\n")),
    (PNG, "ELV405", 1, ("PNG",)),
    (random.Random(0).randbytes(100_000), "ELV405", 1, ()),
    (MODEL, "ELV405", 1, ("this looks like an ONNX model", "--log_file build.log --onnx {}")),
    (ENGINE, "ELV405", 1, ("a built engine, not a log", "trtexec --loadEngine={} --exportLayer")),
    (bz2.compress(GOOD.encode()), "ELV405", 1, ("a bzip2 file, not a log", "unpack it")),
    (b"PK\x03\x04\x14\0\0\0\x08\0" + bytes(40), "ELV405", 1, ("a ZIP archive,", "unpack it")),
    (b"PK\x03\x04\n\0build.log" + GOOD.encode(), "ELV405", 1, ("a ZIP archive,", "unpack it")),
    ('{"$schema": "https://x/sarif-2.1.0.json"}\n' + GOOD, "ELV402", 1, ("findings (SARIF), not",)),
    (b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(40), "ELV405", 1, ("a 7z archive,", "unpack it")),
    (HEADER.rstrip("\n"), "ELV105", 1, ()),
    ('[{"count": 2}]', "ELV402", 1, ("this is a profile", "--exportProfile", WITH_LOG)),
    (TABLE, "ELV402", 1, ("this is a profile", "table", WITH_LOG)),
    ('[\n  { "startH2dMs" : 1.5, "endH2dMs" : 2 }\n]', "ELV402", 1, ("--exportTimes",)),
    ("camera opened\nERROR: could not open video stream\n", "ELV402", 1, ()),
    (f"[I] Load engine: a.plan\n{LOADED}[E] [TRT] 1: Error Code 1: Serial\n", "ELV403", 2, ()),
    ("[V] [TRT] Adding network input: x\n[E] [TRT] 10: no implementation\n", "ELV404", 2, ()),
    *((LOADED + "[I] more\n" * 9 + end, "ELV403", 1, ()) for end in ("", TABLE)),
    (LOADED + RAN, "ELV403", 1, ("are listed; an inference took 250 µs on the GPU (median)\n",)),
    (f"[I] hello\n{TRACE}", "ELV402", 5, ("a Python program ended with TypeError: no plan",)),
)


@pytest.mark.parametrize(("data", "code", "line", "words"), NO_LOGS)
def test_what_is_no_log_is_called_what_it_is(
    run: Run, tmp_path: Path, data: bytes | str, code: str, line: int, words: tuple[str, ...]
) -> None:
    path = file_of(tmp_path, data)
    found = run(path)
    assert (found.exit, found.codes, found.layers) == (3, [(code, line)], None)
    assert all(each.format(path) in found.stderr for each in words)


@pytest.mark.parametrize(
    "host",
    [
        *("[TensorRT] ERROR: ", "ERROR: [Torch-TensorRT Conversion Context] - ", "ERROR: [TRT]: "),
        *("My Logger: Severity.ERROR ", "[05/17/2023-13:20:49] [TRT] [E] ", "app_1  | [E] "),
    ],
)
def test_what_a_logger_writes_is_a_failed_build(run: Run, tmp_path: Path, host: str) -> None:
    tree = "├── ERROR: <Severity>"
    found = run("--log_file", file_of(tmp_path, f"[I] hello\n{host}no kernel for node a\n{tree}\n"))
    assert (found.exit, found.codes) == (3, [("ELV404", 2)])
    assert "no kernel for node a" in found.stderr


@pytest.mark.parametrize(
    "text",
    [
        # what Python prints
        "[I] hello\ntensorrt\n├── Logger\n│   ├── ERROR: <Severity>\n│   └── INFO: <Severity>\n",
        "[I] hello\nLogger\n|-- ERROR: Severity\n|-- INFO: Severity\n",
        '[I] hello\n  File "a.py", line 7, in f\n    raise ValueError("ERROR: no engine")\n',
        # what a runtime says
        "[TRT] [E] 3: [engine.cpp::getTensorShape] Error Code 3: API Usage Error (no name)\n",
        "[V] Loaded Module: polygraphy\n[I] ==== TensorRT Engine ====\n    Name: net | 3 inputs\n",
        "tensorrt\n|-- ILogger.Severity.VERBOSE: 4\n|-- Builder\n",
    ],
)
def test_these_are_no_build_nor_one_that_failed(run: Run, tmp_path: Path, text: str) -> None:
    found = run("--log_file", file_of(tmp_path, text))
    assert (found.exit, [code for code, _ in found.codes]) == (3, ["ELV402"])
    assert "failed" not in found.stderr and "ends at line" not in found.stderr


def test_json_behind_too_many_broken_ones_is_told(tmp_path: Path) -> None:
    listing = '{"Layers": ["conv1"]}\n'
    log = tmp_path / "several.json"
    log.write_text(listing + '{"Layers": [}\n' * 16 + listing, "utf-8")
    build = read(log)
    assert [len(engine.layers) for engine in build.engines] == [1]
    assert "16 JSON texts could not be read: what follows is left out" in [
        problem.message for engine in build.engines for problem in engine.problems
    ]


def test_problems_of_stdin_are_placed(run: Run) -> None:
    found = run("--log_file", "-", data=(GOOD + BAD).encode())
    assert (found.exit, found.layers) == (1, 4)
    assert found.problems[0][:2] == ("<stdin>", 5)


def test_stdin_without_a_listing_says_what_it_is(run: Run) -> None:
    """The input cannot be read twice; what is left of it tells."""
    data = (BROKEN / "build-failed.log").read_bytes()
    found = run("--log_file", "-", data=data)
    assert (found.exit, [code for code, _ in found.codes]) == (3, ["ELV404"])


def test_strict_stops_at_the_first_error(run: Run, tmp_path: Path) -> None:
    log = file_of(tmp_path, GOOD + BAD + BAD + GOOD)
    assert [line for _, line in run("--log_file", log).codes] == [5, 6]
    shutil.rmtree(tmp_path / "drawn")
    found = run("--log_file", log, "--strict")
    assert (found.exit, found.codes, found.layers) == (1, [("ELV102", 5)], None)


def test_strict_minds_no_warnings(run: Run) -> None:
    found = run("--log_file", BROKEN / "no-header.log", "--strict")
    assert (found.exit, found.layers) == (0, 3)
    assert [code for code, _ in found.codes] == ["ELV106"]


def test_strict_stops_at_an_unusable_profile(run: Run, tmp_path: Path) -> None:
    prose = file_of(tmp_path, "nothing like a profile\n", "prose.txt")
    log = file_of(tmp_path, GOOD)
    found = run("--log_file", log, "--profile_file", prose, "--strict")
    assert (found.exit, found.codes, found.layers) == (1, [("ELV201", 1)], None)
