"""The command `compare`: which engines it takes, what it prints where, and how it ends."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from logtext import file_of, listing_of
from paths import CENTERNET, FIXTURES, TIMES
from program import Program
from rendered import page_text

import engine_layer_visualize as elv

FP16, INT8 = (str(FIXTURES / "comparison" / name) for name in ("fp16.log", "int8.log"))
TWO = str(FIXTURES / "classic" / "8.4-two-engines.log")


Compared = Callable[..., "tuple[str, str]"]


@pytest.fixture
def compared(here: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compared:
    """`compared(A, B, code=0)`, in an empty folder: what is printed on stdout and on stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object, code: int = 0) -> tuple[str, str]:
        done = here("compare", *words, code=code)
        return done.stdout, done.stderr

    return run


def made_log(path: Path, layers: Sequence[str]) -> None:
    """Writes a log of a chain of layers."""
    path.write_text(
        f"{listing_of(*layers, tensor='Half[1,8,8,8]')}[V] [TRT] Total Activation Memory: 8\n"
    )


def data(compared: Compared, *words: object) -> Any:
    return json.loads(compared(*words, "--format", "json", "--quiet")[0])["comparisons"]


def test_every_format_tells_of_every_group(compared: Compared) -> None:
    (found,) = data(compared, FP16, INT8)
    assert len(found["groups"]) == 9
    rows = list(csv.DictReader(io.StringIO(compared(FP16, INT8, "-f", "csv")[0])))
    assert [row["delta_ms"] for row in rows] == [str(g["delta_ms"]) for g in found["groups"]]
    assert {row["place"] for row in rows} == {"group"}
    said, _ = compared(FP16, INT8, "-f", "markdown", "--full")
    assert all(f"| {group['a'][0]} `/" in said for group in found["groups"])
    for format in ("text", "markdown"):
        assert "… and 7 more groups" in compared(FP16, INT8, "-f", format, "--top", "2")[0]


def test_a_profile_belongs_to_the_log_before_it(compared: Compared) -> None:
    (found,) = data(compared, CENTERNET, TIMES, CENTERNET)
    assert [found[side]["time_kind"] for side in "ab"] == ["measured", None]
    (found,) = data(compared, "--log_file", CENTERNET, "-p", TIMES, "--log_file", CENTERNET, TIMES)
    assert (found["delta_ms"], found["speedup"]) == (0, 1)


def test_a_profile_that_fits_both_logs_is_of_the_one_before_it(compared: Compared) -> None:
    for name in "ab":
        made_log(Path(f"{name}.log"), ("one", "two"))
    Path("1.txt").write_text("one: 1ms\ntwo: 2ms\n")
    (found,) = data(compared, "a.log", "b.log", "1.txt")
    assert [found[side]["ms"] for side in "ab"] == [None, 3]


def test_a_profile_of_no_log_is_an_error(compared: Compared) -> None:
    Path("other.txt").write_text("another: 1ms\n")
    Path("broken.json").write_text('[{"name": ')
    for name in ("other.txt", "broken.json"):
        said, problems = compared(FP16, INT8, "-p", name, "-f", "json", code=1)
        codes = [one["code"] for one in json.loads(said)["problems"]]
        assert len(codes) == 1 and f"error[{codes[0]}]" in problems


def test_engines_are_chosen_by_log_and_number(compared: Compared) -> None:
    def engines(*words: str) -> list[tuple[int, int]]:
        return [(one["a"]["engine"], one["b"]["engine"]) for one in data(compared, *words)]

    assert engines(TWO) == [(0, 1)]
    assert engines(TWO, TWO, "--engine", "1") == [(1, 1)]
    assert engines(TWO, TWO, "--engine", "0", "--engine", "1") == [(0, 1), (0, 0), (0, 1)]
    assert engines(TWO, "--engine", "1", "--engine", "0") == [(1, 0)]
    _, problems = compared(FP16, TWO)
    assert "8.4-two-engines.log holds 2 engines, of which engine 0 is compared" in problems


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([FP16], 3, "this is the only engine that was read; a comparison needs two"),
        ([FP16, INT8, "--engine", "7"], 3, "there is no engine 7; the log holds engine 0 alone"),
        ([FP16, INT8, "--optimization_profile", "4"], 3, "has no optimisation profile 4"),
        ([FP16, INT8, TIMES], 1, "error[ELV202]"),
        ([FP16, CENTERNET], 0, "warning[ELV703]: it seems to be another network than A"),
        ([CENTERNET, CENTERNET], 0, "warning[ELV704]: no difference of times: neither engine has"),
    ],
)
def test_what_is_not_compared(words: list[str], code: int, said: str, compared: Compared) -> None:
    assert said in compared(*words, code=code)[1]
    document = json.loads(compared(*words, "--format", "json", code=code)[0])
    assert bool(document["comparisons"]) == (code < 3)
    told = [f"{one['severity']}[{one['code']}]: {one['message']}" for one in document["problems"]]
    assert said in "\n".join(told)


def test_several_are_compared_with_the_first(compared: Compared) -> None:
    """Every format tells of each of them."""
    for name, log in {"a": FP16, "b": INT8, "c": FP16}.items():
        shutil.copyfile(log, f"{name}.log")
    words = ("a.log", "b.log", "c.log", "-f")
    pairs = [("a.log", "b.log"), ("a.log", "c.log")]
    for format in ("json", "brief"):
        found = json.loads(compared(*words, format)[0])["comparisons"]
        assert [(one["a"]["file"], one["b"]["file"]) for one in found] == pairs
        assert [round(one["speedup"], 2) for one in found] == [1.57, 1.0]
    assert len(compared(*words, "brief")[0].encode()) <= 6_144
    said, _ = compared(*words, "markdown")
    assert said.startswith("## 2 engines against engine 0 of a.log")
    assert "| C | engine 0 of c.log | 10 | 442 µs |" in said
    assert "## C, engine 0 of c.log, against A, engine 0 of a.log" in said
    assert said.count("| A | B |") == said.count("| A | C |") + 1  # of the allowed precisions
    said, _ = compared(*words, "text")
    firsts = ("B is 1.57 × faster (442 µs → 281 µs)", "C takes as long as A (442 µs → 442 µs)")
    assert all(said.count(first) == 1 for first in firsts)
    rows = csv.DictReader(io.StringIO(compared(*words, "csv")[0], newline=""))
    assert {(row["a_file"], row["b_file"]) for row in rows} == {*pairs}
    compared(*words, "html")
    page = page_text(Path("comparison.html").read_text("utf-8"))
    assert all(page.count(first) == 1 for first in firsts)


def test_two_words_are_both_sides(compared: Compared) -> None:
    """A log of times alone is the engine A, though a log follows; nor is it B's profile."""
    times, listing = Path("times.log"), Path("listing.log")
    times.write_text(
        "[TensorRT] VERBOSE: Deserialize required 1860432 microseconds.\n"
        "conv_a: 0.25ms\nconv_b: 0.75ms\n"
    )
    made_log(listing, ["conv_a", "conv_b"])
    for words in ((times, listing), (listing, times)):
        (found,) = data(compared, *words)
        assert [found[side]["file"] for side in "ab"] == [word.name for word in words]
        assert {found[side]["ms"] for side in "ab"} == {1.0, None}


def test_no_other_log_stands_for_a_that_cannot_be_read(tmp_path: Path, compared: Compared) -> None:
    bad = file_of(tmp_path, "nothing\n", "bad.log")
    printed, said = compared(bad, FP16, INT8, code=3)
    assert printed == "" and "bad.log" in said and "fp16.log" not in said
    printed, _ = compared(FP16, bad, INT8, code=3)
    assert "B, engine 0 of int8.log, against A, engine 0 of fp16.log" in printed


def test_of_a_log_with_several_engines_only_the_compared_one_is_judged(compared: Compared) -> None:
    log = Path("two.log")
    start, header, rest = Path(TWO).read_text("utf-8").rpartition("Engine Layer Information:")
    log.write_text(f"{start}{header}{rest.replace(' -> ', ' ', 1)}")
    printed, said = compared(log, log, "-f", "json")
    assert "two.log holds 2 engines, of which engine 0 is compared" in said
    assert "ELV103" not in said and "ELV103" not in printed
    assert "ELV103" in compared(log, code=1)[1]


def test_python_and_the_command_say_the_same(compared: Compared) -> None:
    logs = [Path("a", "build.log"), Path("b", "build.log")]
    for log in logs:
        log.parent.mkdir()
        shutil.copyfile(CENTERNET, log)
    found = elv.compare(*(elv.read(log).engines[0] for log in logs))
    assert json.loads(found.to("json")) == json.loads(compared(*logs, "-f", "json")[0])
    assert [one["code"] for one in json.loads(found.to("json"))["problems"]] == ["ELV704"]
    title = "B, engine 0 of b/build.log, against A, engine 0 of a/build.log"
    assert found._repr_markdown_().startswith(f"## {title}") and str(found).startswith(title[:9])
    assert found.data["b"]["file"] == "b/build.log"
