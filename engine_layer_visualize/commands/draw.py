"""`draw`, the command that needs no word: a log to files.

takes: parsed options
gives: EngineLayers_N.<format> for every engine, one html page of all, and a line about each file
never: stops at one file that cannot be written
"""

from __future__ import annotations

import argparse
from itertools import chain
from pathlib import Path
from typing import Final

from engine_layer_visualize import writers
from engine_layer_visualize.commands import Report
from engine_layer_visualize.commands.pages import Pages
from engine_layer_visualize.errors import ReadError
from engine_layer_visualize.model import Engine
from engine_layer_visualize.options import COLORS, LABELS, THEMES, Options

HELP: Final = "draw the engines of a build log"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--log_file",
        metavar="FILE",
        required=True,
        help="a VERBOSE build log of TensorRT, or the engine inspector's JSON (told by content); "
        "- is stdin; .gz, .xz and .zst are unpacked",
    )
    parser.add_argument(
        "--profile_file",
        metavar="FILE",
        action="append",
        default=[],
        help="layer times: trtexec --exportProfile JSON, a printed `=== Profile` table, "
        "`name: 0.1ms` lines, or Torch-TensorRT's trace; may be given several times",
    )
    parser.add_argument(
        "--output_dir", metavar="DIR", default=".", help="made if absent (default: .)"
    )
    parser.add_argument(
        "--format",
        metavar="LIST",
        type=_formats,
        default=["dot"],
        help=f"comma-separated, of {', '.join(writers.FORMATS)} (default: dot)",
    )
    parser.add_argument(
        "--engine",
        metavar="N",
        type=int,
        action="append",
        help="only this engine of the log, counted from 0; may be given several times",
    )
    parser.add_argument(
        "--theme", choices=THEMES, default="light", help="of svg, png and pdf (default: light)"
    )
    parser.add_argument(
        "--color_by",
        choices=COLORS,
        default="time",
        help="what fills the boxes of svg, png and pdf (default: time)",
    )
    parser.add_argument(
        "--labels",
        choices=LABELS,
        default="short",
        help="how much of the names the boxes of svg, png and pdf bear (default: short)",
    )


def run(options: argparse.Namespace, report: Report) -> None:
    from engine_layer_visualize.reading import Log

    log = Log(
        options.log_file,
        options.profile_file,
        engines=options.engine,
        strict=options.strict,
        progress=report.progress,
    )
    folder = Path(options.output_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise writers.cannot_write(folder, error) from error
    said = 0
    looks = Options(options.theme, options.color_by, options.labels)
    with Pages(folder, options.format, looks, report) as pages:
        for engine in log.engines():
            for problem in log.problems[said:]:
                report.problem(problem)
            said = len(log.problems)
            for format in options.format:
                path = folder / f"EngineLayers_{engine.index}.{format}"
                if format not in writers.WHOLE_LOG:
                    _write(engine, path, format, options, report)
            pages.add(engine, summary(engine))
            remarks = (writers.remarks(engine, format) for format in options.format)
            for problem in dict.fromkeys(chain.from_iterable(remarks)):
                report.problem(problem)
        pages.finish()
    for problem in log.problems[said:]:
        report.problem(problem)


def _write(
    engine: Engine, path: Path, format: str, options: argparse.Namespace, report: Report
) -> None:
    looks = {"theme": options.theme, "color_by": options.color_by, "labels": options.labels}
    try:
        writers.draw(engine, path, format, **looks)
    except OSError as error:
        report.problem(writers.cannot_write(path, error).problem)
    except ReadError as error:  # what draws it is not there, or failed
        report.problem(error.problem, error.hint)
    else:
        report.line(f"{path}  {summary(engine)}")


def summary(engine: Engine) -> str:
    """`54 layers, 69 edges, 54 of 54 timed, 2.596 ms`; edges are those between layers."""
    parts = [_count(len(engine.layers), "layer"), _count(len(engine.graph.between), "edge")]
    if engine.profile is not None and engine.total_ms is not None:
        parts.append(f"{engine.profile.matched} of {engine.profile.layers} timed")
        parts.append(f"{engine.total_ms:.3f} ms")
    return ", ".join(parts)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _formats(text: str) -> list[str]:
    formats = [format.strip() for format in text.split(",") if format.strip()]
    unknown = [format for format in formats if format not in writers.FORMATS]
    if unknown or not formats:
        what = f"no format {unknown[0]!r}" if unknown else "no format named"
        raise argparse.ArgumentTypeError(f"{what}; there are {', '.join(writers.FORMATS)}")
    return list(dict.fromkeys(formats))
