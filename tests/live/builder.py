"""Builds networks in a child process, so that nothing a builder does can end the tests.

Names of networks, each with a verbosity, go in; what the builder told its logger comes out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from ctypes.util import find_library
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from networks import MADE, NETWORKS, Kit, Network

# The first one builds without a GPU, the other needs one.
MODULES: Final = ("tensorrt_rtx", "tensorrt")
PATHS: Final = [str(Path(__file__).parents[up]) for up in (0, 1)]  # of what a child imports
VERBOSITIES: Final = ("LAYER_NAMES_ONLY", "DETAILED")

TWIN: Final = "Qzq"  # a tame name, that stands in no poison


@dataclass(frozen=True)
class Told:
    """Of each build: whether it made an engine, and (severity, message) of all that it logged."""

    built: tuple[bool, ...]
    parts: tuple[tuple[tuple[str, str], ...], ...]

    def of(self, number: int) -> Told:
        """One build of these."""
        return Told((self.built[number],), (self.parts[number],))

    @property
    def records(self) -> list[tuple[str, str]]:
        return [record for part in self.parts for record in part]

    def log(self, prefix: str = "[11/21/2026-02:40:00] [TRT] [{severity}] ") -> str:
        """The log of a host that puts `prefix` before each message, as the Python API does."""
        lines = ((prefix.format(severity=word[0], name=word), said) for word, said in self.records)
        return "".join(f"{before}{said}\n" for before, said in lines)

    @property
    def errors(self) -> list[str]:
        return [message for severity, message in self.records if severity.endswith("ERROR")]


def missing() -> str:
    """What is not there of what a build needs; empty if all is."""
    if not any(map(find_spec, MODULES)):
        return f"none of {', '.join(MODULES)} is installed: pip install -e '.[live]'"
    if find_spec(MODULES[0]) is None and find_library("cuda") is None:
        return f"{MODULES[1]} builds on a GPU alone; without one: pip install -e '.[live]'"
    return ""


def needed() -> Any:
    """A mark: without a builder a test is skipped; where CI is set, it runs and fails."""
    import pytest  # which the child, that is this file as well, need not load

    why = missing()
    return pytest.mark.skipif(bool(why) and not os.environ.get("CI"), reason=why)


def build(builds: Sequence[tuple[str, str]], folder: Path) -> Told:
    """Builds one (network, verbosity) after the other, with one logger of the test's own."""
    assert not missing(), missing()
    file = folder / "records.jsonl"
    done = subprocess.run(
        command(builds, file), capture_output=True, check=False, timeout=120, text=True
    )
    assert done.returncode == 0, f"the builder's process ended with {done}"
    built: list[bool] = []
    parts: list[tuple[tuple[str, str], ...]] = []
    records: list[tuple[str, str]] = []
    for line in file.read_text("utf-8").split("\n")[:-1]:
        value = json.loads(line)
        if isinstance(value, bool):  # ends a build
            built.append(value)
            parts.append(tuple(records))
            records = []
        else:
            records.append((value[0], value[1]))
    return Told(tuple(built), tuple(parts))


def engines(builds: Sequence[tuple[str, str]], folder: Path) -> dict[tuple[str, str], Any]:
    """The engine of each build, read from its log in the folder, facts and all."""
    import engine_layer_visualize as elv  # which the child need not load

    told = build(builds, folder)
    assert all(told.built), told.errors
    found = {}
    for number, built in enumerate(builds):
        path = folder / f"{number}.log"
        path.write_text(told.of(number).log(), encoding="utf-8")
        (found[built],) = elv.read(path, facts=True).engines
    return found


def command(builds: Sequence[tuple[str, str]], file: Path | None, threads: int = 1) -> list[str]:
    """The child's command line. `file` None: TensorRT's own logger, which prints to stdout."""
    return child("builder", {"builds": builds, "file": file and str(file), "threads": threads})


def child(module: str, words: object) -> list[str]:
    """The command line of a process in which a module of this folder does what it is told."""
    start = f"import sys; sys.path[:0] = {PATHS}; import {module}; {module}.do(sys.argv[1])"
    return [sys.executable, "-u", "-c", start, json.dumps(words)]


def network(name: str) -> Network:
    """One of NETWORKS, or of a kind of MADE, such as `text:T`."""
    kind, _, word = name.partition(":")
    return MADE[kind](word) if kind in MADE else NETWORKS[name]


# ---- the child ---------------------------------------------------------------------------------


def _build(trt: Any, builder: Any, name: str, verbosity: str) -> bool:
    wanted = network(name)
    flags = 0
    if trt.__name__ == "tensorrt" and int(trt.__version__.split(".")[0]) < 10:
        flags = 1 << int(trt.NetworkDefinitionCreationFlag.EXPLICIT_BATCH)
    definition = builder.create_network(flags)
    config = builder.create_builder_config()
    config.profiling_verbosity = getattr(trt.ProfilingVerbosity, verbosity)
    if trt.__name__ == "tensorrt_rtx":  # for a GPU that need not be here
        config.num_compute_capabilities = 1
        config.set_compute_capability(trt.ComputeCapability.SM89, 0)
    wanted.make(Kit(trt, builder, definition, config, wanted))
    return builder.build_serialized_network(definition, config) is not None


def _logger(trt: Any, file: Path) -> Any:
    class ToFile(trt.ILogger):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.ILogger.__init__(self)
            self._file = file.open("w", encoding="utf-8")

        def log(self, severity: Any, message: str) -> None:
            self.write([severity.name, message])

        def write(self, value: object) -> None:
            self._file.write(json.dumps(value) + "\n")
            self._file.flush()  # what was told before a crash is of interest

    return ToFile()


def do(words: str) -> None:
    wanted = json.loads(words)
    trt = import_module(next(name for name in MODULES if find_spec(name)))
    own = wanted["file"] is not None
    logger = _logger(trt, Path(wanted["file"])) if own else trt.Logger(trt.Logger.VERBOSE)

    def run(_: int) -> None:
        builder = trt.Builder(logger)
        for name, verbosity in wanted["builds"]:
            built = _build(trt, builder, name, verbosity)
            if own:
                logger.write(built)

    in_threads(run, range(wanted["threads"]))


def in_threads(work: Callable[[Any], None], of: Sequence[Any]) -> None:
    """One thread for each, the first of them this one."""
    others = [threading.Thread(target=work, args=(one,)) for one in of[1:]]
    for thread in others:
        thread.start()
    work(of[0])
    for thread in others:
        thread.join()
