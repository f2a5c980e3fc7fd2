"""Draws the engines of logs: writes a file for each engine and format, and a line about it.

A file that cannot be written is reported, and the others are written. Where one may not be
replaced, none of the log's is written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import KINDS, unknown_types
from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Report, flags, inputs, log_names, standing
from engine_layer_visualize.commands.files import Drawn, Files, Pages
from engine_layer_visualize.commands.flags import Group
from engine_layer_visualize.commands.log_names import Named
from engine_layer_visualize.commands.standing import Refused
from engine_layer_visualize.core.options import (
    COLORS,
    DEFAULT,
    LABELS,
    THEMES,
    ColorBy,
    Labels,
    ThemeName,
)
from engine_layer_visualize.core.options import Options as Look
from engine_layer_visualize.core.problems import Place, Problem, ReadError, Stopped
from engine_layer_visualize.facts.query import Query, parse
from engine_layer_visualize.facts.sentences import outline
from engine_layer_visualize.facts.subgraph import RADIUS, View, part
from engine_layer_visualize.io.atomic_file import cannot_write, make_folder

NO_TIMES: Final = "ELV411"
_TO_SEE: Final = "; to see it: --format svg, or html"  # few programs open DOT


if TYPE_CHECKING:
    from engine_layer_visualize.api.read import Log

ABOUT: Final = (
    "Draws every engine of a log: writes EngineLayers_N.FORMAT for each engine and format, and "
    "prints a line about each file."
)
EXAMPLES: Final = (
    "build.log prof.json --format svg",
    "--log_file build.log --format html,json --output_dir out",
)
EXIT_CODES: Final = inputs.exit_codes("the engine was drawn", "nothing to draw", "an output")
_OF_TABLES: Final = dict.fromkeys(tuple(draw.TABLES), "table")
_WHOLE: Final = [name for name in draw.FORMATS if draw.named(name).holds != "part"]
_FILES: Final = Group("files")
_PART: Final = Group("part of an engine", f"in all formats but {', '.join(_WHOLE)}")
_LOOK: Final = Group("appearance")


def _choice(name: str, choices: Sequence[str], help: str) -> Any:
    """Declares a flag of the drawings' options."""
    default = getattr(DEFAULT, name)
    return _LOOK.flag(f"{help} (default: {default})", choices=choices, default=default)


def _radius(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(f"not a number of edges: {text!r}")
    return int(text)


@dataclass(frozen=True, kw_only=True)
class Options(inputs.LogOptions):
    """What is drawn of which logs, how, and into which files."""

    format: tuple[str, ...] = _FILES.flag(
        f"comma-separated, of {', '.join(draw.FORMATS)} (default: dot)",
        "LIST",
        short="-f",
        type=flags.ListOf("format", draw.FORMATS, _OF_TABLES),
        default=("dot",),
    )
    output_dir: str = standing.output_dir(_FILES)
    force: bool = standing.force(_FILES)
    name: str | None = _FILES.flag(
        f"the start of the outputs' names (default: {log_names.STEM}; of several logs, the name of "
        "each log, which stands after STEM where that is given)",
        "STEM",
        type=log_names.stem,
    )
    query: str | None = _PART.flag(
        "only layers that have all these words in a name, type, kernel or tensor; also fields and "
        'numbers (type:conv, prec:fp32, time>1%%, code:F02), -word, one | other, "exact", /regex/; '
        "docs/command-line.md lists all",
        "QUERY",
    )
    around: str | None = _PART.flag(
        "only this layer and the layers near it: an index, a name, or a part of one name", "LAYER"
    )
    radius: int = _PART.flag(
        f"at most N edges away from that layer (default: {RADIUS})",
        "N",
        type=_radius,
        default=RADIUS,
    )
    hide: tuple[str, ...] = _PART.flag(
        "comma-separated types of layers, such as Constant,NoOp,Reformat, or "
        f"{', '.join(KINDS)}; edges are routed through hidden layers",
        "LIST",
        type=flags.split,
        action="extend",
        default=(),
    )
    theme: ThemeName = _choice("theme", THEMES, "of svg, png and html")
    color_by: ColorBy = _choice(
        "color_by", COLORS, "what the fill of a layer shows, in svg, png and html"
    )
    labels: Labels = _choice(
        "labels", LABELS, "what a layer shows of its name; large: headline and share alone"
    )
    unfold: bool = _LOOK.switch(
        "svg and png of a large engine show every block of a repeat and every layer"
    )

    @property
    def look(self) -> Look:
        """How drawings look."""
        return Look(*(getattr(self, name) for name in Look._fields))

    def files(self, named: Named) -> Files:
        """The files of a log."""
        return Files(Path(self.output_dir), named, self.force, self.files_read)


def run(options: Options, report: Report) -> None:
    """Draws every engine of every log. A log of which nothing can be shown is reported."""
    query = parse(options.query or "")
    facts = bool(query.any_of) or draw.want_facts(options.format)
    types: dict[str, None] = {}
    check(options)
    for remark in filter(None, map(draw.substitute, options.format)):
        report.remark(remark)

    for named, log in inputs.logs(options, report, facts, options.name):
        make_folder(Path(options.output_dir))
        try:
            _draw_log(log, options.files(named), query, options, report, types)
        except Stopped:
            raise
        except ReadError as error:
            report.failed(error)
    for word, why in unknown_types(options.hide, types) if types else ():
        place = Place(", ".join(options.log_file))
        report.problem(Problem(place, "ELV409", f"--hide {word:.80} {why}"))


def check(options: Options) -> None:
    """Raises ReadError where an output may not be replaced. Nothing is read before."""
    for named in log_names.named(options.log_file, options.name, options.full_paths):
        options.files(named).check_names(options.engine or (), options.format)


class _Untimed:
    """Keeps what of a log has no times, for a format that needs them."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._missed: defaultdict[str, list[ReadError]] = defaultdict(list)
        self._written: set[str] = set()

    @contextmanager
    def of(self, format: str) -> Iterator[None]:
        """Writes a file of an engine inside; keeps the error where the engine has no times."""
        try:
            yield
        except ReadError as error:
            if error.problem.code != NO_TIMES:
                raise
            self._missed[format].append(error)
        else:
            self._written.add(format)

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


def _draw_log(
    log: Log,
    files: Files,
    query: Query,
    options: Options,
    report: Report,
    types: dict[str, None],
) -> None:
    """Draws every engine of a log, and adds its types of layers to `types`.

    Raises:
        ReadError: Where no engine has anything to show.
    """
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
    options: Options,
    types: dict[str, None],
) -> None:
    look, report = options.look, drawn.report
    is_drawn = False
    missed: list[ReadError] = []  # of engines with nothing to show
    untimed = _Untimed(report)
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
    for failure in missed:
        report.problem(failure.problem)
    if last is not None:
        raise last


def _draw(view: View, drawn: Drawn, formats: Sequence[str], look: Look, untimed: _Untimed) -> None:
    """Writes the files of one engine, and reports the drawing's warnings."""
    remarks: dict[Problem, None] = {}
    once = _TO_SEE if tuple(formats) == ("dot",) else ""
    for format in formats:
        if draw.named(format).holds != "log":
            engine = view.engine
            drawn.files.check(engine.index, format, engine.source)
            with untimed.of(format):
                _write(view, drawn, format, look, once)
        remarks |= dict.fromkeys(draw.remarks(view, format, look))
    for problem in remarks:
        drawn.report.problem(problem)


def _write(shown: View, drawn: Drawn, format: str, look: Look, once: str) -> None:
    engine, report = shown.engine, drawn.report
    path = drawn.files.path(engine.index, format)
    view = f"; {shown.words}" if shown.partial and draw.named(format).holds == "part" else ""
    try:
        try:
            pieces = draw.pieces(shown, format, look)
        except OSError as error:  # of a renderer, which writes files of its own
            raise cannot_write(path, error) from error
        drawn.write(path, pieces)
        drawn.say(path, f"{outline(engine)}{view}", once)
    except ReadError as error:  # no renderer, it failed, or the disk is full
        if error.problem.code == NO_TIMES:
            raise
        report.problem(error.problem, error.hint)
