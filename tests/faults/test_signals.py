"""Ctrl-C, SIGTERM and SIGHUP while it reads, while it draws and while it writes."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from faults.conftest import Ended, Start, listing, temporaries, until

SIGNALS = {"SIGINT": "interrupted\n", "SIGTERM": "ended\n", "SIGHUP": "ended\n"}
each_signal = pytest.mark.parametrize("name", SIGNALS)


@each_signal
@pytest.mark.parametrize("command", [["draw", "--format", "dot,html"], ["summary"]])
def test_a_signal_at_reading(start: Start, tmp_path: Path, name: str, command: list[str]) -> None:
    """It leaves nothing."""
    fifo = tmp_path / "log"
    os.mkfifo(fifo)
    words = [*command, "--log_file", str(fifo)]
    if command[0] == "draw":
        words += ["--output_dir", str(tmp_path / "out")]
    running = start(*words)
    with open(fifo, "wb", buffering=0) as pipe:  # opened when the other end is
        pipe.write(listing(40).encode())
        time.sleep(0.05)
        running.signal(getattr(signal, name))
        ended = running.ended()
    assert (ended.code, ended.err, ended.out) == (128 + getattr(signal, name), SIGNALS[name], b"")
    assert not (tmp_path / "out").exists()


@each_signal
@pytest.mark.parametrize("format", ["dot", "json", "html"])
def test_a_signal_while_it_writes_leaves_the_earlier_drawing(
    start: Start, tmp_path: Path, large: Path, name: str, format: str
) -> None:
    """The file that it would have put there is an earlier one still; nothing lies beside it."""
    final = tmp_path / f"EngineLayers_0.{format}"
    final.write_bytes(b"an earlier drawing")
    words = ("--output_dir", tmp_path, "--format", format, "--force")
    running = start("--log_file", large, *words)
    until(lambda: temporaries(tmp_path))
    running.signal(getattr(signal, name))
    ended = running.ended()
    assert (ended.code, ended.err) == (128 + getattr(signal, name), SIGNALS[name])
    assert os.listdir(tmp_path) == [final.name]
    assert final.read_bytes() == b"an earlier drawing"


@pytest.mark.parametrize("wait", [0.15, 0.2, 0.3, 0.5, 0.8])
def test_a_signal_at_any_moment(start: Start, tmp_path: Path, large: Path, wait: float) -> None:
    """It leaves no temporary file."""
    running = start("--log_file", large, "--output_dir", tmp_path, "--format", "svg,dot,html")
    time.sleep(wait)
    running.signal(signal.SIGTERM)
    ended = running.ended()
    assert ended.code in (143, -signal.SIGTERM, 0)  # -15: Python itself was still starting
    assert temporaries(tmp_path) == []


# In a text that is executed, as where a named tuple is made: Python itself would end by the signal.
INTERRUPTING = """\
import sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            exec("import os, signal; os.kill(os.getpid(), signal.SIGINT); [0 for _ in range(99)]")

sys.meta_path.insert(0, Finder())
"""


@pytest.fixture
def customised(start: Start, environment: dict[str, str], tmp_path: Path) -> Callable[..., Ended]:
    """`customised(code, …)`: the program, by a Python that runs the code at its start."""

    def run(code: str, *words: str) -> Ended:
        (tmp_path / "sitecustomize.py").write_text(code)
        paths = filter(None, (str(tmp_path), environment.get("PYTHONPATH")))
        return start(*words, env={**environment, "PYTHONPATH": os.pathsep.join(paths)}).ended()

    return run


@pytest.mark.parametrize(
    "module", ["commands.cli", "core.text", "commands.arguments", "commands.draw"]
)
def test_ctrl_c_while_modules_are_imported(customised: Callable[..., Ended], module: str) -> None:
    """The tracebacks of Python's own start are not ours to prevent."""
    name = f"engine_layer_visualize.{module}"
    ended = customised(INTERRUPTING.format(module=name), "--help")
    assert (ended.code, ended.err) == (130, "interrupted\n")


# Python itself has such callbacks, at the locks of modules that it imports.
IN_A_CALLBACK = """\
import sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "engine_layer_visualize.commands.draw":
            import os, signal, time, weakref
            held = Finder()
            kill = lambda _: (os.kill(os.getpid(), signal.SIGTERM), [0 for _ in range(99)])
            reference = weakref.ref(held, kill)
            del held
            time.sleep(5)

sys.meta_path.insert(0, Finder())
"""


def test_a_signal_that_a_callback_swallows_ends_it(customised: Callable[..., Ended]) -> None:
    ended = customised(IN_A_CALLBACK, "draw", "--help")
    assert (ended.code, ended.err) == (143, "ended\n")


def test_what_is_ignored_stays_ignored(start: Start, tmp_path: Path) -> None:
    """`nohup`: the terminal goes, the drawing comes."""
    fifo = tmp_path / "log"
    os.mkfifo(fifo)
    running = start(
        *("--log_file", fifo, "--output_dir", tmp_path / "out"),
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    with open(fifo, "wb", buffering=0) as pipe:
        pipe.write(listing(3).encode())
        time.sleep(0.05)
        running.signal(signal.SIGHUP)
        time.sleep(0.05)
    assert running.ended().code == 0
    assert (tmp_path / "out" / "EngineLayers_0.dot").exists()
