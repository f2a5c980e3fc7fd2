"""Says the numbers of tensors, and which tensor is furthest from a reference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine_layer_visualize.core.build_info import AccuracyLoss
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count


def of_tensor(numbers: Iterable[tuple[str, float]]) -> str:
    """`min -1, max 2.5`."""
    return ", ".join(f"{name} {value:.4g}" for name, value in numbers)


def of_tensors(tensors: Mapping[str, Mapping[str, float]]) -> tuple[str, ...]:
    """`y: min -1, max 2.5` of each tensor."""
    return tuple(f"{name}: {of_tensor(numbers.items())}" for name, numbers in tensors.items())


def worst(losses: Sequence[AccuracyLoss]) -> AccuracyLoss | None:
    """The one that is furthest from its reference: of those that failed, if some did."""
    failed = [one for one in losses if one.failed] or losses
    known = [one for one in failed if one.loss is not None and one.algorithm == failed[0].algorithm]
    return max(
        known,
        key=lambda one: -(one.loss or 0) if one.lower_is_worse else one.loss or 0,
        default=None,
    )


def accuracy(losses: Sequence[AccuracyLoss], layers: Sequence[Layer]) -> str:
    """How many tensors failed, and the worst with its layer; empty where nothing was compared."""
    one = worst(losses)
    if one is None:
        return ""
    failed, unjudged = sum(bool(loss.failed) for loss in losses), losses[0].failed is None
    said = f"{failed} of {count(len(losses), 'compared tensor')} failed"
    said = f"{count(len(losses), 'tensor')} compared" if unjudged else said
    limit = "" if one.threshold is None else f", threshold {one.threshold:.4g}"
    writers = (layer for layer in layers if any(out.name == one.tensor for out in layer.outputs))
    of = f" of layer {layer.index}" if (layer := next(writers, None)) is not None else ""
    number = f"{one.algorithm} {one.loss:.4g}{limit}"
    return f"Accuracy: {said}; the worst is `{one.tensor}`{of}, {number}"
