"""`draw`: a log in; a file for each engine and format out, and a line about each file.

A file that cannot be written is reported, and the others are written. Where one may not be
replaced, none of the log's is written.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine_layer_visualize import writers
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.hidden_types import KINDS, unknown_types
from engine_layer_visualize.commands import Report, flag_values, inputs, log_names
from engine_layer_visualize.commands.files import Drawn, Files
from engine_layer_visualize.commands.log_names import Named
from engine_layer_visualize.commands.pages import Pages
from engine_layer_visualize.commands.standing import Refused
from engine_layer_visualize.core.model import Listing
from engine_layer_visualize.core.options import COLORS, DEFAULT, DIRECTIONS, LABELS, THEMES, Options
from engine_layer_visualize.core.problems import Place, Problem, ReadError, Stopped
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.fields.sentences import outline
from engine_layer_visualize.io.atomic_file import cannot_write
from engine_layer_visualize.views.query import Query, parse
from engine_layer_visualize.views.subgraph import RADIUS, View, part

NO_TIMES: Final = "ELV411"


class Untimed:
    """What of one log has no times, for a format that needs them."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._missed: defaultdict[str, list[ReadError]] = defaultdict(list)
        self._written: set[str] = set()

    @contextmanager
    def of(self, format: str) -> Iterator[None]:
        """While a file of an engine is written; keeps the error where the engine has no times."""
        try:
            yield
        except ReadError as error:
            if error.problem.code != NO_TIMES:
                raise
            self._missed[format].append(error)
        else:
            self._written.add(format)

    def knows(self, format: str) -> bool:
        """Whether it was written, or could not be, for an engine before."""
        return format in self._written or format in self._missed

    def tell(self) -> None:
        """Reports what was kept."""
        for format, errors in self._missed.items():
            if format in self._written:
                for error in errors:
                    self._report.remark(f"{format}: {error.problem.message}")
            else:
                problem = errors[0].problem
                words = f"{format}: {problem.message}"
                self._report.failed(ReadError(replace(problem, message=words), errors[0].hint))


if TYPE_CHECKING:
    from engine_layer_visualize.core.build_timeline import BuildTimeline
    from engine_layer_visualize.pipeline import Log

ABOUT: Final = (
    "Draws every engine of a log: writes EngineLayers_N.FORMAT for each engine and format, and "
    "prints a line about each file."
)
EXAMPLES: Final = (
    "build.log prof.json --format svg",
    "--log_file build.log --format html,json --output_dir out",
)
EXIT_CODES: Final = {
    0: "everything was read",
    1: "the engine was drawn but something could not be read",
    2: "wrong usage",
    3: "nothing to draw",
    4: "an output could not be written",
}
_LOOKS: Final = (
    ("theme", THEMES, "of svg, png, pdf and html"),
    ("color_by", COLORS, "what the fill of a layer shows, in svg, png, pdf and html"),
    (
        "labels",
        LABELS,
        "what a layer shows of its name; large: headline and share alone",
    ),
    ("direction", DIRECTIONS, "dot only: top to bottom or left to right"),
)


_OF_TABLES: Final = dict.fromkeys(writers.names(writers.TABLES), "table")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags."""
    inputs.add(parser.add_argument_group("what is read"))
    files = parser.add_argument_group("files")
    files.add_argument(
        "-f",
        "--format",
        metavar="LIST",
        type=flag_values.ListOf("format", writers.FORMATS, _OF_TABLES),
        default=("dot",),
        help=f"comma-separated, of {', '.join(writers.FORMATS)} (default: dot)",
    )
    inputs.add_output_dir(files)
    files.add_argument(
        "--name",
        metavar="STEM",
        type=log_names.stem,
        help=f"the start of the outputs' names (default: {log_names.STEM}; of several logs, the "
        "name of each log, which stands after STEM where that is given)",
    )
    files.add_argument(
        "--facts",
        action="store_true",
        help="also read autotuning, memory and fusion messages of the log when the format is dot "
        "(the other formats and --query always do)",
    )
    whole = [name for name in writers.FORMATS if writers.named(name).holds != "part"]
    shown = parser.add_argument_group("part of an engine", f"in all formats but {', '.join(whole)}")
    shown.add_argument(
        "--query",
        metavar="QUERY",
        help="only layers that have all these words in a name, type, kernel or tensor; also fields "
        'and numbers (type:conv, prec:fp32, time>1%%, code:F02), -word, one | other, "exact", '
        "/regex/; docs/command-line.md lists all",
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
    look.add_argument(
        "--unfold",
        action="store_true",
        help="svg, png and pdf of a large engine show every block of a repeat, not one for all",
    )
    inputs.add_limits(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    """Draws every engine of every log. A log of which nothing can be shown is reported."""
    query = parse(options.query or "")
    facts = bool(options.facts or query.any_of) or writers.want_facts(options.format)
    folder = Path(options.output_dir)
    types: dict[str, None] = {}
    check(options)
    for remark in filter(None, map(writers.substitute, options.format)):
        report.remark(remark)

    def files(named: Named) -> Files:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(folder, error) from error
        return Files(folder, named, options.force, inputs.files_read(options))

    def without_engine(named: Named, timeline: BuildTimeline, why: Problem) -> None:
        _draw_build(timeline, why, files(named), options, report)

    stamps = any(writers.named(format).timeline for format in options.format)
    timeline = without_engine if stamps else None
    for named, log in inputs.logs(options, report, facts, options.name, timeline):
        own = files(named)
        try:
            _draw_log(log, own, query, options, report, types)
        except Stopped:
            raise
        except ReadError as error:
            report.failed(error)
    for word, said in unknown_types(options.hide, types) if types else ():
        place = Place(", ".join(options.log_file))
        report.problem(Problem(place, "ELV409", f"--hide {word:.80} {said}"))


def check(options: argparse.Namespace) -> None:
    """Before anything is read. Raises ReadError where an output may not be replaced."""
    for named in log_names.named(options.log_file, options.name, options.full_paths):
        files = Files(Path(options.output_dir), named, options.force, inputs.files_read(options))
        files.check_names(options.engine or (), options.format)


def _draw_log(
    log: Log,
    files: Files,
    query: Query,
    options: argparse.Namespace,
    report: Report,
    types: dict[str, None],
) -> None:
    """Draws every engine of a log, and adds its types of layers. Raises ReadError where none has
    anything to show."""
    with Drawn(files, report) as drawn:
        try:
            _draw_engines(log, drawn, query, options, types)
        except Refused:
            raise
        except ReadError:
            drawn.finish()  # of the engines before
            raise
        drawn.finish()


def _draw_engines(
    log: Log,
    drawn: Drawn,
    query: Query,
    options: argparse.Namespace,
    types: dict[str, None],
) -> None:
    look, report = _look(options), drawn.report
    is_drawn = False
    missed: list[ReadError] = []  # of engines with nothing to show
    untimed = Untimed(report)
    pages = Pages(drawn, options.format, look)
    for engine in inputs.engines(log, report):
        types.update(dict.fromkeys(layer.type for layer in engine.layers))
        try:
            Costs(engine, look.optimization_profile)  # raises where there is no such profile
            pages.add(engine, outline(engine))
            view = part(
                engine,
                query=query if query.any_of else None,
                around=options.around,
                radius=options.radius,
                hide=options.hide,
                statistic=look.time,
            )
        except Refused:
            raise
        except ReadError as error:
            missed.append(error)
            continue
        is_drawn = True
        _draw(view, drawn, options.format, look, untimed)
    pages.finish()
    untimed.tell()
    last = missed.pop() if missed and not is_drawn else None
    for one in missed:
        report.problem(one.problem)
    if last is not None:
        raise last


def _draw(
    view: View, drawn: Drawn, formats: Sequence[str], look: Options, untimed: Untimed
) -> None:
    """Writes the files of one engine, and reports the drawing's warnings."""
    remarks: dict[Problem, None] = {}
    for format in formats:
        holds = writers.named(format).holds
        if holds != "log" and not (holds == "build" and untimed.knows(format)):
            engine = view.engine
            drawn.files.check(engine.index, format, engine.source)
            with untimed.of(format):
                for suffix in writers.named(format).suffixes(format):
                    _write(view, drawn, format, suffix, look)
        remarks |= dict.fromkeys(writers.remarks(view, format, look))
    for problem in remarks:
        drawn.report.problem(problem)


def _write(shown: View, drawn: Drawn, format: str, suffix: str, look: Options) -> None:
    engine, report = shown.engine, drawn.report
    path = drawn.files.path(engine.index, format, suffix)
    view = f"; {shown.words}" if shown.partial and writers.named(format).holds == "part" else ""
    try:
        try:
            pieces = writers.pieces(shown, format, look, suffix)
        except OSError as error:  # of a renderer, which writes files of its own
            raise cannot_write(path, error) from error
        drawn.write(path, pieces)
        drawn.say(path, f"{outline(engine)}{view}")
    except ReadError as error:  # no renderer, it failed, or the disk is full
        if error.problem.code == NO_TIMES:
            raise
        report.problem(error.problem, error.hint)


def _draw_build(
    timeline: BuildTimeline,
    why: Problem,
    files: Files,
    options: argparse.Namespace,
    report: Report,
) -> None:
    """Writes how the build went of a log that holds no engine."""
    for format in options.format:
        if writers.named(format).timeline:
            path = files.path(0, format)
            files.check(0, format, Listing(why.place.file, 1, 1))
            with Drawn(files, report) as drawn:
                try:
                    drawn.write(path, writers.without_engine(timeline, why, format, _look(options)))
                    drawn.say(path, f"no engine, {milliseconds(timeline.us / 1000)} of a build")
                except ReadError as error:
                    report.problem(error.problem)
                drawn.finish()


def _look(options: argparse.Namespace) -> Options:
    return Options(*(getattr(options, name) for name in Options._fields))


def _radius(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"not a number of edges: {text!r}")
    return int(text)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
