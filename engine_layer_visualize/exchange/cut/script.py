"""Writes a shell script that builds and times a piece of a model."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from engine_layer_visualize.core.model import Engine, Layer
from engine_layer_visualize.core.onnx_product import Shape
from engine_layer_visualize.core.text import shorten, visible
from engine_layer_visualize.exchange.cut import io_formats, same_build
from engine_layer_visualize.exchange.cut.io_formats import LayerFormats
from engine_layer_visualize.exchange.cut.same_build import STRONGLY_TYPED
from engine_layer_visualize.exchange.cut.tensor_types import TensorTypes, inputs_of
from engine_layer_visualize.exchange.cutting.graph import NodeGraph
from engine_layer_visualize.exchange.cutting.piece import Piece

_LINE: Final = 300  # characters of a comment
_ASK: Final = "SHAPES"
_KINDS: Final = ("minShapes", "optShapes", "maxShapes", "shapes")


class Shapes:
    """The shapes of a model's tensors for each shape that its inputs have.

    The shapes of the inputs are those of an optimisation profile.
    """

    def __init__(self, graph: NodeGraph, engine: Engine, profile: int) -> None:
        known = same_build.ranges(engine, profile)
        told = inputs_of(engine)
        self._types: dict[str, TensorTypes] = {}
        for number, kind in enumerate(_KINDS if known else ()):
            ranged = {name: shapes[number] for name, shapes in known.items()}
            self._types[kind] = TensorTypes(graph, {**told, **ranged}, engine)

    def of(self, names: Iterable[str]) -> Mapping[str, Mapping[str, Shape]]:
        """The shapes of some tensors for each flag of trtexec; empty where one is unknown."""
        shapes: dict[str, dict[str, Shape]] = {}
        for kind, types in self._types.items():
            shapes[kind] = {}
            for name in names:
                shape = types.shape(name)
                if shape is None:
                    return {}
                shapes[kind][name] = shape
        return shapes


def written(
    stem: str,
    engine: Engine,
    layers: Sequence[Layer],
    piece: Piece,
    types: TensorTypes,
    shapes: Shapes,
    remarks: Sequence[str],
) -> bytes:
    """The script. `remarks`: what is in the piece."""
    flags, note = same_build.flags(engine)
    known = LayerFormats(engine, layers)
    formats, unknown = _formats(known, piece, types, STRONGLY_TYPED in flags)
    vary = [name for name in piece.inputs if types.shape(name) is None]
    given, ask = _shapes(vary, shapes)
    words = [*flags, *formats, *given, "--verbose", "--profilingVerbosity=detailed",
             "--separateProfileRun"]  # fmt: skip
    comments = [*remarks, *filter(None, (note, unknown))]
    comments.append("TRTEXEC names another trtexec; what is given to the script is passed on.")
    lines = ["#!/bin/sh", *(f"# {shorten(visible(text), _LINE)}" for text in comments)]
    record = visible(_record(stem, vary, shapes))
    lines.append(f"# To build it with TensorRT-RTX, without a GPU: {record}")
    if ask:
        says = f"printf '%s\\n' {shlex.quote(visible(ask))} >&2"
        lines.append(f'[ -n "${{{_ASK}-}}" ] || {{ {says}; exit 2; }}')
    lines.append('here=$(dirname -- "$0") || exit')
    files = [f'--onnx="$here/{stem}.onnx"', f'--exportProfile="$here/{stem}.profile.json"']
    asked = [f'--shapes="${_ASK}"'] if ask else []
    line = [files[0], *map(shlex.quote, words), files[1], *asked, '"$@"']
    lines.append('exec "${TRTEXEC:-trtexec}" \\\n  ' + " \\\n  ".join(line))
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def is_of(path: Path, log: str) -> bool:
    """Whether a script is there that times a layer of this log."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return f" of {visible(log)} alone" in "".join(islice(file, 3))
    except OSError:
        return False


def _formats(
    known: LayerFormats, piece: Piece, types: TensorTypes, strongly_typed: bool
) -> tuple[list[str], str]:
    """The flags of the inputs' and outputs' formats; why one is left out."""
    found, left_out = [], []
    for side, of_side, names in (
        ("input", known.read, piece.inputs),
        ("output", known.written, piece.outputs),
    ):
        kinds = [(name, types.word(name), types.rank(name)) for name in names]
        words = io_formats.flag(of_side, kinds, strongly_typed)
        if words:
            found.append(f"--{side}IOFormats={words}")
        elif names:
            left_out.append(side)
    if not left_out:
        return found, ""
    which = " and ".join(f"{side}s" for side in left_out)
    return found, f"trtexec has no word for the type of one of the {which}: their formats are free."


def _shapes(vary: Sequence[str], shapes: Shapes) -> tuple[list[str], str]:
    """The flags of the shapes of inputs that vary; else what the script asks for."""
    if not vary:
        return [], ""
    known = shapes.of(vary)
    if not known:
        names = ",".join(f"{_quoted(name)}:DIMxDIM" for name in vary)
        return [], f"the log does not tell the shapes of inputs that vary: set {_ASK} to {names}"
    return [
        f"--{kind}=" + ",".join(f"{_quoted(n)}:{'x'.join(map(str, d))}" for n, d in each.items())
        for kind, each in known.items()
    ], ""


def _record(stem: str, vary: Sequence[str], shapes: Shapes) -> str:
    """The command of this program that builds the piece."""
    words = ["python", "-m", "engine_layer_visualize", "record", f"{stem}.onnx"]
    words += ["--builder", "tensorrt_rtx", "--output_dir", stem]
    known = shapes.of(vary)
    for name in vary if known else ():
        ends = ("x".join(map(str, known[kind][name])) for kind in _KINDS[:3])
        words.append(f"--shapes={':'.join((name, *ends))}")
    return shlex.join(words)


def _quoted(name: str) -> str:
    """The name of an input as trtexec takes it in a list."""
    return f"'{name}'" if "," in name else name
