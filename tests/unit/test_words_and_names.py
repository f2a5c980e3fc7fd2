"""Files as words, several logs in one run, and the names that outputs have and show."""

import csv
import io
import json
import os
import re
import sys
from collections.abc import Callable
from configparser import ConfigParser
from pathlib import Path

import pytest
from logtext import exported, listing_of
from paths import CENTERNET, FIXTURES, TIMES
from program import Ended, Patch
from rendered import page_text

import engine_layer_visualize as elv
from engine_layer_visualize.commands import serve
from engine_layer_visualize.reading.file_kinds import has_times_alone

CLASSIC = FIXTURES / "classic"
OTHER = CLASSIC / "8.5-new-descriptors.log"
ALL = "dot,json,svg,png,html"
Draw = Callable[..., "tuple[int, list[str], str]"]


@pytest.fixture
def draw(folder: Path, ended: Ended) -> Draw:
    """Runs the program in an empty folder: exit code, lines of stdout, stderr."""

    def run(*words: str | Path) -> tuple[int, list[str], str]:
        code, out, err = ended(*words)
        return code, out.splitlines(), err

    return run


def listing(name: str, count: int = 1) -> str:
    """A log of layers whose names begin so."""
    return listing_of(*(f"{name}{n}" for n in range(count)), kind="Conv")


def times(*names: str) -> str:
    return exported(*((name, 1.0) for name in names))


def files(lines: list[str]) -> list[str]:
    return [line.partition("  ")[0] for line in lines]


# ---- a word that is a file ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        (CENTERNET, TIMES),
        (TIMES, CENTERNET),
        ("draw", TIMES, "-f", "dot", CENTERNET),
        (CENTERNET, "-p", TIMES),
        (CENTERNET, f"-p{TIMES}"),
        ("--profile_file", TIMES, "--", CENTERNET),
    ],
)
def test_words_are_the_log_and_its_profile(draw: Draw, words: tuple[str | Path, ...]) -> None:
    line = "EngineLayers_0.dot  54 layers, 69 edges, 54 of 54 timed, 2.596 ms"
    assert draw(*words) == (0, [line], "")


def test_every_fixture_is_told_by_its_content() -> None:
    for path in sorted(FIXTURES.glob("*/*")):
        if ".expected." in path.name or path.parent.name in ("broken", "cases"):
            continue
        of_times = ".profile." in path.name or path.parent.name == "times"
        assert has_times_alone(str(path)) == of_times, path.name


@pytest.mark.parametrize("name", ["a [V] b", "VERBOSE: c"])
def test_times_of_a_layer_that_is_named_like_a_level(tmp_path: Path, name: str) -> None:
    path = tmp_path / "times"
    for text in (times(name), f"{name}: 0.123ms\nconv: 0.2ms\n"):
        path.write_text(text, "utf-8")
        assert has_times_alone(str(path))


def test_stdin_as_a_word(draw: Draw, monkeypatch: Patch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CENTERNET.read_bytes())))
    assert draw("-", TIMES)[1][0].endswith("54 of 54 timed, 2.596 ms")


# ---- several logs ------------------------------------------------------------------------------


def test_stems_tell_logs_of_one_name_apart(draw: Draw) -> None:
    names = ("a/build.log", "b/build.log", "b/Other.txt", "other.log.gz", "v8.5")
    for name in names:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(listing("x"))
    code, lines, _ = draw(*names)
    assert code == 0
    stems = "a-build b-build Other other-2 v8.5"
    assert files(lines) == [f"{stem}_0.dot" for stem in stems.split()]


def test_a_profile_goes_to_the_log_that_it_fits_best(draw: Draw) -> None:
    Path("a.log").write_text(listing("a", 3))
    Path("b.log").write_text(listing("a", 2) + listing("b", 3))
    Path("b.json").write_text(times("b0", "b1", "b2"))
    Path("a.json").write_text(times("a0", "a1", "a2"))
    code, lines, said = draw("b.json", "a.log", "a.json", "b.log")
    assert (code, said) == (0, "")
    assert lines == [
        "a_0.dot  3 layers, 2 edges, 3 of 3 timed, 3.000 ms",
        "b_0.dot  2 layers, 1 edge",
        "b_1.dot  3 layers, 2 edges, 3 of 3 timed, 3.000 ms",
    ]


def test_profiles_that_fit_both_logs_are_taken_in_order_and_told(draw: Draw) -> None:
    for name in ("a", "b"):
        Path(f"{name}.log").write_text(listing("x", 2))
        Path(f"{name}.json").write_text(times("x0", *(["x1"] if name == "b" else [])))
    Path("c.json").write_text(times("x1", "x0"))
    code, lines, said = draw("a.log", "b.json", "b.log", "c.json")
    assert code == 0
    assert [line.rpartition("edge, ")[2] for line in lines] == ["2 of 2 timed, 2.000 ms"] * 2
    first, second = said.splitlines()
    fits = "fits engines 0 of a.log, 0 of b.log equally well; taken in order: engine"
    assert first == f"b.json:1:1: warning[ELV205]: {fits} 0 of a.log"
    assert second == f"c.json:1:1: warning[ELV205]: {fits} 0 of b.log"


def test_a_profile_of_neither_log_is_told_once(draw: Draw) -> None:
    Path("zzz.json").write_text(times("zzz"))
    code, lines, said = draw(CENTERNET, OTHER, "zzz.json", "-f", "json")
    assert (code, len(lines), said.count("error[ELV202]")) == (1, 2, 1)
    assert draw(CENTERNET, OTHER, "zzz.json", "--strict")[:2] == (1, [])


def test_one_bad_log_does_not_stop_the_others(draw: Draw) -> None:
    Path("bad.log").write_text("nothing\n")
    Path("half.log").write_text(listing("x") + "Layer(Conv): a, Tactic: 1, zzz\n")
    code, lines, said = draw("half.log", "bad.log", OTHER)
    assert (code, len(lines)) == (3, 2)
    assert "bad.log:1:1: error[ELV402]" in said
    code, lines, said = draw("half.log", "--log_file", "absent.log", OTHER)
    assert (code, lines, "absent.log:1:1: error[ELV401]" in said) == (2, [], True)
    assert draw("half.log", OTHER)[0] == 1


def test_flags_apply_to_each_log(draw: Draw) -> None:
    Path("two.log").write_text(listing("a", 3) + listing("b", 2))
    Path("one.log").write_text(listing("a", 2))
    code, lines, said = draw("two.log", "one.log", "--engine", "1", "--query", "-type:Conv")
    assert (code, files(lines)) == (3, [])  # nothing of one engine is left, the other is not there
    code, lines, said = draw("two.log", "one.log", "--engine", "1")
    assert (code, lines) == (3, ["two_1.dot  2 layers, 1 edge"])
    assert "one.log: error[ELV406]: there is no engine 1" in said


def test_the_summary_of_two_logs_names_each(draw: Draw) -> None:
    for name in ("a", "b"):
        Path(name).mkdir()
        Path(name, "build.log").write_text(listing(name, 2))
    given = ("summary", "a/build.log", "b/build.log")
    code, lines, _ = draw(*given)
    assert code == 0
    heads = [line.partition(" ──")[0] for line in lines if line.startswith("Engine ")]
    assert heads == ["Engine 0 of a/build.log", "Engine 0 of b/build.log"]
    engines = json.loads("\n".join(draw(*given, "-f", "json")[1]))["engines"]
    assert [engine["engine"]["file"] for engine in engines] == ["a/build.log", "b/build.log"]
    rows = list(csv.DictReader(draw("layers", *given[1:], "-f", "csv")[1]))
    assert [(row["file"], row["name"]) for row in rows] == [
        (f"{name}/build.log", f"{name}{n}") for name in ("a", "b") for n in (0, 1)
    ]
    assert draw("layers", "a/build.log", "-f", "csv")[1][0].startswith("engine,index,")


# ---- names of outputs --------------------------------------------------------------------------


def test_the_name_of_the_outputs(draw: Draw) -> None:
    assert files(draw(OTHER, "--name", "fp16 run", "-f", ALL)[1]) == [
        f"fp16 run_0.{format}" for format in ALL.split(",")
    ]
    stems = ["x-8.5-new-descriptors", "x-8.0-centernet"]
    assert files(draw(OTHER, CENTERNET, "--name", "x")[1]) == [f"{stem}_0.dot" for stem in stems]


@pytest.mark.parametrize("name", ["", "  ", "..", "a/b", "a\\b", "../a", "a\nb", "a\x1b[1m"])
def test_a_name_is_a_part_of_a_file_name(draw: Draw, name: str) -> None:
    code, lines, said = draw(OTHER, "--name", name)
    assert (code, lines) == (2, [])
    assert "argument --name: " in said
    assert not list(Path().iterdir())


@pytest.mark.parametrize("format", ALL.split(","))
def test_an_output_of_the_same_log_is_replaced_whatever_it_shows(draw: Draw, format: str) -> None:
    """And one of another log is not."""
    scale = "Layer(Scale): s, Tactic: 1, t2[Float(1)] -> u[Float(1)]\n"
    Path("a&b <x>.log").write_text(listing("a", 2) + scale)
    Path("other.log").write_text(listing("b"))
    Path("a.json").write_text(times("a0", "a1", "s"))
    assert draw("a&b <x>.log", "-f", format)[2] == ""
    look = ("--theme", "dark", "--query", "-type:Scale")
    assert draw("a&b <x>.log", "a.json", "-f", format, *look)[2] == ""
    code, lines, said = draw("other.log", "-f", format)
    assert (code, lines) == (4, [])
    error, hint = said.splitlines()
    told = "this was drawn from another log, a&b <x>.log; it is not replaced"
    assert error == f"EngineLayers_0.{format}: error[ELV505]: {told}"
    assert "--name" in hint and "--output_dir" in hint and "--force" in hint


@pytest.mark.parametrize("format", ALL.split(","))
def test_two_logs_may_have_one_name(draw: Draw, format: str) -> None:
    """A log that was written after the output may be a new one in the old one's place."""
    for name in ("a", "b"):
        Path(name).mkdir()
        Path(name, "build.log").write_text("begun\n" * (name == "a") + listing(name))
        os.utime(Path(name, "build.log"), (1, 1))
    assert draw("a/build.log", "-f", format)[2] == ""
    code, lines, said = draw("b/build.log", "-f", format)
    assert (code, lines) == (4, [])
    assert "this was drawn from another log that is called build.log, too" in said
    Path("b/build.log").write_text(listing("a"))
    later = Path(f"EngineLayers_0.{format}").stat().st_mtime + 1
    os.utime("b/build.log", (later, later))
    assert draw("b/build.log", "-f", format)[2] == ""


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("json", '"source": {"file": "\\q", "first_line": 1'),
        ("html", "<!-- Source log: b.log -->"),
        ("dot", "Source log: b.log:" + "9" * 5000),
        ("svg", "<metadata>Source log: " + "9" * 50000 + ":1</metadata>"),
    ],
)
def test_a_file_that_only_looks_like_an_output_stays(draw: Draw, format: str, text: str) -> None:
    Path(f"EngineLayers_0.{format}").write_text(text, "utf-8")
    code, lines, said = draw(OTHER, "-f", format)
    assert (code, lines) == (4, [])
    assert "error[ELV505]" in said
    assert Path(f"EngineLayers_0.{format}").read_text("utf-8") == text


def test_a_summary_of_several_logs_has_every_engine_with_the_profile(draw: Draw) -> None:
    """An engine without it is reported, and those after it are not lost."""
    logs = CLASSIC / "8.4-two-engines.log", CLASSIC / "10-two-profiles-myelin.log"
    Path("mix.log").write_bytes(b"".join(log.read_bytes() for log in logs))
    words = "mix.log", OTHER, "--optimization_profile", "1", "--format", "json"
    _, lines, said = draw("summary", *words)
    assert [one["engine"]["index"] for one in json.loads("\n".join(lines))["engines"]] == [2]
    assert said.count("error[ELV408]") == 3


# ---- file names that outputs show --------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "format"),
    [
        *(("draw", format) for format in ("dot", "json", "svg", "html")),
        *(("summary", format) for format in ("text", "markdown", "json")),
        ("layers", "csv"),
    ],
)
def test_outputs_name_files_without_their_folders(draw: Draw, command: str, format: str) -> None:
    Path("secret").mkdir()
    Path("secret/build.log").write_text(listing("a"))
    Path("secret/p.json").write_text(times("no such layer"))

    def output(*more: str) -> str:
        _, lines, said = draw(command, "secret/build.log", "secret/p.json", "-f", format, *more)
        assert said.startswith("secret/p.json:1:1: "), "stderr has the whole path"
        if command == "draw":
            return page_text(Path(f"EngineLayers_0.{format}").read_text("utf-8"))
        return "\n".join(lines)

    assert "secret" not in output()
    if format != "csv":
        assert "build.log" in output()
        assert "secret/build.log" in output("--full_paths")


def test_the_library_draws_names_without_folders(tmp_path: Path) -> None:
    (engine,) = elv.read(CENTERNET).engines
    assert str(FIXTURES).encode() not in elv.draw(engine, tmp_path / "a.svg").read_bytes()
    assert str(FIXTURES) not in engine.to_pydot().to_string()
    assert str(FIXTURES) not in engine._repr_html_()
    kept = elv.draw(engine, tmp_path / "b.svg", full_paths=True)
    assert str(CENTERNET) in kept.read_text("utf-8")


# ---- what is not installed ---------------------------------------------------------------------


INSTALLED = re.compile(r"""pip install ((?:[a-z][\w-]*(?: (?=\w)|))+)["',]""")


def test_what_messages_install_is_what_the_extras_have() -> None:
    package = Path(elv.__file__).parent
    texts = [path.read_text("utf-8") for path in package.rglob("*.py")]
    told = {name for text in texts for words in INSTALLED.findall(text) for name in words.split()}
    told |= {name for _, names in serve.NEEDS.values() for name in names.split()}
    assert {"pyarrow", "onnx", "zstandard", "mcp", "distributed"} <= told
    config = ConfigParser()
    config.read(package.parent / "setup.cfg", "utf-8")
    required = "\n".join(config["options.extras_require"].values())
    assert told <= {*re.findall(r"^[\w-]+", required, re.MULTILINE)}
