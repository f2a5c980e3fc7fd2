"""Writes the files of a build in a hidden folder, and names them when all are complete.

They bear the time of their log. So the next build of the same model knows them, and replaces no
others.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from engine_layer_visualize.api.python_builder import Job
from engine_layer_visualize.commands import Report, standing
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.core.text import base_name, visible
from engine_layer_visualize.documents import marks
from engine_layer_visualize.io.atomic_file import cannot_write, settle
from engine_layer_visualize.io.processes import signals_wait

_HIDDEN: Final = ".record."


@dataclass(frozen=True, slots=True)
class Recorded:
    """The files of a build."""

    job: Job
    makes: tuple[Path, ...]  # what the builder may write besides the log
    force: bool  # whether they replace files of others

    def check(self) -> None:
        """Raises ReadError where a file may not be replaced."""
        paths = (self.job.log, self.job.failed_log, *self.makes)
        standing.check(paths, self.force, self._whose)

    @contextmanager
    def staged(self, report: Report) -> Iterator[Job]:
        """Gives the job in a folder that is hidden, and gone at the end.

        A build that is interrupted leaves its log.

        Raises:
            ReadError: Where the folder cannot be written (ELV501).
        """
        folder: Path | None = None
        try:
            with signals_wait():
                self.job.folder.mkdir(parents=True, exist_ok=True)
                folder = Path(tempfile.mkdtemp(prefix=_HIDDEN, dir=self.job.folder))
            yield replace(self.job, folder=folder)
        except OSError as error:
            path = Path(error.filename2 or error.filename or self.job.log)
            if path.name.startswith(_HIDDEN):
                path = self.job.folder
            elif path.parent == folder:
                path = self.job.folder / path.name
            raise cannot_write(path, error) from error
        except ReadError:
            raise
        except BaseException:
            if folder is not None and (folder / self.job.log.name).exists():
                kept = self.keep_log(replace(self.job, folder=folder))
                report.remark(f"the log so far is kept in {kept}")
            raise
        finally:
            if folder is not None:
                with signals_wait():
                    shutil.rmtree(folder, ignore_errors=True)

    def keep_log(self, staged: Job) -> Path:
        """Names the log of a build that came to nothing. Raises OSError.

        It does not take the place of a log of others, or of an engine that is there.
        """
        job = self.job
        is_free = not os.path.lexists(job.log) or not (
            self._whose(job.log) or any(map(self._is_of_log, self.makes))
        )
        path = job.log if is_free else job.failed_log
        os.replace(staged.log, path)
        return path

    def finish(self, staged: Job) -> list[Path]:
        """Gives all files their names.

        Raises:
            ReadError: Where one may not be replaced that came during the build.
            OSError: Where they cannot be named.
        """
        try:
            self.check()
        except ReadError as error:
            kept = self.job.folder / staged.folder.name.removeprefix(".")
            os.replace(staged.folder, kept)
            raise ReadError(error.problem, f"the build is kept in {kept}") from None
        made = [path for path in self.makes if (staged.folder / path.name).is_file()]
        time = staged.log.stat().st_mtime_ns
        for path in (*made, self.job.log):
            settle(staged.folder / path.name, time)
        with signals_wait():
            for path in (*made, self.job.log):
                os.replace(staged.folder / path.name, path)
        return [self.job.log, *made]

    def _whose(self, path: Path) -> str:
        """Says what a file is; empty where it is of an earlier build of this model."""
        if path not in (self.job.log, self.job.failed_log):
            if self._is_of_log(path):
                return ""
            return f"this was there before, and {self.job.log.name} is not the log of its build"
        model = marks.of_recorded(path)
        if model is None:
            return "this was there before, and is no log of `record`"
        return "" if model == _shown(self.job.model) else f"this is of another model, {model}"

    def _is_of_log(self, path: Path) -> bool:
        """Returns whether a file is there that the build made whose log is there, and ours."""
        try:
            of_log = os.lstat(path).st_mtime_ns == os.lstat(self.job.log).st_mtime_ns
        except OSError:
            return False
        return of_log and marks.of_recorded(self.job.log) == _shown(self.job.model)


def _shown(model: Path) -> str:
    return visible(shlex.quote(base_name(str(model))))
