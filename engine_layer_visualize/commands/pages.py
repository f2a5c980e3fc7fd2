"""Files that hold all engines of a log: engines in, one by one; a file for each format out.

Each engine is written as it comes, so none is kept in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack

from engine_layer_visualize import outputs
from engine_layer_visualize.commands import Report
from engine_layer_visualize.commands.files import Files
from engine_layer_visualize.core.model import Engine, Listing
from engine_layer_visualize.io.atomic_file import Spool, cannot_write
from engine_layer_visualize.outputs.options import Options


class Pages(ExitStack):
    """A context manager. `finish` writes the files; without it none are left behind."""

    def __init__(
        self, files: Files, formats: Iterable[str], looks: Options, report: Report
    ) -> None:
        super().__init__()
        self._files, self._looks, self._report = files, looks, report
        self._open: dict[str, Spool] = {}
        self._modules: dict[str, outputs.LogDrawing] = {
            format: entry.load()
            for format in formats
            if (entry := outputs.named(format)).holds == "log"
        }
        self._summaries: list[tuple[int, str]] = []
        self._listings: list[Listing] = []

    def add(self, engine: Engine, summary: str) -> None:
        """Writes one engine to every file. `summary`: for the line about the file."""
        for format, module in list(self._modules.items()):
            try:
                if format not in self._open:
                    self._open[format] = Spool(self._files.folder)
                    self.callback(self._open[format].close)
                    self._open[format].write((module.start(self._looks),))
                self._open[format].write(module.piece(engine, self._looks))
            except OSError as error:
                self._fail(format, engine.index, error)
        self._summaries.append((engine.index, summary))
        self._listings.append(engine.source)

    def finish(self) -> None:
        """Ends the files, gives them their names, and reports a line about each."""
        for format, module in list(self._modules.items()):
            if format not in self._open:
                continue
            path = self._files.path(self._summaries[0][0], format)
            try:
                self._open[format].write((module.end(),))
                with self._files.replaced(path, format, self._listings[0]):
                    self._open[format].finish(path)
            except OSError as error:
                self._fail(format, self._summaries[0][0], error)
            else:
                self._report.line(f"{path}  {_named(self._summaries)}")

    def _fail(self, format: str, index: int, error: OSError) -> None:
        first = self._summaries[0][0] if self._summaries else index
        self._report.problem(cannot_write(self._files.path(first, format), error).problem)
        del self._modules[format]


def _named(summaries: Sequence[tuple[int, str]]) -> str:
    """One engine's summary as for any file; of several, each with its number."""
    if len(summaries) == 1:
        return summaries[0][1]
    return "; ".join(f"engine {index}: {summary}" for index, summary in summaries)
