"""Keeps the tables of many logs as one dataset of Parquet files, which grows from run to run."""

from __future__ import annotations

import gc
import re
from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.api import collect_sources
from engine_layer_visualize.api.collect_sources import Pairing
from engine_layer_visualize.commands import Report, flags
from engine_layer_visualize.commands.flags import READ, WRITTEN, Group
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import count
from engine_layer_visualize.export.arrow import library, spare_memory
from engine_layer_visualize.io.atomic_file import cannot_write

ABOUT: Final = (
    "Reads many logs and keeps the tables of all their engines as one dataset, a Parquet file for "
    "each log and table, for DuckDB, Polars or Spark. What was read is not read again; a run that "
    "was killed loses nothing. docs/fleet.md shows how to ask."
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


@dataclass(frozen=True, kw_only=True)
class Options(flags.Options):
    """Which logs are read, by whom, into which dataset."""

    source: tuple[str, ...] = READ.flag(
        "a folder, of which all files are read; a pattern such as 'logs/**/*.log'; a file; @FILE "
        "or -, a list of paths, one a line",
        "SOURCE",
        word=True,
        nargs="+",
        type=collect_sources.local,
    )
    meta: re.Pattern[str] | None = READ.flag(
        "what the pattern's named groups find in the path of a log becomes columns of every table",
        "path=REGEX",
        type=collect_sources.meta,
    )
    pair: Pairing | None = READ.flag(
        "read files of times with their logs: stem: build.profile.json with build.log; folder: all "
        "of a folder with its only log (default: none)",
        choices=("stem", "folder"),
    )
    refresh: bool = READ.switch("read again what was read before, as after an update")
    output_dir: str = WRITTEN.flag(
        "the dataset, a folder; created if absent",
        "DIR",
        short="-o",
        also=("--output",),
        required=True,
        type=collect_sources.local,
    )
    jobs: int | None = _WORK.flag(
        "processes of this machine that read logs (default: one for each core)",
        "N",
        type=flags.positive,
    )
    scheduler: str | None = _WORK.flag(
        "the scheduler of a Dask cluster that reads them, such as tcp://host:8786", "URL"
    )


def run(options: Options, report: Report) -> None:
    """Collects. Raises ReadError where nothing can be read, or nothing be written."""
    gc.enable()  # it runs for long
    if report.owns_process and options.scheduler is None:
        spare_memory()
    try:
        library()
    except ModuleNotFoundError as error:
        raise ReadError(Problem(Place("collect"), "ELV502", str(error))) from error
    from engine_layer_visualize.api.collect import collect

    names = ("source", "output_dir", "meta", "pair", "refresh", "jobs", "scheduler")
    try:
        done = collect(listener=report, **{name: getattr(options, name) for name in names})
    except OSError as error:
        raise cannot_write(options.output_dir, error) from error
    if done.unread:
        files = f"{count(len(done.unread), 'file')} of times, such as {done.unread[0]}"
        why = "--pair stem reads build.profile.json with build.log"
        report.remark(f"no log was read with {files}: {why}")
    report.wrote(options.output_dir, str(done))
