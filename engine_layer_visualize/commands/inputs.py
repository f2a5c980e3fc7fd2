"""Reads the engines of logs, one by one, as the flags say, and names the logs in what is written.

Problems are reported when found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine_layer_visualize.analysis import peaks
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.commands import Misuse, Report, flags
from engine_layer_visualize.commands.flags import READ, WRITTEN, Given
from engine_layer_visualize.core.build_info import Device
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import Problem, ReadError, Stopped
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.io.input_files import unpacked_name

if TYPE_CHECKING:
    from engine_layer_visualize.api.read import Log
    from engine_layer_visualize.core.onnx_model import OnnxModel
    from engine_layer_visualize.core.options import Peak

DEVICE: Final = READ.flag(
    "the GPU that the times are of, such as A100, if no log says", "NAME", type=peaks.device
)


class Reading(flags.Options):
    """How logs are read; those without a flag here are declared by commands that have them."""

    log_file: tuple[Any, ...] = ()
    profile_file: Any = ()
    engine: Any = None
    onnx: str | OnnxModel | None = READ.flag(
        "the ONNX model of the engines (pip extra: onnx)", "FILE"
    )
    optimization_profile: int | None = READ.flag(
        "take times of this optimisation profile (default: the first)", "N", type=flags.whole
    )
    full_paths: bool = READ.switch("show files with their folders, in all outputs")
    device: Device | None = None
    format: tuple[str, ...] = ()
    output: str | None = None  # the folder or the file of a report
    force: bool = WRITTEN.switch("replace outputs of other logs; take times that fit few layers")
    width: int | None = None  # of a report, in columns


class LogOptions(Reading):
    """Logs whose profiles go to the engines that they fit best."""

    log_file: tuple[str, ...] = READ.several(f"{flags.LOG}; repeatable", required=True)
    profile_file: tuple[str, ...] = READ.several(
        "times of layers, as trtexec has them; repeatable", short="-p"
    )
    engine: tuple[int, ...] | None = flags.ENGINE
    device: Device | None = DEVICE
    peak: Peak | None = READ.flag(
        "what the GPU can do: fp32=19.5,fp16=312,int8=624,bw=1555 (dense TFLOPS, GB/s)",
        "LIST",
        type=peaks.parse,
    )

    @property
    def files_read(self) -> list[str]:
        """All files that are read, but for a model that is held already."""
        model = [self.onnx] if isinstance(self.onnx, str) else []
        return [*self.log_file, *self.profile_file, *model]


def logs(
    options: LogOptions, report: Report, facts: bool, name: str | None = None
) -> Iterator[tuple[Named, Log]]:
    """Scans the logs, one by one; one that cannot be read is reported.

    Profiles go to the engines that they fit best: with several logs, all are scanned before.

    Args:
        options: Which logs are read, and how.
        report: Is told every problem.
        facts: Whether all else that the log says is read, too.
        name: The start of the outputs' names.
    """
    given = named_logs(options.log_file, name, options.full_paths)

    def scan(named: Named, profiles: tuple[str, ...]) -> Log | None:
        return opened(Given(named.path, profiles), options.engine, options, report, facts)

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
    given: Given, engines: Sequence[int] | None, options: Reading, report: Report, facts: bool
) -> Log | None:
    """Scans a log with its profiles. Returns None where it cannot be read, which is reported.

    `engines`: the numbers of those that are wanted; None: all. `facts`: as of `read`.

    Raises:
        Stopped: At the first error, if strict.
    """
    from engine_layer_visualize.api.read import Log
    from engine_layer_visualize.reading import file_kinds

    if any(map(file_kinds.is_sqlite, given.profile_file)):
        instead = f"give the CSV of `{file_kinds.NSYS_STATS}`"
        raise Misuse(f"a report of Nsight Systems in SQLite is gone: {instead}")
    try:
        return Log(
            given.path,
            given.profile_file,
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
    for engine in _renamed(named, log, options, report):
        with reported(report):
            yield Costs(engine, options.optimization_profile, options.peak)


def _renamed(named: Named, log: Log, options: Reading, report: Report) -> Iterator[Engine]:
    name = naming(named, log, options.full_paths)
    for engine in engines(log, report):
        yield sentences.renamed_files(engine, name)


@contextmanager
def reported(report: Report) -> Iterator[None]:
    """Reports a failure of the block, which it ends: so a document is whole."""
    try:
        yield
    except ReadError as error:
        report.failed(error)


# ---- the logs that are compared, each with its own files ----------------------------------------


class SidesOptions(Reading):
    """Logs that are compared; each command declares the flags, as their texts differ."""

    log_file: tuple[Given, ...] = ()
    engine: tuple[int, ...] | None = flags.ENGINE  # of each log

    @property
    def files_read(self) -> list[str]:
        """All files that are read."""
        model = [self.onnx] if isinstance(self.onnx, str) else []
        return [*(file for log in self.log_file for file in log.files), *model]


class Sides:
    """Reads the logs that are compared, each with its own files."""

    def __init__(self, given: Sequence[Given], options: SidesOptions, report: Report) -> None:
        self._given, self._options, self._report = given, options, report
        self._named = named_logs([one.path for one in given], full=options.full_paths)

    def all(self) -> Iterator[list[Engine]]:
        """Reads the engines of each log, one by one, as `engines` does.

        Where each log has a profile, these stay with their logs. Else each goes to the log that it
        matches best: as many as there are logs that they match equally well, in order; any other
        stays.
        """
        given = self._given
        if all(log.profile_file for log in given) or not any(log.profile_file for log in given):
            yield from map(self.engines, range(len(given)))
            return
        logs = [self._opened(at, log._replace(profile_file=())) for at, log in enumerate(given)]
        readable = [(log, one.profile_file) for log, one in zip(logs, given) if log is not None]
        homes = [at for at, (_, paths) in enumerate(readable) for _ in paths]
        if homes:
            from engine_layer_visualize.api.read import share_files

            paths = [path for _, paths in readable for path in paths]
            problems = share_files([log for log, _ in readable], paths, homes)
            tell(problems, self._options.strict, self._report)
        yield from map(self._read, range(len(given)), logs)

    def engines(self, number: int) -> list[Engine]:
        """Reads the engines of a log that were asked for; none where it cannot be read.

        Without such, the first one if there are several logs, else all.
        """
        return self._read(number, self._opened(number, self._given[number]))

    def _opened(self, number: int, given: Given) -> Log | None:
        # A profile goes to the engine that it fits best, so all are looked at.
        first = [0] if len(self._given) > 1 and not self._given[number].profile_file else None
        return opened(given, self._options.engine or first, self._options, self._report, facts=True)

    def _read(self, number: int, log: Log | None) -> list[Engine]:
        if log is None:
            return []
        found = [*_renamed(self._named[number], log, self._options, self._report)]
        if wanted := self._options.engine:
            return sorted(found, key=lambda engine: wanted.index(engine.index))
        if len(self._given) > 1 and log.number > 1:
            self._report.remark(
                f"{self._named[number].name} holds {log.number} engines, of which engine 0 is "
                f"compared; --engine takes another one, if each log has it"
            )
            return found[:1]
        return found


# ---- names of logs, of their outputs, of files in reports ----------------------------------------

STEM: Final = "EngineLayers"
_UNSAFE: Final = re.compile(r'[\\/:*?"<>|]')  # in a name on one system or another


class Named(NamedTuple):
    """A log and its names."""

    path: str  # as it was given
    name: str  # without folders, but for those that tell it apart from other logs of the run
    stem: str  # the start of its outputs' names


def named_logs(paths: Sequence[str], given: str | None = None, full: bool = False) -> list[Named]:
    """Names the logs of one run. `full`: names keep all folders.

    The stem of a single log is the one that was asked for, `given`, else STEM. With several logs, a
    stem is the one that was asked for, then the log's name, with a number where two would be equal.
    """
    logs: list[Named] = []
    taken: set[str] = set()
    for path, tail in zip(paths, sentences.tails(paths)):
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
    if not text.strip(". ") or text != _plain(text):
        raise ValueError(f"not a part of a file's name: {text!r}")
    return text


def _without_ending(name: str) -> str:
    """Returns `build` of `build.log.gz`; a version has no ending: `build-8.5`."""
    return re.sub(r"(?<=.)\.[A-Za-z]\w*$", "", unpacked_name(name)).lstrip(".") or "log"


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


def failures(full_paths: bool, report: Report) -> Iterator[Problem]:
    """Says why nothing came of some inputs, with the names of files as a report shows them."""
    for problem in report.failures:
        yield sentences.renamed_file(problem, partial(shown_name, {}, full_paths))


def naming(named: Named, log: Log, full_paths: bool) -> Callable[[str], str]:
    """Returns how a report calls a file: the log as other outputs, other files by `full_paths`."""
    return partial(shown_name, {log.name: named.name}, full_paths)


def shown_name(logs: Mapping[str, str], full_paths: bool, path: str) -> str:
    """Returns how outputs call a file; `logs` are the logs' own names, by their paths."""
    return logs.get(path) or (path if full_paths else base_name(path))
