"""Calls commands for Python: what their flags are, arguments are here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine_layer_visualize.commands import Answer, Command
from engine_layer_visualize.commands.arguments import command
from engine_layer_visualize.commands.kept import Kept
from engine_layer_visualize.core.model import Statistic
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.wrong_values import not_among
from engine_layer_visualize.io import extensions

if TYPE_CHECKING:
    from engine_layer_visualize.fleet.inputs import Pairing
    from engine_layer_visualize.inputs.buildlog.progress import Progress

PathLike = str | Path


@dataclass(frozen=True, slots=True)
class Written:
    """What a command wrote.

    Attributes:
        paths: the files, or the folder or URL of a dataset.
        words: what the command says of each of them; empty: nothing.
        remarks: what else it says.
        problems: what could not be read, and other reasons why something is missing.
    """

    paths: tuple[str, ...]
    words: tuple[str, ...]
    remarks: tuple[str, ...]
    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        """Returns a line for each path."""
        return "\n".join("  ".join(filter(None, both)) for both in zip(self.paths, self.words))


@dataclass(frozen=True, slots=True)
class Report:
    """What `history` or `sweep` tells: it prints as text, and a notebook shows it as tables.

    Attributes:
        remarks: what the command says besides.
        problems: what could not be read.
    """

    remarks: tuple[str, ...]
    problems: tuple[Problem, ...]
    _command: str
    _found: object

    def to(self, format: str, *, top: int | None = None, full: bool = False) -> str:
        """The report in a format.

        Args:
            format: text, markdown, json, csv, svg or html.
            top: rows of a list; None: as many as the command has.
            full: every row, and whole names.

        Raises:
            ValueError: there is no such format.
        """
        from engine_layer_visualize.core.options import ReportOptions
        from engine_layer_visualize.writers import named

        module: Any = command(self._command)
        rows = module.Options.top if top is None else top
        writer = named(format, module.FORMATS).load()
        return "".join(writer.render(self._found, ReportOptions(rows, full=full))).strip("\n")

    @property
    def data(self) -> dict[str, Any]:
        """The format json as a dictionary."""
        import json

        document: dict[str, Any] = json.loads(self.to("json"))
        return document

    def __str__(self) -> str:
        return self.to("text")

    def __repr__(self) -> str:
        """`<Report: Sweep of 8 build routes>`."""
        return f"<Report: {str(self).split(' ─', 1)[0].strip()}>"

    def _repr_markdown_(self) -> str:
        """How a notebook shows it."""
        return self.to("markdown")


def anonymise(
    files: PathLike | Sequence[PathLike], output: PathLike, *, force: bool = False
) -> Written:
    """Writes logs and their profiles with other names and paths, alike in all of them.

    Look at the result before you send it to others.

    Args:
        files: a log, a listing in JSON, or a profile, or several of them.
        output: the file to write; a folder, where several files are given.
        force: replace what stands there, and was not written so before.

    Raises:
        ReadError: a file cannot be read or written, or may not be replaced.
    """
    return _run("anonymise", files=_paths(files), output=str(output), force=force)


def collect(
    source: PathLike | Sequence[PathLike],
    output_dir: PathLike,
    *,
    meta: str | None = None,
    pair: Pairing | None = None,
    refresh: bool = False,
    compact: bool = False,
    jobs: int | None = None,
    scheduler: str | None = None,
    force: bool = False,
) -> Written:
    """Reads many logs, and keeps the tables of their engines as one dataset of Parquet files.

    `dataset(output_dir)` opens it. What was read before is not read again.

    Args:
        source: a folder, a pattern such as `logs/**/*.log`, a file or a URL, or several of them.
        output_dir: the dataset, a folder or a URL.
        meta: `path=REGEX`: its named groups become columns of every table.
        pair: `stem` or `folder`: how files of times are read with their logs; None: not at all.
        refresh: read again what another version of the program has read.
        compact: write small files together.
        jobs: processes that read logs; None: one for each core. A script that asks for more than
            one has its code under `if __name__ == "__main__":`.
        scheduler: of a Dask cluster that reads them.
        force: write into a folder that holds other files, too.

    Raises:
        ValueError: an argument is none.
        ReadError: there is nothing to read, or the dataset cannot be written.
    """
    asked = None
    if meta is not None:
        from engine_layer_visualize.fleet.inputs import meta as read_meta

        asked = read_meta(meta)
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs: a number from 1 on is wanted, not {jobs}")
    return _run(
        "collect",
        source=_paths(source),
        output_dir=str(output_dir),
        meta=asked,
        pair=pair,
        refresh=refresh,
        compact=compact,
        jobs=jobs,
        scheduler=scheduler,
        force=force,
    )


def cut(
    log: PathLike,
    onnx: PathLike,
    output_dir: PathLike = ".",
    *,
    layer: int | str | None = None,
    slowest: int = 0,
    group: int | str | None = None,
    context: int = 0,
    profiles: PathLike | Sequence[PathLike] = (),
    engine: int = 0,
    optimization_profile: int | None = None,
    force: bool = False,
) -> Written:
    """Cuts what layers run out of an ONNX model, each with a script that builds and times it.

    Exactly one of `layer`, `slowest` and `group` is given.

    Args:
        log: the engine's log.
        onnx: the model that the engine was built from.
        output_dir: created if absent.
        layer: an index, a name, or a part of one name.
        slowest: how many of the slowest layers.
        group: layers that drawings frame together: a number from 0, or a path.
        context: with the layers at most so many edges away.
        profiles: files of times.
        engine: of the log, counted from 0.
        optimization_profile: whose times count; None: the first.
        force: replace what stands there, and take a profile that fits badly.

    Raises:
        ValueError: an argument is none.
        ReadError: nothing can be cut out, or a file cannot be read or written.
    """
    given = [layer is not None, slowest != 0, group is not None]
    if sum(given) != 1 or slowest < 0 or context < 0:
        raise ValueError("exactly one of layer, slowest and group is wanted; no number is below 0")
    return _run(
        "cut",
        log_file=_paths(log),
        onnx=str(onnx),
        output_dir=str(output_dir),
        layer=None if layer is None else str(layer),
        slowest=slowest,
        group=None if group is None else str(group),
        context=context,
        profile_file=_paths(profiles),
        engine=(engine,),
        optimization_profile=optimization_profile,
        force=force,
    )


def record(
    model: PathLike,
    output_dir: PathLike = ".",
    *,
    shapes: str | Sequence[str] = (),
    builder: Literal["auto", "trtexec", "tensorrt", "tensorrt_rtx"] = "auto",
    verbosity: Literal["layer_names_only", "detailed"] = "detailed",
    fp16: bool = False,
    bf16: bool = False,
    fp8: bool = False,
    int8: bool = False,
    time_limit: float | None = None,
    force: bool = False,
    progress: Callable[[Progress], object] | None = None,
    every: float = 1.0,
) -> Written:
    """Builds an ONNX model, and keeps the VERBOSE log: build.log, model.engine, profile.json.

    Args:
        model: an ONNX file.
        output_dir: created if absent.
        shapes: of inputs whose shape is dynamic: `x:1x3x224x224`, or `x:MIN:OPT:MAX`.
        builder: auto is the first that is installed.
        verbosity: how much detail the engine keeps about its layers.
        fp16: allow layers of this type.
        bf16: the same.
        fp8: the same.
        int8: the same.
        time_limit: end a build that takes longer, in seconds.
        force: replace what stands there, and is of no earlier build of this model.
        progress: takes where the build is, in a thread of its own. What it raises ends the build
            at the next line of the log, which is kept so far, and is raised here.
        every: the seconds between two calls of it.

    Raises:
        ValueError: an argument is none.
        ReadError: there is no builder, the build failed, or a file cannot be written.
    """
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"time_limit: seconds are wanted, not {time_limit}")
    return _run(
        "record",
        model=str(model),
        output_dir=str(output_dir),
        shapes=_paths(shapes),
        builder=builder,
        verbosity=verbosity,
        fp16=fp16,
        bf16=bf16,
        fp8=fp8,
        int8=int8,
        time_limit=time_limit,
        force=force,
        progress=progress,
        every=every,
    )


def history(
    snapshots: PathLike | Sequence[PathLike], *, by: str | None = None, strict: bool = False
) -> Report:
    """Tells how an engine changed over its builds, and with which build for good: `print` it.

    Args:
        snapshots: files of `snapshot`, one a build, or datasets of `collect`, in the order of the
            builds. Where names are sorted, numbers in them count as numbers: v2 is before v10.
        by: the column of a dataset's engines that gives the order of builds, and what these are
            called; None: the paths of the logs.
        strict: stop at the first error.

    Raises:
        ValueError: there is no such column.
        ReadError: fewer than two builds could be read (ELV606).
    """
    return _told("history", snapshot=_paths(snapshots), by=by, strict=strict)


def sweep(
    files: PathLike | Sequence[PathLike], *, time: Statistic = "mean", strict: bool = False
) -> Report:
    """Tells which of many builds of a network won, and what each knob changed: `print` it.

    Args:
        files: the log of a search, its cache, logs of builds, or a folder of logs. All are compared
            with the first build (in a folder: baseline.log), or, in a search, with the default
            route.
        time: mean or median of a layer's measured times.
        strict: stop at the first error.

    Raises:
        ValueError: `time` is none of these.
        ReadError: fewer than two builds could be read (ELV606), or a file (ELV214, ELV401).
    """
    return _told("sweep", file=_paths(files), time=time, strict=strict)


def _paths(given: PathLike | Sequence[PathLike]) -> tuple[str, ...]:
    several = [given] if isinstance(given, (str, Path)) else given
    return tuple(map(str, several))


def _run(name: str, **arguments: Any) -> Written:
    """Runs a command. Raises ReadError where it wrote nothing, ValueError for a wrong argument."""
    module: Command = command(name)
    _, kept = _called(module, module.run, arguments)
    if kept.error is not None and not kept.written:
        raise kept.error
    return Written(
        tuple(kept.written), tuple(kept.written.values()), tuple(kept.remarks), tuple(kept.problems)
    )


def _told(name: str, **arguments: Any) -> Report:
    """Returns what a command has found. Raises as `_run`."""
    module: Any = command(name)
    found, kept = _called(module, module.found, arguments)
    return Report(tuple(kept.remarks), tuple(kept.problems), name, found)


def _called(
    module: Command, does: Callable[[Any, Kept], Any], arguments: Mapping[str, Any]
) -> tuple[Any, Kept]:
    """Calls a function of a command. Raises ValueError for a wrong argument."""
    for flag in fields(module.Options):
        choices = flag.metadata.get("argument", {}).get("choices")
        value = arguments.get(flag.name)
        if choices is not None and value is not None and value not in choices:
            raise ValueError(f"{flag.name}: {not_among('value', str(value), [*choices])}")
    kept = Kept()
    try:
        with extensions.told_to(kept.problem):
            return does(module.Options(**arguments), kept), kept
    except Answer as answer:
        raise ValueError(answer.error) from None
