"""Names on a terminal: the program writes to a real one (a pty), and an emulator reads it."""

import os
import pty
import re
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine_layer_visualize.core.text import visible
from escaping.poison import POISON

pyte = pytest.importorskip("pyte")
fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")

COLUMNS, ROWS = 300, 600
# Colours and weights; nothing that moves, asks, titles, links or clears.
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_RAW = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")


def on_a_terminal(environment: dict[str, str], folder: Path, *words: str) -> tuple[int, str]:
    """The exit code, and all that the terminal got of stdout and stderr."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    got = bytearray()

    def listen() -> None:
        while True:
            try:
                got.extend(os.read(ours, 1 << 16))
            except OSError:  # the other side is closed
                return

    listener = threading.Thread(target=listen)
    listener.start()
    plain = {key: value for key, value in environment.items() if key != "NO_COLOR"}
    done = subprocess.run(
        [sys.executable, "-m", "engine_layer_visualize", *words],
        env={**plain, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"},
        cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, timeout=60, check=False,
    )  # fmt: skip
    os.close(theirs)
    listener.join()
    os.close(ours)
    return done.returncode, got.decode("utf-8")


def screen(text: str) -> str:
    """What a person sees, without blanks: columns fold long names."""
    shown = pyte.Screen(COLUMNS, ROWS)
    pyte.Stream(shown).feed(text)
    assert shown.title == "" and shown.icon_name == ""
    return re.sub(r"\s", "", "".join(shown.display))


def sane(text: str) -> None:
    left = _COLOR.sub("", text).replace("\r\n", "\n")
    assert not _RAW.search(left), ascii(_RAW.search(left))
    assert "\r" not in left


@pytest.mark.parametrize("words", [["summary", "--top", "1000"], ["layers"]], ids=lambda w: w[0])
def test_a_report_sends_the_terminal_nothing_but_colors(
    environment: dict[str, str], poison_file: Path, tmp_path: Path, words: list[str]
) -> None:
    words = [*words, "--log_file", str(poison_file)]
    code, text = on_a_terminal(environment, tmp_path, *words, "--quiet")  # a bar may be due else
    assert code == 0
    assert "\x1b[" in text, "a terminal gets colours"
    head = "Engine 0 of poison.json "
    assert head + "─" * (COLUMNS - len(head)) in _COLOR.sub("", text), "and lines of its width"
    sane(text)
    seen = screen(text)
    for name in POISON[:-1]:
        if len(visible(name)) < 40 and name.isascii():
            assert re.sub(r"\s", "", visible(name)) in seen


def test_problems_send_a_terminal_colors_alone(environment: dict[str, str], tmp_path: Path) -> None:
    """Of a log, whose lines no name can end but with a newline."""
    log = tmp_path / "\x1b[31mlog \u202e<x>\n:1:1: error[ELV101]: forged"
    names = [name.replace("\n", " ").encode("utf-8", "replace") for name in POISON]
    lines = [b"[V] [TRT] Layer(Conv): %s, Tactic: 0x1, a (Half[1]) -> b" % name for name in names]
    head = b"[V] [TRT] Engine Layer Information:\n"
    log.write_bytes(head + b"\n".join(lines) + b"\n")
    code, text = on_a_terminal(
        environment, tmp_path, "--verbose", "--log_file", str(log), "--output_dir", "a\nb"
    )
    assert code in (1, 3)
    sane(text)
    assert not [line for line in text.split("\n") if line.startswith(":1:1: error")]


def test_what_was_asked_for(environment: dict[str, str], tmp_path: Path) -> None:
    """Words of the command line come back in complaints; scripts put names there."""
    word = "\x1b[31mx\u202ea\nb\x1b]0;t\x07"
    log = Path(__file__).parents[2] / "fixtures" / "classic" / "8.0-symbolic.log"
    for words in (
        ["--log_file", word],
        ["--log_file", str(log), "--around", word],
        ["--log_file", str(log), "--query", word],
        ["--log_file", str(log), "--query", f"{word}("],
        ["--log_file", str(log), "--format", word],
        ["--log_file", str(log), "--theme", word],
        ["--log_file", str(log), "--engine", word],
        ["record", word],
        ["summary", "--log_file", str(log), "--top", word],
        [word],
        ["--log_file", str(log), f"--{word}"],
    ):
        code, text = on_a_terminal(environment, tmp_path, *words)
        assert code in (2, 3), (code, text)
        sane(text)
