"""Writes the value of trtexec's flag for the formats of inputs and outputs.

Each tensor that crosses the border of a piece has the type and format that the layers of the engine
have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.analysis.measures import format_words
from engine_layer_visualize.analysis.reformat_reasons import described
from engine_layer_visualize.core.model import Engine, Layer, Tensor
from engine_layer_visualize.linting.io_formats import part
from engine_layer_visualize.trt import data_types, memory_formats
from engine_layer_visualize.trt.layer_names import without_profile

# What inputs can have in place of TensorRT-RTX's NHWC.
_NHWC: Final = {"Float": "channels last", "Half": "channels last, in 8s"}
_COPIES_OF_TENSOR: Final = 8  # of a tensor, one after the other


class _Known(NamedTuple):
    """A tensor of a layer."""

    names: tuple[str, ...]  # its names, those of its copies, too
    words: str  # of the flag; empty where the type is unknown or no input's
    rank: int | None  # how many extents it has; None: unknown


class LayerFormats:
    """What layers read and write."""

    def __init__(self, engine: Engine, layers: Iterable[Layer]) -> None:
        before: dict[str, str] = {}  # a reformatted tensor -> what it is a copy of
        for reformat in engine.layers:
            if is_reformat(reformat) and len(reformat.inputs) == len(reformat.outputs) == 1:
                source, target = (
                    without_profile(t.name) for t in (*reformat.inputs, *reformat.outputs)
                )
                before[target] = source
        after = {source: target for target, source in before.items()}
        self.read: list[_Known] = []
        self.written: list[_Known] = []
        for layer in layers:
            combination = layer.facts.formats if layer.facts is not None else None
            told = memory_formats.of_combination(combination or "")
            self.read += _known(layer.inputs, told[:1], before)
            self.written += _known(layer.outputs, told[1:2], after)


def _known(
    tensors: Sequence[Tensor], told: Sequence[Sequence[str]], copies: Mapping[str, str]
) -> Iterator[_Known]:
    listed = told[0] if told and len(told[0]) == len(tensors) else [""] * len(tensors)
    for tensor, words in zip(tensors, listed):
        names = [without_profile(tensor.name)]
        while names[-1] in copies and len(names) < _COPIES_OF_TENSOR:
            names.append(copies[names[-1]])
        rank = None if tensor.shape is None else len(tensor.shape)
        yield _Known(tuple(names), _words(tensor, words), rank)


def flag(
    known: Iterable[_Known], kinds: Sequence[tuple[str, str, int | None]], strongly_typed: bool
) -> str | None:
    """The value of the flag, with a part for each tensor; None where a type has no word.

    Args:
        known: The tensors of the layers.
        kinds: For each tensor its name in the model, onnx's word for its type, and its rank.
        strongly_typed: Whether tensors have the types of the model.
    """
    wanted = {name for name, _, _ in kinds}
    found: dict[str, str] = {}
    copies: dict[str, str] = {}
    loose: dict[tuple[str, ...], tuple[str, int | None]] = {}
    for names, words, rank in known:
        if names[0] in wanted and words:
            found[names[0]] = words
        elif own := wanted.intersection(names):
            copies.update(dict.fromkeys(own, words))
        else:
            loose[names] = words, rank
    found = {**copies, **found}
    unknown = [(name, rank) for name, _, rank in kinds if name not in found]
    if len(unknown) == len(loose) and len({*loose.values()}) == 1:
        # TensorRT has other names for these, and they are alike
        ((words, of_engine),) = {*loose.values()}
        found.update((name, words) for name, rank in unknown if of_engine in (None, rank))
    parts = []
    for name, kind, _ in kinds:
        dtype = data_types.of_inputs(data_types.canonical(kind))
        words = found.get(name, "")
        if words and _fits(words, dtype, strongly_typed):
            parts.append(words)
        elif dtype is None:
            return None
        else:
            parts.append(f"{dtype}:chw")
    return ",".join(parts)


def _fits(words: str, dtype: str | None, strongly_typed: bool) -> bool:
    """Whether a tensor of the model may have the type that the engine's has.

    Both hold data, or neither does.
    """
    of_engine = words.partition(":")[0]
    if strongly_typed:
        return of_engine == dtype
    kinds = [
        data_types.holds_data(data_types.canonical(dtype_of)) for dtype_of in (of_engine, dtype)
    ]
    return kinds[0] == kinds[1] and not (dtype == "int8" and of_engine != "int8")


def _words(tensor: Tensor, told: str) -> str:
    """The part of the flag for a tensor, such as `fp16:hwc8`.

    `told` is what the autotuner says of its format.
    """
    dtype = data_types.canonical(tensor.dtype)
    layout = told if told and data_types.canonical(told.partition(" ")[0]) == dtype else ""
    rows = _NHWC.get(dtype or "", "") if format_words(tensor) == "NHWC" else ""
    words = described(tensor, layout.partition(" ")[2] or rows)
    return (part(words) or "") if dtype else ""
