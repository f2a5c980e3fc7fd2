"""Inputs that break, grow, shrink or change while they are read."""

import fcntl
import gzip
import json
import os
import pty
import resource
import shutil
import socket
import struct
import termios
import threading
import time
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from logtext import file_of

from benchmarks import make
from faults.conftest import Running, Start, listing, until


def layers(out: Path) -> int:
    return len(json.loads((out / "EngineLayers_0.json").read_text("utf-8"))["layers"])


def drawing(out: Path) -> tuple[str, ...]:
    return ("--output_dir", str(out), "--format", "json")


def unread(descriptor: int, asked: int = termios.FIONREAD) -> int:
    """Bytes that lie there for its reader; `TIOCOUTQ`: that have not come to the other side."""
    (found,) = struct.unpack("i", fcntl.ioctl(descriptor, asked, b"\0" * 4))
    return int(found)


@pytest.mark.parametrize(
    ("sent", "code"),
    [(listing(1), 1), (listing(40), 1), ("[V] [TRT] Registered plugin creator - one\n" * 9, 3)],
    ids=["a layer", "40 layers", "nothing to draw"],
)
def test_a_read_error(start: Start, tmp_path: Path, sent: str, code: int) -> None:
    """A terminal whose other side goes answers EIO, after all that was sent."""
    ours, theirs = pty.openpty()
    os.write(theirs, sent.encode())
    until(lambda: unread(ours) == len(sent) + sent.count("\n"))  # with carriage returns
    running = start("--log_file", "-", *drawing(tmp_path), stdin=ours)
    until(lambda: not unread(ours))  # what nobody has read when the other side goes is lost
    os.close(theirs)
    running.ended(code, "[ELV108]: the rest cannot be read: input/output error")
    os.close(ours)
    if code == 1:
        assert layers(tmp_path) == sent.count("Layer(")


@pytest.mark.parametrize("packed", [False, True])
def test_a_connection_that_is_reset(start: Start, tmp_path: Path, packed: bool) -> None:
    """ECONNRESET once, and an end of file ever after."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        theirs = socket.create_connection(server.getsockname())
        ours, _ = server.accept()
    data = listing(3000).encode()
    running = start("--log_file", "-", *drawing(tmp_path), stdin=ours.fileno())
    theirs.sendall(gzip.compress(data, 0)[:-20] if packed else data)
    # A reset drops what is unread.
    until(lambda: not unread(theirs.fileno(), termios.TIOCOUTQ) and not unread(ours.fileno()))
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    theirs.close()
    running.ended(1, "error[ELV108]: the rest cannot be read: connection reset by peer")
    ours.close()
    assert layers(tmp_path) >= (2990 if packed else 3000)


def test_an_error_before_anything(start: Start, tmp_path: Path) -> None:
    if not os.path.exists("/proc/self/mem"):
        pytest.skip("there is no /proc here")
    start("--log_file", "/proc/self/mem", *drawing(tmp_path)).ended(
        3, "error[ELV401]: cannot be read: input/output error"
    )
    assert os.listdir(tmp_path) == []


def test_a_fifo_that_breaks(start: Start, tmp_path: Path) -> None:
    """Its writer dies in the middle of a record."""
    fifo = tmp_path / "log"
    os.mkfifo(fifo)
    running = start("--log_file", fifo, *drawing(tmp_path / "out"))
    with open(fifo, "wb", buffering=0) as pipe:
        pipe.write(listing(20).encode()[:-30])
    running.ended(1, "error[ELV10")
    assert layers(tmp_path / "out") >= 19


@pytest.mark.parametrize("words", [["--format", "json"], ["--format", "html,json"]])
def test_a_log_that_grows(start: Start, tmp_path: Path, words: list[str]) -> None:
    path, out = tmp_path / "build.log", tmp_path / "out"
    path.write_text(listing(2000), "utf-8")
    stop = threading.Event()

    def grow() -> None:
        number = 0
        with open(path, "a", encoding="utf-8") as file:
            while not stop.is_set():
                number += 1
                file.write(f"[V] [TRT] line {number} of what comes after\n" * 50)
                file.flush()
                time.sleep(0.001)

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        time.sleep(0.05)
        running = start("--log_file", path, "--output_dir", out, *words)
        time.sleep(0.7)
    finally:
        stop.set()
        writer.join()
    assert running.ended().code == 0
    assert layers(out) == 2000


def test_a_listing_that_grows(start: Start, tmp_path: Path) -> None:
    """The engine is drawn as far as it was there; a record that was cut is told of."""
    path, out = tmp_path / "build.log", tmp_path / "out"
    text = listing(6_000)
    path.write_text(text[: len(text) // 3], "utf-8")
    running = start("--log_file", path, *drawing(out))
    with open(path, "a", encoding="utf-8") as file:
        for at in range(len(text) // 3, len(text), 500):
            file.write(text[at : at + 500])
            file.flush()
            time.sleep(0.001)
    ended = running.ended()
    assert ended.code in (0, 1)
    assert 1_990 <= layers(out) <= 6_000


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of many timings."""
    return make.log(tmp_path_factory.mktemp("timed") / "build.log", 60 << 20, style=make.OLD)


@pytest.mark.parametrize("then", ["", "gone", "something else\n" * 40_000])
def test_a_log_that_changes_under_it(start: Start, tmp_path: Path, timed: Path, then: str) -> None:
    """Timings are read a second time from the file: by then it may be another, or none."""
    path, out = tmp_path / "build.log", tmp_path / "out"
    shutil.copy(timed, path)
    running = start("--log_file", path, "--output_dir", out, "--format", "html,json")
    until(lambda: out.exists() or running.process.poll() is not None)
    if then == "gone":
        path.unlink()
    else:
        path.write_text(then, "utf-8")
    ended = running.ended()
    assert ended.code in (0, 1, 3)
    assert (out / "EngineLayers_0.json").exists() == (ended.code != 3)
    assert not [name for name in os.listdir(out) if name.startswith(".")]


# ---- inputs without an end, or with too much of something: a bounded cost, and a word of why -----


_SPACE: Final = 600_000_000  # bytes of addresses; the interpreter and its libraries have 150 MB


def bomb(path: Path, head: bytes, repeated: bytes, tail: bytes = b"") -> Path:
    """2 GiB between `head` and `tail`, in 2 MB: gzip files one after another are one file."""
    member = gzip.compress(repeated * ((1 << 25) // len(repeated)), 1)
    path.write_bytes(gzip.compress(head) + member * 64 + gzip.compress(tail))
    return path


def bounded(start: Start, *words: str | Path, space: int = _SPACE, first: str = "") -> Running:
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (space, space))
    return start(*words, preexec_fn=limit, first=first)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return file_of(tmp_path, listing(3))


def test_a_line_of_2_gib(start: Start, tmp_path: Path) -> None:
    log = bomb(tmp_path / "log", listing(2).encode() + b"Layer(", b"x" * 512, b"\n[V] end\n")
    ended = bounded(start, "--log_file", log, "--output_dir", tmp_path).ended(
        1, "log:4:1: error[ELV109]: a line of 2048 MiB, over 16: only its start"
    )
    assert b"EngineLayers_0.dot  2 layers, 1 edge\n" in ended.out


def test_layers_without_end(start: Start, tmp_path: Path) -> None:
    record = b"Layer(Conv): conv, Tactic: 0x1, x (Half[1]) -> y (Half[1])\n"
    log = bomb(tmp_path / "log", listing(2).encode(), record)
    fewer = "from engine_layer_visualize.core import limits; limits.LAYERS = 5000"
    ended = bounded(start, "--log_file", log, "--output_dir", tmp_path, first=fewer).ended(
        1, "error[ELV112]: more than 5,000 layers: reading stopped here"
    )
    assert ended.out.startswith(bytes(tmp_path / "EngineLayers_0.dot") + b"  5000 layers")


@pytest.mark.parametrize("member", [b'"name",', b"["])
def test_a_layer_info_without_end(start: Start, tmp_path: Path, member: bytes) -> None:
    log = bomb(tmp_path / "log", b'{"Layers": [', member)
    bounded(start, "--log_file", log, "--output_dir", tmp_path, space=4_000_000_000).ended(
        3, "log:1:1: error[ELV109]: larger than 1024 MiB"
    )


@pytest.mark.parametrize("member", [b'{"name": "a", "averageMs": 1},', b"\0"])
def test_times_without_end(start: Start, tmp_path: Path, log: Path, member: bytes) -> None:
    """The engine is drawn all the same."""
    times = bomb(tmp_path / "times", b"[{", member)
    words = ("--log_file", log, "--profile_file", times, "--output_dir", tmp_path)
    ended = bounded(start, *words, space=4_000_000_000).ended(
        1, "times:1:1: error[ELV109]: larger than 1024 MiB"
    )
    assert b"  3 layers, 2 edges\n" in ended.out


@pytest.mark.parametrize("file", ["/dev/zero", "/dev/urandom"])
def test_a_device_without_end(start: Start, tmp_path: Path, log: Path, file: str) -> None:
    if not os.path.exists(file):
        pytest.skip(f"there is no {file} here")
    words = ("--log_file", log, "--profile_file", file, "--output_dir", tmp_path)
    ended = bounded(start, *words, space=4_000_000_000).ended()
    assert (ended.code, b"  3 layers, 2 edges\n" in ended.out) == (1, True)
    if file == "/dev/zero":  # chance is a log of short lines, as long as one may wait
        bounded(start, "--log_file", file, "--output_dir", tmp_path, "--force").ended(
            3, "error[ELV405]: not text: nothing but zero bytes"
        )


@pytest.mark.parametrize("opener", ["[", '{"a":', '{"Layers":[', '[{"name":'])
def test_json_nested_100_000_deep(start: Start, tmp_path: Path, log: Path, opener: str) -> None:
    deep = file_of(tmp_path, '{"Layers": [' + opener * 100_000, "deep.json")
    bounded(start, "--log_file", deep, "--output_dir", tmp_path).ended(
        3, "error[ELV108]: the JSON breaks off here: nested too deeply"
    )
    deep.write_text("[" + opener * 100_000)
    words = ("--log_file", log, "--profile_file", deep, "--output_dir", tmp_path)
    bounded(start, *words).ended(1, "error[ELV201]: no")  # no profile, or not JSON
