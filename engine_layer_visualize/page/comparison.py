"""Makes the data of the page of comparisons: both engines side by side, and the tones of groups."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.labels import headline, part_of_layer
from engine_layer_visualize.analysis.times import how
from engine_layer_visualize.comparison import causes, result, sentences
from engine_layer_visualize.comparison.causes import CHANGES
from engine_layer_visualize.comparison.result import Change, Comparison, Group
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.text import count, milliseconds, visible
from engine_layer_visualize.drawing.theme import Theme, mix, tint
from engine_layer_visualize.drawing.tooltips import type_and_dims
from engine_layer_visualize.page.data import Strings

_IN_GROUP, _OVERHEAD, _ALONE = range(3)  # where a layer stands
_MAX_TENSORS = 8  # of one side of a layer, whose formats are told


def data(comparison: Comparison) -> dict[str, Any]:
    """All that the page shows of a comparison."""
    from engine_layer_visualize.reports.compare import builds, totals  # no page of engines needs it

    strings = Strings()
    timed = any(group.delta_ms is not None for group in comparison.groups)
    tones = [_tone_of(comparison, group, timed) for group in comparison.groups]
    groups = [
        [
            group.ms_a,
            group.ms_b,
            group.delta_ms,
            tone,
            strings("; ".join(causes.changes(comparison, group))),
            strings(group.confidence),
            result.of_groups(comparison, [group]),
        ]
        for group, tone in zip(comparison.groups, tones)
    ]
    sides = [_side(comparison, side, tones, strings) for side in range(2)]
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
            for step in sentences.steps(comparison)
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


def _side(
    comparison: Comparison, side: int, tones: Sequence[int], strings: Strings
) -> dict[str, Any]:
    """An engine: a value for each of its layers in each column."""
    costs = comparison.sides[side]
    layers = costs.engine.layers
    words = count(len(layers), "layer")
    if costs.total is not None:
        of = f" in optimisation profile {costs.profile}" if len(costs.profiles) > 1 else ""
        words += f" · {milliseconds(costs.shown_total or costs.total)}{of}, {how(costs)}"
    # Where each layer stands: its group, -1 for none, and its tone.
    places: dict[int, tuple[int, int, int, int]] = {}
    for number, (group, tone) in enumerate(zip(comparison.groups, tones)):
        places.update(dict.fromkeys(group.both[side], (number, _IN_GROUP, 0, tone)))
        places.update(dict.fromkeys(group.reformats[side], (number, _IN_GROUP, 1, REFORMAT)))
    idle = (comparison.overhead.a, comparison.overhead.b)[side]
    places.update(dict.fromkeys(idle, (-1, _OVERHEAD, 0, OVERHEAD)))
    each = [places.get(layer.index, (-1, _ALONE, 0, ALONE)) for layer in layers]
    steps = sentences.steps(comparison)
    causes_of = {index: step.cause for step in steps for index in (step.a, step.b)[side]}
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
        "group": [group for group, _, _, _ in each],
        "place": [place for _, place, _, _ in each],
        "reformat": [reformat for _, _, reformat, _ in each],
        "tone": [tone for _, _, _, tone in each],
        "cause": [strings(causes_of.get(layer.index)) for layer in layers],
        "scale": comparison.scales[side],
        "total": costs.total and comparison.ms[side] / comparison.samples[side],
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


# ---- the colours of groups: by speed-up, or without times by what changed ----------------------

SPEEDS: Final = (1.05, 1.2, 1.5, 2.0, 4.0)  # where the steps of the scale begin
SAME: Final = len(SPEEDS)
SCALE: Final = range(2 * SAME + 1)  # the tones from the slowest to the fastest
_SHADES: Final = (0.2, 0.4, 0.6, 0.8, 1.0)
# The change that matters most comes first; the number is an index into `Theme.kinds`.
CHANGED: Final[dict[Change, int]] = {
    "fusion": 5, "precision": 1, "kernel": 4, "format": 2, "shape": 6, "reformats": 0
}  # fmt: skip
UNTIMED: Final = SCALE.stop
_FIRST_CHANGE: Final = UNTIMED + 1
ALONE: Final = _FIRST_CHANGE + len(CHANGED)
OVERHEAD: Final = ALONE + 1
REFORMAT: Final = OVERHEAD + 1


class Tone(NamedTuple):
    """A fill, an outline, and what they stand for."""

    fill: str
    line: str
    words: str


def _tone_of(comparison: Comparison, group: Group, timed: bool) -> int:
    """The tone of a group, as its place in `palette`.

    `timed`: the times of the two engines can be compared.
    """
    if timed:
        took = comparison.took([group])
        return UNTIMED if took is None else SAME + _step(*took)
    changes = group.changes
    return next((_FIRST_CHANGE + n for n, name in enumerate(CHANGED) if name in changes), SAME)


def _step(a: float, b: float) -> int:
    """How many steps B is faster, or slower."""
    low, high = sorted((a, b))
    steps = sum(high >= low * speed for speed in SPEEDS) if high else 0
    return steps if a > b else -steps


def palette(theme: Theme, timed: bool) -> list[Tone]:
    """Every tone in the colours of a theme."""
    neutral = mix(theme.paper, theme.ink, 0.1)
    tones = [Tone(neutral, mix(neutral, theme.ink, 0.35), "")] * len(SCALE)
    ends = [f"{low:g} to {high:g} ×" for low, high in pairwise(SPEEDS)]
    ends.append(f"at least {SPEEDS[-1]:g} ×")
    for shade, times, step in zip(_SHADES, ends, range(1, SAME + 1)):
        for color, sign, word in ((theme.slower, -1, "slower"), (theme.faster, 1, "faster")):
            fill = mix(neutral, color, shade)
            line = mix(fill, theme.ink, 0.25)
            tones[SAME + sign * step] = Tone(fill, line, f"B {times} {word}")
    tones[SAME] = tones[SAME]._replace(words="the same time" if timed else "no change in the logs")
    tones.append(Tone(theme.group, theme.muted, "time unknown"))
    for change, kind in CHANGED.items():
        tones.append(Tone(tint(theme.kinds[kind], theme), theme.kinds[kind], CHANGES[change]))
    tones.append(Tone(tint("#cc79a7", theme), "#cc79a7", "only in A (gone) or in B (new)"))
    quiet = theme.marks["constant"]
    tones.append(Tone(quiet.fill, quiet.line, "constants, shape calls, waits"))
    tones.append(Tone(mix(theme.paper, theme.muted, 0.45), theme.muted, "reformats and no-ops"))
    return tones
