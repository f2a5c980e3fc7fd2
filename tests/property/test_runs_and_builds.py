"""Logs of several builds and runs: every number is its engine's, or nobody's: a warning says so."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import logtext
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logtext import Numbers, pieces
from summarised import data_of

from engine_layer_visualize.api.read import Log

FAILED, RUN = "a build that failed", "a run, of which the log does not show the engine"
KINDS = ("python", "trtexec", "load", "failed", "attempts", "cached")


@dataclass
class Expected:
    """What one engine's summary must hold. `runs`: GPU times of its runs, in order."""

    numbers: Numbers
    precision: list[str] = field(default_factory=list)
    attempts: int = 1
    timed: int = 3
    runs: list[float] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass
class Story:
    """A log, its engines, and by their kind the numbers that are nobody's with their lines."""

    lines: list[str] = field(default_factory=list)
    engines: list[Expected] = field(default_factory=list)
    nobody: dict[str, list[tuple[int, int, Numbers]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, part: Sequence[str]) -> tuple[int, int]:
        first = len(self.lines) + 1
        self.lines += part
        return first, len(self.lines)


@st.composite
def stories(draw: st.DrawFn) -> Story:
    """Random sequences. A run loads an engine that was saved, or the only one that was not."""
    story = Story()
    saved: dict[str, Expected] = {}
    loaded: dict[str, Expected] = {}
    nameless: list[Expected] = []  # neither saved nor loaded so far
    for seed, kind in enumerate(draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6))):
        n = Numbers(seed)
        if kind == "failed":
            first, last = story.add(logtext.failed_build(n))
            story.nobody[FAILED].append((first, last, n))
        elif kind == "load":
            ended = draw(st.booleans())
            file = draw(st.sampled_from([*sorted({**saved, **loaded}), f"engine{seed}.plan"]))
            if file not in saved and nameless and nameless == story.engines[-1:]:
                loaded[file] = nameless.pop()
            owner = saved.get(file) or (None if nameless else loaded.get(file))
            first, last = story.add(logtext.trtexec_load(n, f"/data/{file}", ended=ended))
            if owner is None:
                story.nobody[RUN].append((first, last, n))
            else:
                owner.runs.append(n.gpu_ms)
                owner.warnings.append(n.warning)
        elif kind == "trtexec":
            file = f"saved{seed}.plan"
            story.add(logtext.trtexec_build(n, file, ended=draw(st.booleans())))
            found = Expected(n, ["FP32", "FP16"], runs=[n.gpu_ms], warnings=[n.warning] * 2)
            story.engines.append(found)
            saved[file] = found
        else:
            attempts = 3 if kind == "attempts" else 1
            cached = kind == "cached"
            story.add(logtext.python_build(n, attempts=attempts, cached=cached))
            found = Expected(n, attempts=attempts, timed=1 if cached else 3)
            found.warnings = [n.warning]  # of several attempts only the last one's
            story.engines.append(found)
            nameless.append(found)
    return story


def summaries(text: str, size: int) -> tuple[list[dict[str, Any]], Log]:
    log = Log("build.log", facts=True, chunks=pieces(text.encode(), size))
    return [data_of(engine) for engine in log.engines()], log


def check(story: Story, size: int = 1 << 18) -> None:
    found, log = summaries("".join(f"{line}\n" for line in story.lines), size)
    assert len(found) == len(story.engines)
    for data, expected in zip(found, story.engines):
        n = expected.numbers
        assert data["engine"]["precisions"] == expected.precision
        assert data["engine"]["attempts"] == expected.attempts
        total = sum(n.generation_s(k) for k in range(expected.attempts))
        assert data["engine"]["generation_s"] == pytest.approx(total)
        assert data["engine"]["time"]["timed"] == expected.timed
        slowest = max(range(expected.timed), key=lambda layer: n.tactic_ms(layer))
        last = expected.attempts - 1
        assert data["slowest"][0]["ms"] == pytest.approx(n.tactic_ms(slowest, last))
        assert [total["bytes"] for total in data["memory"]["totals"]] == [n.activation]
        runs = [gpu_ms(run) for run in data["latency"]["runs"]]
        assert runs == expected.runs
        assert data["latency"]["gpu_compute_ms"] == (expected.runs[-1] if expected.runs else None)
        said = [message["text"].lstrip("* ") for message in data["problems"]["log"]]
        assert sorted(said) == sorted(expected.warnings)
        # Each attempt has one of its own.
        assert data["problems"]["warnings"] == len(expected.warnings) + expected.attempts - 1
    told = of_no_engine(log)
    assert told.keys() == story.nobody.keys()
    for kind, ((first, last, n), *others) in story.nobody.items():
        line, end, more = told[kind]
        warned = next(at for at in range(first, last + 1) if n.warning in story.lines[at - 1])
        assert first <= line <= warned <= end <= last, "no line of an engine's"
        assert more == len(others)


def of_no_engine(log: Log) -> dict[str, tuple[int, int, int]]:
    """By the kind of what belongs to no engine its first and last line, and how many more are."""
    words = r"(.*), up to line (\d+), belongs to no engine(?:; (\d+) more like it)?(?:; its .*)?"
    told = {}
    for problem in log.problems:
        if problem.code == "ELV415":
            match = re.fullmatch(words, problem.message)
            assert match is not None
            assert match[1] not in told, "a kind is told once"
            told[match[1]] = problem.place.line, int(match[2]), int(match[3] or 0)
    return told


def gpu_ms(run: dict[str, Any]) -> float:
    (row,) = [row for row in run["measures"] if row["name"] == "GPU Compute Time"]
    return float(row["mean"])


@given(stories().filter(lambda story: story.engines), st.sampled_from([97, 1 << 12, 1 << 18]))
@settings(max_examples=150)
def test_each_number_is_its_engine_s_or_nobody_s(story: Story, size: int) -> None:
    check(story, size)


# Each build's number with its file, or none where a Python program built it, and what each run
# loads; numbers of the runs of each engine, and of those that are nobody's.
RUNS: dict[str, tuple[str, list[list[int]], list[int]]] = {
    "a run is of the build before it": ("- <a.plan - <b.plan", [[1], [3]], []),
    "two builds may use one file": ("- <model.plan - <model.plan", [[1], [3]], []),
    "by the file's name": (
        "build/a.plan build/b.plan <C:\\engines\\build\\a.plan",
        [[0, 2], [1]],
        [],
    ),
    "a whole path is more than a name": (
        "fp16/m.plan int8/m.plan <./fp16/m.plan </data/int8/m.plan <int4/m.plan",
        [[0, 2], [1, 3]],
        [4],
    ),
    "a file of that name in another folder is another": ("a/m.plan <b/m.plan", [[0]], [1]),
    "the same of a nameless build's": ("- <a/m.plan <b/m.plan", [[1]], [2]),
    "of two files that may be it": ("a/m.plan b/m.plan <m.plan", [[0], [1]], [2]),
    "of two builds into one file the last": ("m.plan m.plan </data/m.plan", [[0], [1, 2]], []),
    "of two files the first is the nameless build's": ("- <a.plan <b.plan", [[1]], [2]),
    "of files behind two nameless builds": ("- - <a.plan <b.plan", [[], []], [2, 3]),
}


def log_of(words: str) -> str:
    """The log of builds and runs, as `RUNS` spells them; `!` is a build that fails."""
    parts = []
    for number, file in enumerate(words.split()):
        if file == "-":
            parts.append(logtext.python_build(Numbers(number)))
        elif file == "!":
            parts.append(logtext.failed_build(Numbers(number)))
        elif file.startswith("<"):
            parts.append(logtext.trtexec_load(Numbers(number), file[1:]))
        else:
            parts.append(logtext.trtexec_build(Numbers(number), file))
    return logtext.log(parts)


@pytest.mark.parametrize(("words", "own", "nobody"), RUNS.values(), ids=RUNS)
def test_a_run_is_of_its_engine(words: str, own: list[list[int]], nobody: list[int]) -> None:
    text = log_of(words)
    found, log = summaries(text, 1 << 18)
    builds = [file for file in words.split() if not file.startswith("<")]
    for data, file, numbers in zip(found, builds, own, strict=True):
        assert [gpu_ms(run) for run in data["latency"]["runs"]] == [100.25 + n for n in numbers]
        assert data["engine"]["precisions"] == ([] if file == "-" else ["FP32", "FP16"])
    told = of_no_engine(log)
    assert sum(1 + more for _, _, more in told.values()) == len(nobody)
    for line, _, _ in told.values():
        first = words.split()[nobody[0]].removeprefix("<")
        assert text.split("\n")[line - 1].endswith(f"--loadEngine={first} --int8")


def test_what_is_behind_the_last_engine_is_told_each_once() -> None:
    parts = [log_of("m.plan ! <other.plan"), logtext.log([logtext.python_build(Numbers(3))[:8]])]
    _, log = summaries("".join(parts), 1 << 18)
    assert of_no_engine(log).keys() == {FAILED, RUN}
    assert [problem.code for problem in log.problems] == ["ELV412", "ELV415", "ELV415"]


def test_a_run_of_which_pieces_are_quoted_before_the_whole_is_one_run() -> None:
    command, *rest = logtext.trtexec_build(Numbers(0), "m.plan")
    device = "[I] === Device Information ===", "[I] Selected Device: Orin"
    (only,), log = summaries(logtext.log([[command, "The device:", *device, "", *rest]]), 1 << 18)
    assert of_no_engine(log) == {}
    assert only["engine"]["device"]["name"] == "Orin"
    assert only["engine"]["precisions"] == ["FP32", "FP16"]


def test_memory_and_duration_are_read_where_the_timings_have_no_last_line() -> None:
    lines = logtext.python_build(Numbers(0), attempts=2)
    text = logtext.log([[line for line in lines if "selection completed" not in line]])
    (only,), _ = summaries(text, 1 << 18)
    assert only["engine"]["attempts"] == 2
    assert [total["bytes"] for total in only["memory"]["totals"]] == [Numbers(0).activation]
    assert only["slowest"][0]["ms"] == Numbers(0).tactic_ms(2, 1)


def test_sources_name_the_lines_that_facts_are_from() -> None:
    text = log_of("- <a.plan - <b.plan")
    lines = text.split("\n")
    (first, second), _ = summaries(text, 1 << 18)
    for data, gpu in ((first, "101.25"), (second, "103.25")):
        spans = [s for s in data["sources"]["sections"] if s["what"] == "Performance summary"]
        (span,) = spans
        inside = lines[span["first_line"] - 1 : span["last_line"]]
        assert "Performance summary" in inside[0]
        assert any(f"mean = {gpu}" in line for line in inside)
        for kind, word in (("autotuning", "Timing Runner"), ("memory", "Total Activation")):
            (span,) = data["sources"][kind]
            inside = lines[span["first_line"] - 1 : span["last_line"]]
            assert any(word in line for line in inside)
        for span in data["sources"]["warnings"]:
            inside = lines[span["first_line"] - 1 : span["last_line"]]
            assert all("a warning of" in line for line in inside)
