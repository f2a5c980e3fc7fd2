"""Keeps the tables of many logs as one dataset of Parquet files; what was read is not read again.

docs/tables.md shows how to ask it.
"""

import gc
from typing import Final

from engine_layer_visualize.api.collect_sources import local
from engine_layer_visualize.commands import Report, flags
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.export.columns import pyarrow
from engine_layer_visualize.export.table_files import spare_memory
from engine_layer_visualize.io.atomic_file import writing

_WORK: Final = flags.Group("where it is done")


class Options(flags.Options):
    """Which logs are read, by whom, into which dataset."""

    source: tuple[str, ...] = flags.READ.words(
        "a folder, a pattern such as 'logs/**/*', a file", "SOURCE", "+", type=local
    )
    refresh: bool = flags.READ.switch("read again what was read before, as after an update")
    output_dir: str = flags.WRITTEN.flag(
        "the dataset, a folder; created if absent", "DIR", short="-o", required=True, type=local
    )
    jobs: int | None = _WORK.flag("processes (default: one a core)", "N", type=flags.positive)
    scheduler: str | None = _WORK.flag("of a Dask cluster, such as tcp://host:8786", "URL")


def run(options: Options, report: Report) -> None:
    """Collects. Raises ReadError where nothing can be read, or nothing be written."""
    gc.enable()  # it runs for long
    if report.owns_process and options.scheduler is None:
        spare_memory()
    try:
        pyarrow()
    except ModuleNotFoundError as error:
        raise ReadError(Problem(Place("collect"), "ELV502", str(error))) from error
    from engine_layer_visualize.api.collect import collect

    names = ("source", "output_dir", "refresh", "jobs", "scheduler")
    with writing(options.output_dir):
        done = collect(listener=report, **{name: getattr(options, name) for name in names})
    report.wrote(options.output_dir, done)
