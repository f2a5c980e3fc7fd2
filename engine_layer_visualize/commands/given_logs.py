"""Declares flags that belong to the log before them, and reads the engines of these logs."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from engine_layer_visualize.commands import Report, inputs
from engine_layer_visualize.commands.flags import READ, Group, Without
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.facts import engine_words

if TYPE_CHECKING:
    from engine_layer_visualize.api.read import Log

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LAST: Final = "last_log"  # under which argparse keeps which flag the last log was given with
_EARLY: Final = "early_files"  # the same of files before the first log


@dataclass(frozen=True, slots=True)
class Given:
    """A log with its own files, under the names of their flags."""

    path: str
    profile_file: tuple[str, ...] = ()
    times: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """All of them."""
        return (self.path, *self.profile_file, *self.times)


@dataclass(frozen=True, kw_only=True)
class SidesOptions(inputs.Reading):
    """Logs that are compared; each command declares the flags, as their texts differ."""

    log_file: tuple[Given, ...] = ()
    engine: tuple[tuple[int, int], ...] = ()  # numbers of a log and of its engine


class _Log(argparse.Action):
    """Begins the files of another log."""

    def __init__(self, once: bool = False, **more: Any) -> None:
        super().__init__(**more)
        self.once = once  # whether the flag stands for a single log

    def __call__(self, parser: Any, namespace: Any, values: object, *_: object) -> None:
        before: list[Given] = getattr(namespace, self.dest, [])
        if self.once and before:
            raise argparse.ArgumentError(self, f"{values}: there is {before[0].path} already")
        if len(before) == len(_LETTERS):
            raise argparse.ArgumentError(self, f"at most {len(before)} logs, A to {_LETTERS[-1]}")
        early: dict[str, tuple[str, ...]] = vars(namespace).pop(_EARLY, {})
        setattr(namespace, self.dest, [*before, Given(str(values), **early)])
        setattr(namespace, _LAST, self.dest)


class _OfLog(argparse.Action):
    """Gives a file to the log before it."""

    def __init__(self, what: str, early: bool = False, **more: Any) -> None:
        super().__init__(**more)
        self.what = what  # the file is, in a message
        self.early = early  # whether a file before all logs stands beside the first

    def __call__(self, parser: Any, namespace: Any, values: object, *_: object) -> None:
        flag = getattr(namespace, _LAST, None)
        if flag is None and self.early:
            before = getattr(namespace, _EARLY, {}).get(self.dest, ())
            setattr(namespace, _EARLY, {self.dest: (*before, str(values))})
            return
        if flag is None:
            message = f"{values}: {self.what} to the log before it, and there is none"
            raise argparse.ArgumentError(self, message)
        *before, log = getattr(namespace, flag)
        files = (*getattr(log, self.dest), str(values))
        setattr(namespace, flag, [*before, replace(log, **{self.dest: files})])


def log(help: str, *, once: bool = True) -> Any:
    """Declares the flag of a log, or of several."""
    return READ.flag(help, "FILE", action=_Log, once=once, required=True, default=())


def profile_file(more: str = "", *, matched: bool = False) -> Any:
    """Declares the flag of a file with times of the layers of a log.

    `matched`: of the log that it matches, as `opened` says, else always of the one before it.
    """
    log = "the log that it matches, else of the one before it" if matched else "the log before it"
    text = f"times of the layers of {log}; may be given several times{more}"
    what = "a profile belongs"
    return READ.flag(text, "FILE", short="-p", action=_OfLog, what=what, early=matched)


def times() -> Any:
    """Declares the flag of a file with times of the iterations of the log before it."""
    text = (
        "times of the iterations of one run of the log before it, as trtexec --exportTimes writes "
        "them; several are several runs"
    )
    return READ.flag(text, "FILE", action=_OfLog, what="times of iterations belong")


def save(group: Group, help: str) -> Any:
    """Declares the flag of a file in which the one log that is given is kept."""
    return group.flag(help, "FILE", action=Without, needless="--baseline")


def engine(example: str, default: str) -> Any:
    """Declares the flag of the engines that are taken."""
    text = f"which engine of a log, {example}, counted from 0 (default: {default})"
    return READ.flag(text, "LOG:N", type=_engine, action="append", default=())


def _engine(text: str) -> tuple[int, int]:
    """Returns the numbers of a log and of its engine."""
    match = re.fullmatch(r"([A-Za-z]):(\d{1,9})", text)
    if match is None:
        raise ValueError(f"no engine of a log, such as A:0: {text[:80]!r}")
    return _LETTERS.index(match[1].upper()), int(match[2])


def opened(given: Sequence[Given], options: SidesOptions, report: Report) -> Iterator[Log | None]:
    """Opens the logs, one by one; None where one cannot be read, which is reported.

    Where each log has a profile, these stay with their logs. Else each goes to the log that it
    matches best: as many as there are logs that they match equally well, in order; any other stays.

    Raises:
        ReadError: Where an engine of another log than these was asked for (ELV406).
    """
    if all(log.profile_file for log in given) or not any(log.profile_file for log in given):
        for number, log in enumerate(given):
            yield _opened(given, number, log.profile_file, options, report)
        return
    logs = [_opened(given, number, (), options, report) for number in range(len(given))]
    readable = [(log, one.profile_file) for log, one in zip(logs, given) if log is not None]
    homes = [at for at, (_, paths) in enumerate(readable) for _ in paths]
    if homes:
        from engine_layer_visualize.api.read import share_files

        paths = [path for _, paths in readable for path in paths]
        problems = share_files([log for log, _ in readable], paths, homes)
        inputs.tell(problems, options.strict, report)
    yield from logs


def _opened(
    given: Sequence[Given],
    number: int,
    profiles: Sequence[str],
    options: SidesOptions,
    report: Report,
) -> Log | None:
    wanted = [engine for log, engine in options.engine if log == number] or None
    if far := [log for log, _ in options.engine if log >= len(given)]:
        there = "A alone" if len(given) == 1 else f"A to {_LETTERS[len(given) - 1]}"
        message = f"there is no log {_LETTERS[far[0]]}; the logs are {there}"
        raise ReadError(Problem(Place("--engine"), "ELV406", message))
    chosen = given[number]
    # A profile goes to the engine that it fits best, so all are looked at.
    first = [0] if len(given) > 1 and not chosen.profile_file else None
    return inputs.opened(chosen.path, profiles, wanted or first, options, report, facts=True)


def engines(
    given: Sequence[Given], number: int, options: SidesOptions, report: Report
) -> list[Engine]:
    """Reads the engines of one of the logs, with its profiles.

    Args:
        given: All logs.
        number: Which of them is read, counted from 0.
        options: How it is read.
        report: Is told every problem.

    Returns:
        As `read`; no engine where the log cannot be read.

    Raises:
        ReadError: Where an engine of another log than these was asked for (ELV406).
    """
    log = _opened(given, number, given[number].profile_file, options, report)
    return [] if log is None else read(log, given, number, options, report)


def read(
    log: Log, given: Sequence[Given], number: int, options: SidesOptions, report: Report
) -> list[Engine]:
    """Reads the engines that were asked for of this log, which is the one of that number.

    Without such, the first one if there are several logs, else all.
    """
    wanted = [engine for log_number, engine in options.engine if log_number == number]
    named = inputs.names_of([one.path for one in given], full=options.full_paths)[number]
    name = inputs.naming(named, log, options.full_paths)
    found = [engine_words.renamed_files(engine, name) for engine in inputs.engines(log, report)]
    if wanted:
        return sorted(found, key=lambda engine: wanted.index(engine.index))
    if len(given) > 1 and log.number > 1:
        report.remark(
            f"{named.name} holds {log.number} engines, of which engine 0 is compared; "
            f"--engine {_LETTERS[number]}:1 takes another"
        )
        return found[:1]
    return found
