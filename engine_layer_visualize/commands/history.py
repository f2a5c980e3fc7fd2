"""Prints or draws how an engine changed over its builds, by snapshots or a dataset of these."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from engine_layer_visualize import writers
from engine_layer_visualize.commands import (
    Answer,
    Report,
    flag_values,
    flags,
    inputs,
    reports,
    standing,
)
from engine_layer_visualize.commands.arguments import USAGE
from engine_layer_visualize.commands.flags import READ, REPORT
from engine_layer_visualize.comparison.history import series
from engine_layer_visualize.comparison.history.builds import Comparable, Sorter
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place, Problem, ReadError, Stopped
from engine_layer_visualize.core.snapshot import Snapshot
from engine_layer_visualize.core.text import base_name, count, numbered
from engine_layer_visualize.core.tuning import Search
from engine_layer_visualize.documents import origin
from engine_layer_visualize.inputs import snapshot_file, tuning
from engine_layer_visualize.io.places import is_url
from engine_layer_visualize.io.source import Source

ABOUT: Final = (
    "Tells how an engine changed over its builds: its time, its costliest modules, its reformats, "
    "and with which build they changed for good. Each build is a file of the command snapshot, or "
    "an engine in a dataset of the command collect. "
    "They are taken in the order given; where that is the order of a shell's pattern, numbers in "
    "names count as numbers: v2 comes before v10."
)
EXAMPLES: Final = ("*.snapshot.json --format svg --output out", "dataset --by date")
EXIT_CODES: Final = inputs.exit_codes(
    "the history is printed", "fewer than two builds", "the history"
)
_STEM: Final = "history"
_HEAD: Final = 1 << 14  # bytes of a file, which tell whether it is a cache
FORMATS: Final = writers.HISTORIES


@dataclass(frozen=True, kw_only=True)
class Options(flags.Options):
    """Which snapshots are told of, and how."""

    snapshot: tuple[str, ...] = READ.flag(
        "files of the command snapshot, one a build, or datasets of the command collect; the cache "
        "of a search among build routes (trtexec --tuningCacheFile), whose iterations are listed",
        "SNAPSHOT",
        word=True,
        nargs="+",
    )
    by: str | None = READ.flag(
        "the column of a dataset's engines that gives the order of builds, and what these are "
        "called (default: the paths of the logs)",
        "COLUMN",
    )
    format: tuple[str, ...] = reports.format(REPORT, FORMATS)
    width: int | None = reports.width(REPORT)
    full: bool = REPORT.switch("every build, and whole names, in text and markdown")
    top: int = REPORT.flag(
        "the number of builds that text and markdown list, beside those at steps (default: 40)",
        "N",
        type=flag_values.positive,
        default=40,
    )
    output: str | None = reports.output(REPORT, _STEM, FORMATS)
    force: bool = standing.force(REPORT, profiles=False)


def run(options: Options, report: Report) -> None:
    """Prints the history. Raises ReadError where there are fewer than two builds."""
    targets = reports.targets(options.output, options.format, _STEM, FORMATS)
    standing.check(reports.files(targets), options.force, _whose, read=options.snapshot)
    looks = ReportOptions(options.top, full=options.full)
    reports.put_each(found(options, report), targets, FORMATS, looks, options.width, report)


def found(options: Options, report: Report) -> series.Histories:
    """Returns the history.

    Raises:
        ReadError: There are fewer than two builds (ELV606).
        Answer: There is no such column, or no dataset that could have it.
    """
    if options.by is not None and not any(map(_is_dataset, options.snapshot)):
        raise Answer("", "--by names a column of a dataset, and no dataset is given", USAGE)
    problems: list[Problem] = []
    caches = [path for path in options.snapshot if _is_cache(path)]
    search = _search(caches, problems, report)
    builds = tuple(path for path in options.snapshot if path not in caches)
    if caches and not builds:
        return series.Histories((), tuple(problems), search)
    options = replace(options, snapshot=builds)
    known = tuple(series.of(known) for known in _sorted(options, problems, report))
    return series.Histories(known, tuple(problems), search)


def _is_cache(path: str) -> bool:
    return os.path.isfile(path) and tuning.is_cache(Source(path).head(_HEAD))


def _search(caches: Sequence[str], problems: list[Problem], report: Report) -> Search:
    """Returns the search of the cache. Raises ReadError where there are several (ELV214)."""
    if not caches:
        return Search()
    if len(caches) > 1:
        message = "a second cache: a history has the iterations of one search"
        raise ReadError(Problem(Place(caches[1]), "ELV214", message))
    search, found = tuning.of_cache(Source(caches[0]))
    problems += inputs.kept(found, False, report)
    return search


def _whose(path: Path) -> str:
    return "" if origin.is_history(path) else standing.NO_OUTPUT


def _sorted(options: Options, problems: list[Problem], report: Report) -> list[Comparable]:
    """Reads the snapshots. Raises ReadError (ELV606) where fewer than two can be read."""
    paths = list(dict.fromkeys(_in_order(options.snapshot)))
    sorter = Sorter()
    for path, snapshot in _read(paths, options, problems, report):
        sorter.add(path, snapshot)
    if len(sorter) < 2:
        place = Place(paths[0])
        message = "fewer than two builds could be read; a history needs two"
        raise ReadError(Problem(place, "ELV606", message))
    return sorter.comparable()


def _read(
    paths: Sequence[str], options: Options, problems: list[Problem], report: Report
) -> Iterator[tuple[str, Snapshot]]:
    for number, path in enumerate(paths, 1):
        report.status(f"{number:,} of {len(paths):,} snapshots")
        try:
            if _is_dataset(path):
                yield from _of_dataset(path, options.by, report)
            else:
                yield path, snapshot_file.read(path)
        except ReadError as error:
            if options.strict:
                raise Stopped(error.problem, error.hint) from error
            report.problem(error.problem, error.hint)
            place = replace(error.problem.place, file=base_name(path))
            problems.append(replace(error.problem, place=place))


def _is_dataset(path: str) -> bool:
    return os.path.isdir(path) or is_url(path)


def _of_dataset(path: str, column: str | None, report: Report) -> Iterator[tuple[str, Snapshot]]:
    """Raises ReadError where it cannot be read, Answer where there is no such column."""
    from engine_layer_visualize.fleet import snapshots
    from engine_layer_visualize.fleet.dataset import dataset

    try:
        builds = snapshots.of(dataset(path), path, column)
    except ModuleNotFoundError as error:
        raise ReadError(Problem(Place("history"), "ELV502", str(error))) from error
    except ValueError as error:
        raise Answer("", f"{path}: {error}", USAGE) from None
    if builds.unordered:
        left = count(builds.unordered, "engine")
        report.remark(f"{path}: {left} without a value of {column} left out")
    if builds.unread:
        report.remark(f"{path}: of {count(builds.unread, 'log')} no engine was read")
    for number, build in enumerate(builds.each, 1):
        report.status(f"{number:,} of {builds.number:,} builds")
        yield build


def _in_order(paths: Sequence[str]) -> list[str]:
    """A shell sorts names letter by letter, in one way or another."""
    given = list(paths)
    if given in (sorted(given), sorted(given, key=str.casefold)):
        return sorted(given, key=numbered)
    return given
