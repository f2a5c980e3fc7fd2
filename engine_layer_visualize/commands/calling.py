"""Calls commands for Python and `mcp`: what their flags are, arguments are here.

Each function returns the paths that it wrote. A problem that is no reason to raise is a warning.
"""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from engine_layer_visualize.commands import Answer, Report
from engine_layer_visualize.commands.arguments import command
from engine_layer_visualize.commands.flags import Flag
from engine_layer_visualize.core.text import not_among
from engine_layer_visualize.io.input_files import must_exist

PathLike = str | Path


def anonymise(
    files: PathLike | Sequence[PathLike], output: PathLike, *, force: bool = False
) -> list[Path]:
    """Writes logs and their profiles with other names and paths, alike in all of them.

    Look at the result before you send it to others.

    Args:
        files: a log, a listing in JSON, or a profile, or several of them.
        output: the file to write; a folder, where several files are given.
        force: replace what stands there, and was not written so before.

    Raises:
        ReadError: a file cannot be read or written, or may not be replaced.
    """
    return _run("anonymise", **locals())


def collect(
    source: PathLike | Sequence[PathLike],
    output_dir: PathLike,
    *,
    refresh: bool = False,
    jobs: int | None = None,
    scheduler: str | None = None,
) -> list[Path]:
    """Reads many logs into one dataset: a folder with a Parquet file for each log and table.

    What was read before is not read again. docs/tables.md shows how to ask it.

    Args:
        source: a folder, a pattern such as `logs/**/*`, a file, or several of them.
        output_dir: the dataset, a folder.
        refresh: read again what was read before.
        jobs: processes that read logs; None: one for each core.
        scheduler: the address of a Dask cluster's, which reads them in place of these.

    Raises:
        ValueError: an argument is none.
        ReadError: there is nothing to read, or the dataset cannot be written.
    """
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs: a number from 1 on is wanted, not {jobs}")
    return _run("collect", **locals())


def cut(
    log: PathLike,
    onnx: PathLike,
    output_dir: PathLike = ".",
    *,
    layer: int | str | None = None,
    slowest: int = 0,
    profiles: PathLike | Sequence[PathLike] = (),
    engine: int = 0,
    optimization_profile: int | None = None,
    force: bool = False,
) -> list[Path]:
    """Cuts what layers run out of an ONNX model: for each layer a model of its own.

    Its `doc_string` has the trtexec command that builds and times it. Either `layer` or `slowest`
    is given.

    Args:
        log: the engine's log.
        onnx: the model that the engine was built from.
        output_dir: created if absent.
        layer: an index, a name, or a part of one name.
        slowest: how many of the slowest layers.
        profiles: files of times.
        engine: of the log, counted from 0.
        optimization_profile: whose times count; None: the first.
        force: replace what stands there, and take a profile that fits badly.

    Raises:
        ValueError: an argument is none.
        ReadError: nothing can be cut out, or a file cannot be read or written.
    """
    given = {**locals(), "layer": None if layer is None else str(layer)}
    if (layer is None) == (slowest == 0) or slowest < 0:
        raise ValueError("either layer or slowest is wanted, and no number is below 0")
    return _run("cut", log_file=given.pop("log"), profile_file=given.pop("profiles"), **given)


def record(
    model: PathLike,
    output_dir: PathLike = ".",
    *,
    shapes: str | Sequence[str] = (),
    builder: Literal["auto", "trtexec", "tensorrt", "tensorrt_rtx"] = "auto",
    fp16: bool = False,
    bf16: bool = False,
    fp8: bool = False,
    int8: bool = False,
    force: bool = False,
) -> list[Path]:
    """Builds an ONNX model, and keeps the VERBOSE log: build.log, model.engine, profile.json.

    Args:
        model: an ONNX file.
        output_dir: created if absent.
        shapes: of inputs whose shape is dynamic: `x:1x3x224x224`, or `x:MIN:OPT:MAX`.
        builder: auto is the first that is installed.
        fp16: allow layers of this type.
        bf16: the same.
        fp8: the same.
        int8: the same.
        force: replace what stands there, and is of no earlier build of this model.

    Raises:
        ValueError: an argument is none.
        ReadError: there is no builder, the build failed, or a file cannot be written.
    """
    return _run("record", **locals())


def _option(name: str, flag: Flag, value: Any) -> Any:
    """Returns an argument as its flag would be read. Raises ValueError for a wrong word."""
    choices = flag.argument.get("choices")
    if choices is not None and value is not None and value not in choices:
        raise ValueError(f"{name}: {not_among('value', str(value), [*choices])}")
    if flag.argument.get("nargs") in ("*", "+") or flag.argument.get("action") == "append":
        several = [value] if isinstance(value, (str, Path, int)) else value
        return tuple(str(one) if isinstance(one, Path) else one for one in several)
    return str(value) if isinstance(value, Path) else value


def _run(name: str, **arguments: Any) -> list[Path]:
    """Runs a command. Raises ReadError where it wrote nothing, ValueError for a wrong argument."""
    module = command(name)
    known = module.Options.flags()
    given = {key: _option(key, known[key], value) for key, value in arguments.items()}
    kept, options = Report(), module.Options(**given)
    must_exist(options.files_read)
    try:
        module.run(options, kept)
    except Answer as answer:
        raise ValueError(answer.error) from None
    if kept.error is not None and not kept.written:
        raise kept.error
    for problem in kept.problems:
        warnings.warn(str(problem), stacklevel=3)
    return [Path(path) for path in kept.written]
