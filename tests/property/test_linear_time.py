"""A line that is eight times as long costs about eight times as much, whatever stands in it.

Costs are compared with each other, never with a limit: a quadratic reader costs 64 times as much.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from factories import engine, engine_of, engines_of, layer
from logtext import pieces
from readers import read_record

from engine_layer_visualize.assembly.graph import build
from engine_layer_visualize.core.build_timeline import BuildTimeline, Moment
from engine_layer_visualize.core.model import Timing
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.inputs.profiles import read as read_profile
from engine_layer_visualize.io.source import CHUNK
from engine_layer_visualize.outputs import render
from engine_layer_visualize.pipeline import Log
from fuzz import budget

pytestmark = pytest.mark.slow

HEADER = "[V] Engine Layer Information:\n"
LAYER = "Layer(A): a, Tactic: 1, x (Float[1]) -> y (Float[1])\n"
OLD_LAYER = "Layer(A): a, Tactic: 1, x[Float(1)] -> y[Float(1)]\n"
IN_NAME, IN_TENSORS = "Layer(A): ", "Layer(A): a, Tactic: 1, "

Case = tuple[str, str, str]  # before, what is repeated, after

# What the patterns of names, tactics and descriptors could run along, again and again.
UNITS = [
    *(" ", "a", "(", "[", ")", "]", ",", ":", "-", "1", "\t", "\x1e", "層"),
    *(", ", " -> ", " ->", " (", "[a", " (a", "[Float(", " (Float[", "[Float(1", " (Float[1"),
    *("[Float(1)]", " (Float[1])", "x[Float(1)], ", "x (Float[1]), ", "x[Float(1)]]", "1,", "1:"),
    *(", Tactic: ", ", Tactic: 1", ", Tactic: 0x", ", Tactic: -", ", Tactic: a, ", "Layer("),
    *("Layer(A", "Layer(A)", "Layer(A): ", "\x1b[", "\x1b[0m", "\x1b[0;", "m\x1b"),
]
RECORDS: dict[str, Case] = {
    "name, whole": (IN_NAME, "a, (b) -> [c] ", ", Tactic: 1, x (Float[1]) -> y (Float[1])"),
    "dims": (IN_TENSORS + "x (Float[", "1,", "1]) -> y (Float[1])"),
    "digits": (IN_TENSORS + "x (Float[1,", "0", "1]) -> y (Float[1])"),
    "inputs": (IN_TENSORS, "x (Float[1]), ", "x (Float[1]) -> y (Float[1])"),
    "outputs": (IN_TENSORS + "x[Float(1)] -> ", "y[Float(1)], ", "y[Float(1)]"),
    "a tensor's name": (IN_TENSORS, "x (Float[1]) ", " (Float[1]) -> y (Float[1])"),
    "arrows in names": (IN_TENSORS, "x -> ", " (Float[1]) -> y (Float[1])"),
    "blanks at the end": (LAYER.rstrip(), " ", ""),
    "lines that end as it does": (LAYER.rstrip(), "\nx (Float[1])", ""),
    "colour at the end": (LAYER.rstrip(), "\x1b[0m", ""),
}
ARROWS: dict[str, Case] = {
    "readings": (IN_TENSORS, "x (Float[1]) -> ", "y (Float[1])"),
    "readings, old": (IN_TENSORS, "x[Float(1)] -> ", "y[Float(1)]"),
    "readings and tensors": (IN_TENSORS, "x (Float[1]) -> y (Float[1]), ", "y (Float[1])"),
}
DETAILED_HEADER = "[V] Layers:\n"
IN_OBJECT = "Name: a, LayerType: A, Inputs: [ { Name: x"
OBJECT = "{ Name: x, Location: Device, Dimensions: [1], Format/Datatype: Half }"
IN_ATTRIBUTES = "Name: a, LayerType: A, Inputs: [], Outputs: []"
DETAILED: dict[str, Case] = {
    "types": ("Name: a", ", LayerType: A", ""),
    "types before inputs": ("Name: a", ", LayerType: A, Inputs: [", ""),
    "braces": ("Name: a, LayerType: A, Inputs: [ ", "{ Name: x, ", ""),
    "dims": (IN_OBJECT, ", Dimensions: [1]", ""),
    "dims and words": (IN_OBJECT, ", Dimensions: [1], Format/Datatype: x", ""),
    "dims, dtype and format": (IN_OBJECT, ", Dimensions: [1], Datatype: x, Format: ", ""),
    "ends of an object": (IN_OBJECT, ", Dimensions: [1], Format/Datatype: x }", ""),
    "digits": (f"{IN_OBJECT}, Dimensions: [", "1,", ""),
    "objects": (f"Name: a, LayerType: A, Inputs: [ {OBJECT}", f", {OBJECT}", "]"),
    "objects with two ends of a name": (
        "Name: a, LayerType: A, Inputs: [ ",
        "{ Name: x, Location: A, Location: A, Dimensions: [1], Format/Datatype: x, "
        "Dimensions: [1], Format/Datatype: Half }, ",
        "]",
    ),
    "attributes": (IN_ATTRIBUTES, ", A: b", ""),
    "attributes without values": (IN_ATTRIBUTES, ", A:", ""),
    "a value": (f"{IN_ATTRIBUTES}, A: ", ", b", ""),
    "a key": (f"{IN_ATTRIBUTES}, ", "A", ""),
    "metadata": (IN_ATTRIBUTES, ", Metadata: ", ""),
    "what only looks like metadata": (f"{IN_ATTRIBUTES}, A: b", ", Metadata:x", ""),
}
# Outside of listings: what other lines of a log are searched for.
OTHERS: dict[str, Case] = {
    "prose about layers": ("", "Layer(A): ", ""),
    "prose about layers and tactics": ("", "Layer(A): a, Tactic: 1, ", ""),
    "tables": ("", "=== Profile (", ""),
    "input": ("Adding network input: ", "a", ""),
    "inputs of one line": ("", "Adding network input: ", ""),
    "inputs with dtypes": ("Adding network input: a", " with dtype: a, dimensions: ", ""),
    "inputs without dimensions": ("Adding network input: a", " with dtype: a", ""),
    "outputs of one line": ("", "Marking a as output: ", ""),
    "outputs that nothing marks": ("", " as output: ", ""),
    "marks after an output": (" as output: ", "Marking ", ""),
    "marks before an output": ("", "Marking ", " as output: a"),
    "reformats of one line": ("", "Adding reformat layer: ", ""),
    "brackets of a reformat": ("Adding reformat layer: a (", "(", ") from A(1) to B(1)"),
    "closing brackets of a reformat": ("Adding reformat layer: a (b", ")", ") from A(1) to B(1)"),
    "ends of a reformat": ("Adding reformat layer: a (b", ") from A to B", ""),
    "runners": ("", "Timing Runner: ", ""),
    "runner": ("Timing Runner: ", " (", ""),
    "runner's brackets": ("Timing Runner: a", " (a)", ""),
    "kernels": ("", "Tactic Name: ", ""),
    "kernel": ("Tactic Name: ", "a", ""),
    "tactics of a kernel": ("Tactic Name: a", " Tactic: 1", ""),
    "kernels of one tactic": ("Tactic Name: k1 Tactic: 1\n", "Tactic Name: k2 Tactic: 1 ", ""),
    "lines of one tactic": ("Tactic Name: k1 Tactic: 1\n", "a Set Tactic Name: k2 Tactic: 1\n", ""),
    "version": ("TensorRT v", "1", ""),
    "version line": ("TensorRT version: ", "1.", "[TensorRT v"),
    "versions": ("TensorRT version", " TensorRT v", ""),
    "library": ("", "libnvinfer", ""),
    "libraries": ("", "libnvinfer.so.1", ""),
    "costs": ("", "=============== Computing costs for ", ""),
    "costs of many layers": ("", "[V] =============== Computing costs for a\n", ""),
    "formats of many hosts": ("", "a1*************** Autotuning format combination: ", ""),
    "formats": ("*************** Autotuning format combination: ", "Float(1,", ""),
    "formats of one line": ("*************** Autotuning format combination: ", "Float(1), ", " ->"),
    "strays": (HEADER, "> \t", ""),
}
ENDS: dict[str, Case] = {  # logs without a listing
    "error code": ("Error Code 1: ", "a", ""),
    "error codes": ("", "Error Code 1", ""),
    "severities": ("Severity.ERROR ", "Severity.", ""),
    "severity": ("Severity.", "a", "Severity.ERROR "),
    "errors": ("", "[E] ", ""),
    "error at the end": ("", "a", " [E] failed"),
    "blanks": ("", " ", ""),
    "nothing": ("", "a", ""),
}
STAMPED: dict[str, Case] = {
    "digits": ("", "1", ""),
    "stamps": ("", "[11/22/2026-10:00:00] ", ""),
    "halves of stamps": ("", "2026-11-22T10:", ""),
    "lines": ("", "[11/22/2026-10:00:00] [V] --- Timing Runner: a (b)\n", ""),
    "runners": ("", "--- Timing Runner: ", ""),
    "runner's brackets": ("--- Timing Runner: a", "(", ")"),
    "passes": ("", "After ", ": 1 layers"),
    "pass": ("After ", "a", ": 1 layers"),
    "layers of a pass": ("After a: 1 layers", " ", "x"),
    "seconds": ("", "profiling completed in ", ""),
    "durations": ("", "a completed in 1.5 ", ""),
}
PROFILES: dict[str, Case] = {
    "text, colons": ("", ":", ""),
    "text, blanks": ("a:", " ", "x"),
    "text, many blanks": ("", ": ", "x"),
    "text, digits": ("a: ", "1", "x"),
    "text, numbers": ("", ": 1", "ms"),
    "text, exponents": ("a: 1", "e1", "ms"),
    "text, name": ("", "a: 1ms ", ": 1ms"),
    "text, times": ("", "1ms ", ""),
    "time stamps": ("", "[08/20/2024-19:31:54", ""),
    "clocks": ("", "[19:31:54", ""),
    "prefix": ("", "[TRT] ", ""),
    "column heads": ("", "Layer   Time (ms) ", ""),
    "blanks before column heads": ("", " ", "Layer"),
    "blanks in column heads": ("Layer", " ", "Time"),
    "blanks in late column heads": ("Time(ms)", " ", "Avg."),
    "table, row of numbers": ("=== Profile (1 iterations ) ===\n   Layer   Time (ms)\n", "1 ", "x"),
    "table, row of blanks": (
        "=== Profile (1 iterations ) ===\n   Layer   Time (ms)\na 1",
        " ",
        "x",
    ),
    "table, digits": ("=== Profile (1 iterations ) ===\n   Layer   Time (ms)\na ", "1", " 1 x"),
    "table, dots": ("=== Profile (1 iterations ) ===\n   Layer   Time (ms)\n", " 1.", "x"),
    "table, pairs": ("=== Profile (1 iterations ) ===\n   Layer   Time (ms)\n", "1  1 1  ", "x"),
    "table, titles": ("", "=== Profile (", ""),
    "table, count": ("=== Profile (", "1", " iterations ) ===\n"),
    "JSON, blanks": ("[", " ", ""),
    "JSON, brackets": ("", "[", ""),
    "JSON, string": ('[{"name": "', "\\\\", '"}]'),
    "JSON, text": ('[{"name": "', "a", '", "averageMs": 1}]'),
}


def check(work: Callable[[str], object], case: Case) -> None:
    before, unit, after = case
    budget.in_time(work, lambda size: before + unit * (size // len(unit) or 1) + after)


def read_log(text: str) -> None:
    data = text.encode()
    chunks = pieces(data, CHUNK)  # as a file comes
    with suppress(ReadError):
        engines_of(chunks)


def read_times(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile"
        path.write_text(text, encoding="utf-8")
        with suppress(ReadError):
            read_profile(path)


@pytest.mark.parametrize("before", [IN_NAME, IN_TENSORS])
@pytest.mark.parametrize("units", [UNITS[at : at + 7] for at in range(0, len(UNITS), 7)], ids=repr)
def test_patterns_cost_in_proportion_to_a_line(units: list[str], before: str) -> None:
    """Several lines in one log: a quadratic one would soon outweigh the others."""

    def work(text: str) -> None:
        size = len(text) // len(units)
        lines = "".join(f"{before}{unit * (size // len(unit))}\n" for unit in units)
        read_log(f"{HEADER}{LAYER}{OLD_LAYER}{lines}{LAYER}")

    check(work, ("", ".", ""))


@pytest.mark.parametrize("case", sorted(RECORDS))
def test_records_cost_in_proportion_to_a_line(case: str) -> None:
    check(lambda line: read_log(f"{HEADER}{LAYER}{OLD_LAYER}{line}\n{LAYER}"), RECORDS[case])


@pytest.mark.parametrize("case", sorted(DETAILED))
def test_detailed_records_cost_in_proportion_to_a_line(case: str) -> None:
    check(lambda line: read_log(f"{DETAILED_HEADER}{line}\n"), DETAILED[case])


@pytest.mark.parametrize("case", sorted(ARROWS))
def test_lines_with_many_readings(case: str) -> None:
    check(lambda line: read_log(f"{HEADER}{line}\n"), ARROWS[case])


def test_many_tensors_where_a_known_name_could_be_several() -> None:
    before = (
        "Adding network input: a (Float[1]), b with dtype: float32, dimensions: (1)\n"
        + HEADER
        + "Layer(A): a, Tactic: 1, a (Float[1]), b (Float[1]) -> c (Float[1])\n"
    )
    case = (IN_TENSORS, "x (Float[1]), ", "x (Float[1]) -> y (Float[1])")
    check(lambda line: read_log(f"{before}{line}\n"), case)


@pytest.mark.parametrize("case", sorted(OTHERS))
def test_other_lines_cost_in_proportion_to_a_line(case: str) -> None:
    check(lambda line: read_log(f"{line}\n{HEADER}{LAYER}{line}\n"), OTHERS[case])


@pytest.mark.parametrize("case", sorted(STAMPED))
def test_time_stamps_cost_in_proportion_to_a_line(case: str) -> None:
    def work(line: str) -> None:
        chunks = pieces(f"[10:00:00] [V] a\n{line}\n{HEADER}{LAYER}".encode(), CHUNK)
        list(Log("build.log", chunks=chunks, timeline=True).engines())

    check(work, STAMPED[case])


@pytest.mark.parametrize("case", sorted(ENDS))
def test_logs_without_a_listing(case: str) -> None:
    check(lambda line: read_log(f"{line}\n"), ENDS[case])


@pytest.mark.parametrize("case", sorted(PROFILES))
def test_profiles_cost_in_proportion_to_a_line(case: str) -> None:
    check(read_times, PROFILES[case])


def test_unreadable_rows_cost_in_proportion() -> None:
    def work(text: str) -> None:
        rows = "".join(f'{{"name": "{n}", "averageMs": "x"}},' for n in range(len(text)))
        read_times(f'[{rows} {{"name": "good", "averageMs": 1}}]')

    check(work, ("", ".", ""))


def test_a_line_of_time_stamps_costs_in_proportion() -> None:
    def work(text: str) -> None:
        chunks = [f"{text}\n{HEADER}{LAYER}".encode()]
        assert len(list(Log("build.log", chunks=chunks, timeline=True).engines())) == 1

    check(work, ("[V] [TRT] ", "[12:00:00]", ""))


@pytest.mark.parametrize("format", ["trace", "model-explorer"])
def test_the_tensors_of_a_layer_cost_in_proportion(format: str) -> None:
    def work(text: str) -> None:
        many = [f"t{at}" for at in range(len(text) // 8)]
        layers = [layer(0, "a", ["x"], many), layer(1, "b", many, ["y"])]
        timed = [replace(one, time=Timing(1.0)) for one in layers]
        render(engine(*timed, graph=build(timed), timed=True), format)

    check(work, ("", ".", ""))


def test_phases_of_a_build_cost_in_proportion() -> None:
    engine = engine_of(f"{HEADER}{LAYER}")

    def work(text: str) -> None:
        ends = range(10, 10 * len(text) + 10, 10)
        moments = tuple(Moment(end, "phase", "p", 1, "", 5 + end % 70) for end in ends)
        timeline = BuildTimeline("10:00:00", 20 * len(text), moments, 1)
        render(replace(engine, timeline=timeline), "build-trace")

    check(work, ("", ".", ""))


@pytest.mark.parametrize("case", ["name, whole", "inputs", "a tensor's name"])
def test_the_independent_reader(case: str) -> None:
    check(read_record, RECORDS[case])
