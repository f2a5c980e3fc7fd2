"""Declares the flags of commands that read logs, and reads the engines of the logs, one by one.

Every problem is reported as soon as it is found.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from engine_layer_visualize.commands import Report, flags, gone
from engine_layer_visualize.commands.flags import LIMITS, READ
from engine_layer_visualize.core.build_info import Device
from engine_layer_visualize.core.model import Engine, Statistic
from engine_layer_visualize.core.problems import Problem, ReadError, Stopped
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.facts import engine_words
from engine_layer_visualize.io.decompression import FORMATS

if TYPE_CHECKING:
    from engine_layer_visualize.analysis.costs import Costs
    from engine_layer_visualize.api.read import Log
    from engine_layer_visualize.core.onnx_model import OnnxModel
    from engine_layer_visualize.core.options import Peak

STEM: Final = "EngineLayers"
_UNSAFE: Final = re.compile(r'[\\/:*?"<>|]')  # in a name on one system or another
_PATIENCE: Final = 5.0  # seconds
T = TypeVar("T")


def onnx(**more: Any) -> Any:
    """Declares the flag of the ONNX model."""
    text = (
        "the ONNX model that the engines were built from: which nodes each layer is made of, "
        "their multiplications and the nodes that are in no layer (needs the extra onnx)"
    )
    return READ.flag(text, "FILE", **more)


def optimization_profile() -> Any:
    """Declares the flag of the optimisation profile whose times are taken."""
    text = (
        "take times of this optimisation profile, where an engine has several (default: the first)"
    )
    return READ.flag(text, "N", type=flags.whole)


def time() -> Any:
    """Declares the flag of the statistic."""
    text = "the measured time of a layer that totals, shares and rankings use (default: mean)"
    return READ.flag(text, choices=("mean", "median"), default="mean")


def full_paths() -> Any:
    """Declares the flag that keeps folders in the names of files."""
    return READ.switch("keep the folders in the names of files (outputs show the file names alone)")


def exit_codes(done: str, nothing: str, output: str) -> dict[int, str]:
    """Returns what the exit codes mean of a command that reads logs.

    Args:
        done: What was done although something could not be read.
        nothing: What the command lacks where nothing could be read.
        output: What it writes.
    """
    return {
        0: "everything was read",
        1: f"{done} but something could not be read",
        2: "wrong usage",
        3: nothing,
        4: f"{output} could not be written",
    }


@dataclass(frozen=True, kw_only=True)
class Reading(flags.Options):
    """How logs are read; each command says which of these are its flags."""

    max_layers: int = LIMITS.flag(
        "stop reading after so many layers, of all engines (default: 1,000,000)",
        "N",
        type=flags.positive,
        default=1_000_000,
    )
    max_line: int = LIMITS.flag(
        "read only the start of a longer line (default: 16777216, at least 262144)",
        "BYTES",
        type=flags.line,
        default=16 << 20,
    )
    onnx: str | OnnxModel | None = None
    optimization_profile: int | None = None
    time: Statistic = "mean"
    full_paths: bool = False
    device: Device | None = None
    force: bool = False
    format: tuple[str, ...] = ()
    output: str | None = None  # the folder or the file of a report
    width: int | None = None  # of a report, in columns

    @property
    def files_read(self) -> list[str]:
        """All files that are read, but for a model that is held already."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class LogOptions(Reading):
    """Logs whose profiles go to the engines that they fit best."""

    log_file: tuple[str, ...] = READ.flag(
        "a VERBOSE build log of TensorRT, or the engine inspector's JSON; its content decides "
        "which; - is stdin; .gz, .xz and .zst are unpacked; may be given several times. A word "
        "that is a file stands for this flag, or for --profile_file where the file holds times",
        "FILE",
        action="append",
        required=True,
        default=(),
    )
    profile_file: tuple[str, ...] = READ.flag(
        "times of layers: trtexec --exportProfile JSON, a printed `=== Profile` table, "
        "`name: 0.1ms` lines, what Torch-TensorRT's profiler writes or prints, or the CSV of `nsys "
        "stats`; may be given several times",
        "FILE",
        short="-p",
        action="append",
        default=(),
    )
    onnx: str | OnnxModel | None = onnx()
    engine: tuple[int, ...] | None = READ.flag(
        "only this engine of the log, counted from 0; may be given several times",
        "N",
        type=flags.whole,
        action="append",
    )
    optimization_profile: int | None = optimization_profile()
    time: Statistic = time()
    full_paths: bool = full_paths()
    device: Device | None = READ.flag(
        "the GPU that the times are of, where the log does not name it: A100, T4, Orin …",
        "NAME",
        type=flags.device,
    )
    peak: Peak | None = READ.flag(
        "what the device can do, in place of what the log says: dense TFLOPS or TOPS of fp64, "
        "fp32, tf32, fp16, bf16, int8, fp8, fp4, and bw in GB/s, such as "
        "fp32=19.5,tf32=156,fp16=312,int8=624,bw=1555",
        "LIST",
        type=flags.peak,
    )

    @property
    def files_read(self) -> list[str]:
        """All files that are read, but for a model that is held already."""
        model = [self.onnx] if isinstance(self.onnx, str) else []
        return [*self.log_file, *self.profile_file, *model]


@dataclass(frozen=True, slots=True)
class Named:
    """A log and its names."""

    path: str  # as it was given
    name: str  # without folders, but for those that tell it apart from other logs of the run
    stem: str  # the start of its outputs' names


def names_of(paths: Sequence[str], given: str | None = None, full: bool = False) -> list[Named]:
    """Names the logs of one run. `full`: names keep all folders.

    The stem of a single log is the one that was asked for, `given`, else STEM. With several logs, a
    stem is the one that was asked for, then the log's name, with a number where two would be equal.
    """
    logs: list[Named] = []
    taken: set[str] = set()
    for path, tail in zip(paths, engine_words.tails(paths)):
        stem = given or STEM
        if len(paths) > 1:
            asked = (given,) if given else ()
            stem = "-".join((*asked, *tail[:-1], _without_ending(tail[-1])))
            stem = _unlike(_plain(stem), taken)
        name = path if full else "/".join(tail)
        logs.append(Named(path, "<stdin>" if path == "-" else name, stem))
    return logs


def stem(text: str) -> str:
    """Reads the start of the outputs' names. Raises ValueError."""
    if not text.strip() or text.strip(".") == "":
        raise ValueError("a name must not be empty")
    if text != _plain(text):
        raise ValueError(f"not a part of a file's name: {text!r}")
    return text


def _without_ending(name: str) -> str:
    """Returns `build` of `build.log.gz`; a version has no ending: `build-8.5`."""
    for packed in FORMATS:
        name = name.removesuffix(packed.suffix)
    return re.sub(r"(?<=.)\.[A-Za-z]\w*$", "", name).lstrip(".") or "log"


def _plain(text: str) -> str:
    """Returns a name that files may have on any system, all of it to be seen."""
    return _UNSAFE.sub("_", "".join(c if c.isprintable() else "_" for c in text))


def _unlike(stem: str, taken: set[str]) -> str:
    """Adds a number where another log has the same stem; some systems take a for A."""
    unlike, number = stem, 1
    while unlike.casefold() in taken:
        number += 1
        unlike = f"{stem}-{number}"
    taken.add(unlike.casefold())
    return unlike


def logs(
    options: LogOptions,
    report: Report,
    facts: bool,
    name: str | None = None,
) -> Iterator[tuple[Named, Log]]:
    """Scans the logs, one by one; one that cannot be read is reported.

    Profiles go to the engines that they fit best: with several logs, all are scanned before.

    Args:
        options: Which logs are read, and how.
        report: Is told every problem.
        facts: Whether all else that the log says is read, too.
        name: The start of the outputs' names.
    """
    given = names_of(options.log_file, name, options.full_paths)

    def scan(named: Named, profiles: Sequence[str]) -> Log | None:
        return opened(named.path, profiles, options.engine, options, report, facts)

    if len(given) == 1 or not options.profile_file:
        for named in given:
            if log := scan(named, options.profile_file):
                yield named, log
        return
    scanned = [(named, log) for named in given if (log := scan(named, ())) is not None]
    if scanned:
        from engine_layer_visualize.api.read import share_files

        problems = share_files([log for _, log in scanned], options.profile_file)
        tell(problems, options.strict, report)
    while scanned:  # what was drawn is not kept
        yield scanned.pop(0)


def tell(problems: Iterable[Problem], strict: bool, report: Report) -> None:
    """Reports problems. Raises Stopped at the first error, if strict."""
    for problem in problems:
        if strict and problem.severity == "error":
            raise Stopped(problem)
        report.problem(problem)


def opened(
    path: str,
    profiles: Sequence[str],
    engines: Sequence[int] | None,
    options: Reading,
    report: Report,
    facts: bool,
) -> Log | None:
    """Scans a log with files of times. Returns None where it cannot be read, which is reported.

    `engines`: the numbers of those that are wanted; None: all. `facts`: as of `read`.

    Raises:
        Stopped: At the first error, if strict.
    """
    from engine_layer_visualize.api.read import Log

    gone.check_times(profiles)
    try:
        with _watched([path, *profiles], report) as progress:
            return Log(
                path,
                profiles,
                engines=engines,
                strict=options.strict,
                facts=facts,
                force=options.force,
                max_layers=options.max_layers,
                max_line=options.max_line,
                onnx=options.onnx,
                progress=progress,
                device=getattr(options, "device", None),  # not all commands have it
            )
    except Stopped:
        raise
    except ReadError as error:
        report.failed(error)
        return None


@contextmanager
def _watched(files: Sequence[str], report: Report) -> Iterator[Callable[[int, int | None], None]]:
    """Gives the progress callback; remarks where a pipe gives nothing for `_PATIENCE`."""
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
    """Reads the engines of the log, and reports every problem."""
    reported = 0
    for engine in log.engines():
        tell(log.problems[reported:], False, report)
        reported = len(log.problems)
        yield engine
    tell(log.problems[reported:], False, report)


def shown(named: Named, log: Log, options: LogOptions, report: Report) -> Iterator[Costs]:
    """Reads the times of each engine of a log, with the names of files as a report shows them.

    An engine without the optimisation profile that was asked for is reported, and left out.
    """
    from engine_layer_visualize.analysis.costs import Costs

    name = naming(named, log, options.full_paths)
    for engine in engines(log, report):
        renamed = engine_words.renamed_files(engine, name)
        try:
            costs = Costs(renamed, options.optimization_profile, options.time, options.peak)
        except ReadError as error:
            report.failed(error)
            continue
        yield costs


def until_failed(parts: Iterator[T], report: Report) -> Iterator[T]:
    """Gives the parts of a document. A failure ends it and is reported, so that it is whole."""
    try:
        yield from parts
    except ReadError as error:
        report.failed(error)


def failures(full_paths: bool, report: Report) -> Iterator[Problem]:
    """Says why nothing came of some inputs, with the names of files as a report shows them."""
    for problem in report.failures:
        path = problem.place.file
        file = path if full_paths else base_name(path)
        yield replace(problem, place=replace(problem.place, file=file))


def naming(named: Named, log: Log, full_paths: bool) -> Callable[[str], str]:
    """Returns how a report calls a file: the log as other outputs, other files by `full_paths`."""
    return partial(shown_name, {log.name: named.name}, full_paths)


def shown_name(logs: Mapping[str, str], full_paths: bool, path: str) -> str:
    """Returns how outputs call a file; `logs` are the logs' own names, by their paths."""
    return logs.get(path) or (path if full_paths else base_name(path))
