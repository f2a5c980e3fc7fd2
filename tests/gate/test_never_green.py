"""Tries to get a green gate for an engine that is slower, or that was not measured: none does."""

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from logtext import file_of
from paths import CENTERNET, FIXTURES, TIMES
from program import Ended

from engine_layer_visualize.commands import cli
from gate.made_runs import FP16, INT8, again, profile, scaled, times_file

Words = list[object]
_FAILED = FIXTURES / "broken" / "build-failed-trtexec.log"


def sides(base: Path, times: Words, new: Path, others: Words) -> Words:
    """Two logs, each with its times."""
    return ["--baseline", base, *times, "--log_file", new, *others]


def noisy(seed: int, ms: float, number: int = 500, noise: float = 0.004) -> list[float]:
    draw = random.Random(seed)
    return [ms * (1 + draw.gauss(0, noise)) for _ in range(number)]


def runs(folder: Path, name: str, ms: float, number: int = 3, each: int = 500) -> Words:
    files = [times_file(folder, f"{name}{at}.json", noisy(at, ms, each)) for at in range(number)]
    return [word for file in files for word in ("--times", file)]


def changed(folder: Path, name: str, was: str, now: str, log: Path = FP16) -> Path:
    text = again(log, folder).read_text("utf-8")
    assert re.search(was, text), was
    return file_of(folder, re.sub(was, now, text), name)


def summary(folder: Path, name: str, row: str) -> Path:
    """The log with another row of trtexec's summary."""
    return changed(folder, name, r"GPU Compute Time: min.*", f"GPU Compute Time: {row}")


# ---- what is tried ------------------------------------------------------------------------------


def same(folder: Path) -> Iterator[Words]:
    """Nothing new was measured."""
    text = FP16.read_text("utf-8")
    copy = file_of(folder, text, "copy.log")
    kept = folder / "kept.json"
    assert cli.main(["gate", "--save", str(kept), str(FP16)]) == 0
    for base in (FP16, kept):
        yield [base, FP16]
        yield [base, copy]
    new = again(FP16, folder)
    for times in (runs(folder, "a", 1.0, 1), runs(folder, "b", 1.0, 3)):
        yield sides(FP16, times, new, times)
        yield sides(FP16, times, copy, times)
    rows = json.loads(TIMES.read_text("utf-8"))
    second = file_of(folder, json.dumps(rows, indent=1), "copied.profile.json")
    yield from (sides(CENTERNET, [TIMES], CENTERNET, [one]) for one in (TIMES, second))
    fewer = file_of(folder, CENTERNET.read_text("utf-8").rpartition("Layer(R")[0], "fewer.log")
    yield sides(CENTERNET, [TIMES], fewer, [TIMES])
    yield [TIMES, second]


def unmeasured(folder: Path) -> Iterator[Words]:
    """There are no times on a side."""
    bare = changed(folder, "bare.log", r"(?s)\[[^\n]*\[I\] === Performance summary.*", "")
    yield [CENTERNET, CENTERNET]
    yield [CENTERNET, TIMES, "--log_file", CENTERNET]
    yield sides(CENTERNET, [], CENTERNET, [TIMES])
    yield sides(FP16, runs(folder, "a", 1.0), bare, [])
    yield sides(bare, [], FP16, runs(folder, "b", 1.0))
    kept = folder / "bare.json"
    assert cli.main(["gate", "--save", str(kept), str(bare)]) == 0
    yield [FP16, bare]
    for base in (bare, kept):
        yield [base, FP16]
        yield [base, bare]
    for text in ("[]", "{}", "", "null", "[{}]", '[{"computeMs": null}]', '[{"computeMs": "1"}]'):
        empty = file_of(folder, text, f"empty{len(text)}{text[:1]!a}.json".replace("'", "_"))
        yield sides(FP16, [], again(FP16, folder), ["--times", empty])
        yield sides(CENTERNET, [TIMES], CENTERNET, ["-p", empty])


def few(folder: Path) -> Iterator[Words]:
    """So few iterations that they are no time."""
    for number in (1, 2, 5, 9):
        one = ["--times", times_file(folder, f"few{number}.json", noisy(number, 1.0, number))]
        yield sides(FP16, runs(folder, "a", 1.0), again(FP16, folder), one)
        yield sides(FP16, one, again(FP16, folder), runs(folder, "b", 1.0))
        short = profile(folder, f"few{number}.profile.json", scaled(1.001), number)
        yield sides(CENTERNET, [TIMES], CENTERNET, [short])
    _, *rows = json.loads(short.read_text("utf-8"))  # without the number of runs
    unknown = file_of(folder, json.dumps(rows), "unknown.profile.json")
    yield sides(CENTERNET, [TIMES], CENTERNET, [unknown])
    whole = "Total GPU Compute Time: "
    yield [FP16, changed(folder, "once.log", f"{whole}2.98 s", f"{whole}0.0004 s")]
    yield [FP16, changed(folder, "untold.log", f"{whole}2.98 s", "")]


def tails(folder: Path) -> Iterator[Words]:
    """The median is equal, and other statistics say slower."""
    base = sides(FP16, runs(folder, "a", 1.0), again(FP16, folder), [])
    for part in (0.015, 0.02, 0.05, 0.1, 0.2, 0.4):
        for by in (2.0, 10.0):
            files = []
            for at in range(3):
                times = noisy(90 + at, 1.0)
                for place in random.Random(at).sample(range(50, 500), int(part * 500)):
                    times[place] *= by
                files += ["--times", times_file(folder, f"tail{part}{by}{at}.json", times)]
            yield [*base, *files]
    for most, mean, p99 in ((9.9, 0.9, 9.0), (0.5, 0.47, 0.48), (9.9, 0.447, 0.8)):
        row = f"min = 0.442 ms, max = {most} ms, mean = {mean} ms, median = 0.446 ms"
        name = f"tail{most}{mean}{p99}.log"
        yield [FP16, summary(folder, name, f"{row}, percentile(99%) = {p99} ms")]
    row = "min = 0.6 ms, max = 0.7 ms, mean = 0.65 ms, median = 0.65 ms, percentile(99%) = 0.7 ms"
    slower = summary(folder, "slower.log", row)
    # Times of another engine beside the slower one's log.
    yield sides(FP16, runs(folder, "c", 0.446), slower, runs(folder, "d", 0.4461))
    before = [TIMES, *runs(folder, "e", 2.6)]
    slow = [profile(folder, "sum.json", scaled(1.3)), *runs(folder, "f", 2.601)]
    yield sides(CENTERNET, before, CENTERNET, slow)


def absurd(folder: Path) -> Iterator[Words]:
    """Numbers that are no times, or too good to be true."""
    base = sides(FP16, runs(folder, "a", 1.0), again(FP16, folder), [])
    for ms in (1e-7, 1e-12, 0.0, 5e-324, 1e-5):
        yield [*base, "--times", times_file(folder, f"absurd{ms}.json", noisy(1, ms))]
        yield [*base, *runs(folder, f"few{ms}", ms)]
    good = '{"computeMs": 1.0}'
    words = ("NaN", "-1.0", "Infinity", "-Infinity", "1e308", "1e999", '"0.5"', "null", "true")
    for number, text in enumerate((*words, "[1]")):
        wrong = good.replace("1.0", text)
        for kind, rows in (("all", [wrong]), ("half", [good, wrong])):
            path = file_of(folder, f"[{','.join(rows * 40)}]", f"{kind}{number}.json")
            yield [*base, "--times", path]
    for by in (0.09, 0.05, 0.001):
        yield [*base, *runs(folder, f"good{by}", by)]
        new = profile(folder, f"good{by}.json", scaled(by))
        yield sides(CENTERNET, [TIMES], CENTERNET, [new])
    row = "min = 0 ms, max = 0 ms, mean = 0 ms, median = 0 ms, percentile(99%) = 0 ms"
    yield [FP16, summary(folder, "zero.log", row)]


def parts(folder: Path) -> Iterator[Words]:
    """A part of the engine was timed, or read."""
    for left in (1, 2, 3, 5, 8, 13, 20, 27, 34, 40, 53):
        for gone in (range(left), range(54 - left, 54)):
            cut = profile(folder, f"part{gone}.json", scaled(1.001, gone))
            yield sides(CENTERNET, [TIMES], CENTERNET, [cut])
    fresh = profile(folder, "fresh.json", scaled(1.001))
    text = CENTERNET.read_text("utf-8")
    lines = text.splitlines(keepends=True)
    logs = {f"cut{end}.log": "".join(lines[:end]) for end in (20, 40, 55)}
    logs["broken.log"] = text.replace(", Tactic: ", ", Tectic: ", 1)
    for name, cut_text in logs.items():
        yield sides(CENTERNET, [TIMES], file_of(folder, cut_text, name), [fresh])
    half = file_of(folder, fresh.read_text("utf-8")[:-400], "cut.profile.json")
    yield sides(CENTERNET, [TIMES], CENTERNET, [half])
    zeros = profile(folder, "zeros.json", lambda at, ms: 0.0 if ms > 0.1 else ms * 1.3)
    yield sides(CENTERNET, [TIMES], CENTERNET, [zeros])
    yield [TIMES, profile(folder, "lost.json", scaled(1.3, range(44, 54)))]  # of times alone
    count, *rows = json.loads(fresh.read_text("utf-8"))
    more = [{**row, "name": f"new {row['name']}"} for row in rows if row["averageMs"] < 0.03]
    longer = file_of(folder, json.dumps([count, *rows, *more]), "longer.json")
    yield sides(CENTERNET, [TIMES], CENTERNET, [longer])
    untold = changed(folder, "untold.log", "[^\n]*Total Weights Memory[^\n]*\n", "")
    yield [untold, again(FP16, folder), "--max_memory", "3%"]
    yield [untold, again(untold, folder), "--max_memory", "3%"]
    new = again(FP16, folder)
    yield [FP16, changed(folder, "gone.log", r"Layer\(\w+\): /block2.*\n", "", new)]
    yield [FP16, changed(folder, "failed.log", "&&&& PASSED", "&&&& FAILED", new)]


def others(folder: Path) -> Iterator[Words]:
    """Another network, device, batch; or unknown on one side."""
    yield [FP16, CENTERNET, TIMES]
    yield sides(CENTERNET, [TIMES], FP16, [])
    yield [FP16, changed(folder, "device.log", "Selected Device: .*", "Selected Device: Meadow T4")]
    untold = changed(folder, "nodevice.log", r"[^\n]*Selected Device: [^\n]*\n", "")
    yield [FP16, untold]
    yield [untold, FP16]
    yield [FP16, changed(folder, "version.log", "version: 8.5.1", "version: 8.6.1")]
    yield [FP16, changed(folder, "batch.log", r"\(1, 3, 128, 128\)", "(8, 3, 128, 128)")]
    new = again(FP16, folder)
    yield [FP16, changed(folder, "width.log", r"10,1,1\]", "5,1,1]", new)]
    row = r"\1[I] === Inference Options ===\n[I] Inference Streams: 1\n[I] CUDA Graph: Disabled\n"
    base = changed(folder, "setup.log", r"((?m:^).*=== Device)", rf"{row}\1".replace(r"\1", "", 1))
    for was, now in (("Streams: 1", "Streams: 4"), ("Disabled", "Enabled")):
        yield [base, changed(folder, f"{now[-3:]}.log", was, now, again(base, folder))]
    yield [INT8, new]
    yield [new, file_of(folder, FP16.read_text("utf-8") + _FAILED.read_text("utf-8"), "both.log")]
    plan = changed(folder, "plan.log", "(=== Build Options ===)", r"\1\n[I] Save engine: a.plan")
    other = "&&&& RUNNING TensorRT.trtexec [TensorRT v8501] # trtexec --loadEngine=b.plan\n"
    other += "[I] === Build Options ===\n[I] Load engine: b.plan\n"  # of which the times are
    yield [FP16, changed(folder, "b.log", r"(\n)([^\n]*=== Performance)", rf"\1{other}\2", plan)]
    for by in (1.04, 1.1, 2.0, 20.0):
        yield [FP16, again(FP16, folder, by)]
        yield sides(FP16, runs(folder, f"a{by}", 1.0), new, runs(folder, f"b{by}", by))
    yield sides(FP16, runs(folder, "one", 1.0, 1), new, runs(folder, "two", 1.05, 1))


@pytest.mark.slow
@pytest.mark.parametrize("kind", (same, unmeasured, few, tails, absurd, parts, others))
def test_nothing_is_green_without_evidence(
    kind: Callable[[Path], Iterator[Words]], tmp_path: Path, ended: Ended
) -> None:
    green, codes = [], Counter[int]()
    for words in kind(tmp_path):
        code, out, _ = ended("gate", *words)
        codes[code] += 1
        if code not in (5, 6, 7, 2, 3):
            green.append((words, code, out[:300]))
    sys.stdout.write(f"\n{kind.__name__}: {dict(codes)}")
    assert not green


@pytest.mark.slow
@pytest.mark.parametrize("by", [0.9, 0.99, 1.0, 1.01])
def test_what_has_evidence_is_green(by: float, tmp_path: Path) -> None:
    new, kept = again(FP16, tmp_path), str(tmp_path / "kept.json")
    three = sides(FP16, runs(tmp_path, "a", 1.0), new, [])
    fresh = [times_file(tmp_path, f"b{at}.json", noisy(50 + at, by)) for at in range(3)]
    timed = profile(tmp_path, "p.json", lambda at, ms: ms * by * (1 + (at % 3 - 1) / 200))
    assert cli.main(["gate", "--save", kept, str(FP16)]) == 0
    for words in (
        [*three, *(word for file in fresh for word in ("--times", file))],
        sides(FP16, runs(tmp_path, "c", 1.0, 1), new, ["--times", fresh[0]]),
        sides(CENTERNET, [TIMES], CENTERNET, [timed]),
        [FP16, again(FP16, tmp_path, by + 0.002)],
        [kept, again(FP16, tmp_path, by + 0.003)],
        [TIMES, timed],
    ):
        assert cli.main(["gate", *map(str, words)]) == 0, words
