"""Declares flags that belong to the log before them, and reads the engines of these logs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from engine_layer_visualize.commands import Report, flags, inputs
from engine_layer_visualize.commands.flags import READ, Group
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.facts import engine_words

if TYPE_CHECKING:
    from engine_layer_visualize.api.read import Log

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
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


class _Log(argparse.Action):
    """Begins the files of another log."""

    def __init__(self, once: bool = False, **more: Any) -> None:
        super().__init__(**more)
        self.once = once  # whether the flag stands for a single log

    def __call__(self, parser: Any, namespace: Any, values: object, *_: object) -> None:
        before: list[Given] = getattr(namespace, self.dest, [])
        if self.once and before:
            raise argparse.ArgumentError(self, f"{values}: there is {before[0].path} already")
        if len(before) == len(LETTERS):
            raise argparse.ArgumentError(self, f"at most {len(before)} logs, A to {LETTERS[-1]}")
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


def log(help: str, *, group: Group = READ, once: bool = True) -> Any:
    """Declares the flag of a log, or of several; a log is required, but for another group."""
    return group.several(help, action=_Log, once=once, required=group is READ)


def times(help: str, what: str, *, early: bool = False, **more: Any) -> Any:
    """Declares the flag of files with times of the log before them, `what` they are."""
    return READ.flag(f"{help}; repeatable", "FILE", action=_OfLog, what=what, early=early, **more)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SidesOptions(inputs.Reading):
    """Logs that are compared; each command declares the flags, as their texts differ."""

    log_file: tuple[Given, ...] = ()
    engine: tuple[int, ...] | None = flags.ENGINE  # of each log

    @property
    def files_read(self) -> list[str]:
        """All files that are read, but for a model."""
        return [file for log in self.log_file for file in log.files]


class Sides:
    """Reads the logs that are compared, each with its own files."""

    def __init__(self, given: Sequence[Given], options: SidesOptions, report: Report) -> None:
        self._given, self._options, self._report = given, options, report
        self._named = inputs.named_logs([one.path for one in given], full=options.full_paths)

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
        logs = [self._opened(number, ()) for number in range(len(given))]
        readable = [(log, one.profile_file) for log, one in zip(logs, given) if log is not None]
        homes = [at for at, (_, paths) in enumerate(readable) for _ in paths]
        if homes:
            from engine_layer_visualize.api.read import share_files

            paths = [path for _, paths in readable for path in paths]
            problems = share_files([log for log, _ in readable], paths, homes)
            inputs.tell(problems, self._options.strict, self._report)
        yield from map(self._read, range(len(given)), logs)

    def engines(self, number: int) -> list[Engine]:
        """Reads the engines of a log that were asked for; none where it cannot be read.

        Without such, the first one if there are several logs, else all.
        """
        return self._read(number, self._opened(number, self._given[number].profile_file))

    def _opened(self, number: int, profiles: Sequence[str]) -> Log | None:
        chosen = self._given[number]
        # A profile goes to the engine that it fits best, so all are looked at.
        first = [0] if len(self._given) > 1 and not chosen.profile_file else None
        wanted = self._options.engine or first
        return inputs.opened(chosen.path, profiles, wanted, self._options, self._report, facts=True)

    def _read(self, number: int, log: Log | None) -> list[Engine]:
        if log is None:
            return []
        name = inputs.naming(self._named[number], log, self._options.full_paths)
        engines = inputs.engines(log, self._report)
        found = [engine_words.renamed_files(engine, name) for engine in engines]
        if wanted := self._options.engine:
            return sorted(found, key=lambda engine: wanted.index(engine.index))
        if len(self._given) > 1 and log.number > 1:
            self._report.remark(
                f"{self._named[number].name} holds {log.number} engines, of which engine 0 is "
                f"compared; --engine takes another one, of each log"
            )
            return found[:1]
        return found
