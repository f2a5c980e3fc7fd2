"""Completes the layers of a listing: hidden reformats, strides, kernels.

A reformat is added only if it is read, no listed layer writes it, and a line `Adding reformat
layer` explains it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from engine_layer_visualize.assembly.listings import Reading
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading.build_context import BuildContext, Reformat
from engine_layer_visualize.trt.names import COPY, REFORMATTED

# e.g. (8-) Reformatted Input Tensor 0 to conv1
_NAME: Final = lazy(REFORMATTED + r"(Input|Output) Tensor (\d+) to (.*)", re.DOTALL)
# e.g. (7) conv1 reformatted input 0
# e.g. (7) conv1 output to be reformatted 0
_OF_7: Final = lazy(r" (?:reformatted (input)|(output) to be reformatted)(?= \d{1,6}\Z)")
_REFORMATS: Final = ("Reformat", "NoOp", "MyelinReformat")


def completed(context: BuildContext, reading: Reading, source: Source) -> list[Layer]:
    """The layers of an engine."""
    layers = _with_hidden(reading.layers, context.reformats, source.name)
    _look_again(context, layers, source)
    return [
        replace(layer, kernel=kernel)
        if layer.tactic is not None
        and layer.kernel is None
        and (kernel := context.kernels.of(layer.name, layer.tactic)) is not None
        else layer
        for layer in layers
    ]


def _with_hidden(
    layers: Sequence[Layer], reformats: Mapping[str, Reformat], file: str
) -> list[Layer]:
    """The layers with the hidden reformats in their places, renumbered."""
    if not reformats:
        return list(layers)
    by_result = {_ends(reformat)[1]: reformat for reformat in reformats.values()}
    writers: dict[str, Tensor] = {}
    for layer in layers:
        for tensor in layer.outputs:
            writers.setdefault(tensor.name, tensor)
    result: list[Layer] = []
    explained: set[str] = set()
    for layer in layers:
        for tensor in layer.inputs:
            reformat = by_result.get(tensor.name)
            if reformat and tensor.name not in writers and tensor.name not in explained:
                explained.add(tensor.name)
                result.append(_hidden(reformat, tensor, writers, file))
        result.append(_annotated(layer, reformats))
    if len(result) == len(layers):  # nothing was put in
        return result
    return [replace(layer, index=index) for index, layer in enumerate(result)]


def _ends(reformat: Reformat) -> tuple[str, str]:
    """What is read and what is written: inputs are reformatted before a layer, outputs after."""
    old = _OF_7.search(reformat.name)
    if reformat.name.startswith(REFORMATTED + "Output ") or (old is not None and old[2]):
        return reformat.name, reformat.tensor
    return reformat.tensor, reformat.name


def _hidden(reformat: Reformat, result: Tensor, writers: Mapping[str, Tensor], file: str) -> Layer:
    """The layer of a reformat that writes `result`. `writers`: the tensors that layers write."""
    source, _ = _ends(reformat)
    dtype, written = reformat.source.partition("(")[0], writers.get(source, result)
    return Layer(
        index=0,
        place=Place(file, reformat.line),
        type="Reformat",
        name=_listed_name(reformat),
        tactic=None,
        inputs=(Tensor(source, dtype, written.dims, written.shape),),
        outputs=(result,),
        attributes=_strides(reformat),
        listed=False,
    )


def _listed_name(reformat: Reformat) -> str:
    """What TensorRT calls the reformat where it lists it."""
    if match := _NAME.fullmatch(reformat.name):
        return f"{COPY}{match[1]} Tensor {match[2]} to {match[3]}"
    return _OF_7.sub(lambda old: f" {old[1] or old[2]} reformatter", reformat.name)


def _annotated(layer: Layer, reformats: Mapping[str, Reformat]) -> Layer:
    if layer.type not in _REFORMATS:
        return layer
    for tensor in (*layer.outputs, *layer.inputs):
        reformat = reformats.get(tensor.name)
        if reformat is None:
            continue
        # The engine may list another tensor than the network's: one of which that is a part.
        written = {output.name for output in layer.outputs}
        if layer.name == _listed_name(reformat) or _ends(reformat)[1] in written:
            return replace(layer, attributes=(*layer.attributes, *_strides(reformat)))
    return layer


def _strides(reformat: Reformat) -> tuple[tuple[str, str], ...]:
    return (("ReformatFrom", reformat.source), ("ReformatTo", reformat.target))


def _look_again(context: BuildContext, layers: Sequence[Layer], source: Source) -> None:
    """Looks for kernels where a layer lacks its own and a part of a large log was passed over."""
    kernels = context.kernels
    tactics = {layer.tactic for layer in layers if layer.tactic and layer.kernel is None}
    for stretch in context.passed_over(source):
        if not kernels.lacks(tactics):
            return
        kernels.read(stretch)
