"""Reads the engines of logs, one by one, as the flags say. Problems are reported when found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from engine_layer_visualize.commands import Report, flags, gone, names
from engine_layer_visualize.commands.names import Named
from engine_layer_visualize.core.build_info import Device
from engine_layer_visualize.core.model import Engine, Statistic
from engine_layer_visualize.core.problems import Problem, ReadError, Stopped
from engine_layer_visualize.facts import engine_words

if TYPE_CHECKING:
    from engine_layer_visualize.analysis.costs import Costs
    from engine_layer_visualize.api.read import Log
    from engine_layer_visualize.core.onnx_model import OnnxModel
    from engine_layer_visualize.core.options import Peak

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Reading(flags.Options):
    """How logs are read; those without a flag here are declared by commands that have them."""

    log_file: tuple[Any, ...] = ()
    profile_file: Any = ()
    engine: Any = None
    onnx: str | OnnxModel | None = flags.ONNX
    optimization_profile: int | None = flags.OPTIMIZATION_PROFILE
    time: Statistic = flags.TIME
    full_paths: bool = flags.FULL_PATHS
    device: Device | None = None
    format: tuple[str, ...] = ()
    output: str | None = None  # the folder or the file of a report
    force: bool = flags.FORCE
    width: int | None = None  # of a report, in columns

    @property
    def files_read(self) -> list[str]:
        """All files that are read, but for a model that is held already."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class LogOptions(Reading):
    """Logs whose profiles go to the engines that they fit best."""

    log_file: tuple[str, ...] = flags.LOG_FILE
    profile_file: tuple[str, ...] = flags.PROFILE_FILE
    engine: tuple[int, ...] | None = flags.ENGINE
    device: Device | None = flags.DEVICE
    peak: Peak | None = flags.PEAK

    @property
    def files_read(self) -> list[str]:
        """All files that are read, but for a model that is held already."""
        model = [self.onnx] if isinstance(self.onnx, str) else []
        return [*self.log_file, *self.profile_file, *model]


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
    given = names.of(options.log_file, name, options.full_paths)

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
        return Log(
            path,
            profiles,
            engines=engines,
            strict=options.strict,
            facts=facts,
            force=options.force,
            onnx=options.onnx,
            progress=report.progress,
            device=options.device,
        )
    except Stopped:
        raise
    except ReadError as error:
        report.failed(error)
        return None


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

    name = names.naming(named, log, options.full_paths)
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
