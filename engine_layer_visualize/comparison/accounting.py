"""Gives groups their times, tells what changed in them, and what explains the difference.

Every layer's time is counted once. Estimates are never subtracted from measurements.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from math import fsum
from statistics import median
from typing import Final

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.analysis.precisions import UNKNOWN
from engine_layer_visualize.comparison import result
from engine_layer_visualize.comparison.result import Cause, CauseTime, Change, Group, Rest, Uniform
from engine_layer_visualize.comparison.side import EngineSide, Match, Sides, alike, role_of
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, milliseconds, percent, plural
from engine_layer_visualize.trt.operators import unnumbered
from engine_layer_visualize.trt.types import holds_data

Indices = Sequence[int]

_ADDRESS: Final = re.compile(r"_0x[0-9a-f]+")  # in the names of kernels that Myelin compiled
_NOT_WHOLE: Final = {"cut": "cut", "part": "a part of one"}  # states of listings
_MAX_ONE_SIDED: Final = 0.02  # part of a total that may have no time to compare with
MIN_ALIKE: Final = 4  # groups: of fewer, one factor is chance
_NEAR: Final = 0.15  # of the median: as near the middle half of the ratios is
_NEAR_ON_ANOTHER: Final = 0.3  # the same of two GPUs
_SAME_FACTOR: Final = 0.05


def counted(costs: Costs, indices: Iterable[int]) -> Indices:
    """Keeps the layers of the optimisation profile whose totals are shown."""
    if len(costs.profiles) == 1:
        return tuple(indices)
    layers = costs.engine.layers
    return [i for i in indices if costs.profile_of(layers[i]) == costs.profile]


def _comparable(sides: Sides) -> bool:
    return sides[0].costs.kind is not None and sides[0].costs.kind == sides[1].costs.kind


# ---- groups ------------------------------------------------------------------------------------


def group(sides: Sides, match: Match, reformats: tuple[Indices, Indices]) -> Group:
    """A match with its times and what changed."""
    mine, yours = (tuple(sorted(indices)) for indices in reformats)
    both = match.a + mine, match.b + yours
    ms_a, ms_b = (side.sum(own) for side, own in zip(sides, both))
    delta = None
    untimed = any(side.untimed[i] for side, own in zip(sides, both) for i in own)
    if not untimed and (ms_a, ms_b) != (None, None) and _comparable(sides):
        delta = (ms_b or 0.0) - (ms_a or 0.0)

    layers = [[side.layers[i] for i in own] for side, own in zip(sides, match.both)]
    a, b = map(main_of, layers)
    one_by_one = _is_one_by_one(sides, match)
    other_kernel = _kernel_changed(sides, a, b) if one_by_one else None
    types = [{*own} for own in types_of(layers)]
    dialects = {side.costs.engine.dialect for side in sides}  # each says formats in its own words
    works = sides[0].work[a.index], sides[1].work[b.index]
    outputs_alike = not all(work.known for work in works) or alike(*(work.output for work in works))
    moves = [
        sum(runs_kernel(side.layers[i]) for i in own) for side, own in zip(sides, (mine, yours))
    ]
    told: dict[Change, bool] = {
        "fusion": not one_by_one and not _one_compiled(sides, match),
        "kernel": bool(other_kernel),
        "precision": types[0] != types[1] and UNKNOWN not in types[0] | types[1],
        "format": one_by_one and len(dialects) == 1 and _formats(a) != _formats(b),
        "shape": one_by_one and not outputs_alike,
        "reformats": moves[0] != moves[1],
    }
    changes = [change for change, is_so in told.items() if is_so]

    causes: tuple[Cause, ...] = ("fusion", "precision", "kernel")
    cause: Cause = next((change for change in causes if change in changes), "time")
    if all(side.role[i] == "overhead" for side, own in zip(sides, match.both) for i in own):
        cause = "overhead"
    return Group(
        match.a, match.b, mine, yours, ms_a, ms_b, delta, match.confidence, tuple(changes), cause,
        other_kernel is not None or "fusion" in changes,
    )  # fmt: skip


def _is_one_by_one(sides: Sides, match: Match) -> bool:
    """Whether each side has one layer that computes; where a side has none, one layer at all."""
    computing = [side.computing(own) for side, own in zip(sides, match.both)]
    return all(len(own) == 1 for own in (computing if all(computing) else match.both))


def main_of(layers: Sequence[Layer]) -> Layer:
    """The first of these layers that computes, else the first."""
    return next((layer for layer in layers if role_of(layer) == "computes"), layers[0])


def types_of(
    sides: Sequence[Sequence[Layer]], precision: Callable[[Layer], str] = precisions.precision_of
) -> list[list[str]]:
    """The precisions of the layers of each side, each once.

    Where one is unknown, as that of a ForeignNode, the types of all their tensors.
    """
    computed = [list(dict.fromkeys(map(precision, own))) for own in sides]
    if not any(UNKNOWN in own for own in computed):
        return computed
    types = ([t.dtype for layer in own for t in (*layer.inputs, *layer.outputs)] for own in sides)
    data = [dict.fromkeys(t for t in own if holds_data(t) is not False) for own in types]
    if not all(own and None not in own for own in data):
        return computed
    return [[f"{dtype} tensors" for dtype in own] for own in data]


def _one_compiled(sides: Sides, match: Match) -> bool:
    """Whether one listing has a Myelin layer as a whole, and the other its kernels."""
    whole, units = 0, 0
    for side, indices in zip(sides, match.both):
        whole += len(indices) == 1 and side.has_whole_myelin(indices)
        inside = side.units(indices)
        units += len(inside) == 1 and None not in inside
    return whole == units == 1


def _kernel_changed(sides: Sides, a: Layer, b: Layer) -> bool | None:
    """Whether two layers run different kernels or, without names, tactics; None: not told."""
    if a.kernel and b.kernel:
        return _ADDRESS.sub("", a.kernel) != _ADDRESS.sub("", b.kernel)
    if a.tactic is not None and b.tactic is not None:
        tactics = _number(a.tactic), _number(b.tactic)
        if a.type != b.type or tactics[0] != tactics[1]:
            return True
        # Zero, of Myelin, of plugins and of what has one implementation, tells no kernel.
        if tactics[0] and sides[0].costs.engine.tensorrt == sides[1].costs.engine.tensorrt:
            return False
    return None if runs_kernel(a) or runs_kernel(b) else False


def _number(tactic: str) -> int | str:
    """The number of a tactic, which each version prints in its own way: -3, 0xfffffffffffffffd."""
    try:
        return int(tactic, 16 if "x" in tactic else 10) % (1 << 64)
    except ValueError:
        return tactic


def _formats(layer: Layer) -> list[str]:
    """The formats, or the vector parts (8 of `1,64:8,56,56`), of the tensors of a record."""
    tensors = (*layer.inputs, *layer.outputs)
    return [t.format or t.dims.partition(":")[2].partition(",")[0] for t in tensors]


def of_gpu(sides: Sides, groups: Sequence[Group]) -> Uniform | None:
    """The factor of layers that compute the same in the same precision, on two GPUs."""
    a = sides[0].costs
    devices = [side.costs.engine.known.device for side in sides]
    if len({device.name for device in devices if device is not None and device.name}) < 2:
        return None
    timed = [one for one in groups if counted(a, one.a[:1]) and is_timed(one)]
    equal = [one for one in timed if one.cause in ("time", "kernel") and "shape" not in one.changes]
    found = one_factor(a, equal, _NEAR_ON_ANOTHER)
    if found is not None:  # many small layers, which gain less, do not tell that of the whole
        whole = sum(one.ms_b or 0.0 for one in equal) / sum(one.ms_a or 0.0 for one in equal)
        if abs(whole - found.factor) > _NEAR_ON_ANOTHER * found.factor:
            return None
    return found


def one_factor(costs: Costs, groups: Sequence[Group], near: float = _NEAR) -> Uniform | None:
    """The ratios of groups with half of A's time; None where they are not alike, or near 1."""
    took = sum(one.ms_a or 0.0 for one in groups)
    if costs.estimated or len(groups) < MIN_ALIKE or 2 * took < (costs.total or 0.0):
        return None
    found = ratios(groups)
    far = max(found.high - found.factor, found.factor - found.low) > near * found.factor
    return None if far or abs(found.factor - 1) <= _SAME_FACTOR else found


def ratios(groups: Sequence[Group]) -> Uniform:
    """The median of their ratios, B by A, and the middle half."""
    each = sorted((one.ms_b or 0.0) / (one.ms_a or 1.0) for one in groups)
    quarter, last = len(each) // 4, len(each) - 1
    return Uniform(median(each), each[quarter], each[last - quarter])


def is_timed(group: Group) -> bool:
    """Whether both times of a group are more than the clock's resolution."""
    return group.delta_ms is not None and min(group.ms_a or 0.0, group.ms_b or 0.0) >= result.MIN_MS


def rest(sides: Sides, groups: Sequence[Group], *, overhead: bool) -> Rest:
    """Layers in no group, in order, with their known times: those that are overhead, or others."""
    left = []
    for number, side in enumerate(sides):
        placed = {i for group in groups for i in group.all[number]}
        alone = (i for i in range(len(side.layers)) if i not in placed)
        left.append(tuple(i for i in alone if (side.role[i] == "overhead") is overhead))
    return Rest(left[0], left[1], sides[0].sum(left[0]), sides[1].sum(left[1]))


# ---- the difference of the totals --------------------------------------------------------------


def total(
    sides: Sides,
    groups: Sequence[Group],
    overhead: Rest,
    unmatched: Rest,
    found: Uniform | None,
    samples: tuple[int, int],
) -> tuple[float | None, tuple[CauseTime, ...], str]:
    """The difference of the optimisation profiles that totals are of, and what explains it.

    Of runs of different numbers of samples a sample's is explained. Where another GPU has one
    factor, the other steps are differences from A's times that factor. Layers that belong together
    and have no time in either engine are no difference, whatever their names.

    Returns:
        The difference, its steps, or why there is none.
    """
    if why := _no_difference(sides):
        return None, (), why
    terms: list[tuple[Cause, list[int], list[int]]] = []  # the timed layers of each cause
    alone: tuple[list[int], list[int]] = ([], [])  # those that have no time to compare with
    untimed = [0, 0]  # layers without a time, of which nothing tells how long they may take
    parts: list[tuple[Cause, tuple[Indices, Indices]]] = []
    for one in groups:
        parts += [(one.cause, one.both), ("reformats", one.reformats)]
    for cause, both in parts:
        timed, names = zip(*map(_split, sides, both))
        if names[0] != names[1] and (not all(names) or any(timed)):
            cause = "unmatched"
            for side in (0, 1):
                alone[side].extend(timed[side])
                untimed[side] += 0 if timed[1 - side] else len(names[side])
        terms.append((cause, *timed))
    (a, _), (b, _) = map(_split, sides, (overhead.a, overhead.b))
    terms.append(("overhead", a, b))
    (a, lonely_a), (b, lonely_b) = map(_split, sides, (unmatched.a, unmatched.b))
    terms.append(("unmatched", a, b))
    lonely = untimed[0] + len(lonely_a), untimed[1] + len(lonely_b)
    if why := _too_much_alone(sides, alone, lonely):
        return None, (), why
    factor = 1.0 if found is None else found.factor
    runs = [result.ms_of_run(side.costs) for side in sides]
    scale_a, scale_b = result.scales((side.costs for side in sides), factor, samples)
    steps = [CauseTime("factor", (factor - 1) * runs[0] / samples[0])] if found else []
    for cause in result.CAUSES[1:]:
        a = [i for which, own, _ in terms if which == cause for i in own]
        b = [i for which, _, own in terms if which == cause for i in own]
        before, after = ([side.ms[i] or 0.0 for i in own] for side, own in zip(sides, (a, b)))
        ms = fsum([*(-scale_a * each for each in before), *(scale_b * each for each in after)])
        steps.append(CauseTime(cause, ms, tuple(a), tuple(b)))
    delta = fsum(step.ms for step in steps) if samples == (1, 1) else runs[1] - runs[0]
    return delta, tuple(steps), ""


def _split(side: EngineSide, indices: Indices) -> tuple[list[int], list[str]]:
    """The layers whose times are known; the names of those that run a kernel and have no time."""
    own = counted(side.costs, indices)
    timed = [i for i in own if side.ms[i] is not None]
    return timed, sorted(unnumbered(side.layers[i].name) for i in own if side.untimed[i])


def _no_difference(sides: Sides) -> str:
    """Why the totals of both cannot be subtracted."""
    (a, b), names = (side.costs for side in sides), [side.called for side in sides]
    if summed := [name for name, costs in zip(names, (a, b)) if costs.is_sum]:
        return f"the times of {' and '.join(summed)} are sums over an unknown number of runs"
    if a.total is None and b.total is None:
        of = f" of optimisation profile {a.profile}" if len(a.profiles) > 1 else ""
        return f"neither engine has times of layers{of}"
    if a.total is None or b.total is None:
        return f"{names[a.total is not None]} has no times of layers"
    if not _comparable(sides):
        return f"the times of A are {a.kind}, those of {names[1]} {b.kind}"
    for name, costs in zip(names, (a, b)):
        if why := _NOT_WHOLE.get(costs.engine.source.state):
            return f"the listing of {name} is {why}"
    return ""


def _too_much_alone(sides: Sides, alone: tuple[Indices, Indices], untimed: Sequence[int]) -> str:
    """Why so much has no counterpart that the totals cannot be compared; else empty."""
    for side, other, own in zip(sides, sides[::-1], alone):
        ms, whole = side.sum(own) or 0.0, side.costs.total or 0.0
        if ms > _MAX_ONE_SIDED * whole:
            part = f"{milliseconds(ms)} of {side.called} ({percent(ms / whole)})"
            return f"{part} are in layers that have no time in {other.called}"
    for side, number in zip(sides, untimed):
        if number:
            layers = count(number, "layer")
            return f"{layers} of {side.called} alone {plural(number, 'has', 'have')} no time"
    return ""
