"""Says how trtexec builds and times a piece of a model, with the flags of the log's own command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize.analysis import trtexec_flags
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.reformat_reasons import described
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Engine, Layer, Tensor
from engine_layer_visualize.core.onnx_product import Shape
from engine_layer_visualize.exchange.piece import Cutter
from engine_layer_visualize.io import onnx_file
from engine_layer_visualize.linting.io_formats import part
from engine_layer_visualize.trt import data_types, memory_formats
from engine_layer_visualize.trt.layer_names import without_profile

_OURS: Final = ("--verbose", "--profilingVerbosity=detailed", "--separateProfileRun")
_SHAPES: Final = ("--minShapes", "--optShapes", "--maxShapes", "--shapes")
# Those about files, about tensors and layers by name, and those that we give.
_OF_WHOLE: Final = re.compile(
    r"--(?:onnx|uff|deploy|model|output|batch|maxBatch|calib|profil|ref|save|load|export|dump|"
    r"layer|verbose|separateProfileRun|buildOnly|skipInference|timingCache|tempdir|strip|"
    r"weightless|mark|tun|set|useProfile|get|help|\w*[sS]hapes|\w*IOFormats)"
)
_DATA: Final = ("fp32:", "fp16:", "bf16:", "int8:")
_DIMS: Final = re.compile(r"\d{1,12}(?:x\d{1,12}){0,63}")


def line(cutter: Cutter, costs: Costs, layer: Layer, piece: Any, path: Path) -> str:
    """The command that builds and times the piece of a layer, a `ModelProto`, in a file."""
    engine, facts = costs.engine, costs.engine.facts or EngineFacts()
    given = [word for word in (facts.command or "").split() if word.startswith("--")]
    flags = [word for word in given if not _OF_WHOLE.match(word)]
    did_build = any(word.startswith("--onnx") for word in given)
    added = [*([] if did_build else _types(engine, facts)), *_formats(layer, piece, facts)]
    added += (*_shapes(cutter, engine, costs.profile_of(layer), given, piece), *_OURS)
    added.append(f"--exportProfile={path.with_suffix('.profile.json')}")
    flags += (flag for flag in added if trtexec_flags.has(engine, flag.partition("=")[0]))
    return shlex.join(["trtexec", f"--onnx={path}", *flags])


def _types(engine: Engine, facts: EngineFacts) -> list[str]:
    """The flags of the types that the log allows, else of those that the engine has."""
    if facts.strongly_typed:
        return ["--stronglyTyped"]
    tensors = (tensor for la in engine.layers for tensor in (*la.inputs, *la.outputs))
    types = {precision.casefold() for precision in facts.precisions}
    types = types or {data_types.of_inputs(tensor.dtype) or "" for tensor in tensors}
    return [f"--{one}" for one in ("fp16", "bf16", "int8", "fp8") if one in types]


def _formats(layer: Layer, piece: Any, facts: EngineFacts) -> Iterator[str]:
    """The flags of the types and formats of what the layer reads and writes."""
    combination = (layer.facts.formats if layer.facts is not None else None) or ""
    autotuned = (*memory_formats.of_combination(combination), (), ())
    sides = (piece.graph.input, layer.inputs), (piece.graph.output, layer.outputs)
    for side, (ends, tensors), told in zip(("input", "output"), sides, autotuned):
        forms = told if len(told) == len(tensors) else [""] * len(tensors)
        known = {without_profile(each.name): pair for each, *pair in zip(tensors, tensors, forms)}
        free = [end.name for end in ends if end.name not in known]
        left = known.keys() - {end.name for end in ends}
        if len(left) == len(free) == 1:  # a copy in another format, whose name is TensorRT's
            known[free[0]] = known[left.pop()]
        parts = [_part(end.type, facts, *known.get(end.name, ())) for end in ends]
        if all(parts):
            yield f"--{side}IOFormats={','.join(parts)}"


def _part(kind: Any, facts: EngineFacts, tensor: Tensor | None = None, form: str = "") -> str:
    """A part such as `fp16:hwc8` for an end of a piece; "" where none tells its type."""
    types = onnx_file.library("onnx").TensorProto.DataType
    own = data_types.of_inputs(types.Name(kind.tensor_type.elem_type))
    if tensor is not None and len(tensor.shape) == len(onnx_file.extents(kind)):
        is_same = data_types.canonical(form.partition(" ")[0]) == tensor.dtype
        words = part(form if is_same else described(tensor, "")) or ""
        may_change = own == "fp32" and not facts.strongly_typed
        if words.startswith(_DATA if may_change else f"{own}:"):
            return words
    return f"{own}:chw" if own else ""


def _shapes(
    cutter: Cutter, engine: Engine, profile: int, given: Sequence[str], piece: Any
) -> Iterator[str]:
    """The flags of the shapes that vary; `?` stands for what the log does not tell."""
    every = {end.name: onnx_file.extents(end.type) for end in piece.graph.input}
    ends = {name: shape for name, shape in every.items() if min(shape, default=0) < 0}
    inputs: dict[str, dict[str, Shape]] = {}  # of the network
    for flag, _, value in (word.partition("=") for word in given):
        for one in value.split(",") if flag in _SHAPES else ():
            name, _, dims = one.rpartition(":")
            if _DIMS.fullmatch(dims):
                inputs.setdefault(flag, {})[name] = tuple(map(int, dims.split("x")))
    for told in engine.ranges:
        for flag, shape in zip(_SHAPES, told.profiles[profile] if told.profiles[profile:] else ()):
            inputs.setdefault(flag, {})[told.name] = shape
    found = {flag: cutter.shapes(ends, shapes) for flag, shapes in inputs.items() if ends}
    known = found if found and all(found.values()) else {"--shapes": ends}
    for flag, shapes in known.items() if ends else ():
        words = (f"{name}:{_extents(shape)}" for name, shape in (shapes or {}).items())
        yield f"{flag}={','.join(words)}"


def _extents(shape: Shape) -> str:
    return "x".join("?" if extent < 0 else str(extent) for extent in shape)
