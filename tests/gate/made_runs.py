"""Runs as a GPU makes them, and worse: noise with memory, a slow start, runs that lie apart."""

import json
import re
from array import array
from collections.abc import Callable, Collection, Iterable
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any, Final

from logtext import file_of
from paths import FIXTURES, TIMES

from engine_layer_visualize.comparison.verdict import of_iterations
from engine_layer_visualize.core.layer_facts import Iterations
from engine_layer_visualize.core.snapshot import Conditions, GateRun, Part, Snapshot

FP16: Final = FIXTURES / "comparison" / "fp16.log"
INT8: Final = FIXTURES / "comparison" / "int8.log"
ITERATIONS: Final = FIXTURES / "times" / "10.times.json"

EACH: Final = 5_000
NOISE: Final = 0.015  # of an iteration, standard deviation over the mean
SPREAD: Final = 0.004  # of a run
SLOW_START: Final = 0.05  # part of the iterations that are a third slower


def of_runs(
    file: str,
    runs: Iterable[GateRun] = (),
    conditions: Conditions | None = None,
    memory: int | None = None,
) -> Snapshot:
    """An engine of which no layer is known. `memory`: bytes on the device."""
    parts = () if memory is None else (Part("Weights", memory),)
    known = conditions or Conditions()
    return Snapshot(file, 0, known, 0, parts, tuple(runs), (), (), (), (), (), (), ())


def again(log: Path, folder: Path, by: float = 1.001) -> Path:
    """The log of the same build with the times of another run: `by` times as long."""

    def longer(number: re.Match[str]) -> str:
        return f"{float(number[0]) * by:.4f}"

    lines = log.read_text("utf-8").split("\n")
    for at, line in enumerate(lines):
        if "GPU Compute Time: min" in line:
            lines[at] = re.sub(r"\d+\.\d+(?= ms)", longer, line)
        elif re.search(r"\] +\S.* {3,}\d+\.\d\d +\d+\.\d{4} ", line):  # a row of the table
            head, rest = re.split(r"(?<=\S)(?= {3,}\d)", line, maxsplit=1)
            lines[at] = head + re.sub(r"\d+\.\d{4}", longer, rest)
    return file_of(folder, "\n".join(lines), f"again-{by}-{log.name}")


def run(draw: Random, ms: float = 2.0, memory: float = 0.98, iterations: int = EACH) -> GateRun:
    """As the gate takes `iterations_of` it."""
    return of_iterations(iterations_of(draw, ms, memory, iterations))


def printed(number: int) -> str:
    """What trtexec wrote of a run; each number gives another run of one engine."""
    rows = json.loads(ITERATIONS.read_text("utf-8"))
    return json.dumps(rows[: len(rows) - number])


def iterations_of(
    draw: Random, ms: float = 2.0, memory: float = 0.98, iterations: int = EACH
) -> Iterations:
    """AR(1) noise with autocorrelation `memory`, around a mean of its own near `ms`."""
    mean = ms * (1 + draw.gauss(0, SPREAD))
    state, fresh = draw.gauss(0, 1), sqrt(1 - memory * memory)
    times = array("d")
    for number in range(iterations):
        slow = 4 / 3 if number < iterations * SLOW_START else 1.0
        times.append(mean * slow * max(0.1, 1 + NOISE * state))
        state = memory * state + fresh * draw.gauss(0, 1)
    return Iterations("times.json", times)


def times(folder: Path, name: str, *ms: float) -> list[str]:
    """The words of runs, each of 400 iterations around its ms."""
    words = []
    for number, one in enumerate(ms):
        made = iterations_of(Random(f"{name} {number}"), one, memory=0.5, iterations=400)
        words += ["--times", str(times_file(folder, f"{name}{number}.json", made.compute_ms))]
    return words


def times_file(folder: Path, name: str, ms: Iterable[Any]) -> Path:
    """What `--exportTimes` writes of these iterations."""
    return file_of(folder, json.dumps([{"startEnqMs": 0, "computeMs": one} for one in ms]), name)


def profile(
    folder: Path, name: str, change: Callable[[int, float], float | None], count: int = 1000
) -> Path:
    """The profile of `CENTERNET` with changed times of layers; None: it has no such row."""
    rows = [row for row in json.loads(TIMES.read_text("utf-8")) if "name" in row]
    new = [{**row, "averageMs": change(at, row["averageMs"])} for at, row in enumerate(rows)]
    timed = [row for row in new if row["averageMs"] is not None]
    return file_of(folder, json.dumps([{"count": count}, *timed]), name)


def scaled(by: float, gone: Collection[int] = ()) -> Callable[[int, float], float | None]:
    return lambda at, ms: None if at in gone else ms * by
