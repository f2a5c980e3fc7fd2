"""Says the numbers of tensors, and how far they are from a reference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine_layer_visualize.analysis import tensor_numbers
from engine_layer_visualize.core.build_info import AccuracyLoss
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count


def of_tensor(numbers: Iterable[tuple[str, float]]) -> str:
    """`min -1, max 2.5`."""
    return ", ".join(f"{name} {value:.4g}" for name, value in numbers)


def of_tensors(tensors: Mapping[str, Mapping[str, float]]) -> tuple[str, ...]:
    """`y: min -1, max 2.5` of each tensor."""
    return tuple(f"{name}: {of_tensor(numbers.items())}" for name, numbers in tensors.items())


def of_loss(one: AccuracyLoss) -> str:
    """`L0 0.01, threshold 0.005`."""
    limit = "" if one.threshold is None else f", threshold {one.threshold:.4g}"
    return f"{one.algorithm} {'no number' if one.loss is None else f'{one.loss:.4g}'}{limit}"


def accuracy(losses: Sequence[AccuracyLoss], layers: Sequence[Layer]) -> str:
    """How many tensors failed, and the worst with its layer; empty where nothing was compared."""
    one = tensor_numbers.worst(losses)
    if one is None:
        return ""
    failed, unjudged = sum(bool(loss.failed) for loss in losses), losses[0].failed is None
    said = f"{failed} of {count(len(losses), 'compared tensor')} failed"
    said = f"{count(len(losses), 'tensor')} compared" if unjudged else said
    writers = (layer for layer in layers if any(out.name == one.tensor for out in layer.outputs))
    of = f" of layer {layer.index}" if (layer := next(writers, None)) is not None else ""
    return f"Accuracy: {said}; the worst is `{one.tensor}`{of}, {of_loss(one)}"
