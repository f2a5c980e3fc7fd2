"""Makes the page of comparisons: both engines side by side, with one search and one selection.

The page is made of modules of `page/viewer`; here stands the data that it shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.labels import headline, part_of_layer
from engine_layer_visualize.analysis.times import how
from engine_layer_visualize.comparison import causes, result, sentences
from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import count, milliseconds, visible
from engine_layer_visualize.drawing.tooltips import type_and_dims
from engine_layer_visualize.page import html, look
from engine_layer_visualize.page.data import Strings
from engine_layer_visualize.reports.compare import builds, totals

_IN_GROUP, _OVERHEAD, _ALONE = range(3)  # where a layer stands
_MAX_TENSORS = 8  # of one side of a layer, whose formats are told


def as_html(
    comparisons: Sequence[Comparison], problems: Sequence[Problem], options: ReportOptions
) -> Iterator[str]:
    """The page, piece by piece."""
    yield html.start(title="Two TensorRT engines").decode()
    for comparison in comparisons:
        told = data(comparison)
        yield html.element("comparison-head", told["title"]).decode()
        yield html.deflated("comparison", told).decode()
    yield html.end().decode()


def data(comparison: Comparison) -> dict[str, Any]:
    """All that the page shows of a comparison."""
    strings = Strings()
    timed = any(group.delta_ms is not None for group in comparison.groups)
    tones = [look.tone_of(comparison, [group], timed) for group in comparison.groups]
    groups = [
        [
            group.ms_a,
            group.ms_b,
            group.delta_ms,
            tone,
            strings("; ".join(causes.changes(comparison, group))),
            strings(group.confidence),
            strings(group.why),
            result.of_groups(comparison, [group]),
        ]
        for group, tone in zip(comparison.groups, tones)
    ]
    explained: tuple[dict[int, str], dict[int, str]] = ({}, {})  # of the layers that steps sum
    steps = sentences.steps(comparison)
    for step in steps:
        for own, indices in zip(explained, (step.a, step.b)):
            own.update(dict.fromkeys(indices, step.cause))
    sides = [
        _side(costs, strings)
        | _places(comparison, side, tones)
        | {
            "cause": [strings(explained[side].get(layer.index)) for layer in costs.engine.layers],
            "scale": comparison.scales[side],
            "total": costs.total and comparison.ms[side] / comparison.samples[side],
        }
        for side, costs in enumerate(comparison.sides)
    ]
    return {
        "title": visible(sentences.title(comparison)),
        "b": visible(sentences.engine(comparison.b)),
        "called": comparison.called,
        "headline": sentences.headline(comparison),
        "first": visible(sentences.first(comparison)),
        "timed": timed,
        "per_sample": comparison.per_sample is not None,
        "delta": causes.signed(comparison.explained_ms),
        "estimated": comparison.a.estimated,
        "waterfall": [
            [step.cause, causes.CAUSES[step.cause], step.ms, causes.signed(step.ms)]
            for step in steps
            if step.ms
        ],
        "totals": [list(map(visible, row)) for row in totals(comparison)],
        "builds": [
            [visible(cell or "–") for cell in difference] for difference in builds(comparison)
        ],
        "sides": sides,
        "tf32": strings(precisions.TF32),
        "groups": groups,
        "strings": strings.shown(),
    }


def _places(comparison: Comparison, side: int, tones: Sequence[int]) -> dict[str, Any]:
    """Where each layer of an engine stands: its group, -1 for none, and its tone."""
    of: dict[int, tuple[int, int, int, int]] = {}
    for number, (group, tone) in enumerate(zip(comparison.groups, tones)):
        of.update(dict.fromkeys(group.both[side], (number, _IN_GROUP, 0, tone)))
        of.update(dict.fromkeys(group.reformats[side], (number, _IN_GROUP, 1, look.REFORMAT)))
    idle = (comparison.overhead.a, comparison.overhead.b)[side]
    of.update(dict.fromkeys(idle, (-1, _OVERHEAD, 0, look.OVERHEAD)))
    layers = comparison.sides[side].engine.layers
    each = [of.get(layer.index, (-1, _ALONE, 0, look.ALONE)) for layer in layers]
    return {
        key: [values[column] for values in each]
        for column, key in enumerate(("group", "place", "reformat", "tone"))
    }


def _side(costs: Costs, strings: Strings) -> dict[str, Any]:
    """An engine: a value for each of its layers in each column."""
    layers = costs.engine.layers
    words = count(len(layers), "layer")
    if costs.total is not None:
        of = f" in optimisation profile {costs.profile}" if len(costs.profiles) > 1 else ""
        words += f" · {milliseconds(costs.shown_total or costs.total)}{of}, {how(costs)}"
    return {
        "engine": visible(sentences.engine(costs)),
        "words": words,
        "name": [strings(layer.name or "(no name)") for layer in layers],
        "title": [strings(headline(layer)) for layer in layers],
        "part": [strings(part_of_layer(layer)) for layer in layers],
        "type": [strings(layer.type) for layer in layers],
        "precision": [strings(precisions.precision_of(layer)) for layer in layers],
        "tf32": [layer.index for layer in layers if precisions.of(layer).tf32],
        "kernel": [strings(layer.kernel) for layer in layers],
        "formats": [strings(_formats(layer)) for layer in layers],
        "ms": [costs.of(layer) for layer in layers],
    }


def _formats(layer: Layer) -> str:
    """`Half 1×64×56×56, chw32 → Int8 …`."""
    return " → ".join(
        "; ".join(map(_tensor, tensors[:_MAX_TENSORS]))
        + (" …" if len(tensors) > _MAX_TENSORS else "")
        or "–"
        for tensors in (layer.inputs, layer.outputs)
    )


def _tensor(tensor: Tensor) -> str:
    extra = tensor.format if tensor.format != tensor.dtype else None
    return ", ".join(filter(None, (type_and_dims(tensor), extra)))
