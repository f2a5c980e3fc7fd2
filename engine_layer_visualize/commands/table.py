"""Writes what is known of every engine of a log as tables, whose columns are always the same."""

from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Report, flags, inputs, outputs
from engine_layer_visualize.core.text import count
from engine_layer_visualize.documents import marks
from engine_layer_visualize.export.table_files import Writer, spare_memory
from engine_layer_visualize.export.tables import SCHEMAS
from engine_layer_visualize.io.atomic_file import writing
from engine_layer_visualize.linting.subject import Subject


class Options(inputs.LogOptions):
    """Which tables are written about which logs."""

    format: tuple[str, ...] = flags.format(draw.TABLES)
    output_dir: str = flags.OUTPUT_DIR
    tables: tuple[str, ...] = flags.WRITTEN.flag(
        f"only these, with commas: {', '.join(SCHEMAS)}",
        "LIST",
        type=flags.ListOf("table", tuple(SCHEMAS)),
        default=(),
    )


def run(options: Options, report: Report) -> None:
    """Writes the tables of all logs.

    Raises:
        ReadError: Where there is no package for the format, or they cannot be written.
    """
    if report.owns_process and options.onnx is None:  # the package onnx needs numpy
        spare_memory()
    formats = [*map(draw.table_format, options.format or [*draw.TABLES][:1])]
    folder = Path(options.output_dir)
    given = inputs.named_logs(options.log_file, full=options.full_paths)
    sources = tuple(named.name for named in given)
    tables: list[Writer] = []
    builds: set[str] = set()
    with writing(folder), ExitStack() as opened:
        for named, log in inputs.logs(options, report, facts=True):
            for costs in inputs.shown(named, log, options, report):
                if not tables:
                    folder.mkdir(parents=True, exist_ok=True)
                    for format in formats:
                        schemas = options.tables or format.tables or SCHEMAS
                        writer = format.writer(folder, [SCHEMAS[name] for name in schemas], sources)
                        tables.append(opened.enter_context(closing(writer)))
                for writer in tables:
                    writer.add(Subject(costs))
                builds.add(costs.engine.build_id or "")
        paths = [path for writer in tables for path in writer.paths]
        whose = partial(_whose, builds)
        outputs.check(paths, options.force, whose, read=options.files_read)
        for writer in tables:
            for path, rows in writer.finish():
                report.line(f"{path}  {count(rows, 'row')}")
            for remark in writer.remarks:
                report.remark(remark)


def _whose(builds: set[str], path: Path) -> str:
    """Says what stands there."""
    if not marks.is_table(path):
        return outputs.NO_OUTPUT
    return "" if marks.is_table(path, builds) else outputs.OF_OTHERS
