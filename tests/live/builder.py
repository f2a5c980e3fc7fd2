"""Builds networks in a child process, so that nothing a builder does can end the tests.

takes: names of networks, each with a verbosity
gives: what the builder told its logger, and a log that a host would make of it
never: imports TensorRT where the child does not run, or writes outside of the folder it is given
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from networks import DOUBLE_NAMES, NAMES, NETWORKS, Kit, Network, named

# The first one builds without a GPU; what the other needs is not looked into.
MODULES: Final = ("tensorrt_rtx", "tensorrt")
VERBOSITIES: Final = ("LAYER_NAMES_ONLY", "DETAILED")

PYTHON_API: Final = "[11/21/2026-02:40:00] [TRT] [{severity}] "


@dataclass(frozen=True)
class Told:
    """`built`: for every build whether it made an engine. `records`: (severity, message)."""

    built: tuple[bool, ...]
    records: tuple[tuple[str, str], ...]

    def log(self, prefix: str = PYTHON_API, end: str = "\n") -> str:
        """The log of a host that puts `prefix` before each message."""
        return "".join(
            prefix.format(severity=severity[0], name=severity) + message + end
            for severity, message in self.records
        )

    @property
    def errors(self) -> list[str]:
        return [message for severity, message in self.records if severity.endswith("ERROR")]


def missing() -> str:
    """What is not there of what a build needs; empty if all is."""
    if not any(map(find_spec, MODULES)):
        return f"none of {', '.join(MODULES)} is installed"
    absent = [name for name in ("numpy", "onnx") if find_spec(name) is None]
    return f"{' and '.join(absent)} not installed" if absent else ""


def build(builds: Sequence[tuple[str, str]], folder: Path) -> Told:
    """Builds one (network, verbosity) after the other, with one logger of the test's own."""
    file = folder / "records.jsonl"
    done = subprocess.run(
        command(builds, file), capture_output=True, check=False, timeout=120, text=True
    )
    assert done.returncode == 0, f"the builder's process ended with {done}"
    lines = [json.loads(line) for line in file.read_bytes().split(b"\n")[:-1]]
    return Told(
        tuple(line for line in lines if isinstance(line, bool)),
        tuple((line[0], line[1]) for line in lines if isinstance(line, list)),
    )


def command(builds: Sequence[tuple[str, str]], file: Path | None, threads: int = 1) -> list[str]:
    """The child's command line. `file` None: TensorRT's own logger, which prints to stdout."""
    words = json.dumps({"builds": builds, "file": file and str(file), "threads": threads})
    return [sys.executable, "-u", __file__, words]


def network(name: str) -> Network:
    """One of NETWORKS, or `name:N`, the N-th of the names."""
    kind, _, number = name.partition(":")
    return named((*NAMES, *DOUBLE_NAMES)[int(number)]) if kind == "name" else NETWORKS[name]


# ---- the child ---------------------------------------------------------------------------------


def _build(trt: Any, builder: Any, name: str, verbosity: str) -> bool:
    wanted = network(name)
    definition = builder.create_network(0)
    config = builder.create_builder_config()
    config.profiling_verbosity = getattr(trt.ProfilingVerbosity, verbosity)
    if hasattr(config, "num_compute_capabilities"):  # for another GPU than the one that is not here
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


def _child(words: str) -> None:
    wanted = json.loads(words)
    trt = import_module(next(name for name in MODULES if find_spec(name)))
    own = wanted["file"] is not None
    logger = _logger(trt, Path(wanted["file"])) if own else trt.Logger(trt.Logger.VERBOSE)

    def run() -> None:
        builder = trt.Builder(logger)
        for name, verbosity in wanted["builds"]:
            built = _build(trt, builder, name, verbosity)
            if own:
                logger.write(built)

    threads = [threading.Thread(target=run) for _ in range(wanted["threads"] - 1)]
    for thread in threads:
        thread.start()
    run()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    _child(sys.argv[1])
