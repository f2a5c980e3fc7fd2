"""A disk that fills while it writes, and a folder that goes."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from logtext import file_of

from faults.conftest import Running, listing, temporaries, until

Start = Callable[..., Running]
TABLES = ("csv", "jsonl", "parquet", "arrow", "xlsx")
FORMATS = ("dot", "json", "svg", "html", "png")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return file_of(tmp_path, listing(300))


def short(format: str) -> Path:
    """What was there before."""
    return Path(f"EngineLayers_0.{format}")


@pytest.mark.parametrize("format", FORMATS)
def test_a_full_disk_keeps_the_earlier_drawing(
    start: Start, small_disk: Path, log: Path, format: str
) -> None:
    earlier = small_disk / short(format)
    earlier.write_bytes(b"an earlier drawing")
    # What is left is less than any drawing needs.
    (small_disk / "ballast").write_bytes(b"x" * (48 << 10))
    words = ("--output_dir", small_disk, "--format", format, "--force")
    ended = start("--log_file", log, *words).ended()
    assert ended.code == 4
    assert f"{earlier}: error[ELV501]: cannot be written: no space left on device" in ended.err
    assert sorted(os.listdir(small_disk)) == [earlier.name, "ballast"]
    assert earlier.read_bytes() == b"an earlier drawing"


@pytest.mark.parametrize("format", TABLES)
def test_a_full_disk_keeps_the_earlier_tables(
    start: Start, small_disk: Path, log: Path, format: str
) -> None:
    """None of the new ones is there, though some would have had room."""
    name = "EngineLayers.xlsx" if format == "xlsx" else f"edges.{format}"
    (small_disk / name).write_bytes(b"an earlier table")
    (small_disk / "ballast").write_bytes(b"x" * (48 << 10))
    words = ("--output_dir", small_disk, "--format", format, "--force")
    ended = start("table", "--log_file", log, *words).ended()
    assert ended.code == 4
    assert "error[ELV501]: cannot be written: no space left on device" in ended.err
    assert sorted(os.listdir(small_disk)) == sorted([name, "ballast"])
    assert (small_disk / name).read_bytes() == b"an earlier table"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("anonymise", "a.log", "-o", "disk/x.log"), "x.log"),
        (("compare", "a.log", "a.log", "-f", "html", "-o", "disk"), "comparison.html"),
        (("gate", "--save", "disk/base.json", "a.log"), "base.json"),
        (("gate", "--baseline", "a.log", "a.log", "-f", "json", "-o", "disk"), "gate.json"),
    ],
)
def test_a_full_disk_keeps_what_was_there(
    start: Start, small_disk: Path, tmp_path: Path, words: tuple[str, ...], name: str
) -> None:
    (tmp_path / "a.log").write_text(listing(700), "utf-8")
    (small_disk / name).write_bytes(b"of an earlier run")
    (small_disk / "ballast").write_bytes(b"x" * (59 << 10))
    ended = start(*words, "--force", cwd=tmp_path).ended()
    assert ended.code == (6 if "--baseline" in words else 4)  # the worse: nothing was measured
    assert f"disk/{name}: error[ELV501]: cannot be written: no space left on device" in ended.err
    assert sorted(os.listdir(small_disk)) == sorted([name, "ballast"])
    assert (small_disk / name).read_bytes() == b"of an earlier run"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("format", TABLES)
def test_a_folder_without_permission(start: Start, tmp_path: Path, log: Path, format: str) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    ended = start("table", "--log_file", log, "--output_dir", folder, "--format", format).ended()
    assert ended.code == 4
    assert f"{folder}: error[ELV501]: cannot be written: permission denied" in ended.err
    assert os.listdir(folder) == []


@pytest.mark.parametrize("format", TABLES)
def test_a_disk_that_is_read_only(start: Start, small_disk: Path, log: Path, format: str) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    words = ("--output_dir", small_disk, "--format", format)
    ended = start("table", "--log_file", log, *words).ended()
    assert ended.code == 4
    assert f"{small_disk}: error[ELV501]: cannot be written: read-only file system" in ended.err


def test_one_drawing_has_room(start: Start, small_disk: Path, log: Path) -> None:
    """What cannot be written does not stop what can."""
    log.write_text(listing(1), "utf-8")
    (small_disk / "ballast").write_bytes(b"x" * (44 << 10))
    ended = start("--log_file", log, "--output_dir", small_disk, "--format", "html,dot").ended()
    assert ended.code == 4
    assert sorted(os.listdir(small_disk)) == ["EngineLayers_0.dot", "ballast"]
    assert ended.err.count("ELV501") == 1


@pytest.mark.parametrize("format", FORMATS)
def test_a_limit_on_files(start: Start, tmp_path: Path, log: Path, format: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    earlier = out / short(format)
    earlier.write_bytes(b"an earlier drawing")
    ended = start(
        *("--log_file", log, "--output_dir", out, "--format", format, "--force"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
    ).ended()
    assert ended.code == 4
    assert "error[ELV501]: cannot be written: file too large" in ended.err
    assert os.listdir(out) == [earlier.name]
    assert earlier.read_bytes() == b"an earlier drawing"


@pytest.mark.parametrize("format", TABLES)
def test_a_limit_on_files_of_tables(start: Start, tmp_path: Path, log: Path, format: str) -> None:
    """Also on those that a workbook has beside it while it is made."""
    out = tmp_path / "out"
    ended = start(
        *("table", "--log_file", log, "--output_dir", out, "--format", format),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    ).ended()
    assert ended.code == 4
    assert "error[ELV501]: cannot be written: file too large" in ended.err
    assert "Traceback" not in ended.err
    assert os.listdir(out) == []


@pytest.mark.parametrize("format", ["dot", "json", "html"])
def test_the_folder_goes(start: Start, tmp_path: Path, large: Path, format: str) -> None:
    out = tmp_path / "out"
    running = start("--log_file", large, "--output_dir", out, "--format", format)
    until(lambda: out.exists() and temporaries(out))
    shutil.rmtree(out)
    ended = running.ended()
    assert ended.code == 4
    assert "error[ELV501]: cannot be written: no such file or directory" in ended.err
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
    with open("/dev/full", "wb") as full:
        ended = start(*words, stdout=full).ended()
    assert ended.code == 4
    assert "<stdout>: error[ELV501]: cannot be written: no space left" in ended.err
