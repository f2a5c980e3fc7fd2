"""Outputs that fail: a disk that fills, a folder that goes, a stream that nobody reads."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from logtext import file_of
from program import ran

from faults.conftest import Start, listing, temporaries, until

TABLES = ("csv", "jsonl", "parquet", "arrow", "xlsx")
FORMATS = ("dot", "json", "svg", "html", "png")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return file_of(tmp_path, listing(300))


def table_of(format: str) -> str:
    """One of the files of tables."""
    return "EngineLayers.xlsx" if format == "xlsx" else f"edges.{format}"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        *((("draw", "a.log", "-f", one, "-o", "disk"), f"EngineLayers_0.{one}") for one in FORMATS),
        *((("table", "a.log", "-f", one, "-o", "disk"), table_of(one)) for one in TABLES),
        (("anonymise", "a.log", "-o", "disk/x.log"), "x.log"),
        (("compare", "a.log", "a.log", "-f", "html", "-o", "disk"), "comparison.html"),
        (("gate", "--save", "disk/base.json", "a.log"), "base.json"),
        (("gate", "--baseline", "a.log", "a.log", "-f", "json", "-o", "disk"), "gate.json"),
    ],
)
def test_a_full_disk_keeps_what_was_there(
    start: Start, small_disk: Path, tmp_path: Path, words: tuple[str, ...], name: str
) -> None:
    """Of tables none of the new ones is there, though some would have had room."""
    (tmp_path / "a.log").write_text(listing(700), "utf-8")
    (small_disk / name).write_bytes(b"of an earlier run")
    (small_disk / "ballast").write_bytes(b"x" * (59 << 10))
    ended = start(*words, "--force", cwd=tmp_path).ended()
    assert ended.code == (6 if "--baseline" in words else 4)  # the worse: nothing was measured
    which = "" if words[0] == "table" else f"disk/{name}: "
    assert f"{which}error[ELV501]: cannot be written: no space left on device" in ended.err
    assert sorted(os.listdir(small_disk)) == sorted([name, "ballast"])
    assert (small_disk / name).read_bytes() == b"of an earlier run"


@pytest.mark.parametrize("why", ["permission denied", "read-only file system"])
@pytest.mark.parametrize("format", TABLES)
def test_a_locked_folder(start: Start, small_disk: Path, log: Path, format: str, why: str) -> None:
    """The folder takes none."""
    if why != "permission denied":
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    elif os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    else:
        small_disk.chmod(0o500)
    words = ("--output_dir", small_disk, "--format", format)
    start("table", "--log_file", log, *words).ended(
        4, f"{small_disk}: error[ELV501]: cannot be written: {why}"
    )
    assert os.listdir(small_disk) == []


def test_one_drawing_has_room(start: Start, small_disk: Path, log: Path) -> None:
    """What cannot be written does not stop what can."""
    log.write_text(listing(1), "utf-8")
    (small_disk / "ballast").write_bytes(b"x" * (44 << 10))
    ended = start("--log_file", log, "--output_dir", small_disk, "--format", "html,dot").ended(4)
    assert sorted(os.listdir(small_disk)) == ["EngineLayers_0.dot", "ballast"]
    assert ended.err.count("ELV501") == 1


@pytest.mark.parametrize("format", [*FORMATS, *TABLES])
def test_a_limit_on_files(start: Start, tmp_path: Path, log: Path, format: str) -> None:
    """Also on those that a workbook has beside it while it is made."""
    earlier = tmp_path / (table_of(format) if format in TABLES else f"EngineLayers_0.{format}")
    earlier.write_bytes(b"of an earlier run")
    words = ("--output_dir", tmp_path, "--format", format, "--force")
    start(
        *("table" if format in TABLES else "draw", "--log_file", log, *words),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    ).ended(4, "error[ELV501]: cannot be written: file too large")
    assert sorted(os.listdir(tmp_path)) == sorted([earlier.name, log.name])
    assert earlier.read_bytes() == b"of an earlier run"


@pytest.mark.parametrize("format", ["dot", "json", "html"])
def test_the_folder_goes(start: Start, tmp_path: Path, large: Path, format: str) -> None:
    out = tmp_path / "out"
    running = start("--log_file", large, "--output_dir", out, "--format", format)
    until(lambda: out.exists() and temporaries(out))
    shutil.rmtree(out)
    running.ended(4, "error[ELV501]: cannot be written: no such file or directory")
    assert not out.exists()


def test_two_runs_into_one_folder(start: Start, tmp_path: Path) -> None:
    """The last one to finish wins; no file is made of two."""
    logs = [tmp_path / "a.log", tmp_path / "b.log"]
    for path, title in zip(logs, ("alder", "birch")):
        path.write_text(listing(2000, title), "utf-8")
    out = tmp_path / "out"
    formats = ("dot", "json", "html")
    runs = [
        start("--log_file", log, "-o", out, "-f", ",".join(formats), "--force") for log in logs * 2
    ]
    assert [run.ended().code for run in runs] == [0] * 4
    assert sorted(os.listdir(out)) == sorted(f"EngineLayers_0.{format}" for format in formats)
    for format in formats:
        text = (out / f"EngineLayers_0.{format}").read_text("utf-8")
        names = ("a.log", "b.log") if format == "html" else ("alder_", "birch_")
        assert sum(name in text for name in names) == 1
        assert text.rstrip().endswith(("}", "</html>"))


@pytest.mark.parametrize(
    "words",
    [
        *(["summary"], ["summary", "--format", "json"], ["--version"]),
        *(["--help"], ["lint", "--help"], ["lint", "--version"], ["--explain", "ELV114"]),
    ],
    ids=" ".join,
)
def test_a_full_stdout_is_told(start: Start, log: Path, words: list[str]) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    if words[0] == "summary":
        words = [*words, "--log_file", str(log)]
    said = "<stdout>: error[ELV501]: cannot be written: no space left"
    with open("/dev/full", "wb") as full:
        start(*words, stdout=full).ended(4, said)


# ---- streams that nobody reads, or that were closed before it began ------------------------------


PROGRAM = (sys.executable, "-m", "engine_layer_visualize")


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A log of two engines, of which a report is more than a pipe holds."""
    return file_of(tmp_path, listing(2000) + listing(50))


def nobody() -> int:
    """The end of a pipe to write to that nobody reads."""
    reads, writes = os.pipe()
    os.close(reads)
    return writes


WORDS = (
    ["draw"],
    ["layers"],
    ["layers", "--format", "csv"],
    ["summary"],
    ["summary", "--format", "json"],
    ["summary", "--format", "markdown"],
    *(["--version"], ["--help"], ["summary", "--help"]),
)


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_nobody_reads_stdout(start: Start, two: Path, tmp_path: Path, words: list[str]) -> None:
    """`| head -c 0`: files are written all the same."""
    if words == ["draw"]:
        words = [*words, "--format", "json,dot", "--output_dir", str(tmp_path / "out")]
    given = [] if words[-1].startswith("--") else ["--log_file", str(two)]
    pipe = nobody()
    ended = start(*words, *given, stdout=pipe).ended()
    os.close(pipe)
    assert (ended.code, ended.err) == (0, "")
    if words[0] == "draw":
        assert len(os.listdir(tmp_path / "out")) == 4


def test_nobody_reads_the_problems(start: Start, tmp_path: Path) -> None:
    path = file_of(tmp_path, listing(3) + "[V] [TRT] Layer(Conv): broken\n")
    pipe = nobody()
    running = start("--log_file", path, "--output_dir", tmp_path, stdout=pipe, stderr=pipe)
    assert running.ended().code == 1
    os.close(pipe)
    assert (tmp_path / "EngineLayers_0.dot").exists()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["draw", "summary"])
def test_closed_from_the_beginning(
    environment: dict[str, str], two: Path, tmp_path: Path, closed: str, command: str
) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *PROGRAM, command, "--log_file", str(two)],
        env=environment, cwd=tmp_path, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    lost = command == "summary" and ">&-" in closed.replace("2>&-", "")
    assert done.returncode == (4 if lost else 0)
    if command == "draw":
        assert (tmp_path / "EngineLayers_1.dot").read_bytes().endswith(b"}\n")


def test_closed_stdin_as_the_log(environment: dict[str, str], tmp_path: Path) -> None:
    words = ["sh", "-c", 'exec "$@" <&-', "sh", *PROGRAM, "--log_file", "-"]
    done = ran(words, env=environment, cwd=tmp_path, timeout=60)
    assert done.returncode == 3
    assert done.stderr.startswith("<stdin>:1:1: error[ELV401]: cannot be read: bad file descriptor")
