"""Says what was looked at and is as it should be, and which costly layers have no finding.

Only what could have been otherwise in this engine is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import precisions, work
from engine_layer_visualize.analysis.kinds import is_reformat, waits_for_dla
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.analysis.times import first_run, ratio
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, percent
from engine_layer_visualize.core.words import abridged
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.kernels import on_tensor_cores
from engine_layer_visualize.trt.names import is_foreign

_LEAST_LAYERS: Final = 10  # of fewer, nothing is worth a sentence
_LEAST_SHARE_OF_REFORMATS: Final = 0.02  # of the same, together
_COSTLY_SHARE: Final = 0.1  # of the time of the engine
_LAUNCH_MS: Final = 0.01  # of a shorter layer the launch of its kernel takes most
_LRN: Final = "LRN"
_COPY: Final = "Copy"  # between the GPU and the DLA
_WAIT: Final = "it waits for the DLA"
_MOST_SHARE: Final = 1.1  # of the time that a device needs: it is another one
_MOST_DIFFERENCE: Final = 0.3  # of the time of an inference
_LONGEST_NAME: Final = 40  # characters
_MULTIPLYING: Final = "convolutions and products"
_HALF: Final = ("Half", "BFloat16", "Int8", "FP8", "FP4")


def of(subject: Subject) -> Iterator[str]:
    """Yields a sentence for each thing that is as it should be."""
    layers = subject.layers
    if not subject.edges or not subject.engine.source.complete or len(layers) < _LEAST_LAYERS:
        return
    products = [layer for layer in subject.multiplying if subject.dtype(layer) in _HALF]
    # The listing does not name the kernels inside a ForeignNode.
    known = not any(is_foreign(layer.name) for layer in layers)
    if known and products and all(on_tensor_cores(layer.kernel or "") for layer in products):
        below = "" if len(products) == len(subject.multiplying) else " below FP32"
        yield f"all {len(products):,} {_MULTIPLYING}{below} run on tensor cores"
    yield from faster_in_float(subject)


def faster_in_float(subject: Subject) -> Iterator[str]:
    """Yields that a lower type was timed and was slower, of layers with a tenth of the time."""
    wide = [layer for layer in subject.multiplying if subject.dtype(layer) == "Float"]
    why = [precisions.by_times(layer, subject.tuned(layer)).reason for layer in wide]
    kept = [layer for layer, reason in zip(wide, why) if reason == "fastest"]
    if subject.costs.ranked and (subject.costs.part(kept) or 0.0) >= _COSTLY_SHARE:
        faster = why.count("faster")
        what = count(len(wide), "convolution or product", _MULTIPLYING)
        gained = f"faster only for {faster:,}" if faster else "not faster"
        yield (
            f"lower precision was timed for {len(kept) + faster:,} of {what} in "
            f"{precisions.computed_in(wide)}, and was {gained}"
        )


def costly(subject: Subject, findings: Iterable[Finding]) -> Iterator[str]:
    """Yields layers, or groups of equal ones, with a tenth of the time and no finding."""
    costs, measured = subject.costs, subject.shown
    told = {index for finding in findings for index in finding.layers}
    # Times that sum to something else than an inference do not tell what costs much.
    is_far = ratio(measured) > 1 + _MOST_DIFFERENCE
    if not costs.whole or not costs.ranked or is_far or first_run(costs) is not None:
        return
    every = [layer for layer in subject.layers if layer.index not in told and costs.of(layer)]
    moving = [layer for layer in every if is_reformat(layer) and layer.type != _COPY]
    norms = [layer for layer in every if _LRN in (layer.type, *subject.operators(layer))]
    if norms and (part := costs.part(norms) or 0.0) >= _COSTLY_SHARE:
        yield f"{percent(part)} in {count(len(norms), 'LRN layer')}: retrain without LRN"
        told |= {layer.index for layer in norms}
    told |= {layer.index for layer in moving}
    left = [layer for layer in every if layer.index not in told]
    groups = work.ranked_equal_layers(left, subject.work, costs)
    for group in sorted(groups, key=lambda group: -(group.ms or 0.0)):
        share, first = costs.part(group.layers) or 0.0, group.layers[0]
        if share < _COSTLY_SHARE:
            break
        if (group.ms or 0.0) < _LAUNCH_MS * len(group.layers):
            continue
        named = f"{percent(share)} in layer {_called(first)}"
        if len(group.layers) > 1:
            named += f" and {count(len(group.layers) - 1, 'equal layer')}"
        if first.type == _COPY:
            if any(map(waits_for_dla, group.layers)):
                yield f"{named}: {_WAIT}"
        else:
            yield named if group.efficiency is None else f"{named}: {_bound(group)}"
    yield from _reformats(subject, moving)


def _reformats(subject: Subject, left: Sequence[Layer]) -> Iterator[str]:
    """Yields what reformats take together, and the change that takes most."""
    part = subject.costs.part(left) if left else None
    if part is None or part < _LEAST_SHARE_OF_REFORMATS:
        return
    changes: dict[str, list[Layer]] = defaultdict(list)
    for layer in left:
        reason = subject.reasons.get(layer.index)
        is_told = reason is not None and "untold" not in reason.changes
        changes[f" {reason.before} → {reason.after}" if reason and is_told else ""].append(layer)
    times = {change: subject.costs.sum(some) or 0.0 for change, some in changes.items()}
    most = max(times, key=lambda change: times[change])
    first = max(changes[most], key=lambda layer: subject.ms(layer) or 0.0)
    if len(left) == 1:
        yield f"{percent(part)} in reformat {first.index}{most and ':' + most}"
    else:
        is_most = most and 2 * times[most] > sum(times.values())
        told = (
            f"{percent(part)} in {len(left):,} reformats{', most of it' + most if is_most else ''}"
        )
        yield f"{told} (the longest: {first.index})"


def _called(layer: Layer) -> str:
    """The layer's number, and its name; where that is long, what it does."""
    if len(layer.name) <= _LONGEST_NAME:
        return f"{layer.index} `{layer.name}`"
    return f"{layer.index} ({abridged(headline(layer), _LONGEST_NAME)})"


def _bound(group: work.EqualLayers) -> str:
    if (group.efficiency or 0.0) > _MOST_SHARE:
        return "faster than this GPU can be: it ran on another one"
    what = "bandwidth" if group.done.bound_by == "memory" else "multiplications"
    return f"at {percent(group.efficiency or 0.0)} of the GPU's {what}"
