"""Completes the layers of a listing: with the reformats that it leaves out, and with kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine_layer_visualize.assembly import hidden_reformats
from engine_layer_visualize.assembly.merge_listings import Reading
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.inputs.buildlog.build_context import BuildContext, PassedOver
from engine_layer_visualize.inputs.buildlog.kernel_names import Kernels
from engine_layer_visualize.inputs.buildlog.stretches import Stretch
from engine_layer_visualize.io.source import Source


def complete(context: BuildContext, reading: Reading, source: Source) -> list[Layer]:
    """The layers of an engine."""
    layers = hidden_reformats.complete(reading.layers, context.reformats, source.name)
    _look_again(context, layers, source)
    return [_with_kernel(layer, context.kernels) for layer in layers]


def _look_again(context: BuildContext, layers: Sequence[Layer], source: Source) -> None:
    """Looks for kernels where a layer lacks its own and a part of a large log was passed over."""
    kernels = context.kernels
    tactics = {layer.tactic for layer in layers if layer.tactic and layer.kernel is None}
    while context.skipped and kernels.lacks(tactics):
        skipped = context.skipped.pop(0)
        begin, line = skipped.begin, skipped.line
        for piece in source.stretch(begin, skipped.end):
            stretch = Stretch(piece, 0, len(piece), line)
            kernels.read(stretch)
            begin += len(piece)
            line = stretch.number(stretch.end)
            if not kernels.lacks(tactics):
                context.skipped.insert(0, PassedOver(begin, skipped.end, line))
                break
        kernels.rest()


def _with_kernel(layer: Layer, kernels: Kernels) -> Layer:
    if layer.tactic is None or layer.kernel is not None:
        return layer
    kernel = kernels.of(layer.name, layer.tactic)
    return layer if kernel is None else replace(layer, kernel=kernel)
