"""Draws every engine of a log: a file for each engine and format, and a line about it.

Where one of a log's files may not be replaced, none of its files is written.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Report, flags, inputs, outputs
from engine_layer_visualize.commands.inputs import Named
from engine_layer_visualize.core.model import Engine, Listing
from engine_layer_visualize.core.options import COLORS, DEFAULT, THEMES, ColorBy, ThemeName
from engine_layer_visualize.core.options import Options as Look
from engine_layer_visualize.core.problems import ReadError, Stopped
from engine_layer_visualize.core.text import base_name, visible
from engine_layer_visualize.documents import marks
from engine_layer_visualize.facts.query import Query, parse
from engine_layer_visualize.facts.sentences import outline
from engine_layer_visualize.facts.subgraph import RADIUS, View, part
from engine_layer_visualize.io.atomic_file import Spool, Together, cannot_write, make_folder

if TYPE_CHECKING:
    from engine_layer_visualize.api.read import Log

_WHOLE: Final = [name for name, entry in draw.DRAWINGS.items() if entry.holds != "part"]
_PART: Final = flags.Group("part of an engine", f"{', '.join(_WHOLE)} hold all of it.")
_LOOK: Final = flags.Group("appearance")
_HINT: Final = "--name or --output_dir keeps the outputs of two logs apart, --force replaces it"
_NO_TIMES: Final = "ELV411"
_TO_SEE: Final = "to see it: --format svg, or html"  # few programs open DOT


class Options(inputs.LogOptions):
    """What is drawn of which logs, how, and into which files."""

    format: tuple[str, ...] = flags.format(draw.DRAWINGS, ("dot",))
    output_dir: str = flags.OUTPUT_DIR
    name: str | None = flags.WRITTEN.flag(
        f"the start of the outputs' names (default: {inputs.STEM})", "STEM", type=inputs.stem
    )
    query: str | None = _PART.flag(
        "only layers that match, such as type:conv or time>1%% (docs/reference.md)", "QUERY"
    )
    around: str | None = _PART.flag("only this layer and those near it: index or name", "LAYER")
    radius: int = _PART.flag(
        f"at most N edges away from it (default: {RADIUS})", "N", type=flags.number, default=RADIUS
    )
    theme: ThemeName = _LOOK.choice("of svg, png, card and html", THEMES, DEFAULT.theme)
    color_by: ColorBy = _LOOK.choice("what the fill of a layer shows", COLORS, DEFAULT.color_by)
    unfold: bool = _LOOK.switch("svg and png show every layer")


def run(options: Options, report: Report) -> None:
    """Draws every engine of every log. A log of which nothing can be shown is reported."""
    parsed = parse(options.query or "")
    query = parsed if parsed.any_of else None
    facts = query is not None or any(draw.named(format).reads_facts for format in options.format)
    for named in inputs.named_logs(options.log_file, options.name, options.full_paths):
        _check_names(named, options)

    for named, log in inputs.logs(options, report, facts, options.name):
        make_folder(Path(options.output_dir))
        with Drawn(named, options, report) as drawn:
            try:
                _draw_log(log, drawn, query, options, report)
            except outputs.Refused as refused:
                report.failed(refused)
            except ReadError as failure:
                drawn.finish()  # the engines before it
                if isinstance(failure, Stopped):
                    raise
                report.failed(failure)
            else:
                drawn.finish()


def _draw_log(
    log: Log, drawn: Drawn, query: Query | None, options: Options, report: Report
) -> None:
    """Draws every engine of a log. Raises ReadError where none has anything to show."""
    is_drawn = False
    missed: list[ReadError] = []  # of engines with nothing to show
    for engine in inputs.engines(log, report):
        try:
            if options.optimization_profile is not None:
                Costs(engine, options.optimization_profile)  # raises where there is no such one
            drawn.take(engine)
            view = part(engine, query=query, around=options.around, radius=options.radius)
        except outputs.Refused:
            raise
        except ReadError as error:
            missed.append(error)
        else:
            is_drawn = True
            drawn.draw(view)
    drawn.end()
    for failure in missed if is_drawn else missed[:-1]:
        report.problem(failure.problem)
    if missed and not is_drawn:
        raise missed[-1]


# ---- the files of a log: they get their names together, when each may have its name --------------


def _path(named: Named, options: Options, index: int, format: str) -> Path:
    """Returns a path such as `EngineLayers_0.svg`."""
    return Path(options.output_dir, draw.file_name(f"{named.stem}_{index}", format))


def _check_names(named: Named, options: Options) -> None:
    """Raises ReadError where a file is not of a log of this name, before the log is read."""
    numbers = sorted(set(options.engine or ())) or [0]
    for format in options.format:
        of_all = draw.named(format).holds == "log"
        for index in numbers[:1] if of_all else numbers:
            _check(_path(named, options, index, format), named, options)


def _check(path: Path, named: Named, options: Options, listing: Listing | None = None) -> None:
    """Raises ReadError where a file may not be replaced. `listing`: of the engine it is for."""
    whose = partial(_whose, named, listing)
    outputs.check([path], options.force, whose, _HINT, folders=False, read=options.files_read)


def _whose(named: Named, listing: Listing | None, path: Path) -> str:
    """Says what is in the file; empty where that may go without a word."""
    before = marks.of(path)
    if before is None:
        return outputs.NO_OUTPUT
    name, told = visible(base_name(named.name)), visible(before.log)
    if told != name and not told.endswith((f"/{name}", f"\\{name}")):  # with its folders
        return f"this was drawn from another log, {told}"
    may_be_same = listing is None or listing.first_line == before.line
    if may_be_same or outputs.is_newer(Path(named.path), path):
        return ""
    return f"this was drawn from another log that is called {told}, too"


class Drawn(Together):
    """Draws the engines of a log, which are given one by one: none is kept in memory.

    A file that cannot be written is reported, and the others are written.
    """

    def __init__(self, named: Named, options: Options, report: Report) -> None:
        super().__init__(report.problem)
        self._named, self._options, self._report = named, options, report
        self._look = Look(*(getattr(options, name) for name in Look._fields))
        self._formats = [name for name in options.format if draw.named(name).holds != "log"]
        self._of_log = {
            name: draw.named(name).load() for name in options.format if name not in self._formats
        }
        self._open: dict[str, Spool] = {}  # the files of these
        self._outlines: dict[int, str] = {}  # of the engines taken, by number
        self._said: dict[Path, str] = {}
        self._untimed: defaultdict[str, list[ReadError]] = defaultdict(list)
        self._timed: set[str] = set()  # formats in which an engine was drawn

    def take(self, engine: Engine) -> None:
        """Writes an engine to the files that hold all of them.

        Raises:
            ReadError: Where a file may not be replaced.
        """
        first = next(iter(self._outlines), engine.index)
        for format, drawing in list(self._of_log.items()):
            path = _path(self._named, self._options, first, format)
            if not self._outlines:
                _check(path, self._named, self._options, engine.source)
            try:
                if format not in self._open:
                    self._open[format] = self.spool(path)
                    self._open[format].write((drawing.start(self._look),))
                self._open[format].write(drawing.piece(engine, self._look))
                self._open[format].file.flush()  # what has no room gives it to others at once
            except OSError as error:
                self._fail(format, path, error)
        self._outlines[engine.index] = outline(engine, self._options.optimization_profile)

    def draw(self, view: View) -> None:
        """Writes the files of an engine.

        Raises:
            ReadError: Where one may not be replaced.
        """
        index = view.engine.index
        for format in self._formats:
            path = _path(self._named, self._options, index, format)
            _check(path, self._named, self._options, view.engine.source)
            try:
                self.write(path, draw.pieces(view, format, self._look))
                is_part = view.partial and draw.named(format).holds == "part"
                part = f"; {view.words}" if is_part else ""
                self._said[path] = f"{self._outlines[index]}{part}"
                self._timed.add(format)
            except ReadError as error:  # no renderer, it failed, or the disk is full
                if error.problem.code == _NO_TIMES:
                    self._untimed[format].append(error)
                else:
                    self._report.problem(error.problem, error.hint)
            except OSError as error:  # of a renderer, which writes files of its own
                self._report.problem(cannot_write(path, error).problem)

    def end(self) -> None:
        """Ends the files that hold all engines, and tells what could not be drawn without times."""
        outlines = [*self._outlines.values()]
        if len(outlines) > 1:
            outlines = [f"engine {number}: {it}" for number, it in self._outlines.items()]
        for format, spool in list(self._open.items()):
            try:
                spool.write((self._of_log[format].end(),))
                self.add(spool)
                self._said[spool.path] = "; ".join(outlines)
            except OSError as error:
                self._fail(format, spool.path, error)
        for format, errors in self._untimed.items():
            if format in self._timed:
                for left in errors:
                    self._report.remark(f"{format}: {left.problem.message}")
            else:
                problem = errors[0].problem
                problem = problem._replace(message=f"{format}: {problem.message}")
                self._report.failed(ReadError(problem, errors[0].hint))

    def _fail(self, format: str, path: Path, error: OSError) -> None:
        self._report.problem(cannot_write(path, error).problem)
        del self._of_log[format]
        if spool := self._open.pop(format, None):
            spool.close()

    def finish(self) -> list[Path]:
        """Gives the files their names, and reports a line about each."""
        named = super().finish()
        for path in named:
            self._report.line(f"{path}  {self._said[path]}")
        if named and self._options.format == ("dot",) and self._report.is_watched:
            self._report.remark(_TO_SEE)
        return named
