"""Logs of several builds and runs: every number is its own engine's, or is listed as nobody's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import logtext
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logtext import Numbers, pieces
from summarised import data_of

from engine_layer_visualize.api.read import Log

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
    """A log, its engines, and the numbers that are nobody's with their lines."""

    lines: list[str] = field(default_factory=list)
    engines: list[Expected] = field(default_factory=list)
    nobody: list[tuple[int, int, Numbers]] = field(default_factory=list)

    def add(self, part: Sequence[str]) -> tuple[int, int]:
        first = len(self.lines) + 1
        self.lines += part
        return first, len(self.lines)


@st.composite
def stories(draw: st.DrawFn) -> Story:
    """Random sequences. A run loads an engine that was saved, or the one right before it.

    Behind a build that was not saved, a file that was only loaded before may be this build's: then
    none is loaded. Where several engines have no name, runs of two new files are unclear: a test of
    its own.
    """
    story = Story()
    without_name = 0
    names: dict[str, Expected] = {}
    saved: set[str] = set()
    nameless: Expected | None = None  # the last engine, where nothing named it so far
    for seed, kind in enumerate(draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6))):
        n = Numbers(seed)
        if kind == "failed":
            first, last = story.add(logtext.failed_build(n))
            story.nobody.append((first, last, n))
        elif kind == "load":
            if nameless is None and without_name:
                continue
            ended = draw(st.booleans())
            known = sorted(saved if nameless is not None else names)
            file = draw(st.sampled_from([*known, "other.plan"] if known else ["other.plan"]))
            owner = names.get(file)
            if owner is None and nameless is not None:
                owner, file = nameless, f"engine{seed}.plan"
                names[file], nameless = owner, None
                without_name -= 1
            first, last = story.add(logtext.trtexec_load(n, f"/data/{file}", ended=ended))
            if owner is None:
                story.nobody.append((first, last, n))
            else:
                owner.runs.append(n.gpu_ms)
                owner.warnings.append(n.warning)
        elif kind == "trtexec":
            file = f"saved{seed}.plan"
            story.add(logtext.trtexec_build(n, file, ended=draw(st.booleans())))
            warnings = [n.warning, f"{n.warning}"]
            found = Expected(n, ["FP32", "FP16"], runs=[n.gpu_ms], warnings=warnings)
            story.engines.append(found)
            names[file], nameless = found, None
            saved.add(file)
        else:
            attempts = 3 if kind == "attempts" else 1
            cached = kind == "cached"
            story.add(logtext.python_build(n, attempts=attempts, cached=cached))
            found = Expected(n, attempts=attempts, timed=1 if cached else 3)
            found.warnings = [n.warning]  # of several attempts only the last one's
            story.engines.append(found)
            nameless = found
            without_name += 1
    return story


def summaries(text: str, size: int) -> tuple[list[dict[str, Any]], Log]:
    data = text.encode()
    chunks = pieces(data, size)
    log = Log("build.log", facts=True, chunks=chunks)
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
    for first, last, n in story.nobody:
        line = next(at for at in range(first, last + 1) if n.warning in story.lines[at - 1])
        (one,) = [u for u in log.unassigned if u.first_line <= line <= u.last_line]
        assert first <= one.first_line and one.last_line <= last, "no line of an engine's"
        assert one.warnings == 1
    assert len(log.unassigned) == len(story.nobody)


def gpu_ms(run: dict[str, Any]) -> float:
    (row,) = [row for row in run["measures"] if row["name"] == "GPU Compute Time"]
    mean = row["mean"]
    assert isinstance(mean, float)
    return mean


@given(stories().filter(lambda story: story.engines), st.sampled_from([97, 1 << 12, 1 << 18]))
@settings(max_examples=150, deadline=None)
def test_each_number_is_its_engine_s_or_nobody_s(story: Story, size: int) -> None:
    check(story, size)


def build_load(build: Callable[[Numbers], list[str]]) -> str:
    a, b, c, d = map(Numbers, range(4))
    parts = (
        build(a),
        logtext.trtexec_load(b, "a.plan"),
        build(c),
        logtext.trtexec_load(d, "b.plan"),
    )
    return logtext.log(parts)


def test_a_run_that_loads_an_engine_is_of_the_build_before_it() -> None:
    (first, second), _ = summaries(build_load(logtext.python_build), 1 << 18)
    assert first["latency"]["gpu_compute_ms"] == Numbers(1).gpu_ms
    assert second["latency"]["gpu_compute_ms"] == Numbers(3).gpu_ms
    assert first["engine"]["precisions"] == second["engine"]["precisions"] == []


def test_a_run_finds_its_engine_by_the_file_s_name() -> None:
    parts = (
        logtext.trtexec_build(Numbers(0), "build/a.plan"),
        logtext.trtexec_build(Numbers(1), "build/b.plan"),
        logtext.trtexec_load(Numbers(2), "C:\\engines\\build\\a.plan"),
    )
    (first, second), log = summaries(logtext.log(parts), 1 << 18)
    assert [gpu_ms(run) for run in first["latency"]["runs"]] == [100.25, 102.25]
    assert [gpu_ms(run) for run in second["latency"]["runs"]] == [101.25]
    assert log.unassigned == []


def test_a_whole_path_is_more_than_a_file_s_name() -> None:
    parts = (
        logtext.trtexec_build(Numbers(0), "fp16/m.plan"),
        logtext.trtexec_build(Numbers(1), "int8/m.plan"),
        logtext.trtexec_load(Numbers(2), "./fp16/m.plan"),
        logtext.trtexec_load(Numbers(3), "/data/int8/m.plan"),
        logtext.trtexec_load(Numbers(4), "int4/m.plan"),
    )
    (first, second), log = summaries(logtext.log(parts), 1 << 18)
    assert [gpu_ms(run) for run in first["latency"]["runs"]] == [100.25, 102.25]
    assert [gpu_ms(run) for run in second["latency"]["runs"]] == [101.25, 103.25]
    assert [one.gpu_compute_ms for one in log.unassigned] == [104.25]


def test_two_python_builds_may_use_one_file() -> None:
    a, b, c, d = map(Numbers, range(4))
    run = logtext.trtexec_load
    parts = (
        logtext.python_build(a),
        run(b, "model.plan"),
        logtext.python_build(c),
        run(d, "model.plan"),
    )
    (first, second), log = summaries(logtext.log(parts), 1 << 18)
    assert [gpu_ms(run) for run in first["latency"]["runs"]] == [101.25]
    assert [gpu_ms(run) for run in second["latency"]["runs"]] == [103.25]
    assert log.unassigned == []


def test_a_run_of_which_pieces_are_quoted_before_the_whole_is_one_run() -> None:
    command, *rest = logtext.trtexec_build(Numbers(0), "m.plan")
    device = "[I] === Device Information ===", "[I] Selected Device: Orin"
    (only,), log = summaries(logtext.log([[command, "The device:", *device, "", *rest]]), 1 << 18)
    assert log.unassigned == []
    assert only["engine"]["device"]["name"] == "Orin"
    assert only["engine"]["precisions"] == ["FP32", "FP16"]


def test_memory_and_duration_are_read_where_the_timings_have_no_last_line() -> None:
    lines = logtext.python_build(Numbers(0), attempts=2)
    text = logtext.log([[line for line in lines if "selection completed" not in line]])
    (only,), _ = summaries(text, 1 << 18)
    assert only["engine"]["attempts"] == 2
    assert [total["bytes"] for total in only["memory"]["totals"]] == [Numbers(0).activation]
    assert only["slowest"][0]["ms"] == Numbers(0).tactic_ms(2, 1)


def test_of_runs_of_two_files_after_one_nameless_build_the_first_is_its() -> None:
    parts = (
        logtext.python_build(Numbers(0)),
        logtext.trtexec_load(Numbers(1), "a.plan"),
        logtext.trtexec_load(Numbers(2), "b.plan"),
    )
    (only,), log = summaries(logtext.log(parts), 1 << 18)
    assert [gpu_ms(run) for run in only["latency"]["runs"]] == [101.25]
    assert [one.gpu_compute_ms for one in log.unassigned] == [102.25]


def test_runs_of_two_files_after_two_nameless_builds_are_nobody_s() -> None:
    parts = (
        logtext.python_build(Numbers(0)),
        logtext.python_build(Numbers(1)),
        logtext.trtexec_load(Numbers(2), "a.plan"),
        logtext.trtexec_load(Numbers(3), "b.plan"),
    )
    both, log = summaries(logtext.log(parts), 1 << 18)
    assert [data["latency"]["runs"] for data in both] == [[], []]
    assert [one.gpu_compute_ms for one in log.unassigned] == [102.25, 103.25]


def test_sources_name_the_lines_that_facts_are_from() -> None:
    text = build_load(logtext.python_build)
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
