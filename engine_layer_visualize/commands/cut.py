"""Writes layers of an engine as ONNX models, each with a script that builds and times it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.groups import groups
from engine_layer_visualize.commands import Report, flag_values, inputs, standing
from engine_layer_visualize.commands.flags import WRITTEN, Group
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.onnx_model import OnnxModel
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import count, plural, shorten
from engine_layer_visualize.exchange import sequence
from engine_layer_visualize.exchange.cut.cutter import Cut, Cutter, NoPiece
from engine_layer_visualize.exchange.cut.script import is_of
from engine_layer_visualize.io import onnx_file
from engine_layer_visualize.io.atomic_file import Together, cannot_write, make_folder
from engine_layer_visualize.views import subgraph

ABOUT: Final = (
    "Cuts out of an ONNX model what a layer of the engine runs: an ONNX model of its own, and the "
    "trtexec command that builds and times it under the same conditions. Needs the extra onnx."
)
EXAMPLES: Final = (
    "--log_file build.log --onnx model.onnx --layer 17 --output_dir out",
    "--log_file build.log --profile_file prof.json --onnx model.onnx --slowest 3 -o out",
)
EXIT_CODES: Final = {
    0: "everything that was asked for was cut out",
    1: "something could not be read",
    2: "wrong usage",
    3: "a layer cannot be cut out",
    4: "a file could not be written",
}
_MESSAGE_GROUPS: Final = 20  # groups or layers that a message names
_NAME: Final = 80  # characters of a name in a message


class _Wanted(NamedTuple):
    """Layers that are cut out together."""

    stem: str  # of the files' names
    what: str  # the layers in words
    layers: tuple[int, ...]  # their indices


_PIECE: Final = Group("what is cut out")
_WHICH: Final = Group("", within=_PIECE, required=True)


@dataclass(frozen=True, kw_only=True)
class Options(inputs.LogOptions):
    """Which layers are cut out of which model."""

    onnx: str | OnnxModel | None = inputs.onnx(required=True)
    layer: str | None = _WHICH.flag("this layer: an index, a name, or a part of one name", "LAYER")
    slowest: int = _WHICH.flag(
        "each of the N slowest layers whose ONNX nodes are known",
        "N",
        type=flag_values.positive,
        default=0,
    )
    group: str | None = _WHICH.flag(
        "the layers of a group as the drawings frame it: its number from 0, or its path", "GROUP"
    )
    context: int = _PIECE.flag(
        "with the layers at most N edges away from it (default: 0)",
        "N",
        type=flag_values.number,
        default=0,
    )
    output_dir: str = standing.output_dir(WRITTEN)
    force: bool = standing.force(WRITTEN)


def run(options: Options, report: Report) -> None:
    """Writes the pieces. Raises ReadError where there are none."""
    if len(options.log_file) > 1 or len(set(options.engine or ())) > 1:
        problem = Problem(Place("cut"), "ELV605", "several engines, and a model is of one")
        raise ReadError(problem, "give one --log_file and one --engine")
    model = onnx_file.load(str(options.onnx))
    options = replace(options, onnx=model)
    for named, log in inputs.logs(options, report, facts=True):
        number = 1 if options.engine else log.number
        for costs in inputs.shown(named, log, options, report):
            if number > 1:
                report.remark(
                    f"{named.name} holds {number} engines; layers of engine 0 are cut out"
                )
            _cut(costs, model, options, report)
            break


def _cut(costs: Costs, model: OnnxModel, options: Options, report: Report) -> None:
    engine = costs.engine
    joined = engine.onnx  # None of a file that is a listing
    if joined is not None and not joined.same:
        words = f"{joined.found:,} of {count(joined.names, 'name')} of ONNX nodes are in it"
        if joined.tensors:
            tensors = count(joined.tensors, "tensor")
            words += f", {joined.tensors_agree:,} of {tensors} have its extents"
        raise _none(engine, f"the model is of another network: {words}")
    cutter = Cutter(costs, model)
    folder = Path(options.output_dir)
    pieces = list(_wanted(costs, cutter, options, report))
    _check(folder, pieces, engine.source.file, model.path, options)
    make_folder(folder)
    for wanted in pieces:
        near = subgraph.beside(engine, set(wanted.layers), options.context)
        layers = [engine.layers[index] for index in wanted.layers]
        around = [engine.layers[index] for index in sorted(near - {*wanted.layers})]
        try:
            made = cutter.cut(wanted.stem, wanted.what, layers, around)
        except NoPiece as why:
            report.failed(_none(engine, f"{wanted.what} cannot be cut out: {why}", layers[0].index))
            continue
        _save(folder, wanted.stem, made, report)


def _wanted(costs: Costs, cutter: Cutter, options: Options, report: Report) -> Iterator[_Wanted]:
    if options.layer is not None:
        yield _layer(subgraph.index_of(costs.engine, options.layer))
    elif options.group is not None:
        yield _group(costs, options.group)
    else:
        yield from _slowest(costs, cutter, options.slowest, report)


def _layer(index: int) -> _Wanted:
    return _Wanted(f"cut_{index}", f"layer {index}", (index,))


def _slowest(costs: Costs, cutter: Cutter, number: int, report: Report) -> Iterator[_Wanted]:
    """Gives so many of the slowest layers that have nodes in the model."""
    passed: list[str] = []
    taken: list[_Wanted] = []
    for layer in costs.ranking:
        if len(taken) == number:
            break
        if cutter.has_nodes(layer):
            taken.append(_layer(layer.index))
        else:
            passed.append(str(layer.index))
    yield from taken
    if passed:
        numbers = ", ".join(passed[:_MESSAGE_GROUPS]) + (" …" if passed[_MESSAGE_GROUPS:] else "")
        layers = f"{plural(len(passed), 'layer')} {numbers}"
        report.remark(f"passed over, as no ONNX nodes are known: {layers}")
    if not taken:
        if not costs.ranking:
            raise _none(costs.engine, "no layer has a time", hint=sequence.HINT)
        raise _none(costs.engine, "no layer has a time, and ONNX nodes in the model")


def _group(costs: Costs, word: str) -> _Wanted:
    """Finds a group by its number or its path. Raises ReadError (ELV607) with those there are."""
    engine = costs.engine
    known = groups(engine.layers, [costs.profile_of(layer) for layer in engine.layers])
    number = next((number for number, group in enumerate(known) if group.path == word), None)
    if number is None and word.isascii() and word.isdigit() and len(word) < 10:
        number = int(word) if int(word) < len(known) else None
    if number is None:
        names = [f"{number} {shorten(group.path, _NAME)}" for number, group in enumerate(known)]
        there = (
            f"there are {', '.join(names[:_MESSAGE_GROUPS])}" if names else "the engine has none"
        )
        rest = len(names) - _MESSAGE_GROUPS
        more = f" and {rest:,} more" if rest > 0 else ""
        raise _none(engine, f"no group is called `{shorten(word, _NAME)}`; {there}{more}")
    what = f"group {number} `{shorten(known[number].path, _NAME)}`"
    return _Wanted(f"cut_group{number}", what, tuple(known[number].layers))


def _check(folder: Path, pieces: Sequence[_Wanted], log: str, model: str, options: Options) -> None:
    """Raises ReadError where a piece may not be written (ELV604, ELV505)."""
    for wanted in pieces:
        path, script = _paths(folder, wanted.stem)
        if standing.is_read(path, [model]):
            message = "the piece would be written over the model"
            problem = Problem(Place(str(path)), "ELV604", message)
            raise ReadError(problem, "name another --output_dir")
        whose = partial(_whose, script, log)
        standing.check((script, path), options.force, whose, read=[*options.files_read, model])


def _whose(script: Path, log: str, _: Path) -> str:
    """Says what stands there; the script tells of its log, and the piece of none."""
    return "" if is_of(script, log) else "this was there before, and not of this log"


def _paths(folder: Path, stem: str) -> tuple[Path, Path]:
    """Returns the paths of the piece and of its script."""
    return folder / f"{stem}.onnx", folder / f"{stem}.sh"


def _save(folder: Path, stem: str, made: Cut, report: Report) -> None:
    """Writes a piece and its script, or neither. Raises ReadError (ELV501)."""
    path, script = _paths(folder, stem)
    with Together() as files:
        files.write(path, (made.model,))
        files.write(script, (made.script,))
        files.finish()
    try:
        script.chmod(script.stat().st_mode | 0o111 & ~_umask())
    except OSError as error:
        raise cannot_write(script, error) from None
    for remark in made.remarks:
        report.remark(f"{path.name}: {remark}")
    report.wrote(str(path), made.words)
    report.wrote(str(script))


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _none(engine: Engine, why: str, layer: int | None = None, hint: str = "") -> ReadError:
    line = engine.source.first_line if layer is None else engine.layers[layer].place.line
    return ReadError(Problem(Place(engine.source.file, line), "ELV607", why), hint)
