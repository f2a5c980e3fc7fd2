"""Compares two engines, layer by layer.

A layer computes, only moves data, serves others (reformats, quantisers), or runs for no layer of
the network (`side`). Layers of the same ONNX nodes belong together, one by one or as a group, where
they do the same work; of two networks nothing else counts (`names`). A ForeignNode holds what lies
between its two ends on the other side (`names`). What names leave is aligned in order, by
operators, shapes and weights, between the layers that names matched; then come layers with the
same neighbours (`structure`). Kernels of one Myelin layer stay together. A layer without weights
joins the group that writes its tensors, lies around it, or goes on behind it in the other engine
(`structure`). What serves no layer is paired by its tensors or its name. A reformat stands with the
layer that reads it, else with the one that writes for it. Each time counts once: for the cause of
its group, as a reformat, as overhead, or without a counterpart (`accounting`). `result` holds what
is found; `sentences` and `causes` say it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import accounting, names, result
from engine_layer_visualize.comparison.result import Comparison, Difference, Group, PerSample
from engine_layer_visualize.comparison.side import EngineSide, Match, Matches, Sides, alike, shape
from engine_layer_visualize.comparison.structure import by_structure, idle, take_in
from engine_layer_visualize.core.build_info import Device, EngineFacts
from engine_layer_visualize.core.limits import by_key, no_collections
from engine_layer_visualize.core.model import Engine, Tensor
from engine_layer_visualize.core.text import amount, base_name
from engine_layer_visualize.trt.names import COPY

_SERVED: Final = re.compile(rf"{COPY}\w+ Tensor \d+ to (.+)")


@no_collections()
def compare(a: Costs, b: Costs, called: str = "B") -> Comparison:
    """Compares engine B with engine A. Of two networks only what names join is matched.

    Args:
        a: engine A with its times.
        b: engine B with its times.
        called: the name of B; of several that are compared with A, the second is C.
    """
    if _order(a) <= _order(b):
        sides, matches = _matched(a, b, called)
    else:  # so that A against B is the mirror of B against A
        (second, first), mirrored = _matched(b, a, called)
        first.called, second.called = "A", called
        sides = first, second
        matches = [match._replace(a=match.b, b=match.a) for match in mirrored]
    same = _same_network(sides, matches)
    if not same:
        matches = [match for match in matches if match.confidence == "names"]
    groups = _groups(sides, matches)
    overhead = accounting.rest(sides, groups, overhead=True)
    unmatched = accounting.rest(sides, groups, overhead=False)
    inputs = result.input_shapes(a), result.input_shapes(b)
    samples = result.numbers_of_samples(*inputs) if same else None
    is_alike = same and not result.inputs_differ(inputs)
    factor = accounting.of_gpu(sides, groups) if is_alike else None
    delta, waterfall, unknown = accounting.total(
        sides, groups, overhead, unmatched, factor, samples or (1, 1)
    )
    no_ratio, speedup, per_sample = "", None, None
    if delta is not None:
        no_ratio = result.why_no_ratio((a, b), called, same, inputs)
        runs = result.ms_of_run(a), result.ms_of_run(b)
        if not no_ratio and min(runs) >= result.MIN_MS:
            speedup = runs[0] / runs[1]
        if samples is not None:
            per_sample = PerSample(runs[0] / samples[0], runs[1] / samples[1], *samples)
    return Comparison(
        a, b, same, delta, speedup, unknown, differences(a.engine, b.engine), waterfall,
        tuple(groups), overhead, unmatched, no_ratio, per_sample, inputs, called, factor,
    )  # fmt: skip


def _order(costs: Costs) -> tuple[int, list[tuple[str, str, list[str]]]]:
    """By which two engines are always matched in the same order, whichever comes first."""
    layers = costs.engine.layers
    return len(layers), [
        (la.type, la.name, [f"{t.name} {t.dtype} {t.dims}" for t in (*la.inputs, *la.outputs)])
        for la in layers
    ]


# ---- matching ----------------------------------------------------------------------------------


def _matched(a: Costs, b: Costs, called: str) -> tuple[Sides, list[Match]]:
    """The two sides, and groups of their layers, optimisation profile by optimisation profile."""
    by_name = any(not costs.engine.graph.edges for costs in (a, b))  # then there is no structure
    sides = EngineSide(a, "A", by_name), EngineSide(b, called, by_name)
    of_all: list[Match] = []
    # The optimisation profiles that belong together: those of totals, those of one number.
    both = [n for n in a.profiles if n in b.profiles and n not in (a.profile, b.profile)]
    for first, second in ((a.profile, b.profile), *zip(both, both)):
        found = Matches((sides[0].of_profile(first), sides[1].of_profile(second)))
        names.by_names(found)
        names.between_ends(found)
        if not by_name:
            by_structure(found)
        names.kernels_of_one(found, by_name)
        take_in(found)
        idle(found, by_name)
        of_all += found.all
    return sides, of_all


def _same_network(sides: Sides, matches: Sequence[Match]) -> bool:
    """Whether half of the computing layers of the smaller engine are matched with equal work.

    Without names, half of those of both, with shapes that are known to be equal. Or half of all
    nodes are in both, however they were fused. Layers are those of the optimisation profiles that
    totals are of.
    """
    members = [side.by_profile[side.costs.profile] for side in sides]
    a, b = ({node for i in own for node in side.keys[i]} for side, own in zip(sides, members))
    if 2 * len(a & b) >= len(a | b) > 0:
        return True
    numbers = [len(side.computing(own)) for side, own in zip(sides, members)]
    scale = names.scales(sides, [(m.a[0], m.b[0]) for m in matches if len(m.a) == len(m.b) == 1])
    agreed = [0, 0]
    for match in matches:
        named = match.confidence == "names"
        if any(
            names.agree(sides, i, j, scale)
            if named
            else sides[0].work[i].output == sides[1].work[j].output and names.agree(sides, i, j, {})
            for i, j in product(match.a, match.b)
        ):
            for which, side in enumerate(sides):
                agreed[which] += len(side.computing(match.both[which]))
    half = [2 * layers >= number for layers, number in zip(agreed, numbers)]
    if any(match.confidence == "names" for match in matches):
        return any(enough for enough, number in zip(half, numbers) if number == min(numbers))
    return all(half) and (all(numbers) or not any(numbers))


# ---- groups ------------------------------------------------------------------------------------


def _groups(sides: Sides, matches: Sequence[Match]) -> list[Group]:
    """The matches with the reformats that serve them, the largest difference first."""
    split = [_apart(sides, match) for match in matches]
    for number, side in enumerate(sides):
        members = [match.both[number] for match in matches]
        for index, home in _homes_of_reformats(side, members).items():
            split[home][1][number].append(index)
    groups = [accounting.group(sides, match, serving) for match, serving in split]
    return sorted(groups, key=lambda group: (-abs(group.delta_ms or 0.0), group.a, group.b))


def _apart(sides: Sides, match: Match) -> tuple[Match, tuple[list[int], list[int]]]:
    """The layers, and the no-ops among them, which serve the others."""
    (a, serve_a), (b, serve_b) = (
        [[i for i in own if (side.role[i] == "serves") is serves] for serves in (False, True)]
        for side, own in zip(sides, match.both)
    )
    if not a or not b:
        return match, ([], [])
    return match._replace(a=tuple(a), b=tuple(b)), (serve_a, serve_b)


def _homes_of_reformats(side: EngineSide, members: Sequence[Sequence[int]]) -> dict[int, int]:
    """The group of each reformat or no-op that serves one; `members`: the layers of each group.

    The first of the nearest that read it, else of those that write for it; where no tensors are
    known, that which its name tells: it holds that of a neighbour, but in the next build that may
    be the other one.
    """
    home = {index: number for number, layers in enumerate(members) for index in layers}
    if not side.costs.engine.graph.edges:
        named = {side.layers[index].name: number for index, number in home.items()}
        matched = {i: _SERVED.match(side.layers[i].name) for i in side.members if i not in home}
        served = ((i, named.get(match[1])) for i, match in matched.items() if match is not None)
        return {i: number for i, number in served if number is not None}

    def serves(i: int) -> bool:
        return side.role[i] == "serves" and i not in home

    home_of: dict[int, int] = {}
    for index in filter(serves, side.members):
        for near in (side.readers, side.writers):
            places = [home[i] for i in side.beyond(near, index, serves) if i in home]
            if places:
                home_of[index] = min(places)
                break
    return home_of


_SECTIONS: Final = ("Model", "Build", "System", "Inference")
# Files differ between any two runs; precisions are told in one form for all builders.
_OTHER: Final = frozenset(
    ("Save engine", "Load engine", "timingCacheFile", "Export timing", "Precision")
)
_DEVICE: Final = {
    "name": "device",
    # `Orin` is the name of several devices.
    "sms": "SMs",
    "memory_mib": "device memory in MiB",
    "compute_clock_ghz": "compute clock in GHz",
    "memory_clock_ghz": "memory clock in GHz",
}
_INPUT: Final = re.compile(r"[^,=]+=(?=\d)")  # `x:0=` of `x:0=1x3x32x32`
_MOST_OUTPUTS: Final = 3  # of other types or shapes that are told
_TOTALS: Final = ("Activation", "Weights", "Scratch")


def differences(a: Engine, b: Engine) -> tuple[Difference, ...]:
    """What differs, where both logs say it.

    TensorRT, listing, device, clocks, options, precisions, memory, timing cache.
    """
    return tuple(one for one in _all(a, b) if one.a != one.b and None not in one)


def _all(a: Engine, b: Engine) -> Iterator[Difference]:
    yield Difference("TensorRT", a.tensorrt, b.tensorrt)
    yield Difference("format of the listing", a.dialect, b.dialect)
    first, second = a.known, b.known
    here, there = first.device or Device(), second.device or Device()
    for field, what in _DEVICE.items():
        both = getattr(here, field), getattr(there, field)
        if None not in both:
            yield Difference(what, *map(str, both))
    allowed = (", ".join(facts.precisions) or None for facts in (first, second))
    yield Difference("allowed precisions", *allowed)
    yield _outputs(a, b)
    yield from _options(first, second)
    for name in _TOTALS:
        sizes = first.total(name), second.total(name)
        if None not in sizes:
            yield Difference(f"{name.lower()} memory", *(amount(size or 0) for size in sizes))
    yield Difference("timing cache", _cache(first), _cache(second))


def _outputs(a: Engine, b: Engine) -> Difference:
    """The outputs of other types or shapes, as layers write them."""
    mine, yours = map(_written, (a, b))
    pairs = [(tensor, yours.get(name, tensor)) for name, tensor in mine.items()]
    unlike = [both for both in pairs if _differ(*both)]
    if not unlike or mine.keys() != yours.keys():
        return Difference("outputs", None, None)
    more = " …" if len(unlike) > _MOST_OUTPUTS else ""
    first, second = (
        ", ".join(f"{one.dtype} [{one.dims}]" for one in own) + more
        for own in zip(*unlike[:_MOST_OUTPUTS])
    )
    return Difference("outputs", first, second)


def _differ(a: Tensor, b: Tensor) -> bool:
    if None in (a.dtype, b.dtype) or not a.dims or not b.dims:
        return False
    is_batch = len(a.shape) != len(b.shape) or len(a.shape) == 1  # it may be that alone
    return a.dtype != b.dtype or not (is_batch or alike(shape(a), shape(b)))


def _written(engine: Engine) -> dict[str, Tensor]:
    """The outputs as their layers write them; of several optimisation profiles the first."""
    by_name = {t.name: t for la in reversed(engine.layers) for t in reversed(la.outputs)}
    return {name: by_name[name] for name in engine.outputs if name in by_name}


def _options(a: EngineFacts, b: EngineFacts) -> Iterator[Difference]:
    """The options of trtexec."""
    each = (by_key(((one.section, one.key), one.value) for one in own.options) for own in (a, b))
    mine, yours = ({key: ", ".join(sorted(of)) for key, of in own.items()} for own in each)
    for (section, key), value in mine.items():
        other = yours.get((section, key))
        of_build = section in _SECTIONS and key not in _OTHER
        if of_build and value and other and _told(key, value) != _told(key, other):
            yield Difference(f"{section}: {key}", value, other)


def _told(key: str, value: str) -> str:
    """What a value says of a build: not the folder of a file, nor the names of inputs.

    These differ between machines, and between exports of one network.
    """
    if key.strip() == "Model":
        return base_name(value)
    value = value.removesuffix(" batch")  # of an `explicit batch`
    return _INPUT.sub("", value) if key.startswith("Input") else value


def _cache(facts: EngineFacts) -> str | None:
    cache = facts.timing_cache
    return cache and ("loaded" if cache.loaded else cache.kind)
