"""Chooses who builds a TensorRT engine, and makes the command line of a child process.

`BUILDERS` is the order in which `auto` looks for one. TensorRT is never imported into this process:
a child Python does that, and builds.
"""

import pickle
import shlex
import shutil
import sys
import traceback
from collections.abc import Container, Sequence
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from engine_layer_visualize.core.problems import Place, Problem, ReadError, reason_of

BUILDERS: Final = ("trtexec", "tensorrt", "tensorrt_rtx")
# What a build makes, in its folder: the log, the engine; by trtexec the inspector's JSON, times.
LOG, LAYERS, PROFILE, ENGINE = "build.log", "layers.json", "profile.json", "model.engine"


class Job(NamedTuple):
    """An ONNX model and how to build it."""

    model: Path
    folder: Path  # where all files are written
    builder: str
    precisions: tuple[str, ...] = ()  # that layers may have, of fp16, bf16, fp8, int8
    # Of inputs of dynamic shape: name, minimum, optimum and maximum, as extents.
    shapes: tuple[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...] = ()

    @property
    def makes(self) -> tuple[str, ...]:
        """The files that the builder may write, besides the log."""
        return (LAYERS, PROFILE, ENGINE) if self.builder == "trtexec" else (ENGINE,)

    @property
    def command(self) -> list[str]:
        """The command line to run; its stdout and stderr are the log."""
        if self.builder != "trtexec":
            return [sys.executable, "-u", "-c", _CHILD, pickle.dumps(self).hex(), *sys.path]
        words = [
            shutil.which("trtexec") or "trtexec",
            f"--onnx={self.model}",
            "--verbose",
            "--profilingVerbosity=detailed",
            f"--saveEngine={self.folder / ENGINE}",
            f"--exportLayerInfo={self.folder / LAYERS}",
            f"--exportProfile={self.folder / PROFILE}",
            "--separateProfileRun",
            *(f"--{precision}" for precision in self.precisions),
        ]
        for flag, which in (("minShapes", 1), ("optShapes", 2), ("maxShapes", 3)):
            if self.shapes:
                pairs = (f"{shape[0]}:{'x'.join(map(str, shape[which]))}" for shape in self.shapes)
                words.append(f"--{flag}={','.join(pairs)}")
        return words


def version(builder: str) -> str:
    """The version of a Python package, however it is called; empty of trtexec, which prints it."""
    names = () if builder == "trtexec" else metadata.packages_distributions().get(builder, ())
    return next(map(metadata.version, names), "")


_WANTING: Final = {
    "auto": "no trtexec, tensorrt or tensorrt_rtx is here: "
    "pip install tensorrt-rtx, or with a GPU pip install tensorrt",
    "trtexec": "there is no trtexec on the PATH; it comes with TensorRT's own packages",
    "tensorrt": "there is no tensorrt: pip install tensorrt",
    "tensorrt_rtx": "there is no tensorrt_rtx: pip install tensorrt-rtx",
}


def choose(name: str) -> str:
    """Returns the builder of a name; `auto` is the first that is installed.

    Raises:
        ReadError: It is not installed (ELV601).
    """
    asked = BUILDERS if name == "auto" else (name,)
    if found := next(filter(_is_here, asked), None):
        return found
    raise ReadError(Problem(Place(f"--builder {name}"), "ELV601", _WANTING[name]))


def _is_here(name: str) -> bool:
    if name == "trtexec":
        return shutil.which("trtexec") is not None
    spec = find_spec(name)
    return spec is not None and spec.origin is not None  # a folder of its name has none


def check_model(model: str) -> None:
    """Raises ReadError (ELV401) where the file cannot be opened: a builder would say it later."""
    try:
        Path(model).open("rb").close()
    except OSError as error:
        message = f"cannot be read: {reason_of(error)}"
        raise ReadError(Problem(Place(model, 1, 1), "ELV401", message)) from error


# ---- TensorRT's Python packages: tensorrt (needs a GPU), tensorrt_rtx (needs none) ---------------

_IN_THE_LOG: Final = "the builder has said why"
_CHILD: Final = (
    # The child finds what this process finds, and nothing that lies in the working directory.
    "import sys; job = sys.argv[1]; sys.path[:] = sys.argv[2:];"
    "from engine_layer_visualize.api.builders import child; sys.exit(child(job))"
)


def _said(error: Any) -> str:
    """The node and the words of a parser's error; before TensorRT 10 the words alone."""
    told = (getattr(error, key, str)() for key in ("node_operator", "node_name", "desc"))
    return " ".join(filter(None, map(str, told)))


def build(trt: Any, job: Job) -> str:
    """Builds in this process, which logs to stdout. Returns what went wrong, or nothing."""
    # One of Python's own would not be told messages that are no UTF-8.
    logger = trt.Logger(trt.Logger.VERBOSE)
    builder = trt.Builder(logger)
    # Up to TensorRT 9 a network without an implicit batch is asked for.
    is_old = int(trt.__version__.split(".")[0]) < 10 and trt.__name__ == "tensorrt"
    explicit = 1 << int(trt.NetworkDefinitionCreationFlag.EXPLICIT_BATCH) if is_old else 0
    network = builder.create_network(explicit)
    parser = trt.OnnxParser(network, logger)
    if not parser.parse_from_file(str(job.model)):
        errors = [parser.get_error(number) for number in range(parser.num_errors)]
        return "; ".join(dict.fromkeys(map(_said, errors))) or "the model cannot be parsed"
    if wanting := _open_shapes(network, {name for name, *_ in job.shapes}):
        return wanting
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    for precision in job.precisions:
        if not hasattr(trt.BuilderFlag, precision.upper()):
            return f"this builder has no --{precision}: its networks say their types themselves"
        config.set_flag(getattr(trt.BuilderFlag, precision.upper()))
    if job.shapes:
        profile = builder.create_optimization_profile()
        for name, least, best, most in job.shapes:
            profile.set_shape(name, least, best, most)
        config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    if plan is None:
        return _IN_THE_LOG
    (job.folder / ENGINE).write_bytes(memoryview(plan))
    return ""


def _open_shapes(network: Any, given: Container[str]) -> str:
    """Returns what to say of inputs whose shapes are open and not given; else empty."""
    inputs = [network.get_input(number) for number in range(network.num_inputs)]
    left = {tensor.name: tensor.shape for tensor in inputs if tensor.name not in given}
    open = {name: shape for name, shape in left.items() if any(n < 0 for n in shape)}
    if not open:
        return ""
    printed = ", ".join(f"{name} {_written(shape, '?')}" for name, shape in open.items())
    example = ",".join(f"{name}:{_written(shape, '1')}" for name, shape in open.items())
    return f"an input's shape is open: {printed}; give it, as --shapes {shlex.quote(example)}"


def _written(shape: Sequence[int], unknown: str) -> str:
    return "x".join(unknown if n < 0 else str(n) for n in shape)


def child(words: str) -> int:
    """Builds in the child process. Returns its exit code."""
    job: Job = pickle.loads(bytes.fromhex(words))
    try:
        wrong = build(import_module(job.builder), job)
    except Exception as error:  # a library that is not there, a disk that is full
        traceback.print_exc()
        wrong = " ".join(f"{type(error).__name__}: {error}".split())
    if wrong and wrong != _IN_THE_LOG:
        sys.stdout.write(f"[E] {wrong}\n")
    return 1 if wrong else 0
