"""Inputs that break, grow, shrink or change while they are read."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import pty
import shutil
import socket
import struct
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import make
from faults.conftest import Running, listing, until

Start = Callable[..., Running]


def layers(out: Path) -> int:
    return len(json.loads((out / "EngineLayers_0.json").read_text("utf-8"))["layers"])


def drawing(out: Path) -> tuple[str, ...]:
    return ("--output_dir", str(out), "--format", "json")


def unread(descriptor: int) -> int:
    """Bytes that lie there for its reader."""
    return waiting(descriptor, termios.FIONREAD)


def unsent(connection: socket.socket) -> int:
    """Bytes that have not come to the other side."""
    return waiting(connection.fileno(), termios.TIOCOUTQ)


def waiting(descriptor: int, asked: int) -> int:
    (found,) = struct.unpack("i", fcntl.ioctl(descriptor, asked, b"\0" * 4))
    return int(found)


def terminal(text: str) -> tuple[int, int]:
    """The two sides of one in which the text lies for a reader, with carriage returns."""
    ours, theirs = pty.openpty()
    os.write(theirs, text.encode())
    until(lambda: unread(ours) == len(text) + text.count("\n"))
    return ours, theirs


@pytest.mark.parametrize("count", [1, 40])
def test_a_read_error_in_mid_file(start: Start, tmp_path: Path, count: int) -> None:
    """A terminal whose other side goes answers EIO, after all that was sent."""
    ours, theirs = terminal(listing(count))
    running = start("--log_file", "-", *drawing(tmp_path), stdin=ours)
    until(lambda: not unread(ours))  # what nobody has read when the other side goes is lost
    os.close(theirs)
    ended = running.ended()
    os.close(ours)
    assert ended.code == 1
    assert "error[ELV108]: the rest cannot be read: input/output error" in ended.err
    assert layers(tmp_path) == count


@pytest.mark.parametrize("packed", [False, True])
def test_a_connection_that_is_reset(start: Start, tmp_path: Path, packed: bool) -> None:
    """ECONNRESET once, and an end of file ever after."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        theirs = socket.create_connection(server.getsockname())
        ours, _ = server.accept()
    data = listing(3000).encode()
    running = start("--log_file", "-", *drawing(tmp_path), stdin=ours.fileno())
    theirs.sendall(gzip.compress(data, 0)[:-20] if packed else data)
    until(lambda: not unsent(theirs) and not unread(ours.fileno()))  # a reset drops what is unread
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    theirs.close()
    ended = running.ended()
    ours.close()
    assert ended.code == 1
    assert "error[ELV108]: the rest cannot be read: connection reset by peer" in ended.err
    assert layers(tmp_path) >= (2990 if packed else 3000)


def test_an_error_before_anything(start: Start, tmp_path: Path) -> None:
    if not os.path.exists("/proc/self/mem"):
        pytest.skip("there is no /proc here")
    ended = start("--log_file", "/proc/self/mem", *drawing(tmp_path)).ended()
    assert ended.code == 3
    assert "error[ELV401]: cannot be read: input/output error" in ended.err
    assert os.listdir(tmp_path) == []


def test_an_error_before_the_listing(start: Start, tmp_path: Path) -> None:
    """There is nothing to draw, and it says that it could not see all."""
    ours, theirs = terminal("[V] [TRT] Registered plugin creator - one\n" * 9)
    running = start("--log_file", "-", *drawing(tmp_path), stdin=ours)
    until(lambda: not unread(ours))
    os.close(theirs)
    ended = running.ended()
    os.close(ours)
    assert ended.code == 3
    assert "the rest cannot be read: input/output error" in ended.err


def test_a_fifo_that_breaks(start: Start, tmp_path: Path) -> None:
    """Its writer dies in the middle of a record."""
    fifo = tmp_path / "log"
    os.mkfifo(fifo)
    running = start("--log_file", fifo, *drawing(tmp_path / "out"))
    with open(fifo, "wb", buffering=0) as pipe:
        pipe.write(listing(20).encode()[:-30])
    ended = running.ended()
    assert ended.code == 1
    assert "error[ELV10" in ended.err
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
