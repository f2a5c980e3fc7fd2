"""Keeps the tables of many logs as one dataset of Parquet files, which grows from run to run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.commands import Report, flag_values, flags, standing
from engine_layer_visualize.commands.flags import READ, WRITTEN, Group
from engine_layer_visualize.commands.inputs import tell
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import count
from engine_layer_visualize.io.atomic_file import cannot_write
from engine_layer_visualize.tables.arrow import library, spare_memory

if TYPE_CHECKING:
    from engine_layer_visualize.fleet.collecting import Outcome
    from engine_layer_visualize.fleet.inputs import Meta, Pairing
    from engine_layer_visualize.fleet.processes import Workers

ABOUT: Final = (
    "Reads many logs and keeps the tables of all their engines as one dataset of Parquet files, "
    "for DuckDB, Polars or Spark. What was read is not read again; a run that was killed loses "
    "nothing. docs/fleet.md shows how to ask."
)
EXAMPLES: Final = (
    "logs --output_dir ds",
    "logs --output_dir ds --meta 'path=(?P<model>[^/]+)/(?P<gpu>[^/]+)/' --pair stem",
)
EXIT_CODES: Final = {
    0: "every log is in the dataset",
    1: "the same, but something could not be read",
    2: "wrong usage",
    3: "nothing to read",
    4: "the dataset could not be written",
}


_WORK: Final = Group("where it is done")


def _meta(text: str) -> Meta:
    """Reads what paths say. Raises ValueError."""
    from engine_layer_visualize.fleet.inputs import meta

    return meta(text)


@dataclass(frozen=True, kw_only=True)
class Options(flags.Options):
    """Which logs are read, by whom, into which dataset."""

    source: tuple[str, ...] = READ.flag(
        "a folder, of which all files are read; a pattern such as 'logs/**/*.log'; a file; @FILE "
        "or -, a list of paths, one a line; with fsspec a URL such as s3://bucket/logs",
        "SOURCE",
        word=True,
        nargs="+",
    )
    meta: Meta | None = READ.flag(
        "what the pattern's named groups find in the path of a log becomes columns of every table",
        "path=REGEX",
        type=_meta,
    )
    pair: Pairing | None = READ.flag(
        "read files of times with their logs: stem: build.profile.json with build.log; folder: all "
        "of a folder with its only log (default: none)",
        choices=("stem", "folder"),
    )
    refresh: bool = READ.switch("read again what another version of the program has read")
    output_dir: str = WRITTEN.flag(
        "the dataset, a folder or a URL; created if absent",
        "DIR",
        short="-o",
        also=("--output",),
        required=True,
    )
    force: bool = standing.force(WRITTEN, profiles=False)
    compact: bool = WRITTEN.switch("write small files together, up to 128 MB")
    jobs: int | None = _WORK.flag(
        "processes of this machine that read logs (default: one for each core)",
        "N",
        type=flag_values.positive,
    )
    scheduler: str | None = _WORK.flag(
        "the scheduler of a Dask cluster that reads them, such as tcp://host:8786", "URL"
    )


def run(options: Options, report: Report) -> None:
    """Collects. Raises ReadError where nothing can be read, or nothing be written."""
    if report.owns_process and options.scheduler is None:
        spare_memory()
    try:
        library()
    except ModuleNotFoundError as error:
        raise ReadError(Problem(Place("collect"), "ELV502", str(error))) from error
    from engine_layer_visualize.fleet import collecting
    from engine_layer_visualize.fleet.inputs import Meta, files
    from engine_layer_visualize.io import places

    where = options.output_dir
    problems: list[Problem] = []
    sources = files(options.source, where, problems)
    tell(problems, False, report)
    jobs = options.jobs or os.cpu_count() or 1
    wishes = collecting.Wishes(
        meta=options.meta or Meta(),
        pair=options.pair,
        jobs=jobs,
        refresh=options.refresh,
        compact=options.compact,
        force=options.force,
    )
    try:
        store = places.store(where)
        done = collecting.collect(
            sources, store, where, _workers(options.scheduler, jobs), wishes, report
        )
    except OSError as error:
        raise cannot_write(where, error) from error
    if done.unread:
        report.remark(_not_read(done.unread, options.pair is not None))
    report.wrote(where, _said(done))


def _not_read(times: Sequence[str], paired: bool) -> str:
    files = times[0] if len(times) == 1 else f"{count(len(times), 'file')}, such as {times[0]},"
    hint = "--pair stem reads build.profile.json with build.log"
    why = "no log stands beside them, or several do" if paired else hint
    return f"times in {files} are not read: {why}"


def _said(done: Outcome) -> str:
    parts = [f"{count(done.read, 'log')} read", f"{done.skipped:,} known before"]
    if done.failed:
        parts.append(f"{done.failed:,} without an engine")
    if done.times:
        parts.append(f"{count(done.times, 'file')} of times")
    return ", ".join([*parts, f"{count(done.rows, 'row')} in all"])


def _workers(scheduler: str | None, jobs: int) -> Workers:
    if scheduler is None:
        from engine_layer_visualize.fleet.processes import Processes

        return Processes(jobs)
    from engine_layer_visualize.fleet.cluster import Cluster

    return Cluster(scheduler)
