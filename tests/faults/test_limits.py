"""Inputs without an end, or with too much of something: a bounded cost, and a word of why."""

from __future__ import annotations

import gzip
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from logtext import file_of

from faults.conftest import Ended, Running, listing

Start = Callable[..., Running]

_SPACE: Final = 600_000_000  # bytes of addresses; the interpreter and its libraries have 150 MB
_MEMBER: Final = 1 << 25


def bomb(path: Path, head: bytes, repeated: bytes, tail: bytes = b"") -> Path:
    """2 GiB between `head` and `tail`, in 2 MB: gzip files one after another are one file."""
    member = gzip.compress(repeated * (_MEMBER // len(repeated)), 1)
    path.write_bytes(gzip.compress(head) + member * 64 + gzip.compress(tail))
    return path


def bounded(start: Start, *words: str | Path, space: int = _SPACE, first: str = "") -> Ended:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (space, space))

    return start(*words, preexec_fn=limit, first=first).ended()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return file_of(tmp_path, listing(3))


def test_a_line_of_2_gib(start: Start, tmp_path: Path) -> None:
    log = bomb(tmp_path / "log", listing(2).encode() + b"Layer(", b"x" * 512, b"\n[V] end\n")
    ended = bounded(start, "--log_file", log, "--output_dir", tmp_path)
    assert ended.code == 1
    assert "log:4:1: error[ELV109]: a line of 2048 MiB, over 16: only its start" in ended.err
    assert b"EngineLayers_0.dot  2 layers, 1 edge\n" in ended.out


def test_layers_without_end(start: Start, tmp_path: Path) -> None:
    record = b"Layer(Conv): conv, Tactic: 0x1, x (Half[1]) -> y (Half[1])\n"
    log = bomb(tmp_path / "log", listing(2).encode(), record)
    fewer = "from engine_layer_visualize.core import limits; limits.LAYERS = 5000"
    ended = bounded(start, "--log_file", log, "--output_dir", tmp_path, first=fewer)
    assert ended.code == 1
    assert "error[ELV112]: more than 5,000 layers: reading stopped here" in ended.err
    assert ended.out.startswith(bytes(tmp_path / "EngineLayers_0.dot") + b"  5000 layers")


@pytest.mark.parametrize("member", [b'"name",', b"["])
def test_a_layer_info_without_end(start: Start, tmp_path: Path, member: bytes) -> None:
    log = bomb(tmp_path / "log", b'{"Layers": [', member)
    ended = bounded(start, "--log_file", log, "--output_dir", tmp_path, space=4_000_000_000)
    assert ended.code == 3
    assert "log:1:1: error[ELV109]: larger than 1024 MiB" in ended.err


@pytest.mark.parametrize("member", [b'{"name": "a", "averageMs": 1},', b"\0"])
def test_times_without_end(start: Start, tmp_path: Path, log: Path, member: bytes) -> None:
    """The engine is drawn all the same."""
    times = bomb(tmp_path / "times", b"[{", member)
    words = ("--log_file", log, "--profile_file", times, "--output_dir", tmp_path)
    ended = bounded(start, *words, space=4_000_000_000)
    assert ended.code == 1
    assert "times:1:1: error[ELV109]: larger than 1024 MiB" in ended.err
    assert b"  3 layers, 2 edges; " in ended.out


@pytest.mark.parametrize("file", ["/dev/zero", "/dev/urandom"])
def test_a_device_without_end(start: Start, tmp_path: Path, log: Path, file: str) -> None:
    if not os.path.exists(file):
        pytest.skip(f"there is no {file} here")
    words = ("--log_file", log, "--profile_file", file, "--output_dir", tmp_path)
    ended = bounded(start, *words, space=4_000_000_000)
    assert (ended.code, b"  3 layers, 2 edges; " in ended.out) == (1, True)
    if file == "/dev/zero":  # chance is a log of short lines, as long as one may wait
        ended = bounded(start, "--log_file", file, "--output_dir", tmp_path, "--force")
        assert ended.code == 3
        assert "error[ELV405]: not text: nothing but zero bytes" in ended.err


@pytest.mark.parametrize("opener", ["[", '{"a":', '{"Layers":[', '[{"name":'])
def test_json_nested_100_000_deep(start: Start, tmp_path: Path, log: Path, opener: str) -> None:
    deep = file_of(tmp_path, '{"Layers": [' + opener * 100_000, "deep.json")
    ended = bounded(start, "--log_file", deep, "--output_dir", tmp_path)
    assert ended.code == 3
    assert "error[ELV108]: the JSON breaks off here: nested too deeply" in ended.err
    deep.write_text("[" + opener * 100_000)
    words = ("--log_file", log, "--profile_file", deep, "--output_dir", tmp_path)
    ended = bounded(start, *words)
    assert ended.code == 1
    assert "error[ELV201]: no" in ended.err  # no profile, or not JSON
