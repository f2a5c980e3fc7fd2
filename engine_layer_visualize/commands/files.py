"""Names and writes the files that the engines of one log are drawn into.

They get their names together, when it is known that each of them may have its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Report, standing
from engine_layer_visualize.commands.log_names import Named
from engine_layer_visualize.core.model import Engine, Listing
from engine_layer_visualize.core.options import Options
from engine_layer_visualize.core.text import base_name, visible
from engine_layer_visualize.io.atomic_file import Spool, Together, cannot_write

_HINT: Final = "--name or --output_dir keeps the outputs of two logs apart, --force replaces it"


@dataclass(frozen=True, slots=True)
class Files:
    """The outputs of a log."""

    folder: Path
    log: Named
    force: bool  # whether they replace files of others
    read: Sequence[str] = ()  # files that they never replace

    def path(self, index: int, format: str) -> Path:
        """Returns a path such as `EngineLayers_0.svg`."""
        suffix = draw.named(format).suffix or format
        return self.folder / f"{self.log.stem}_{index}.{suffix}"

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
    """Writes the files of a log, which get their names at the end."""

    def __init__(self, files: Files, report: Report) -> None:
        super().__init__(report.problem)
        self.files, self.report = files, report
        self._said: dict[Path, str] = {}

    def say(self, path: Path, words: str, once: str = "") -> None:
        """Keeps the words about a file until it has its name.

        Args:
            path: The file.
            words: What is in it.
            once: What is said with the first file alone.
        """
        self._said[path] = words if self._said else words + once

    def finish(self) -> list[Path]:
        """Gives the files their names, and reports a line about each."""
        named = super().finish()
        for path in named:
            self.report.line(f"{path}  {self._said[path]}")
        return named


def is_newer(log: Path, path: Path) -> bool:
    """Returns whether the log was written after the file: it may have been another one then."""
    try:
        return log.is_file() and log.stat().st_mtime_ns > path.stat().st_mtime_ns
    except OSError:
        return True


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
