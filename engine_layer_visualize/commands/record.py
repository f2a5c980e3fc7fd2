"""Builds an ONNX model with trtexec, TensorRT or TensorRT-RTX, and keeps the VERBOSE log.

trtexec also measures the layers. The log of a failed build is kept as build.failed.log.
"""

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from engine_layer_visualize.api import builders
from engine_layer_visualize.api.builders import ENGINE, LAYERS, LOG, PROFILE, Job
from engine_layer_visualize.commands import Misuse, Report, flags, outputs
from engine_layer_visualize.core import __version__
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import base_name, shorten, visible
from engine_layer_visualize.documents import marks
from engine_layer_visualize.io import atomic_file, processes
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.reading.build_end import BUILDERS_ERROR
from engine_layer_visualize.trt import versions

_PRECISIONS: Final = ("fp16", "bf16", "fp8", "int8")
_ERROR: Final = 400  # characters of the builder's last error
_LINE: Final = 1 << 20  # bytes of a line that are read at once
_EXTENT: Final = r"\s*-?\d{1,18}\s*"
_SHAPE: Final = rf":({_EXTENT}(?:x{_EXTENT})*)"

_MODEL: Final = flags.Group("the model")
_BUILD: Final = flags.Group("the build")


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


def run(options: Options, report: Report) -> None:
    """Builds the engine. Raises ReadError where there is no builder, or the build failed."""
    job = _job(options, builders.choose(options.builder))
    if job.builder == "tensorrt_rtx" and job.precisions:
        flag = f"--{job.precisions[0]}"
        raise Misuse(f"{flag}: tensorrt_rtx has no such flag: the types are those of the model")
    place = Recorded(job, options.force)
    place.check()
    with place.staged(report) as staged:
        code, lines, error = _build(staged, _head(options, job), report)
        if code:
            kept = place.keep_log(staged)
            end = Place(str(kept), max(1, lines))
            problem = Problem(end, "ELV602", f"the build failed: {error}")
            raise ReadError(problem, f"the whole log is kept in {kept}")
        made = place.finish(staged)
    for path in made:
        report.wrote(str(path))
    report.line(_command(job, made))


def _command(job: Job, made: Sequence[Path]) -> str:
    """Returns the command line that draws the engine."""
    words = ["python", "-m", "engine_layer_visualize", "--log_file", str(job.folder / LOG)]
    if job.folder / PROFILE in made:
        words += ["--profile_file", str(job.folder / PROFILE)]
    return shlex.join(words)


def _job(options: Options, builder: str) -> Job:
    model, folder = Path(options.model), Path(options.output_dir)
    builders.check_model(options.model)
    made = (LOG, FAILED, LAYERS, PROFILE, ENGINE)
    if model.resolve() in {(folder / name).resolve() for name in made}:
        problem = Problem(Place(options.model), "ELV604", "the build would write over the model")
        raise ReadError(problem, "name another --output_dir")
    shapes = tuple(_shape(text) for words in options.shapes for text in words.split(","))
    precisions = tuple(name for name in _PRECISIONS if getattr(options, name))
    return Job(model.absolute(), folder, builder, precisions, shapes)


def _shape(text: str) -> tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Reads `x:1x3`, or `x:1x3:4x3:8x3`; the name may hold colons itself."""
    for several in (3, 2, 1):
        match = re.fullmatch("(.+)" + _SHAPE * several, text, re.DOTALL)
        if match is None:
            continue
        name, *shapes = match.groups()
        extents = [tuple(map(int, shape.split("x"))) for shape in shapes]
        if min(map(min, extents)) < 0:
            break  # else it would be a part of a name: `x:1x3:-1x3:8x3`
        if several != 2 and len(set(map(len, extents))) == 1:
            least, optimum, most = extents * (3 // several)
            return name, least, optimum, most
    problem = Problem(Place(f"--shapes {text}"), "ELV603", "not a shape such as x:1x3x224x224")
    raise ReadError(problem, "for a range of shapes: x:1x3:4x3:8x3, minimum, optimum, maximum")


def _head(options: Options, job: Job) -> bytes:
    """Returns the first lines of the log: what made it, and how; readers need the version."""
    words = ["record", base_name(options.model), "--builder", job.builder]
    words += [f"--{name}" for name in job.precisions]
    words += [f"--shapes={text}" for text in options.shapes]
    lines = [f"engine_layer_visualize {__version__}", _called(job), shlex.join(words)]
    if job.builder == "tensorrt" and (own := builders.version(job.builder)):
        lines.append(versions.line(own))  # trtexec prints it, the package does not
    return "".join(f"{marks.MARK}{visible(line)}\n" for line in lines).encode()


def _called(job: Job) -> str:
    """Returns a line such as `builder: tensorrt_rtx 1.4.0.76`."""
    return f"builder: {job.builder} {builders.version(job.builder)}".rstrip()


def _build(job: Job, head: bytes, report: Report) -> tuple[int, int, str]:
    """Runs the builder into the log. Returns its exit code, the log's lines, why it failed."""
    error, number = "", head.count(b"\n")
    with atomic_file.new(job.folder / LOG) as log, processes.running(job.command) as process:
        report.remark(_called(job))
        log.write(head)
        assert process.stdout is not None
        for line in iter(partial(process.stdout.readline, _LINE), b""):
            number += 1
            log.write(line)
            if b"[E] " in line and (not error or BUILDERS_ERROR.search(line)):
                error = decode(line.rpartition(b"[E] ")[2]).strip().removeprefix("[TRT] ")
        if code := process.wait():  # half of an engine may fill the disk, and the log needs room
            for name in job.makes:
                (job.folder / name).unlink(missing_ok=True)
    how = f"ended with exit code {code}" if code > 0 else f"was ended by signal {-code}"
    return code, number, shorten(error or f"{job.builder} {how}", _ERROR)


# ---- the files of a build ------------------------------------------------------------------------

_HIDDEN: Final = ".record."
FAILED: Final = "build.failed.log"


class Recorded(NamedTuple):
    """The files of a build: written in a hidden folder, and named when all are complete.

    They bear the time of their log, by which the next build of the same model knows them.
    """

    job: Job
    force: bool  # whether they replace files of others

    def check(self) -> None:
        """Raises ReadError where a file may not be replaced."""
        paths = (self.job.folder / name for name in (LOG, FAILED, *self.job.makes))
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
            yield self.job._replace(folder=folder)
        except OSError as error:
            path = Path(error.filename2 or error.filename or self.job.folder / LOG)
            if path.name.startswith(_HIDDEN):
                path = self.job.folder
            elif path.parent == folder:
                path = self.job.folder / path.name
            raise atomic_file.cannot_write(path, error) from error
        except ReadError:
            raise
        except BaseException:
            if folder is not None and (folder / LOG).exists():
                kept = self.keep_log(self.job._replace(folder=folder))
                report.remark(f"the log so far is kept in {kept}")
            raise
        finally:
            if folder is not None:
                with processes.signals_wait():
                    shutil.rmtree(folder, ignore_errors=True)

    def keep_log(self, staged: Job) -> Path:
        """Names the log of a build that came to nothing. Raises OSError."""
        path = self.job.folder / FAILED
        os.replace(staged.folder / LOG, path)
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
        made = [name for name in self.job.makes if (staged.folder / name).is_file()]
        time = (staged.folder / LOG).stat().st_mtime_ns
        for name in (*made, LOG):
            atomic_file.settle(staged.folder / name, time)
        with processes.signals_wait():
            for name in (*made, LOG):
                os.replace(staged.folder / name, self.job.folder / name)
        return [self.job.folder / name for name in (LOG, *made)]

    def _whose(self, path: Path) -> str:
        """Says what a file is; empty where it is of an earlier build of this model."""
        ours = visible(shlex.quote(base_name(str(self.job.model))))
        if path.name in (LOG, FAILED):
            model = marks.of_recorded(path)
            if model is None:
                return "this was there before, and is no log of `record`"
            # Of a failed build nothing is lost.
            is_ours = path.name == FAILED or model == ours
            return "" if is_ours else f"this is of another model, {model}"
        log = self.job.folder / LOG
        with suppress(OSError):  # one of them is not there
            of_log = os.lstat(path).st_mtime_ns == os.lstat(log).st_mtime_ns
            if of_log and marks.of_recorded(log) == ours:
                return ""
        return f"this was there before, and {LOG} is not the log of its build"
