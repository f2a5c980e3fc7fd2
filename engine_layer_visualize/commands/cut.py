"""`cut`: a log and the ONNX model behind it in; layers as models of their own out.

Beside each a script that builds and times it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.groups import groups
from engine_layer_visualize.commands import Report, flag_values, inputs, standing
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.onnx_model import OnnxModel
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import count, plural, shorten
from engine_layer_visualize.exchange import sequence
from engine_layer_visualize.exchange.cut.cutter import Cut, Cutter, NoPiece
from engine_layer_visualize.exchange.cut.script import is_of
from engine_layer_visualize.io import onnx_file
from engine_layer_visualize.io.atomic_file import Together, cannot_write
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
_NAMED: Final = 20  # groups in a message
_SHOWN: Final = 80


class _Wanted(NamedTuple):
    """`stem`: of the files' names; `what`: the layers in words; `layers`: their indices."""

    stem: str
    what: str
    layers: tuple[int, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags."""
    inputs.add(parser.add_argument_group("what is read"), model=True)
    piece = parser.add_argument_group("what is cut out")
    which = piece.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--layer", metavar="LAYER", help="this layer: an index, a name, or a part of one name"
    )
    which.add_argument(
        "--slowest",
        metavar="N",
        type=flag_values.positive,
        help="each of the N slowest layers whose ONNX nodes are known",
    )
    which.add_argument(
        "--group",
        metavar="GROUP",
        help="the layers of a group as the drawings frame it: its number from 0, or its path",
    )
    piece.add_argument(
        "--context",
        metavar="N",
        type=flag_values.number,
        default=0,
        help="with the layers at most N edges away from it (default: 0)",
    )
    inputs.add_output_dir(parser.add_argument_group("what is written"))
    inputs.add_limits(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    """Writes the pieces. Raises ReadError where there are none."""
    if len(options.log_file) > 1 or (options.engine and len(set(options.engine)) > 1):
        problem = Problem(Place("cut"), "ELV605", "several engines, and a model is of one")
        raise ReadError(problem, "give one --log_file and one --engine")
    options.onnx = model = onnx_file.load(options.onnx)
    for named, log in inputs.logs(options, report, facts=True):
        every = log.number if not options.engine else 1
        for costs in inputs.shown(named, log, options, report):
            if every > 1:
                report.remark(f"{named.name} holds {every} engines; layers of engine 0 are cut out")
            _cut(costs, model, options, report)
            break


def _cut(costs: Costs, model: OnnxModel, options: argparse.Namespace, report: Report) -> None:
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
    every = list(_wanted(costs, cutter, options, report))
    _check(folder, every, engine.source.file, model.path, options)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from None
    for wanted in every:
        near = subgraph.beside(engine, set(wanted.layers), options.context)
        layers = [engine.layers[at] for at in wanted.layers]
        around = [engine.layers[at] for at in sorted(near - {*wanted.layers})]
        try:
            made = cutter.cut(wanted.stem, wanted.what, layers, around)
        except NoPiece as why:
            report.failed(_none(engine, f"{wanted.what} cannot be cut out: {why}", layers[0].index))
            continue
        _save(folder, wanted.stem, made, report)


def _wanted(
    costs: Costs, cutter: Cutter, options: argparse.Namespace, report: Report
) -> Iterator[_Wanted]:
    engine = costs.engine
    if options.layer is not None:
        at = subgraph.called(engine, options.layer)
        yield _Wanted(f"cut_{at}", f"layer {at}", (at,))
    elif options.group is not None:
        yield _group(costs, options.group)
    else:
        passed = []
        left = options.slowest
        for layer in costs.ranking:
            if not left:
                break
            if cutter.has_nodes(layer):
                left -= 1
                yield _Wanted(f"cut_{layer.index}", f"layer {layer.index}", (layer.index,))
            else:
                passed.append(layer.index)
        if passed:
            numbers = ", ".join(map(str, passed[:_NAMED])) + (" …" if passed[_NAMED:] else "")
            layers = f"{plural(len(passed), 'layer')} {numbers}"
            report.remark(f"passed over, as no ONNX nodes are known: {layers}")
        if left == options.slowest:
            if not costs.ranking:
                raise _none(engine, "no layer has a time", hint=sequence.HINT)
            raise _none(engine, "no layer has a time, and ONNX nodes in the model")


def _group(costs: Costs, word: str) -> _Wanted:
    """A group by its number or its path. Raises ReadError (ELV607), which names those there are."""
    engine = costs.engine
    profiles = [costs.profile_of(layer) for layer in engine.layers]
    found = groups(engine.layers, profiles)
    at = next((at for at, group in enumerate(found) if group.path == word), None)
    if at is None and word.isascii() and word.isdigit() and len(word) < 10:
        at = int(word) if int(word) < len(found) else None
    if at is None:
        names = [f"{at} {shorten(group.path, _SHOWN)}" for at, group in enumerate(found)]
        there = f"there are {', '.join(names[:_NAMED])}" if names else "the engine has none"
        more = f" and {len(names) - _NAMED:,} more" if names[_NAMED:] else ""
        raise _none(engine, f"no group is called `{shorten(word, _SHOWN)}`; {there}{more}")
    what = f"group {at} `{shorten(found[at].path, _SHOWN)}`"
    return _Wanted(f"cut_group{at}", what, tuple(found[at].layers))


def _check(
    folder: Path, every: Sequence[_Wanted], log: str, model: str, options: argparse.Namespace
) -> None:
    """Raises ReadError where a piece may not be written (ELV604, ELV505)."""
    for wanted in every:
        path, script = _paths(folder, wanted.stem)
        if standing.is_read(path, [model]):
            message = "the piece would be written over the model"
            problem = Problem(Place(str(path)), "ELV604", message)
            raise ReadError(problem, "name another --output_dir")
        read = [*options.log_file, *options.profile_file, model]
        standing.check((script, path), options.force, partial(_whose, script, log), read=read)


def _whose(script: Path, log: str, _: Path) -> str:
    """The piece tells of no log, and its script does."""
    return "" if is_of(script, log) else "this was there before, and not of this log"


def _paths(folder: Path, stem: str) -> tuple[Path, Path]:
    """Of the piece, and of its script."""
    return folder / f"{stem}.onnx", folder / f"{stem}.sh"


def _save(folder: Path, stem: str, made: Cut, report: Report) -> None:
    """No piece without its script. Raises ReadError (ELV501)."""
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
    report.line(f"{path}  {made.words}")
    report.line(str(script))


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _none(engine: Engine, why: str, layer: int | None = None, hint: str = "") -> ReadError:
    line = engine.source.first_line if layer is None else engine.layers[layer].place.line
    return ReadError(Problem(Place(engine.source.file, line), "ELV607", why), hint)
