"""`layers`: which layers are listed, in which order, and what is said where there are none."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from logtext import HEADER, classic, exported, file_of, listing_of, text
from paths import CENTERNET, FIXTURES, TIMES
from program import Ended

ENGINES = str(FIXTURES / "comparison" / "int8.log")
SMALL = f"""{HEADER}Layer(Reformat): in, Tactic: 0, x[Float(1,8)] -> a[Half(1,8)]
Layer(Convolution): c, Tactic: 1, a[Half(1,8)] -> b[Half(1,8)]
Layer(Convolution): b, Tactic: 2, b[Half(1,8)] -> y[Half(1,8)]
"""


@pytest.fixture
def run(ended: Ended) -> Ended:
    return partial(ended, "layers")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return file_of(tmp_path, SMALL, "small.log")


def rows(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out)))


def engine(out: str) -> dict[str, Any]:
    (only,) = json.loads(out)["engines"]
    return dict(only)


def indices(out: str) -> list[int]:
    return [layer["index"] for layer in engine(out)["layers"]]


def test_all_layers_are_rows_by_index(run: Ended) -> None:
    code, out, err = run(CENTERNET, TIMES, "-f", "csv")
    assert (code, err) == (0, "")
    assert out.startswith("engine,index,name,type,operators,precision,kernel,ms,share,")
    assert [row["index"] for row in rows(out)] == [str(index) for index in range(54)]
    last = rows(out)[43]  # line 57 of the log, and its row of the profile
    assert (last["engine"], last["line"], last["type"]) == ("0", "57", "CaskDeconvolution")
    assert (last["ms"], last["precision"]) == ("0.396674", "Int8")
    assert float(last["share"]) == pytest.approx(0.152821, abs=5e-7)


def test_the_slowest_are_first(run: Ended) -> None:
    """Averages: 0.396674, 0.230931, 0.111894, 0.0901253, 0.0891342; 35.3957 % together."""
    code, out, _ = run(CENTERNET, TIMES, "--sort", "time", "--limit", "5")
    assert code == 0
    table = [line.split() for line in out.split("\n")]
    slowest = [words[0] for words in table if words[2:3] == ["µs"]]
    assert slowest == ["43", "44", "41", "1", "46"]
    assert out.rstrip().split("\n")[-1].strip() == "5 of 54 layers · 919 µs · 35.4 %"
    found = engine(run(CENTERNET, TIMES, "--sort", "time", "--limit", "5", "-f", "json")[1])
    assert list(found) == ["index", "file", "layers", "shown", "found", "of", "ms", "share"]
    assert (found["index"], found["shown"], found["found"], found["of"]) == (0, 5, 54, 54)
    assert found["ms"] == pytest.approx(0.9187585)
    assert found["share"] == pytest.approx(0.353957, abs=5e-6)
    first = found["layers"][0]
    keys = "index name type operators precision kernel ms share"
    assert list(first)[:8] == keys.split()
    assert (first["index"], first["type"], first["ms"]) == (43, "CaskDeconvolution", 0.396674)


def test_a_row_is_a_line_however_long_names_are(run: Ended) -> None:
    for words in (("--width", "85"), ("--width", "100"), ("--width", "140")):
        out = run(CENTERNET, TIMES, *words)[1]
        numbered = [line.split()[0] for line in out.split("\n")[5:-3]]
        assert numbered == [str(index) for index in range(54)]
    whole = run(CENTERNET, TIMES, "--full", "--limit", "2", "--width", "140")[1]
    assert "conv1.weight + QuantizeLinear_7_quantize_scale_node + Conv_9 + Relu_11" in whole


def test_layers_without_a_time_are_last(run: Ended, small: Path, tmp_path: Path) -> None:
    times = file_of(tmp_path, exported(("b", 0.3), ("in", 0.1)), "times.json")
    for sort, order in (("time", [2, 0, 1]), ("name", [2, 1, 0]), ("index", [0, 1, 2])):
        out = run(small, times, "--sort", sort, "-f", "json")[1]
        assert indices(out) == order
    assert engine(out)["ms"] == pytest.approx(0.4)
    assert engine(run(small, "-f", "json")[1])["ms"] is None


@pytest.mark.parametrize("word", ["half", "Half", "HALF", "fp16", "FP16", "float16"])
def test_a_precision_is_typed_in_any_way(run: Ended, small: Path, word: str) -> None:
    assert indices(run(small, "--query", f"prec:{word}", "-f", "json")[1]) == [1, 2]
    assert indices(run(small, "--query", f"-prec:{word}", "-f", "json")[1]) == [0]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("prec:int4", "no layer for prec:int4; prec: Half (2), Float (1)"),
        ("type:foo", "no layer for type:foo; type: Convolution (2), Reformat (1)"),
        ("type:conv prec:fp32", "no layer for type:conv prec:fp32; prec of type:conv: Half (2)"),
        ("time>1%", "no layer for time>1%; time: unknown"),
        ("bytes>1GB", "no layer for bytes>1GB; bytes: 32 B to 48 B"),
        ("#7", "no layer for #7; index: 0 to 2"),
        ("/^z/", "no layer for /^z/; type: Convolution (2), Reformat (1)"),
    ],
)
def test_nothing_found_names_the_values(run: Ended, small: Path, query: str, said: str) -> None:
    code, out, err = run(small, "--query", query, "-f", "json")
    assert code == 0
    assert err.startswith(f"engine 0 of small.log: {said}")
    found = engine(out)
    assert (found["layers"], found["shown"], found["found"], found["of"]) == ([], 0, 0, 3)
    assert run(small, "--query", query)[1].rstrip().endswith("\n  0 of 3 layers")
    assert rows(run(small, "--query", query, "-f", "csv")[1]) == []


def test_each_alternative_says_why(run: Ended, small: Path) -> None:
    assert run(small, "--query", "type:foo | prec:int8")[2].count("no layer for ") == 2
    code, out, err = run(small, "--query", "type:foo | prec:half", "-f", "json")
    assert (code, indices(out), err) == (0, [1, 2], "")
    assert "/c.*z/ for a regular expression" in run(small, "--query", "c.*z")[2]


def test_many_long_values_are_shortened(run: Ended, tmp_path: Path) -> None:
    log = listing_of(*(f"{'n' * 300}\x1b[31m{number}" for number in range(40)))
    err = run(file_of(tmp_path, log), "--query", "name:zzz")[2]
    assert err.endswith(" and 28 more\n")
    assert len(err) < 1_200 and "\x1b" not in err


def test_nothing_to_list_is_no_list(run: Ended, tmp_path: Path) -> None:
    code, out, _ = run(file_of(tmp_path, "no log\n"), "-f", "csv")
    assert (code, out) == (3, "")


def test_optimisation_profiles_are_told_apart(run: Ended, tmp_path: Path) -> None:
    second = classic("c [profile 1]", "x [profile 1]", "y [profile 1]")
    log = file_of(tmp_path, HEADER + text(classic("c", "x", "y"), second))
    times = file_of(tmp_path, exported(("c", 0.3), ("c [profile 1]", 0.1)), "times.json")
    both = engine(run(log, times, "-f", "json")[1])
    assert (both["shown"], both["ms"], both["share"]) == (2, None, None)  # one of them runs
    one = run(log, times, "--optimization-profile", "1", "-f", "json")[1]
    assert (indices(one), engine(one)["ms"]) == ([1], pytest.approx(0.1))


def test_several_logs_are_named(run: Ended) -> None:
    out = run(CENTERNET, ENGINES, "--limit", "1", "-f", "csv")[1]
    assert [(row["file"], row["engine"]) for row in rows(out)] == [
        *(("8.0-centernet.log", "0"), ("int8.log", "0"))
    ]
    assert out.count("index,name") == 1  # one header
