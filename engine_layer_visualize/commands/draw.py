"""Draws the engines of logs: writes a file for each engine and format, and a line about it.

A file that cannot be written is reported, and the others are written. Where one may not be
replaced, none of the log's is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import KINDS, unknown_types
from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Report, flags, inputs, standing
from engine_layer_visualize.commands.files import Drawn, Files
from engine_layer_visualize.commands.flags import Group
from engine_layer_visualize.commands.inputs import Named
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
from engine_layer_visualize.facts.subgraph import RADIUS, part
from engine_layer_visualize.io.atomic_file import make_folder

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
        f"the start of the outputs' names (default: {inputs.STEM}; of several logs, the name of "
        "each log, which stands after STEM where that is given)",
        "STEM",
        type=inputs.stem,
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
            with Drawn(options.files(named), options.format, options.look, report) as drawn:
                try:
                    _draw_log(log, drawn, query, options, report, types)
                except Refused:
                    raise
                except ReadError:
                    drawn.finish()  # of the engines before
                    raise
                drawn.finish()
        except Stopped:
            raise
        except ReadError as error:
            report.failed(error)
    for word, why in unknown_types(options.hide, types) if types else ():
        place = Place(", ".join(options.log_file))
        report.problem(Problem(place, "ELV409", f"--hide {word:.80} {why}"))


def check(options: Options) -> None:
    """Raises ReadError where an output may not be replaced. Nothing is read before."""
    for named in inputs.names_of(options.log_file, options.name, options.full_paths):
        options.files(named).check_names(options.engine or (), options.format)


def _draw_log(
    log: Log, drawn: Drawn, query: Query, options: Options, report: Report, types: dict[str, None]
) -> None:
    """Draws every engine of a log, and adds its types of layers to `types`.

    Raises:
        ReadError: Where no engine has anything to show.
    """
    is_drawn = False
    missed: list[ReadError] = []  # of engines with nothing to show
    for engine in inputs.engines(log, report):
        types.update(dict.fromkeys(layer.type for layer in engine.layers))
        try:
            Costs(engine, options.optimization_profile)  # raises where there is no such profile
            drawn.take(engine)
            view = part(
                engine,
                query=query if query.any_of else None,
                around=options.around,
                radius=options.radius,
                hide=options.hide,
                statistic=options.time,
            )
        except Refused:
            raise
        except ReadError as error:
            missed.append(error)
            continue
        is_drawn = True
        drawn.draw(view)
    drawn.end()
    last = missed.pop() if missed and not is_drawn else None
    for failure in missed:
        report.problem(failure.problem)
    if last is not None:
        raise last
