"""The program as a process that a test disturbs: by real signals, full disks, broken pipes."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from logtext import listing_of
from program import ran

from benchmarks import make

_PATIENCE = 60.0  # seconds; two busy cores may be slow


def listing(count: int, title: str = "conv") -> str:
    """A log of one engine: a chain of `count` layers."""
    return listing_of(*(f"{title}_{n}" for n in range(count)), kind="Conv")


def until(done: Callable[[], Any]) -> Any:
    """What `done` gives, as soon as that is something."""
    end = time.monotonic() + _PATIENCE
    while not (found := done()):
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.001)
    return found


@dataclass(frozen=True)
class Ended:
    code: int
    out: bytes
    err: str


class Running:
    """The program while it runs. Whatever becomes of it, it must not end in a traceback."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def ended(self, code: int | None = None, said: str = "") -> Ended:
        """How it ended; `code` and `said`: how it has to, and what has to be on stderr."""
        out, err = self.process.communicate(timeout=_PATIENCE)
        text = (err or b"").decode("utf-8")
        for word in ("Traceback", "Exception ignored", "Error:"):
            assert word not in text, text
        assert code in (None, self.process.returncode) and said in text, text
        return Ended(self.process.returncode, out or b"", text)


Start = Callable[..., Running]


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Start]:
    """`start("--log_file", …, cwd=…)`: the program, killed in the end if it still runs.

    `first`: what its Python runs before.
    """
    if os.name != "posix":
        pytest.skip("signals, FIFOs and limits of this kind are POSIX's")
    started: list[subprocess.Popen[bytes]] = []

    def run(*arguments: str | Path, first: str = "", **options: Any) -> Running:
        main = "from engine_layer_visualize.commands.cli import main; raise SystemExit(main())"
        program = ["-c", f"{first}\n{main}"] if first else ["-m", "engine_layer_visualize"]
        process = subprocess.Popen(
            [sys.executable, *program, *map(str, arguments)],
            **{
                # A file that a signal leaves to its finaliser is gone, and not worth a word.
                "env": {**environment, "PYTHONWARNINGS": "default,ignore::ResourceWarning"},
                "stdin": subprocess.DEVNULL,
                "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE,
                **options,
            },
        )
        started.append(process)
        return Running(process)

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    try:
        done = ran(mount)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log that takes seconds to draw."""
    path = tmp_path_factory.mktemp("large") / "large.log"
    return make.listing_log(path, make.network(12_000))


def temporaries(folder: Path) -> list[str]:
    """Files that lie beside the outputs until they are complete."""
    return [name for name in os.listdir(folder) if name.startswith(".")]
