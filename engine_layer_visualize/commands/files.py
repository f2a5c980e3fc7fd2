"""The files that one log's engines are drawn into: an engine's number and a format in, a path out.

A file of another log is not replaced without a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine_layer_visualize import outputs
from engine_layer_visualize.commands import Report
from engine_layer_visualize.commands.log_names import Named
from engine_layer_visualize.core.model import Layer, Listing
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import base_name, visible


@dataclass(frozen=True, slots=True)
class Files:
    """The outputs of a log."""

    folder: Path
    log: Named
    report: Report

    def path(self, index: int, format: str, suffix: str = "") -> Path:
        """`EngineLayers_0.svg`, of the engine of this number. `suffix`: of one of several files."""
        suffix = suffix or outputs.named(format).suffixes(format)[0]
        return self.folder / f"{self.log.stem}_{index}.{suffix}"

    @contextmanager
    def replaced(
        self, path: Path, format: str, listing: Listing, layers: Sequence[Layer] = ()
    ) -> Iterator[None]:
        """While the file is written; warns where it replaced one that is not of this log.

        `listing`, `layers`: of the engine that is written; `layers` where the file tells of one.
        """
        was = self._was(path, format, listing, layers)
        yield
        if was:
            self.report.problem(
                Problem(Place(str(path)), "ELV505", f"{was}; it is overwritten"),
                "--name or --output_dir keeps the outputs of two logs apart",
            )

    def _was(self, path: Path, format: str, listing: Listing, layers: Sequence[Layer]) -> str:
        """What was in the file before; empty where that may go without a word."""
        try:
            if not path.is_file() or not path.stat().st_size:
                return ""
        except OSError:
            return ""
        from engine_layer_visualize.outputs import origin

        before = origin.of(path, format)
        if before is None:
            return "this was there before, and is no output of this program"
        if base_name(visible(before.log)) != base_name(visible(self.log.name)):
            return f"this was drawn from another log, {visible(before.log)}"
        line = listing.first_line
        if before.layer is not None:
            line = layers[before.layer].place.line if before.layer < len(layers) else 0
        if line == before.line or is_newer(Path(self.log.path), path):
            return ""
        return f"this was drawn from another log that is called {visible(before.log)}, too"


def is_newer(log: Path, path: Path) -> bool:
    """Whether the log was written after the file: it may have been another one then."""
    try:
        return log.is_file() and log.stat().st_mtime_ns > path.stat().st_mtime_ns
    except OSError:
        return True
