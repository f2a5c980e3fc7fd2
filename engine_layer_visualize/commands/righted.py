"""Gives files that stand the wrong way round their right places: a log, times, a baseline."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine_layer_visualize.commands import Report
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading import file_kinds


def righted(options: Any, report: Report) -> Any:
    """Returns options with each file in its place; what was changed is told (ELV414).

    Args:
        options: Those of any command; of one that reads no logs they stay as they are.
        report: Is told every change.
    """
    logs, profiles = getattr(options, "log_file", ()), getattr(options, "profile_file", ())
    if logs and isinstance(logs[0], str) and profiles:
        logs, profiles = _exchanged(logs, profiles, report)
        return replace(options, log_file=logs, profile_file=profiles)
    if not logs or isinstance(logs[0], str):
        return options
    after = tuple(_side(one, report) for one in logs)
    before = tuple(_side(one, report) for one in getattr(options, "baseline", ()))
    options = replace(options, log_file=after, **({"baseline": before} if before else {}))
    if before and _is_baseline(after[0].path) and not _is_baseline(before[0].path):
        _tell(after[0].path, "this is a baseline", before[0].path, "the new log", report)
        files = {key: getattr(before[0], key) + getattr(after[0], key) for key in _FILES}
        new = replace(before[0], **files)
        old = replace(after[0], **dict.fromkeys(_FILES, ()))
        return replace(options, baseline=(old,), log_file=(new,))
    return options


_FILES = ("profile_file", "times")


def _side(given: Any, report: Report) -> Any:
    (path,), profiles = _exchanged((given.path,), given.profile_file, report)
    return replace(given, path=path, profile_file=profiles)


def _exchanged(
    logs: Sequence[str], profiles: Sequence[str], report: Report
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Gives a log that stands for times the place of times that stand for a log."""
    logs, profiles = [*logs], [*profiles]
    for at, times in enumerate(logs if profiles else ()):
        if not (os.path.isfile(times) and file_kinds.has_times_alone(times)):
            continue
        others = (n for n, path in enumerate(profiles) if _is_listing(path))
        if (other := next(others, None)) is not None:
            _tell(times, "these are times", profiles[other], "the log", report)
            logs[at], profiles[other] = profiles[other], times
    return tuple(logs), tuple(profiles)


def _is_listing(path: str) -> bool:
    return os.path.isfile(path) and file_kinds.is_listing(path)  # a pipe is read once


def _is_baseline(path: str) -> bool:
    from engine_layer_visualize.reading import baseline

    try:
        return os.path.isfile(path) and baseline.sniff(Source(path).head())
    except ReadError:
        return False


def _tell(file: str, what: str, other: str, role: str, report: Report) -> None:
    message = f"{what}, and {other} is {role}: they are read the right way round"
    report.problem(Problem(Place(file, 1), "ELV414", message))
