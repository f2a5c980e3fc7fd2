"""Builds an ONNX model with trtexec, TensorRT or TensorRT-RTX, and keeps the VERBOSE log.

trtexec also measures the layers. The log of a failed build is kept as build.log, or as
build.failed.log where that is of others, or of an engine that is there.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from engine_layer_visualize.api import builders
from engine_layer_visualize.api.builders import Builder, Job
from engine_layer_visualize.commands import Misuse, Report, flags, outputs
from engine_layer_visualize.commands.flags import Group
from engine_layer_visualize.core import __version__
from engine_layer_visualize.core.problems import Place, Problem, ReadError, reason_of
from engine_layer_visualize.core.text import base_name, shorten, visible
from engine_layer_visualize.documents import marks
from engine_layer_visualize.io import atomic_file, processes
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.trt import versions

_PRECISIONS: Final = ("fp16", "bf16", "fp8", "int8")
_ERROR: Final = 400  # characters of the builder's last error
_LINE: Final = 1 << 20  # bytes of a line that are read at once


_MODEL: Final = Group("the model")
_BUILD: Final = Group("the build")


@dataclass(frozen=True, kw_only=True)
class Options(flags.Options):
    """Which model is built, and how."""

    model: str = _MODEL.flag("an ONNX file", "MODEL", word=True)
    shapes: tuple[str, ...] = _MODEL.several(
        "of an input with a dynamic shape; NAME:MIN:OPT:MAX for a range", "NAME:1x3x224x224"
    )
    output_dir: str = flags.OUTPUT_DIR
    force: bool = flags.REPLACE
    builder: str = _BUILD.choice("auto: the first there is", ("auto", *builders.BUILDERS), "auto")
    fp16: bool = _BUILD.switch("allow layers of this type")
    bf16: bool = _BUILD.switch("the same")
    fp8: bool = _BUILD.switch("the same")
    int8: bool = _BUILD.switch("the same")

    @property
    def files_read(self) -> tuple[str, ...]:
        """The model, which must be there."""
        return (self.model,)

    @property
    def precisions(self) -> tuple[str, ...]:
        """Those that layers may have."""
        return tuple(name for name in _PRECISIONS if getattr(self, name))


def run(options: Options, report: Report) -> None:
    """Builds the engine. Raises ReadError where there is no builder, or the build failed."""
    job = _job(options)
    builder = builders.choose(options.builder)
    if builder.missing:
        raise ReadError(Problem(Place(f"--builder {options.builder}"), "ELV601", builder.missing))
    if builder.name == "tensorrt_rtx" and job.precisions:
        flag = f"--{job.precisions[0]}"
        message = f"{flag}: tensorrt_rtx has no such flag: the types are those of the model"
        raise Misuse(message)
    place = Recorded(job, builder.makes(job), options.force)
    place.check()
    with place.staged(report) as staged:
        head = _head(options, builder)
        code, lines, error = _build(builder, staged, head, report)
        if code:
            kept = place.keep_log(staged)
            message = f"the build failed: {error}"
            problem = Problem(Place(str(kept), max(1, lines)), "ELV602", message)
            raise ReadError(problem, f"the whole log is kept in {kept}")
        made = place.finish(staged)
    for path in made:
        report.wrote(str(path))
    report.line(_command(job, made))


def _ended(code: int) -> str:
    if code > 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _command(job: Job, made: Sequence[Path]) -> str:
    """Returns the command line that draws the engine."""
    words = ["python", "-m", "engine_layer_visualize"]
    for flag, path in (("--log_file", job.log), ("--profile_file", job.profile)):
        if path in made:  # a file name such as `-x` would be read as a flag
            words += [flag, f"./{path}" if str(path).startswith("-") else str(path)]
    return shlex.join(words)


def _job(options: Options) -> Job:
    model = Path(options.model)
    job = Job(
        model.absolute(),
        Path(options.output_dir),
        precisions=options.precisions,
        shapes=tuple(_shape(text) for words in options.shapes for text in words.split(",")),
    )
    made = (job.log, job.failed_log, job.layers, job.profile, job.engine)
    if model.resolve() in {path.resolve() for path in made}:
        message = "the build would write over the model"
        raise ReadError(
            Problem(Place(options.model), "ELV604", message), "name another --output_dir"
        )
    return job


def _shape(text: str) -> tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Reads `x:1x3`, or `x:1x3:4x3:8x3`; the name may hold colons itself."""
    for parts in (4, 2):
        name, *shapes = text.rsplit(":", parts - 1)
        try:
            least, *rest = [tuple(int(n) for n in shape.split("x")) for shape in shapes]
        except ValueError:
            continue
        alike = {len(extents) for extents in (least, *rest)} == {len(least)}
        if min(min(extents) for extents in (least, *rest)) < 0:
            break
        if len(shapes) == parts - 1 and name and alike:
            return (name, least, rest[0], rest[1]) if rest else (name, least, least, least)
    problem = Problem(Place(f"--shapes {text}"), "ELV603", "not a shape such as x:1x3x224x224")
    raise ReadError(problem, "for a range of shapes: x:1x3:4x3:8x3, minimum, optimum, maximum")


def _head(options: Options, builder: Builder) -> bytes:
    """Returns the first lines of the log: what made it, and how; readers need the version."""
    words = ["record", base_name(options.model), "--builder", builder.name]
    words += [f"--{name}" for name in options.precisions]
    words += [f"--shapes={text}" for text in options.shapes]
    lines = [f"engine_layer_visualize {__version__}", _called(builder), shlex.join(words)]
    if builder.name == "tensorrt" and (version := builder.version()):
        lines.append(versions.line(version))  # trtexec prints it, the package does not
    return "".join(f"{marks.MARK}{visible(line)}\n" for line in lines).encode()


def _called(builder: Builder) -> str:
    """Returns a line such as `builder: tensorrt_rtx 1.4.0.76`."""
    return f"builder: {builder.name} {builder.version()}".rstrip()


def _build(builder: Builder, job: Job, head: bytes, report: Report) -> tuple[int, int, str]:
    """Runs the builder into the log. Returns its exit code, the log's lines, why it failed."""
    error, number = "", head.count(b"\n")
    with atomic_file.new(job.log) as log, _running(builder, job) as process:
        report.remark(_called(builder))
        log.write(head)
        assert process.stdout is not None
        for line in iter(partial(process.stdout.readline, _LINE), b""):
            number += 1
            log.write(line)
            if b"[E] " in line:
                error = decode(line.rpartition(b"[E] ")[2]).strip().removeprefix("[TRT] ")
        if code := process.wait():  # half of an engine may fill the disk, and the log needs room
            for path in (job.layers, job.profile, job.engine):
                path.unlink(missing_ok=True)
    return code, number, shorten(error or f"{builder.name} {_ended(code)}", _ERROR)


@contextmanager
def _running(builder: Builder, job: Job) -> Iterator[subprocess.Popen[bytes]]:
    """Starts the builder's process. Raises ReadError where it cannot be started."""
    with ExitStack() as stack:
        command = builder.command(job)
        child = processes.running(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        try:
            process = stack.enter_context(child)
        except OSError as error:
            message = f"{command[0]} cannot be started: {reason_of(error)}"
            place = Place(f"--builder {builder.name}")
            raise ReadError(Problem(place, "ELV601", message)) from error
        yield process


# ---- the files of a build ------------------------------------------------------------------------

_HIDDEN: Final = ".record."


@dataclass(frozen=True, slots=True)
class Recorded:
    """The files of a build: written in a hidden folder, and named when all are complete.

    They bear the time of their log, by which the next build of the same model knows them.
    """

    job: Job
    makes: tuple[Path, ...]  # what the builder may write besides the log
    force: bool  # whether they replace files of others

    def check(self) -> None:
        """Raises ReadError where a file may not be replaced."""
        paths = (self.job.log, self.job.failed_log, *self.makes)
        outputs.check(paths, self.force, self._whose)

    @contextmanager
    def staged(self, report: Report) -> Iterator[Job]:
        """Gives the job in a folder that is hidden, and gone at the end.

        A build that is interrupted leaves its log.

        Raises:
            ReadError: Where the folder cannot be written (ELV501).
        """
        folder: Path | None = None
        try:
            with processes.signals_wait():
                self.job.folder.mkdir(parents=True, exist_ok=True)
                folder = Path(tempfile.mkdtemp(prefix=_HIDDEN, dir=self.job.folder))
            yield replace(self.job, folder=folder)
        except OSError as error:
            path = Path(error.filename2 or error.filename or self.job.log)
            if path.name.startswith(_HIDDEN):
                path = self.job.folder
            elif path.parent == folder:
                path = self.job.folder / path.name
            raise atomic_file.cannot_write(path, error) from error
        except ReadError:
            raise
        except BaseException:
            if folder is not None and (folder / self.job.log.name).exists():
                kept = self.keep_log(replace(self.job, folder=folder))
                report.remark(f"the log so far is kept in {kept}")
            raise
        finally:
            if folder is not None:
                with processes.signals_wait():
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
            atomic_file.settle(staged.folder / path.name, time)
        with processes.signals_wait():
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
