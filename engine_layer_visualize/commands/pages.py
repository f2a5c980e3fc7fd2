"""Writes files that hold all engines of a log, one for each format.

Each engine is written as it comes, so none is kept in memory. The files get their names with the
others of the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine_layer_visualize.api import draw
from engine_layer_visualize.commands.files import Drawn
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import Options
from engine_layer_visualize.io.atomic_file import Spool, cannot_write


class Pages:
    """Takes each engine with `add`, and ends the files with `finish`."""

    def __init__(self, drawn: Drawn, formats: Iterable[str], looks: Options) -> None:
        self._drawn, self._looks = drawn, looks
        self._open: dict[str, Spool] = {}
        self._modules: dict[str, draw.LogDrawing] = {
            format: entry.load()
            for format in formats
            if (entry := draw.named(format)).holds == "log"
        }
        self._summaries: list[tuple[int, str]] = []

    def add(self, engine: Engine, summary: str) -> None:
        """Writes one engine to every file. `summary`: for the line about the file.

        Raises:
            ReadError: Where a file may not be replaced.
        """
        for format, module in list(self._modules.items()):
            if not self._summaries:
                self._drawn.files.check(engine.index, format, engine.source)
            try:
                if format not in self._open:
                    self._open[format] = self._drawn.spool(
                        self._drawn.files.path(engine.index, format)
                    )
                    self._open[format].write((module.start(self._looks),))
                self._open[format].write(module.piece(engine, self._looks))
            except OSError as error:
                self._fail(format, engine.index, error)
        self._summaries.append((engine.index, summary))

    def finish(self) -> None:
        """Ends the files."""
        for format, module in list(self._modules.items()):
            if format not in self._open:
                continue
            path = self._drawn.files.path(self._summaries[0][0], format)
            try:
                self._open[format].write((module.end(),))
                self._drawn.add(self._open[format], path)
                self._drawn.say(path, _named(self._summaries))
            except OSError as error:
                self._fail(format, self._summaries[0][0], error)

    def _fail(self, format: str, index: int, error: OSError) -> None:
        first = self._summaries[0][0] if self._summaries else index
        self._drawn.report.problem(
            cannot_write(self._drawn.files.path(first, format), error).problem
        )
        del self._modules[format]
        if format in self._open:
            self._open.pop(format).close()


def _named(summaries: Sequence[tuple[int, str]]) -> str:
    """Joins the summaries: one engine's is as for any file, of several each has its number."""
    if len(summaries) == 1:
        return summaries[0][1]
    return "; ".join(f"engine {index}: {summary}" for index, summary in summaries)
