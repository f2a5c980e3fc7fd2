"""Logs with flags of their own in; the engines of each, named as in the outputs, out.

A flag such as `--profile_file` belongs to the log before it.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from engine_layer_visualize.commands import Report, inputs, log_names
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.fields import file_names

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(slots=True)
class Given:
    """A log with its own files, under the names of their flags."""

    path: str
    profile_file: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)

    @property
    def files(self) -> list[str]:
        """All of them."""
        return [self.path, *self.profile_file, *self.times]


class Log(argparse.Action):
    """Begins the files of another log. `once`: the flag stands for a single one."""

    def __init__(self, once: bool = False, **more: Any) -> None:
        super().__init__(**{**more, "default": []})
        self.once = once

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        before: list[Given] = getattr(namespace, self.dest)
        if self.once and before:
            raise argparse.ArgumentError(self, f"{values}: there is {before[0].path} already")
        if len(before) == len(_LETTERS):
            raise argparse.ArgumentError(self, f"at most {len(before)} logs, A to {_LETTERS[-1]}")
        namespace.last_log = Given(str(values))
        setattr(namespace, self.dest, [*before, namespace.last_log])


class OfLog(argparse.Action):
    """Gives a file to the log before it. `what`: the file is."""

    def __init__(self, what: str, **more: Any) -> None:
        super().__init__(**{**more, "default": []})
        self.what = what

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        log: Given | None = getattr(namespace, "last_log", None)
        if log is None:
            message = f"{values}: {self.what} to the log before it, and there is none"
            raise argparse.ArgumentError(self, message)
        getattr(log, self.dest).append(str(values))


def add_log(
    parser: argparse._ActionsContainer, help: str, flag: str = "--log_file", *, once: bool = True
) -> None:
    """Declares a flag of a log."""
    parser.add_argument(flag, metavar="FILE", action=Log, once=once, required=True, help=help)


def add_runs(parser: argparse._ActionsContainer, example: str) -> None:
    """Declares what belongs to a log whose runs are compared. `example`: of `--engine`."""
    add_profile_file(parser, "; each is a run")
    parser.add_argument(
        "--times",
        metavar="FILE",
        action=OfLog,
        what="times of iterations belong",
        help="times of the iterations of one run of the log before it, as trtexec --exportTimes "
        "writes them; several are several runs",
    )
    inputs.add_onnx(parser)
    add_engine(parser, example, "the first")
    inputs.add_times(parser)


def add_profile_file(parser: argparse._ActionsContainer, more: str = "") -> None:
    """Declares `--profile_file`."""
    parser.add_argument(
        "-p",
        "--profile_file",
        metavar="FILE",
        action=OfLog,
        what="a profile belongs",
        help=f"times of the layers of the log before it; may be given several times{more}",
    )


def add_engine(parser: argparse._ActionsContainer, example: str, default: str) -> None:
    """Declares `--engine`."""
    parser.add_argument(
        "--engine",
        metavar="LOG:N",
        type=_engine,
        action="append",
        default=[],
        help=f"which engine of a log, {example}, counted from 0 (default: {default})",
    )


def _engine(text: str) -> tuple[int, int]:
    """The value of `--engine`, as positions. Raises what argparse reports."""
    match = re.fullmatch(r"([A-Za-z]):(\d{1,9})", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"no engine of a log, such as A:0: {text[:80]!r}")
    return _LETTERS.index(match[1].upper()), int(match[2])


def engines(
    given: Sequence[Given], at: int, options: argparse.Namespace, report: Report
) -> list[Engine]:
    """Those of one of the logs, with its profiles; of several logs, the first or those that were
    asked for. None where the log cannot be read, which is reported. Raises ReadError (ELV406)."""
    wanted = [number for log, number in options.engine if log == at] or None
    if far := [log for log, _ in options.engine if log >= len(given)]:
        there = "A alone" if len(given) == 1 else f"A to {_LETTERS[len(given) - 1]}"
        message = f"there is no log {_LETTERS[far[0]]}; the logs are {there}"
        raise ReadError(Problem(Place("--engine"), "ELV406", message))
    one, several = given[at], len(given) > 1
    # A profile goes to the engine that it fits best, so all are looked at.
    first = [0] if several and not one.profile_file else None
    own = argparse.Namespace(**{**vars(options), "engine": wanted or first})
    log = inputs.opened(one.path, one.profile_file, own, report, facts=True)
    if log is None:
        return []
    named = log_names.named([one.path for one in given], full=options.full_paths)[at]
    called = partial(name, {log.name: named.name}, options.full_paths)
    found = [file_names.renamed(engine, called) for engine in inputs.engines(log, report)]
    if wanted is not None:
        return sorted(found, key=lambda engine: wanted.index(engine.index))
    if several and log.number > 1:
        report.remark(
            f"{named.name} holds {log.number} engines, of which engine 0 is compared; "
            f"--engine {_LETTERS[at]}:1 takes another"
        )
        return found[:1]
    return found


def name(called: dict[str, str], full: bool, path: str) -> str:
    """A file as outputs name it."""
    return called.get(path) or (path if full else base_name(path))
