"""Builds networks inside `elv.capture`, in a process of its own.

Networks with their verbosities, threads and a folder go in; `captured.log` and the JSON of each
engine come out there. stdout is what TensorRT's own logger prints of the same builds.
"""

import json
import subprocess
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import builder

import engine_layer_visualize as elv


def run(folder: Path, threads: Sequence[Sequence[tuple[str, str]]]) -> str:
    """What TensorRT's logger printed. `threads`: the builds of each."""
    command = builder.child("captured_builds", {"threads": threads, "folder": str(folder)})
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def _both(trt: Any, captured: elv.capture) -> Any:
    inner, printed = captured.logger(trt), trt.Logger(trt.Logger.VERBOSE)

    class Both(trt.ILogger):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.ILogger.__init__(self)

        def log(self, severity: Any, message: str) -> None:
            inner.log(severity, message)
            printed.log(severity, message)

    return Both()


def do(words: str) -> None:
    wanted = json.loads(words)
    folder = Path(wanted["folder"])
    trt = import_module(next(name for name in builder.MODULES if find_spec(name)))
    with elv.capture() as captured:
        logger = _both(trt, captured)

        def run(builds: Sequence[tuple[str, str]]) -> None:
            builds_with = trt.Builder(logger)
            for name, verbosity in builds:
                builder._build(trt, builds_with, name, verbosity)

        builder.in_threads(run, wanted["threads"])
    captured.save(folder / "captured.log")
    for engine in captured.engines:
        elv.draw(engine, folder / f"{engine.index}.json")
    found = [[one.code, one.message] for one in captured.problems]
    (folder / "problems.json").write_text(json.dumps(found), "utf-8")
