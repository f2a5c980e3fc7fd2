"""`draw`: a log in; a file for each engine and format out, and a line about each file.

A file that cannot be written is reported, and the others are written.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine_layer_visualize import outputs
from engine_layer_visualize.analysis.costs import Costs, engine_time
from engine_layer_visualize.analysis.subgraph import KINDS, RADIUS, View, part, unknown_types
from engine_layer_visualize.commands import Report, inputs
from engine_layer_visualize.commands.pages import Pages
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.io.atomic_file import cannot_write, save
from engine_layer_visualize.outputs.options import (
    COLORS,
    DEFAULT,
    DIRECTIONS,
    LABELS,
    THEMES,
    Options,
)

_NAMED: Final = 8  # types in a warning
_LOOKS: Final = (
    ("theme", THEMES, "of svg, png, pdf and html"),
    ("color_by", COLORS, "what the fill of a layer shows, in svg, png, pdf and html"),
    ("labels", LABELS, "how much of its name a layer shows"),
    ("direction", DIRECTIONS, "dot only: top to bottom or left to right"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags."""
    inputs.add(parser)
    inputs.add_output_dir(parser)
    parser.add_argument(
        "--format",
        metavar="LIST",
        type=_formats,
        default=["dot"],
        help=f"comma-separated, of {', '.join(outputs.FORMATS)} (default: dot)",
    )
    parser.add_argument(
        "--facts",
        action="store_true",
        help="also read autotuning, memory and fusion messages of the log when the format is dot "
        "(the other formats always do)",
    )
    whole = [name for name in outputs.FORMATS if outputs.named(name).holds != "part"]
    shown = parser.add_argument_group("part of an engine", f"in all formats but {', '.join(whole)}")
    shown.add_argument(
        "--query",
        metavar="REGEX",
        type=_regex,
        help="only layers whose name, type, kernel, tensors or ONNX nodes match (with dot, --facts "
        "finds ONNX nodes that the listing does not name)",
    )
    shown.add_argument(
        "--around",
        metavar="LAYER",
        help="only this layer and the layers near it: an index, a name, or a part of one name",
    )
    shown.add_argument(
        "--radius",
        metavar="N",
        type=_radius,
        default=RADIUS,
        help=f"at most N edges away from that layer (default: {RADIUS})",
    )
    shown.add_argument(
        "--hide",
        metavar="LIST",
        type=_words,
        action="extend",
        default=[],
        help="comma-separated types of layers, such as Constant,NoOp,Reformat, or "
        f"{', '.join(KINDS)}; edges are routed through hidden layers",
    )
    look = parser.add_argument_group("appearance")
    for flag, choices, help in _LOOKS:
        default = getattr(DEFAULT, flag)
        help = f"{help} (default: {default})"
        look.add_argument(f"--{flag}", choices=choices, default=default, help=help)


def run(options: argparse.Namespace, report: Report) -> None:
    """Draws every engine. Raises ReadError where none has anything to show."""
    log = inputs.opened(options, report, options.facts or outputs.want_facts(options.format))
    folder = Path(options.output_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    look = Options(*(getattr(options, name) for name in Options._fields))
    drawn = False
    types: dict[str, None] = {}
    missed: list[ReadError] = []  # of engines with nothing to show
    with Pages(folder, options.format, look, report) as pages:
        for engine in inputs.engines(log, report):
            types |= dict.fromkeys(layer.type for layer in engine.layers)
            try:
                Costs(engine, look.optimization_profile)  # raises where there is no such profile
                pages.add(engine, summary(engine))
                view = part(
                    engine,
                    query=options.query,
                    around=options.around,
                    radius=options.radius,
                    hide=options.hide,
                )
            except ReadError as error:
                missed.append(error)
                continue
            drawn = True
            _draw(view, folder, options.format, look, report)
        pages.finish()
    for word, instead in unknown_types(options.hide, types):
        report.problem(_no_type(options.log_file, word, instead))
    last = missed.pop() if missed and not drawn else None
    for one in missed:
        report.problem(one.problem)
    if last is not None:
        raise last


def _no_type(log: str, word: str, instead: Sequence[str]) -> Problem:
    message = f"--hide {word:.80} hides nothing: no layer is of such a type"
    if len(instead) == 1:
        message += f"; did you mean `{instead[0]:.60}`?"
    elif instead:
        shown = ", ".join(f"`{name:.60}`" for name in instead[:_NAMED])
        message += f"; there are {shown}" + (" and others" if len(instead) > _NAMED else "")
    return Problem(Place("<stdin>" if log == "-" else log, 1), "ELV409", message)


def _draw(view: View, folder: Path, formats: list[str], look: Options, report: Report) -> None:
    """Writes the files of one engine, and reports the drawing's warnings."""
    remarks: dict[Problem, None] = {}
    for format in formats:
        if outputs.named(format).holds != "log":
            path = folder / f"EngineLayers_{view.engine.index}.{format}"
            _write(view, path, format, look, report)
        remarks |= dict.fromkeys(outputs.remarks(view, format))
    for problem in remarks:
        report.problem(problem)


def _write(shown: View, path: Path, format: str, look: Options, report: Report) -> None:
    try:
        save(path, outputs.pieces(shown, format, look))
    except OSError as error:
        report.problem(cannot_write(path, error).problem)
    except ReadError as error:  # no renderer, or it failed
        report.problem(error.problem, error.hint)
    else:
        view = f"; {shown}" if shown.partial and outputs.named(format).holds == "part" else ""
        report.line(f"{path}  {summary(shown.engine)}{view}")


def summary(engine: Engine) -> str:
    """`54 layers, 69 edges, 54 of 54 timed, 2.596 ms`; edges are those between layers, times the
    means of the first optimisation profile."""
    layers, edges = len(engine.layers), len(engine.graph.between)
    parts = [f"{layers} {plural(layers, 'layer')}", f"{edges} {plural(edges, 'edge')}"]
    time = engine_time(engine)
    if time.kind == "measured" and time.total_ms is not None:
        parts.append(f"{time.timed} of {time.layers} timed")
        parts.append(f"{time.total_ms:.3f} ms")
    return ", ".join(parts)


def _formats(text: str) -> list[str]:
    formats = [format.strip() for format in text.split(",") if format.strip()]
    unknown = [format for format in formats if format not in outputs.FORMATS]
    if unknown or not formats:
        what = f"no format {unknown[0]!r}" if unknown else "no format named"
        raise argparse.ArgumentTypeError(f"{what}; there are {', '.join(outputs.FORMATS)}")
    return list(dict.fromkeys(formats))


def _regex(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"not a regular expression: {text!r}: {error}") from None


def _radius(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"not a number of edges: {text!r}")
    return int(text)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
