"""Draws every engine of a log: a file for each engine and format, and a line about it.

Where a file may not be replaced, none of the log's is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import KINDS, unknown_types
from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Report, flags, inputs
from engine_layer_visualize.commands.files import Drawn, Files
from engine_layer_visualize.commands.flags import WRITTEN, Group
from engine_layer_visualize.commands.inputs import Named
from engine_layer_visualize.commands.standing import Refused
from engine_layer_visualize.core.options import (
    COLORS,
    DEFAULT,
    THEMES,
    ColorBy,
    ThemeName,
)
from engine_layer_visualize.core.options import Options as Look
from engine_layer_visualize.core.problems import Place, Problem, ReadError, Stopped
from engine_layer_visualize.facts.query import Query, parse
from engine_layer_visualize.facts.subgraph import RADIUS, part
from engine_layer_visualize.io.atomic_file import make_folder

if TYPE_CHECKING:
    from engine_layer_visualize.api.read import Log

_WHOLE: Final = [name for name in draw.FORMATS if draw.named(name).holds != "part"]
_PART: Final = Group("part of an engine", f"in all formats but {', '.join(_WHOLE)}")
_LOOK: Final = Group("appearance")


@dataclass(frozen=True, kw_only=True)
class Options(inputs.LogOptions):
    """What is drawn of which logs, how, and into which files."""

    format: tuple[str, ...] = flags.format(
        draw.FORMATS, ("dot",), others=dict.fromkeys(draw.TABLES, "table")
    )
    output_dir: str = flags.OUTPUT_DIR
    name: str | None = WRITTEN.flag(
        f"the start of the outputs' names (default: {inputs.STEM})", "STEM", type=inputs.stem
    )
    query: str | None = _PART.flag(
        "only layers that match, such as type:conv or time>1%% (docs/reference.md)", "QUERY"
    )
    around: str | None = _PART.flag("only this layer and those near it: index or name", "LAYER")
    radius: int = _PART.flag(
        f"at most N edges away from it (default: {RADIUS})", "N", type=flags.number, default=RADIUS
    )
    hide: tuple[str, ...] = _PART.several(
        f"layers of these types, with commas, such as Reformat; also {', '.join(KINDS)}",
        "LIST",
        type=flags.split,
        action="extend",
    )
    theme: ThemeName = _LOOK.choice("of svg, png and html", THEMES, DEFAULT.theme)
    color_by: ColorBy = _LOOK.choice("what the fill of a layer shows", COLORS, DEFAULT.color_by)
    unfold: bool = _LOOK.switch("svg and png show every block of a repeat")

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
    for named in inputs.named_logs(options.log_file, options.name, options.full_paths):
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
