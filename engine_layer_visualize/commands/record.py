"""`record`: an ONNX model in; build.log out, and the command line that draws it.

With a GPU there are layers.json and profile.json, too. The log of a failed build is kept: as
build.log, or as build.failed.log where that is of others, or of an engine that is there.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from engine_layer_visualize import builders, writers
from engine_layer_visualize.builders import Builder, Job, model_file
from engine_layer_visualize.commands import Report, draw, flag_values, inputs
from engine_layer_visualize.commands.recorded import Recorded
from engine_layer_visualize.core import __version__
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import base_name, shorten, visible
from engine_layer_visualize.documents.origin import MARK
from engine_layer_visualize.io import atomic_file, subprocesses
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.trt import versions

ABOUT: Final = (
    "Builds an ONNX model with trtexec, TensorRT or TensorRT-RTX, and keeps the VERBOSE log of the "
    "build, build.log, and model.engine. trtexec also measures the layers: profile.json. The log "
    "of a build that fails is build.failed.log, where build.log is that of an engine."
)
EXAMPLES: Final = (
    "model.onnx --output_dir out --draw",
    "model.onnx --fp16 --shapes input:1x3x224x224 --output_dir out",
)
EXIT_CODES: Final = {
    0: "the model was built",
    1: "with --draw: something could not be read",
    2: "wrong usage",
    3: "no builder, or the build failed",
    4: "an output could not be written",
}
_PRECISIONS: Final = ("fp16", "bf16", "fp8", "int8")
_LONGEST: Final = 400  # characters of its last error
_PIECE: Final = 1 << 20  # bytes of a line that are read at once
# Text of a log line -> what the builder does from there on.
_PHASES: Final = (
    (b"Parsing node", "parsing the model"),
    (b"Original: ", "optimising the graph"),
    (b"Autotuning format", "timing kernels"),
    (b"Engine generation completed", "writing the engine"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags."""
    model = parser.add_argument_group("the model")
    model.add_argument("model", metavar="MODEL", help="an ONNX file")
    model.add_argument(
        "--shapes",
        metavar="NAME:1x3x224x224",
        action="append",
        default=[],
        help="the shape of an input whose shape is dynamic; NAME:MIN:OPT:MAX for a range",
    )
    files = parser.add_argument_group("files")
    inputs.add_output_dir(files, profiles=False)
    files.add_argument("--draw", action="store_true", help="also draw the engine")
    files.add_argument(
        "-f",
        "--format",
        metavar="LIST",
        type=flag_values.ListOf("format", writers.FORMATS),
        help="draw it in these formats, with commas (default: dot)",
    )
    build = parser.add_argument_group("the build")
    build.add_argument(
        "--builder",
        choices=("auto", *builders.BUILDERS),
        default="auto",
        help="auto: the first of these that is installed; only tensorrt_rtx needs no GPU",
    )
    build.add_argument(
        "--verbosity",
        choices=("layer_names_only", "detailed"),
        default="detailed",
        help="how much detail the engine keeps about its layers (default: detailed)",
    )
    for precision in _PRECISIONS:
        build.add_argument(f"--{precision}", action="store_true", help=f"allow {precision} layers")
    build.add_argument(
        "--time_limit",
        metavar="SECONDS",
        type=_seconds,
        help="end a build that takes longer (default: no limit)",
    )


def run(options: argparse.Namespace, report: Report) -> None:
    """Builds the engine. Raises ReadError where there is no builder, or the build failed."""
    model_file.check(options.model)
    job = _job(options)
    builder = builders.choose(options.builder)
    if builder.missing:
        raise ReadError(Problem(Place(f"--builder {options.builder}"), "ELV601", builder.missing))
    place = Recorded(job, builder.makes(job), options.force)
    place.check()
    if options.draw or options.format:
        draw.check(_drawing(options, job, []))
    with place.staged(report) as staged:
        code, lines, last_error = _build(builder, staged, _head(options, builder), options, report)
        if code:
            kept = place.keep_log(staged)
            message = last_error or f"{builder.name} ended with exit code {code}"
            problem = Problem(
                Place(str(kept), max(1, lines)), "ELV602", f"the build failed: {message}"
            )
            raise ReadError(problem, f"the whole log is kept in {kept}")
        made = place.finish(staged)
    for path in made:
        report.line(str(path))
    profiles = [str(path) for path in made if path == job.profile]
    if options.draw or options.format:
        draw.run(_drawing(options, job, profiles), report)
    else:
        report.line(_command(job, profiles))


def _command(job: Job, profiles: list[str]) -> str:
    """The command line that draws the engine."""
    # A file name such as `-x` would be read as a flag.
    dashed = {path for path in (str(job.log), *profiles) if path.startswith("-")}
    words = ["python", "-m", "engine_layer_visualize", "--log_file", str(job.log)]
    for profile in profiles:
        words += ["--profile_file", profile]
    return shlex.join(f"./{word}" if word in dashed else word for word in words)


def _job(options: argparse.Namespace) -> Job:
    model = Path(options.model)
    job = Job(
        model.absolute(),
        Path(options.output_dir),
        detailed=options.verbosity == "detailed",
        precisions=tuple(name for name in _PRECISIONS if getattr(options, name)),
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
    """`x:1x3`, or `x:1x3:4x3:8x3`; the name may hold colons itself."""
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


def _head(options: argparse.Namespace, builder: Builder) -> bytes:
    """The first lines of the log: what made it, and how; of it readers take TensorRT's version."""
    words = ["record", base_name(options.model), "--builder", builder.name]
    words += ["--verbosity", options.verbosity]
    words += [f"--{name}" for name in _PRECISIONS if getattr(options, name)]
    words += [f"--shapes={text}" for text in options.shapes]
    lines = [f"engine_layer_visualize {__version__}", _called(builder), shlex.join(words)]
    if builder.name == "tensorrt" and (version := builder.version()):
        lines.append(versions.line(version))  # trtexec prints it, the package does not
    return "".join(f"{MARK}{visible(line)}\n" for line in lines).encode()


def _called(builder: Builder, version: str = "") -> str:
    """`builder: tensorrt_rtx 1.4.0.76`."""
    return f"builder: {builder.name} {version or builder.version()}".rstrip()


def _build(
    builder: Builder, job: Job, head: bytes, options: argparse.Namespace, report: Report
) -> tuple[int, int, str]:
    """Runs the builder into the log. Returns its exit code, the log's lines, its last error."""
    started, phase, error, limit = time.monotonic(), "starting", "", options.time_limit
    number = before = head.count(b"\n")
    named = builder.version()
    with atomic_file.new(job.log) as log, _running(builder, job) as process:
        log.write(head)
        if named:
            report.remark(_called(builder, named))
        assert process.stdout is not None
        with _limited(process, limit) as over:
            lines = iter(partial(process.stdout.readline, _PIECE), b"")
            for number, line in enumerate(lines, before + 1):
                log.write(line)
                if not named and (printed := versions.PRINTED.search(line)):
                    named = f"TensorRT {versions.of(printed)}"
                    report.remark(f"{_called(builder)}, {named}")
                phase = next((words for mark, words in _PHASES if mark in line), phase)
                if b"[E] " in line:
                    error = decode(line.rpartition(b"[E] ")[2]).strip()
                if number % 64 == 0:
                    seconds = int(time.monotonic() - started)
                    report.status(f"{phase}, {number:,} lines, {seconds} s")
            code = process.wait()
        if code:  # half of an engine may have filled the disk, and the log needs room
            for path in (job.layers, job.profile, job.engine):
                path.unlink(missing_ok=True)
    if not named:
        report.remark(f"{_called(builder)}, which did not print its version")
    if over.is_set():
        return code or 1, number, f"it took longer than {limit:g} s"
    return code, number, shorten(error.removeprefix("[TRT] "), _LONGEST)


@contextmanager
def _running(builder: Builder, job: Job) -> Iterator[subprocess.Popen[bytes]]:
    """The builder's process. Raises ReadError where it cannot be started."""
    with ExitStack() as stack:
        command = builder.command(job)
        child = subprocesses.running(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        try:
            process = stack.enter_context(child)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            message = f"{command[0]} cannot be started: {reason}"
            place = Place(f"--builder {builder.name}")
            raise ReadError(Problem(place, "ELV601", message)) from error
        yield process


@contextmanager
def _limited(process: subprocess.Popen[bytes], limit: float | None) -> Iterator[threading.Event]:
    """Kills the process after `limit` seconds, and then sets the event."""
    over = threading.Event()

    def end() -> None:
        over.set()
        subprocesses.kill(process)

    timer = threading.Timer(limit, end) if limit is not None else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield over
    finally:
        if timer is not None:
            timer.cancel()


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"not a number of seconds: {text!r}")
    return seconds


def _drawing(options: argparse.Namespace, job: Job, profiles: list[str]) -> argparse.Namespace:
    """The options of `draw` for the recorded log."""
    words = [f"--log_file={job.log}", f"--output_dir={options.output_dir}"]
    words += [f"--profile_file={profile}" for profile in profiles]
    words += [f"--format={','.join(options.format)}"] if options.format else []
    words += ["--force"] if options.force else []
    if any(format.startswith("onnx") for format in options.format or ()):
        words.append(f"--onnx={job.model}")
    parser = argparse.ArgumentParser(allow_abbrev=False)
    draw.add_arguments(parser)
    return parser.parse_args(words, argparse.Namespace(strict=options.strict))
