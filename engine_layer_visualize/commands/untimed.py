"""Formats that show times alone, of engines without times: the last word on these, at the end.

Where an engine of the log has times, the others are only named; else there was nothing to draw.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from engine_layer_visualize.commands import Report
from engine_layer_visualize.core.problems import ReadError

NO_TIMES: Final = "ELV411"


class Untimed:
    """Of one log."""

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
