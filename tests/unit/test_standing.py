"""What stands where an output is to be: no command replaces what is not its own without --force."""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from factories import chain
from logtext import HEADER, classic, file_of
from model_files import Sketch
from paths import CENTERNET, FIXTURES, TIMES
from program import Ended, Patch

from engine_layer_visualize.api import draw

MINE = b"mine, and of no program\n"

# The words of a command, with what it writes in `out`.
COMMANDS: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "draw": (
        ["a.log", "p.json", "-f", "dot,html,svg", "-o", "out"],
        ["EngineLayers_0.svg", "EngineLayers_0.html", "EngineLayers_0.dot"],
    ),
    "table": (
        ["table", "a.log", "--tables", "layers,edges", "-o", "out"],
        ["layers.csv", "edges.csv"],
    ),
    "table twice": (
        ["table", "a.log", "--tables", "layers", "-f", "csv,jsonl", "-o", "out"],
        ["layers.csv", "layers.jsonl"],
    ),
    "compare": (["compare", "a.log", "b.log", "-f", "html", "-o", "out"], ["comparison.html"]),
    "gate --save": (["gate", "--save", "out/base.json", "a.log", "p.json"], ["base.json"]),
    "anonymise": (["anonymise", "a.log", "-o", "out/a.log"], ["a.log"]),
    "anonymise two": (
        ["anonymise", "a.log", "p.json", "-o", "out"],
        ["anonymised_1.json", "anonymised_0.log"],
    ),
    "cut": (
        ["cut", "c.log", "--onnx", "c.onnx", "--layer", "0", "-o", "out"],
        ["cut_0.onnx"],
    ),
    **{
        f"gate {format}": (
            ["gate", "--baseline", "a.log", "-p", "p.json", "--log_file", "b.log", "-p", "q.json",
             "-f", format, "-o", "out"],
            [f"gate.{ending}"],
        )
        for format, ending in (
            ("text", "txt"), ("markdown", "md"), ("json", "json"), ("junit", "xml"),
            ("sarif", "sarif"), ("github", "github.txt"),
        )
    },
    "layers": (
        ["layers", "a.log", "-f", "text,csv,json", "-o", "out"],
        ["layers.json", "layers.csv", "layers.txt"],
    ),
    "summary": (
        ["summary", "a.log", "-f", "text,markdown,json", "-o", "out"],
        ["summary.json", "summary.md", "summary.txt"],
    ),
    "lint": (
        ["lint", "a.log", "-f", "text,markdown,json,sarif,github", "-o", "out"],
        ["lint.github.txt", "lint.sarif", "lint.json", "lint.md", "lint.txt"],
    ),
}  # fmt: skip
every = pytest.mark.parametrize("command", COMMANDS)


@pytest.fixture
def run(folder: Path, ended: Ended) -> Ended:
    """Runs the program beside two logs, their profile, and a log with its model."""
    for name in ("a.log", "b.log"):
        shutil.copy(CENTERNET, name)
        os.utime(name, (1, 1))
    shutil.copy(TIMES, "p.json")
    rows = json.loads(Path("p.json").read_text("utf-8"))
    again = [{**row, "averageMs": 1.001 * row.get("averageMs", 0)} for row in rows]
    Path("q.json").write_text(json.dumps([rows[0], *again[1:]]))  # of another run
    Path("c.log").write_text(
        HEADER + "Layer(Gemm): /a, Tactic: 0x1, x[Float(2,4)] -> a[Float(2,4)]\n"
    )
    sketch = Sketch()
    sketch.node("Relu", ["x"], "a", "/a")
    Path("c.onnx").write_bytes(sketch.model({"x": ("FLOAT", (2, 4))}, {"a": (2, 4)}))
    Path("out").mkdir()
    return ended


def held(folder: str = "out") -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}


@every
def test_what_is_not_ours_stays(run: Ended, command: str) -> None:
    words, names = COMMANDS[command]
    for name in names:
        path = Path("out", name)
        path.write_bytes(MINE)
        os.utime(path, (0, 0))  # the log is newer
        code, said, err = run(*words)
        assert (code, said) == (4, "")
        assert f"{path}: error[ELV505]: " in err and "; it is not replaced" in err
        assert "--force" in err
        assert held() == {name: MINE}, "all files, or none"
        path.unlink()


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["{}", "-f", "dot", "-o", "."], "EngineLayers_0.dot"),
        (["a.log", "{}", "-f", "dot", "-o", ".", "--name", "E"], "E_0.dot"),
        (["table", "{}", "--tables", "layers", "-o", "."], "layers.csv"),
        (["compare", "{}", "b.log", "-o", "."], "comparison.txt"),
        (["gate", "--baseline", "b.log", "--log_file", "{}", "-o", "."], "gate.txt"),
        (["cut", "{}", "--onnx", "c.onnx", "--layer", "0", "-o", "."], "cut_0.onnx"),
    ],
)
def test_force_replaces_nothing_that_is_read(run: Ended, words: Sequence[str], name: str) -> None:
    given = Path("p.json" if "a.log" in words else "c.log" if "cut" in words else "a.log")
    shutil.copyfile(given, name)
    code, _, said = run(*(word.format(name) for word in words), "--force")
    assert (code, f"{name}: error[ELV505]: this is a file that is read" in said) == (4, True)
    assert Path(name).read_bytes() == given.read_bytes()


@every
@pytest.mark.parametrize(("before", "flags"), [(MINE, ["--force"]), (b"", []), (None, [])])
def test_what_is_replaced(run: Ended, command: str, before: bytes | None, flags: list[str]) -> None:
    """By force all; without it an empty file, and an output of the same log."""
    words, names = COMMANDS[command]
    if before is None:
        assert run(*words)[0] == 0
    else:
        for name in names:
            Path("out", name).write_bytes(before)
    code, _, err = run(*words, *flags)
    assert (code, "ELV5" in err) == (0, False)
    assert set(held()) == set(names) and not {MINE, b""} & {*held().values()}


@every
@pytest.mark.parametrize("target", ["there", "not there"])
def test_a_link_is_not_followed(run: Ended, command: str, target: str) -> None:
    """Nor is it replaced without a word, though what it names would not be touched."""
    words, names = COMMANDS[command]
    link, behind = Path("out", names[-1]), Path("behind")
    if target == "there":
        behind.write_bytes(MINE)
    link.symlink_to(behind.absolute())
    code, said, err = run(*words)
    assert (code, said) == (4, "")
    why = f"this is a link to {behind.absolute()}; it is not replaced"
    assert f"{link}: error[ELV505]: {why}" in err
    assert link.is_symlink() and [path.name for path in Path("out").iterdir()] == [names[-1]]
    assert run(*words, "--force")[0] == 0
    assert not link.is_symlink() and link.stat().st_size
    assert (behind.read_bytes() if behind.exists() else None) == (
        MINE if target == "there" else None
    )


@every
def test_another_name_of_an_output_keeps_what_it_has(run: Ended, command: str) -> None:
    words, names = COMMANDS[command]
    Path("out", names[0]).write_bytes(MINE)
    os.link(Path("out", names[0]), "other")
    assert run(*words, "--force")[0] == 0
    assert Path("other").read_bytes() == MINE


@every
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_pipe_is_never_replaced(run: Ended, command: str, force: Sequence[str]) -> None:
    """Whoever may write everywhere would lose /dev/null."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no FIFOs here")
    words, names = COMMANDS[command]
    path = Path("out", names[-1])
    os.mkfifo(path)
    code, said, err = run(*words, *force)
    assert (code, said) == (4, "")
    assert f"{path}: error[ELV501]: cannot be written: it is a pipe or a device" in err
    assert path.is_fifo() and len(list(Path("out").iterdir())) == 1


@every
def test_a_folder_is_in_the_way_of_all(run: Ended, command: str) -> None:
    """But of drawings, of which one that cannot be written does not stop the next."""
    words, names = COMMANDS[command]
    path = Path("out", names[-1])
    path.mkdir()
    if command == "anonymise":
        words = [*words[:-1], "out/a.log/x.log"]
        path.rmdir()
        path.write_bytes(MINE)
    code, said, err = run(*words, "--force")
    assert (code, bool(said)) == (4, command == "draw")
    assert "error[ELV501]: cannot be written: " in err
    if command != "draw":
        assert [one.name for one in Path("out").iterdir()] == [names[-1]]


@every
def test_a_name_that_is_too_long(run: Ended, command: str) -> None:
    words, _ = COMMANDS[command]
    code, said, err = run(*(word.replace("out", "o" * 300) for word in words))
    assert (code, said) == (4, "")
    assert "error[ELV501]: cannot be written: " in err


# ---- a folder, or a file -------------------------------------------------------------------------


REPORTS = {
    "summary": ["a.log"],
    "lint": ["a.log"],
    "compare": ["a.log", "b.log"],
    "gate": ["--baseline", "a.log", "-p", "p.json", "--log_file", "b.log", "-p", "q.json"],
}


@pytest.mark.parametrize("command", REPORTS)
def test_the_ending_of_a_file_is_its_format(run: Ended, command: str) -> None:
    words = [command, *REPORTS[command]]
    assert run(*words, "-o", "out/of.json")[:2] == (0, "out/of.json\n")
    assert "schema" in json.loads(held()["of.json"])
    code, said, _ = run(*words, "-f", "json")
    assert (code, said.strip()) == (0, held()["of.json"].decode().strip())
    assert run(*words, "-f", "markdown", "--output", "out/of.txt")[:2] == (0, "out/of.txt\n")
    assert held()["of.txt"].lstrip().startswith((b"#", b"**", b"<!--"))
    # What ends so and is a folder stays one, and so does any other name.
    Path("out/of.md").mkdir()
    for folder in ("out/of.md", "out/new", "out/v1.2"):
        code, said, _ = run(*words, "-f", "text,json", "--output_dir", folder)
        assert (code, len(held(folder))) == (0, 2)
        assert said.split() == [str(Path(folder, name)) for name in sorted(held(folder))[::-1]]


@pytest.mark.parametrize("command", REPORTS)
def test_several_reports_need_a_folder(run: Ended, command: str) -> None:
    words = [command, *REPORTS[command], "-f", "text,json"]
    code, said, err = run(*words)
    assert (code, said) == (2, "")
    assert err == "engine_layer_visualize: error: text, json: several formats need --output DIR\n"
    code, said, err = run(*words, "-o", "out/of.json")
    assert (code, said) == (2, "") and "out/of.json is one file: text, json need a folder" in err
    assert held() == {}


@pytest.mark.parametrize("words", [["draw", "a.log"], ["table", "a.log"]])
def test_files_of_several_engines_need_a_folder(run: Ended, words: Sequence[str]) -> None:
    assert run(*words, "-o", "out/of.svg")[0] == 2
    assert held() == {}
    Path("out/of.svg").mkdir()
    assert run(*words, "-o", "out/of.svg")[0] == 0 and held("out/of.svg")


# ---- twice, and of another log -------------------------------------------------------------------


FORMATS = {"draw": draw.DRAWINGS, "table": draw.TABLES, "summary": draw.REPORTS}
FORMATS |= {"lint": draw.LINTS, "compare": draw.COMPARISONS, "gate": draw.GATES}
FORMATS |= {"layers": draw.LAYERS}
NAMES = (
    "build.log",
    "8.log",
    "wéird %41 100%25 <b>&*_`x`|.log",
    "tab\tand \x1b[1m.log",
    "long_name-" + "of.a.log" * 20 + ".log",
)
# Formats that do not say which log, or which gate, they are of.
NAMELESS = (("layers", "csv"), ("gate", "json"), ("gate", "sarif"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", FORMATS)
def test_run_twice(run: Ended, monkeypatch: Patch, command: str, name: str) -> None:
    """In every format; with another log, or of another gate, it replaces nothing."""
    monkeypatch.setenv("COLUMNS", "60")  # names break in text
    for log in (name, f"of-{name}", f"x{name[1:]}"):
        shutil.copy(FIXTURES / "comparison" / "int8.log", log)
        with open(log, "a") as file:
            file.write(log.partition(".")[0])
        os.utime(log, (1, 1))
    more = [str(FIXTURES / "comparison" / "fp16.log")] * (command in ("compare", "gate"))
    for format in FORMATS[command]:
        words = [command, name, *more, "-f", format, "-o", "out"]
        words += ["--name", "my own/gate 1"] * (command == "gate")
        first = run(*words)
        assert first[0] in (0, 5) and held(), (format, first)
        assert run(*words) == first, format
        before = held()
        for log in (f"of-{name}", f"x{name[1:]}"):
            others = [command, log, *words[2:]]
            if command == "gate":
                others = [*words[:-1], "my own"]
            if (command, format) not in NAMELESS:
                code, _, said = run(*others)
                assert (code, "error[ELV505]" in said, "--force" in said) == (4, True, True)
                assert held() == before
        shutil.rmtree("out")


@pytest.mark.parametrize("command", ["lint", "summary", "compare"])
def test_a_file_that_only_tells_of_these_logs_stays(run: Ended, command: str) -> None:
    for name in ("lint.txt", "summary.txt", "comparison.txt"):
        Path("out", name).write_text("What I saw of a.log, and of b.log.\n")
    assert run(command, "a.log", *["b.log"] * (command == "compare"), "-o", "out")[0] == 4


# ---- several logs, several engines ---------------------------------------------------------------


def test_a_later_engine_s_file_stops_the_earlier_one_s(run: Ended) -> None:
    shutil.copy(FIXTURES / "classic" / "8.4-two-engines.log", "two.log")
    Path("out/EngineLayers_1.svg").write_bytes(MINE)
    code, said, err = run("two.log", "-f", "html,svg,dot", "-o", "out")
    assert (code, said) == (4, "")
    assert "out/EngineLayers_1.svg: error[ELV505]: this was there before, and is no output" in err
    assert held() == {"EngineLayers_1.svg": MINE}
    assert run("two.log", "-f", "svg", "-o", "out", "--engine", "0")[0] == 0


def test_a_later_log_s_file_stops_the_earlier_one_s(run: Ended) -> None:
    Path("out/b_0.dot").write_bytes(MINE)
    code, said, err = run("a.log", "b.log", "-o", "out")
    assert (code, said) == (4, "")
    assert "out/b_0.dot: error[ELV505]" in err
    assert held() == {"b_0.dot": MINE}


def test_a_refusal_costs_no_reading(run: Ended) -> None:
    """It comes before the log is opened."""
    Path("out/EngineLayers_0.dot").write_bytes(MINE)
    Path("none.log").write_text("no log")
    code, _, err = run("--log_file", "none.log", "-o", "out")
    assert (code, "error[ELV505]" in err, "ELV402" in err) == (4, True, False)


def test_the_verdict_of_another_gate_stays(run: Ended) -> None:
    words = COMMANDS["gate markdown"][0]
    assert run(*words, "--name", "one")[0] == 0
    code, _, err = run(*words, "--name", "two")
    assert (code, "is no verdict of this gate; it is not replaced" in err) == (4, True)
    shutil.copy(CENTERNET, "new.log")
    new = [word.replace("b.log", "new.log") for word in words]
    assert run(*new, "--name", "one")[0] == 0, "of the next build"


def test_a_comparison_that_came_to_nothing_is_replaced(run: Ended) -> None:
    Path("bad.log").write_text("nothing\n")
    words = ("compare", "bad.log", "b.log", "-f", "json", "-o", "out")
    assert [run(*words)[0] for _ in range(2)] == [3, 3]
    shutil.copy("a.log", "bad.log")
    assert run(*words)[0] == 0


def test_a_page_of_a_comparison_without_a_folder(run: Ended) -> None:
    """It goes to the current one."""
    Path("comparison.html").write_bytes(MINE)
    assert run("compare", "a.log", "b.log", "-f", "html")[0] == 4
    assert Path("comparison.html").read_bytes() == MINE


def test_an_anonymised_log_of_another_one_stays(run: Ended) -> None:
    """Nothing in it tells of which log it is, so the same bytes alone may stand there."""
    assert run("anonymise", "a.log", "-o", "out/x.log")[0] == 0
    before = held()
    with open("a.log", "a") as file:
        file.write(classic("more", "x", "y") + "\n")
    code, said, err = run("anonymise", "a.log", "-o", "out/x.log")
    assert (code, said, held()) == (4, "", before)
    assert "error[ELV505]: this was there before, and is not what this run writes" in err
    assert run("anonymise", "a.log", "-o", "out/x.log", "--force")[0] == 0


def test_the_log_and_the_model_in_each_other_s_place(run: Ended) -> None:
    before = held(".")
    code, said, err = run("cut", "c.onnx", "--onnx", "c.log", "--layer", "0", "-o", "new")
    assert (code, said) == (3, "")
    assert "c.log:1:1: error[ELV801]: not an ONNX model" in err
    assert not Path("new").exists() and held(".") == before


def test_python_writes_where_it_is_told_to(tmp_path: Path) -> None:
    """As `open(…, "w")` does."""
    path = file_of(tmp_path, MINE, "a.svg")
    draw.draw(chain("a", "b"), path)
    assert path.read_bytes() != MINE
