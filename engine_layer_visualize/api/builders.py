"""Chooses who builds a TensorRT engine, and makes the command line of a child process.

`BUILDERS` is the order in which `auto` looks for one. TensorRT is never imported into this process.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from engine_layer_visualize.api import python_builder
from engine_layer_visualize.api.python_builder import Job
from engine_layer_visualize.core.problems import (
    MissingFileError,
    Place,
    Problem,
    ReadError,
    reason_of,
)
from engine_layer_visualize.io.processes import install_extra

_GRAPH: Final = 7  # the required field of a `ModelProto`
_FIELDS: Final = 1 << 16  # the most that are read
_VARINT, _BYTES = 0, 2  # how a field is written: as a number, with a length before it
_LENGTHS: Final = {_VARINT: 0, 1: 8, 5: 4}  # of a field without one
_HEAD: Final = 1 << 12  # bytes, in which a model in the text format begins
# The text format, which TensorRT's parser takes, too.
_IN_WORDS: Final = re.compile(
    rb"(?:\s|#[^\n]*\n)*(?:ir_version|producer_name|opset_import|graph)\s*[:{]"
)
_HINT: Final = "`record` builds an ONNX model; the other commands read logs"


def check_model(model: str) -> None:
    """Checks that a file holds an ONNX model. Raises ReadError (ELV401, ELV801).

    Only the field headers of the outermost message are read, so that the package onnx is not
    needed, and a model of any size costs a few reads.
    """
    path = Path(model)
    if not path.is_file():
        if not path.is_dir():
            raise MissingFileError(Problem(Place(model, 1), "ELV401", "there is no such model"))
        message = "this is a folder, not a model"
        raise ReadError(Problem(Place(model, 1), "ELV401", message))
    try:
        with open(path, "rb") as file:
            wrong = _wrong(file)
    except OSError as error:
        message = f"cannot be read: {reason_of(error)}"
        raise ReadError(Problem(Place(model, 1), "ELV401", message)) from error
    if wrong:
        raise ReadError(Problem(Place(model, 1), "ELV801", f"not an ONNX model: {wrong}"), _HINT)


def _wrong(file: BinaryIO) -> str:
    """Returns what is wrong with the file; empty where it is a model."""
    size = os.fstat(file.fileno()).st_size
    if not size:
        return "it is empty"
    if _IN_WORDS.match(file.read(_HEAD)):
        return ""
    file.seek(0)
    has_graph = False
    for _ in range(_FIELDS):
        if file.tell() == size:
            return "" if has_graph else "it has no graph"
        key = _number(file)
        field, kind = key >> 3, key & 7
        length = _LENGTHS.get(kind) if kind != _BYTES else _number(file)
        if field < 1 or length is None or length < 0 or (kind == _VARINT and _number(file) < 0):
            break
        if file.tell() + length > size:
            if field == _GRAPH and kind == _BYTES:
                return "it is cut short"
            break
        file.seek(length, os.SEEK_CUR)
        has_graph = has_graph or (field == _GRAPH and kind == _BYTES)
    return "its bytes are no protobuf message"


def _number(file: BinaryIO) -> int:
    """Reads a varint of protobuf; -1 where it does not end."""
    number = 0
    for shift in range(0, 70, 7):
        byte = file.read(1)
        if not byte:
            break
        number |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return number
    return -1


def _trtexec(job: Job) -> list[str]:
    """Returns the command line of trtexec."""
    words = [
        shutil.which("trtexec") or "trtexec",
        f"--onnx={job.model}",
        "--verbose",
        "--profilingVerbosity=detailed",
        f"--saveEngine={job.engine}",
        f"--exportLayerInfo={job.layers}",
        f"--exportProfile={job.profile}",
        "--separateProfileRun",
    ]
    words += [f"--{precision}" for precision in job.precisions]
    for flag, which in (("minShapes", 1), ("optShapes", 2), ("maxShapes", 3)):
        if job.shapes:
            pairs = (f"{shape[0]}:{'x'.join(map(str, shape[which]))}" for shape in job.shapes)
            words.append(f"--{flag}={','.join(pairs)}")
    return words


@dataclass(frozen=True, slots=True)
class Builder:
    """One way to build."""

    name: str
    missing: str  # what to install if it is not installed, else empty

    def version(self) -> str:
        """Returns the version of the Python package; empty for trtexec, which prints its own."""
        return "" if self.name == "trtexec" else python_builder.version(self.name)

    def makes(self, job: Job) -> tuple[Path, ...]:
        """Returns the files that it may write, besides the log."""
        measured = (job.profile,) if self.name == "trtexec" else ()
        return (job.layers, *measured, job.engine)

    def command(self, job: Job) -> list[str]:
        """Returns the command line to run; its stdout and stderr are the log."""
        if self.name == "trtexec":
            return _trtexec(job)
        return python_builder.command(self.name, job)


BUILDERS: Final = ("trtexec", "tensorrt", "tensorrt_rtx")


def choose(name: str) -> Builder:
    """Returns the builder of a name.

    `auto`: the first that is installed; if none is, `missing` says what to install.
    """
    if name != "auto":
        return Builder(name, _missing(name))
    there = [builder for builder in BUILDERS if not _missing(builder)]
    if there:
        return Builder(there[0], "")
    return Builder(
        "auto",
        f"no trtexec, tensorrt or tensorrt_rtx is here: {install_extra('record')}, or with a "
        f"GPU {install_extra('tensorrt')}",
    )


def _missing(name: str) -> str:
    """Returns what to install; empty where the builder is there."""
    if name != "trtexec":
        return python_builder.missing(name)
    if shutil.which("trtexec"):
        return ""
    return "there is no trtexec on the PATH; it comes with TensorRT's own packages"
