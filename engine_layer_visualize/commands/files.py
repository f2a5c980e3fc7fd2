"""Draws the engines of one log: a file of each format for each engine, or for all of them.

The files get their names together, when it is known that each of them may have its name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Report, standing
from engine_layer_visualize.commands.inputs import Named
from engine_layer_visualize.core.model import Engine, Listing
from engine_layer_visualize.core.options import Options
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.core.text import base_name, visible
from engine_layer_visualize.facts.sentences import outline
from engine_layer_visualize.facts.subgraph import View
from engine_layer_visualize.io.atomic_file import Spool, Together, cannot_write

_HINT: Final = "--name or --output_dir keeps the outputs of two logs apart, --force replaces it"
_NO_TIMES: Final = "ELV411"
_TO_SEE: Final = "; to see it: --format svg, or html"  # few programs open DOT


@dataclass(frozen=True, slots=True)
class Files:
    """The outputs of a log."""

    folder: Path
    log: Named
    force: bool  # whether they replace files of others
    read: Sequence[str] = ()  # files that they never replace

    def path(self, index: int, format: str) -> Path:
        """Returns a path such as `EngineLayers_0.svg`."""
        return self.folder / draw.file_name(f"{self.log.stem}_{index}", format)

    def check_names(self, engines: Iterable[int], formats: Iterable[str]) -> None:
        """Raises ReadError where a file is not of a log of this name, before the log is read."""
        numbers = sorted(set(engines)) or [0]
        for format in formats:
            of_all = draw.named(format).holds == "log"
            for index in numbers[:1] if of_all else numbers:
                self.check(index, format)

    def check(self, index: int, format: str, listing: Listing | None = None) -> None:
        """Raises ReadError where a file of this engine may not be replaced.

        `listing`: of the engine that is written.
        """
        standing.check(
            [self.path(index, format)],
            self.force,
            lambda path: self._whose(path, listing),
            _HINT,
            folders=False,
            read=self.read,
        )

    def _whose(self, path: Path, listing: Listing | None) -> str:
        """Says what is in the file; empty where that may go without a word."""
        from engine_layer_visualize.documents import marks

        before = marks.of(path)
        if before is None:
            return standing.NO_OUTPUT
        name, told = visible(base_name(self.log.name)), visible(before.log)
        if told != name and not told.endswith((f"/{name}", f"\\{name}")):  # with its folders
            return f"this was drawn from another log, {told}"
        if (
            listing is None
            or listing.first_line == before.line
            or is_newer(Path(self.log.path), path)
        ):
            return ""
        return f"this was drawn from another log that is called {told}, too"


class Drawn(Together):
    """Draws the engines of a log, which are given one by one: none is kept in memory.

    A file that cannot be written is reported, and the others are written.
    """

    def __init__(self, files: Files, formats: Sequence[str], look: Options, report: Report) -> None:
        super().__init__(report.problem)
        self._files, self._look, self._report = files, look, report
        self._once = _TO_SEE if tuple(formats) == ("dot",) else ""  # said with the first file
        self._formats = [name for name in formats if draw.named(name).holds != "log"]
        self._of_log: dict[str, draw.LogDrawing] = {
            name: draw.named(name).load() for name in formats if name not in self._formats
        }
        self._open: dict[str, Spool] = {}  # the files of these
        self._outlines: dict[int, str] = {}  # of the engines in them, by number
        self._said: dict[Path, str] = {}
        self._untimed: defaultdict[str, list[ReadError]] = defaultdict(list)
        self._timed: set[str] = set()  # formats in which an engine was drawn

    def take(self, engine: Engine) -> None:
        """Writes an engine to the files that hold all of them.

        Raises:
            ReadError: Where a file may not be replaced.
        """
        for format, drawing in list(self._of_log.items()):
            if not self._outlines:
                self._files.check(engine.index, format, engine.source)
            try:
                if format not in self._open:
                    self._open[format] = self.spool(self._files.path(engine.index, format))
                    self._open[format].write((drawing.start(self._look),))
                self._open[format].write(drawing.piece(engine, self._look))
                self._open[format].file.flush()  # what has no room gives it to others at once
            except OSError as error:
                self._fail(format, engine.index, error)
        self._outlines[engine.index] = outline(engine)

    def draw(self, view: View) -> None:
        """Writes the files of an engine.

        Raises:
            ReadError: Where one may not be replaced.
        """
        for format in self._formats:
            self._files.check(view.engine.index, format, view.engine.source)
            try:
                self._write(view, format)
                self._timed.add(format)
            except ReadError as error:
                if error.problem.code != _NO_TIMES:
                    raise
                self._untimed[format].append(error)

    def _write(self, view: View, format: str) -> None:
        path = self._files.path(view.engine.index, format)
        part = f"; {view.words}" if view.partial and draw.named(format).holds == "part" else ""
        try:
            try:
                pieces = draw.pieces(view, format, self._look)
            except OSError as error:  # of a renderer, which writes files of its own
                raise cannot_write(path, error) from error
            self.write(path, pieces)
            once = "" if self._said else self._once
            self._said[path] = f"{outline(view.engine)}{part}{once}"
        except ReadError as error:  # no renderer, it failed, or the disk is full
            if error.problem.code == _NO_TIMES:
                raise
            self._report.problem(error.problem, error.hint)

    def end(self) -> None:
        """Ends the files that hold all engines, and tells what could not be drawn without times."""
        first = next(iter(self._outlines), 0)
        for format, spool in list(self._open.items()):
            path = self._files.path(first, format)
            try:
                spool.write((self._of_log[format].end(),))
                self.add(spool, path)
                self._said[path] = self._outlines[first]
                if len(self._outlines) > 1:
                    several = (f"engine {number}: {it}" for number, it in self._outlines.items())
                    self._said[path] = "; ".join(several)
            except OSError as error:
                self._fail(format, first, error)
        for format, errors in self._untimed.items():
            if format in self._timed:
                for left in errors:
                    self._report.remark(f"{format}: {left.problem.message}")
            else:
                problem = errors[0].problem
                problem = replace(problem, message=f"{format}: {problem.message}")
                self._report.failed(ReadError(problem, errors[0].hint))

    def _fail(self, format: str, index: int, error: OSError) -> None:
        path = self._files.path(next(iter(self._outlines), index), format)
        self._report.problem(cannot_write(path, error).problem)
        del self._of_log[format]
        if spool := self._open.pop(format, None):
            spool.close()

    def finish(self) -> list[Path]:
        """Gives the files their names, and reports a line about each."""
        named = super().finish()
        for path in named:
            self._report.line(f"{path}  {self._said[path]}")
        return named


def is_newer(log: Path, path: Path) -> bool:
    """Returns whether the log was written after the file: it may have been another one then."""
    try:
        return log.is_file() and log.stat().st_mtime_ns > path.stat().st_mtime_ns
    except OSError:
        return True
