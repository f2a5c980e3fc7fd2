"""What all commands that read a log have in common.

takes: parsed options
gives: the log, opened, and its engines one by one, with every problem reported as it is met
never: draws or sums up
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.commands import Report
from engine_layer_visualize.core.model import Engine

if TYPE_CHECKING:
    from engine_layer_visualize.pipeline import Log

_PATIENCE: Final = 5.0  # seconds


def add(parser: argparse.ArgumentParser) -> None:
    """--log_file, --profile_file and --engine."""
    parser.add_argument(
        "--log_file",
        metavar="FILE",
        action=_Once,
        required=True,
        help="a VERBOSE build log of TensorRT, or the engine inspector's JSON (told by content); "
        "- is stdin; .gz, .xz and .zst are unpacked",
    )
    parser.add_argument(
        "--profile_file",
        metavar="FILE",
        action="append",
        default=[],
        help="layer times: trtexec --exportProfile JSON, a printed `=== Profile` table, "
        "`name: 0.1ms` lines, or Torch-TensorRT's trace; may be given several times",
    )
    parser.add_argument(
        "--engine",
        metavar="N",
        type=int,
        action="append",
        help="only this engine of the log, counted from 0; may be given several times",
    )
    parser.add_argument(
        "--optimization_profile",
        metavar="N",
        type=int,
        help="the optimisation profile that times are of, where an engine has several "
        "(default: the first); only one of them runs",
    )
    parser.add_argument(
        "--time",
        choices=("mean", "median"),
        default="mean",
        help="which of a layer's measured times totals, shares and rankings go by (default: mean)",
    )
    bounds = parser.add_argument_group("bounds, for logs from strangers")
    bounds.add_argument(
        "--max_layers",
        metavar="N",
        type=positive,
        default=1_000_000,
        help="of all engines together (default: 1,000,000); reading stops there",
    )
    bounds.add_argument(
        "--max_line",
        metavar="BYTES",
        type=_line,
        default=16 << 20,
        help="of a longer line only the start is read (default: 16777216, at least 262144)",
    )


class _Once(argparse.Action):
    """A flag that may not be given again: the last one would replace the others in silence."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        before = getattr(namespace, self.dest, None)
        if before is not None:
            raise argparse.ArgumentError(
                self, f"one log a run, and these are two: {before} and {values}"
            )
        setattr(namespace, self.dest, values)


def positive(text: str) -> int:
    """A flag's number."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _line(text: str) -> int:
    number = int(text)
    if number < 1 << 18:  # so much is read at once
        raise argparse.ArgumentTypeError("at least 262144")
    return number


def opened(options: argparse.Namespace, report: Report, facts: bool) -> Log:
    """The log, scanned. Raises ReadError."""
    from engine_layer_visualize.pipeline import Log

    with _watched([options.log_file, *options.profile_file], report) as progress:
        return Log(
            options.log_file,
            options.profile_file,
            engines=options.engine,
            strict=options.strict,
            facts=facts,
            max_layers=options.max_layers,
            max_line=options.max_line,
            progress=progress,
        )


@contextmanager
def _watched(files: Sequence[str], report: Report) -> Iterator[Callable[[int, int | None], None]]:
    """A progress, and where a pipe stays silent, a word of that: a builder may be slow, or gone."""
    pipes = [f for f in files if f == "-" or (os.path.exists(f) and not os.path.isfile(f))]
    if not pipes:
        yield report.progress
        return
    from threading import Event, Thread

    over, came = Event(), 0

    def progress(count: int, size: int | None) -> None:
        nonlocal came
        came = count
        report.progress(count, size)

    def watch() -> None:
        before = -1
        while not over.wait(_PATIENCE):
            if came == before:
                names = ", ".join("<stdin>" if f == "-" else f for f in pipes)
                report.remark(f"{names}: nothing came for a while, still waiting")
                return
            before = came

    # The main thread may be in a call that nothing ends but a signal.
    Thread(target=watch, daemon=True).start()
    try:
        yield progress
    finally:
        over.set()


def engines(log: Log, report: Report) -> Iterator[Engine]:
    """Its engines, and word of every problem."""
    said = 0
    for engine in log.engines():
        for problem in log.problems[said:]:
            report.problem(problem)
        said = len(log.problems)
        yield engine
    for problem in log.problems[said:]:
        report.problem(problem)
