"""The flags that commands share; parsed flags in, the engines of the log out, one by one.

Every problem is reported as soon as it is found.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from engine_layer_visualize.commands import Report, flag_values, log_names, standing
from engine_layer_visualize.commands.log_names import Named
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import NARROWEST
from engine_layer_visualize.core.problems import Problem, ReadError, Stopped
from engine_layer_visualize.core.text import base_name

if TYPE_CHECKING:
    from pathlib import Path

    from engine_layer_visualize.analysis.costs import Costs
    from engine_layer_visualize.core.build_timeline import BuildTimeline
    from engine_layer_visualize.pipeline import Log

_PATIENCE: Final = 5.0  # seconds
_ENDINGS: Final = {
    "text": "txt", "markdown": "md", "junit": "xml", "github": "github.txt", "bmf": "bmf.json",
    "model-explorer": "sync.json",
}  # fmt: skip
T = TypeVar("T")


def add(parser: argparse._ActionsContainer, model: bool = False) -> None:
    """Declares the flags of every command that reads a log, as a group. `model`: `--onnx` must be
    given."""
    parser.add_argument(
        "--log_file",
        metavar="FILE",
        action="append",
        required=True,
        help="a VERBOSE build log of TensorRT, or the engine inspector's JSON; "
        "its content decides which; - is stdin; .gz, .xz and .zst are unpacked; may be given "
        "several times. A word that is a file stands for this flag, or for --profile_file where "
        "the file holds times",
    )
    parser.add_argument(
        "-p",
        "--profile_file",
        metavar="FILE",
        action="append",
        default=[],
        help="times of layers: trtexec --exportProfile JSON, a printed `=== Profile` table, "
        "`name: 0.1ms` lines, Torch-TensorRT's trace, or a report of Nsight Systems in SQLite; "
        "may be given several times",
    )
    add_onnx(parser, model)
    parser.add_argument(
        "--engine",
        metavar="N",
        type=flag_values.whole,
        action="append",
        help="only this engine of the log, counted from 0; may be given several times",
    )
    add_times(parser)
    parser.add_argument(
        "--device",
        metavar="NAME",
        type=flag_values.device,
        default=None,
        help="the GPU that the times are of, where the log does not name it: A100, T4, Orin …",
    )
    parser.add_argument(
        "--peak",
        metavar="LIST",
        type=flag_values.peak,
        help="what the device can do, in place of what the log says: dense TFLOPS or TOPS of "
        "fp64, fp32, tf32, fp16, bf16, int8, fp8, fp4, and bw in GB/s, such as "
        "fp32=19.5,tf32=156,fp16=312,int8=624,bw=1555",
    )


def add_onnx(parser: argparse._ActionsContainer, required: bool = False) -> None:
    """Declares `--onnx`."""
    parser.add_argument(
        "--onnx",
        metavar="FILE",
        required=required,
        help="the ONNX model that the engines were built from: which nodes each layer is made of, "
        "their multiplications and the nodes that are in no layer (needs the extra onnx)",
    )


def add_times(parser: argparse._ActionsContainer) -> None:
    """Declares which times are taken, and how files are named."""
    parser.add_argument(
        "--optimization_profile",
        metavar="N",
        type=flag_values.whole,
        help="take times of this optimisation profile, where an engine has several (default: the "
        "first)",
    )
    parser.add_argument(
        "--time",
        choices=("mean", "median"),
        default="mean",
        help="the measured time of a layer that totals, shares and rankings use (default: mean)",
    )
    parser.add_argument(
        "--full_paths",
        action="store_true",
        help="keep the folders in the names of files (outputs show the file names alone)",
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Declares the bounds of what is read."""
    bounds = parser.add_argument_group("limits, for logs from unknown sources")
    bounds.add_argument(
        "--max_layers",
        metavar="N",
        type=flag_values.positive,
        default=1_000_000,
        help="stop reading after so many layers, of all engines (default: 1,000,000)",
    )
    bounds.add_argument(
        "--max_line",
        metavar="BYTES",
        type=flag_values.line,
        default=16 << 20,
        help="read only the start of a longer line (default: 16777216, at least 262144)",
    )


def add_output_dir(parser: argparse._ActionsContainer, *, profiles: bool = True) -> None:
    """Declares `--output_dir` and `--force`. `profiles`: whether the command reads any."""
    parser.add_argument(
        "-o", "--output_dir", metavar="DIR", default=".", help="created if absent (default: .)"
    )
    standing.add_force(parser, profiles=profiles)


def add_report_dir(
    parser: argparse._ActionsContainer,
    stem: str,
    formats: Sequence[str],
    default: str = "stdout",
) -> None:
    """Declares `--output_dir` of a report, which else goes to `default`, and `--force`."""
    names = ", ".join(f".{_ENDINGS.get(one, one)}" for one in formats[1:])
    parser.add_argument(
        "-o",
        "--output_dir",
        metavar="DIR",
        help=f"write {stem}.{_ENDINGS[formats[0]]}, {names} there; the folder is created if absent "
        f"(default: {default})",
    )
    standing.add_force(parser, profiles=True)


def files_read(options: argparse.Namespace) -> list[str]:
    """The files that a command reads."""
    return [*options.log_file, *options.profile_file, *([options.onnx] if options.onnx else [])]


def page_looks(options: argparse.Namespace, report: Report) -> tuple[int, bool]:
    """The columns of a report, and whether it has colours: none in a file."""
    width, color = report.terminal()
    return options.width or width, color and options.output_dir is None


def report_path(stem: str, options: argparse.Namespace) -> Path | None:
    """The file that a report is written to; None where it is printed."""
    from pathlib import Path

    if options.output_dir is None:
        return None
    return Path(options.output_dir) / f"{stem}.{_ENDINGS.get(options.format, options.format)}"


def put(text: str, stem: str, options: argparse.Namespace, report: Report) -> None:
    """Prints a report, or writes it to the folder that was asked for. Raises ReadError (ELV501)."""
    from engine_layer_visualize.io.atomic_file import cannot_write, save

    path = report_path(stem, options)
    if path is None:
        report.page(text)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, (text.encode("utf-8", "backslashreplace"),))
    except OSError as error:
        raise cannot_write(path, error) from None
    report.line(str(path))


def add_looks(group: argparse._ArgumentGroup, formats: Sequence[str], full: str) -> None:
    """Declares how a report looks. `full`: what `--full` does."""
    group.add_argument(
        "-f",
        "--format",
        metavar="FORMAT",
        choices=formats,
        default="text",
        help=f"of {', '.join(formats)} (default: text)",
    )
    group.add_argument(
        "--width",
        metavar="N",
        type=flag_values.width,
        help=f"width of the text in columns, at least {NARROWEST} (default: the variable COLUMNS, "
        "else the terminal, else 140)",
    )
    group.add_argument("--full", action="store_true", help=full)


def logs(
    options: argparse.Namespace,
    report: Report,
    facts: bool,
    name: str | None = None,
    timeline: Callable[[Named, BuildTimeline, Problem], None] | None = None,
) -> Iterator[tuple[Named, Log]]:
    """The logs, scanned, one by one; one that cannot be read is reported. `name`: of outputs;
    `timeline`: with what the time stamps tell; it takes those of builds that gave no engine.

    Profiles go to the engines that they fit best: with several logs, all are scanned before.
    """
    given = log_names.named(options.log_file, name, options.full_paths)

    def scan(one: Named, profiles: Sequence[str]) -> Log | None:
        failed = None if timeline is None else partial(timeline, one)
        return opened(one.path, profiles, options, report, facts, failed)

    if len(given) == 1 or not options.profile_file:
        for one in given:
            if log := scan(one, options.profile_file):
                yield one, log
        return
    scanned = [(one, scan(one, ())) for one in given]
    found = [(one, log) for one, log in scanned if log is not None]
    del scanned
    _share([log for _, log in found], options, report)
    while found:
        yield found.pop(0)


def _share(logs: Sequence[Log], options: argparse.Namespace, report: Report) -> None:
    """Gives the profiles to engines of the logs. Raises Stopped at the first error if strict."""
    from engine_layer_visualize.pipeline import share_files

    if not logs:
        return
    for problem in share_files(logs, options.profile_file):
        if options.strict and problem.severity == "error":
            raise Stopped(problem)
        report.problem(problem)


def opened(
    path: str,
    profiles: Sequence[str],
    options: argparse.Namespace,
    report: Report,
    facts: bool,
    timeline: Callable[[BuildTimeline, Problem], None] | None = None,
) -> Log | None:
    """A log, scanned, with its profiles; None where that failed, which is reported. `timeline`: as
    that of `logs`. Raises Stopped."""
    from engine_layer_visualize.pipeline import Log

    try:
        with _watched([path, *profiles], report) as progress:
            return Log(
                path,
                profiles,
                engines=options.engine,
                strict=options.strict,
                facts=facts,
                force=options.force,
                max_layers=options.max_layers,
                max_line=options.max_line,
                onnx=options.onnx,
                progress=progress,
                timeline=timeline is not None,
                device=getattr(options, "device", None),  # not all commands have the flag
            )
    except Stopped:
        raise
    except ReadError as error:
        report.failed(error)
        if timeline is not None and error.timeline is not None:
            timeline(error.timeline, error.problem)
        return None


@contextmanager
def _watched(files: Sequence[str], report: Report) -> Iterator[Callable[[int, int | None], None]]:
    """The progress callback; a remark where a pipe gives nothing for `_PATIENCE`."""
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
                report.remark(f"{names}: no data for some seconds, still waiting")
                return
            before = came

    # The main thread may wait in a read that only a signal ends.
    Thread(target=watch, daemon=True).start()
    try:
        yield progress
    finally:
        over.set()


def engines(log: Log, report: Report) -> Iterator[Engine]:
    """The engines of the log. Reports every problem."""
    reported = 0
    for engine in log.engines():
        for problem in log.problems[reported:]:
            report.problem(problem)
        reported = len(log.problems)
        yield engine
    for problem in log.problems[reported:]:
        report.problem(problem)


def shown(named: Named, log: Log, options: argparse.Namespace, report: Report) -> Iterator[Costs]:
    """The times of each engine of a log, with the names of files as a report shows them. An engine
    without the optimisation profile that was asked for is reported, and left out."""
    from engine_layer_visualize.analysis.costs import Costs
    from engine_layer_visualize.fields import file_names

    name = naming(named, log, options)
    for engine in engines(log, report):
        renamed = file_names.renamed(engine, name)
        try:
            costs = Costs(renamed, options.optimization_profile, options.time, options.peak)
        except ReadError as error:
            report.failed(error)
            continue
        yield costs


def until_failed(found: Iterator[T], report: Report) -> Iterator[T]:
    """The same. A failure ends it and is reported, so that a document that was begun is whole."""
    try:
        yield from found
    except ReadError as error:
        report.failed(error)


def failures(options: argparse.Namespace, report: Report) -> Iterator[Problem]:
    """Why nothing came of some inputs, with the names of files as a report shows them."""
    for problem in report.failures:
        path = problem.place.file
        file = path if options.full_paths else base_name(path)
        yield replace(problem, place=replace(problem.place, file=file))


def naming(named: Named, log: Log, options: argparse.Namespace) -> Callable[[str], str]:
    """How a report calls a file: the log as in other outputs of the run, others by `full_paths`."""

    def name(path: str) -> str:
        if path == log.name:
            return named.name or base_name(path)
        return path if options.full_paths else base_name(path)

    return name
