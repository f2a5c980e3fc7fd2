"""Says what an engine's times are: how they are known, of how many layers, and their sums."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import is_reformat, runs_kernel
from engine_layer_visualize.analysis.reformat_reasons import cause
from engine_layer_visualize.core.model import Engine, EngineTime, Layer
from engine_layer_visualize.core.text import count, milliseconds, percent, plural
from engine_layer_visualize.trt.names import profile_in

UNKNOWN_RUNS: Final = "an unknown number of runs"
_TICK_MS: Final = 0.001024  # of the timer that trtexec asks: a median is a multiple of it


def engine_time(engine: Engine) -> EngineTime:
    """The engine's time as every output shows it."""
    return time_of(Costs(engine))


def time_of(costs: Costs) -> EngineTime:
    """The time of one optimisation profile."""
    profile, now, of_profile = costs.engine.profile, costs.now, None
    if costs.kind == "measured" and profile is not None:
        rows = profile.total_ms if profile.printed is None else profile.printed.average_ms
        of_profile = rows if costs.rows_beyond else costs.whole
    return EngineTime(costs.kind, now.total_ms, now.timed, now.layers, of_profile, costs.each)


def is_unsteady(mean: float | None, median: float | None) -> bool:
    """Whether mean and median differ so much that a single number misleads."""
    if mean is None or median is None or max(mean, median) <= 0:
        return False
    return abs(mean - median) > max(0.1 * min(mean, median), _TICK_MS)


class Row(NamedTuple):
    """Layers of one type or precision, of one optimisation profile."""

    name: str | None  # the type or the precision; None where it is unknown
    layers: int
    timed: int  # how many of the layers have a time
    ms: float | None  # the sum of these; None where none is
    share: float | None  # of the profile's `whole`, from 0 to 1
    idle: int  # how many of the layers run no kernel


def by_type(costs: Costs) -> tuple[Row, ...]:
    """A row for each type, the costliest first; together all layers of the optimisation profile."""
    return _rows(costs, lambda layer: layer.type or None)


def by_precision(costs: Costs) -> tuple[Row, ...]:
    """A row for each precision that layers compute in, the costliest first."""
    return _rows(costs, precisions.precision_of)


def reformats(costs: Costs) -> Row:
    """All reformats of the optimisation profile; a `NoOp` is none."""
    return _row("reformat", [layer for layer in costs.layers if is_reformat(layer)], costs)


def moves(layers: Iterable[Layer]) -> dict[str, int]:
    """How many of these layers are reformats, and how many of them are nodes of the network.

    `quantisers` come from a QuantizeLinear or a DequantizeLinear; `concat_copies` copy into the
    output of a Concat.
    """
    causes = [cause(layer) for layer in layers if is_reformat(layer)]
    kinds = {"quantisers": causes.count("quantiser"), "concat_copies": causes.count("concat")}
    return {"reformats": len(causes), **kinds}


def half(costs: Costs) -> int:
    """How many of the slowest layers take half of the time together."""
    spent = 0.0
    for number, layer in enumerate(costs.ranking, 1):
        spent += costs.share(layer) or 0.0
        if spent >= 0.5:
            return number
    return len(costs.timed)


def _rows(costs: Costs, of: Callable[[Layer], str | None]) -> tuple[Row, ...]:
    groups: dict[str | None, list[Layer]] = defaultdict(list)
    for layer in costs.layers:
        groups[of(layer)].append(layer)
    rows = (_row(name, layers, costs) for name, layers in groups.items())
    return tuple(sorted(rows, key=lambda row: (-(row.share or 0.0), -row.layers, str(row.name))))


def _row(name: str | None, layers: Sequence[Layer], costs: Costs) -> Row:
    timed = sum(costs.share(layer) is not None for layer in layers)
    idle = sum(not runs_kernel(layer) for layer in layers)
    return Row(name, len(layers), timed, costs.sum(layers), costs.part(layers), idle)


# ---- in words ------------------------------------------------------------------------------------


def timed_layers(costs: Costs) -> str:
    """How many layers are timed, such as `6 of 26 layers timed (built from a timing cache)`."""
    if is_trace(costs):
        return launches(costs)
    return f"{of_layers(costs)} timed" + (f" ({why})" if (why := why_untimed(costs)) else "")


def why_untimed(costs: Costs) -> str:
    """Whose the times are, and why layers have none; empty where each has its own."""
    return ", ".join(_why_no_row(costs) if costs.kind == "measured" else _why_no_estimate(costs))


def of_layers(costs: Costs) -> str:
    """The number of timed layers, such as `6 of 26 layers`."""
    layer = "layer" if costs.engine.source.complete else "listed layer"
    return f"{costs.now.timed:,} of {count(costs.now.layers, layer)}"


def idle_layers(costs: Costs) -> str:
    """Of estimates, how many layers are not among those to be timed: `, 170 run no kernel`."""
    idle = len(costs.layers) - costs.now.layers
    return f", {idle:,} {plural(idle, 'runs', 'run')} no kernel" if idle else ""


def is_trace(costs: Costs) -> bool:
    """Whether rows of a trace of the GPU stand for layers, those of its preparation too."""
    return any(layer.type == "Kernel" for layer in costs.layers)


def launches(costs: Costs) -> str:
    """What a trace has: its kernels stand for no layers."""
    launched = sum(layer.time.parts for layer in costs.layers if layer.time is not None)
    return f"{len(costs.layers):,} kernels, copies and sets, launched {launched:,} times"


def how_measured(costs: Costs) -> str:
    """How times are measured, such as `measured, 961 runs`.

    The number is left out where a profile does not tell it.
    """
    if costs.is_sum:
        return f"measured over {UNKNOWN_RUNS}"
    numbers = {la.time.n if la.time is not None else None for la in costs.timed}
    known = [number for number in numbers if number is not None]
    if not known or None in numbers:
        return "measured"
    least, most = min(known), max(known)
    runs = "one run" if most == 1 else count(most, "run")
    return f"measured, {runs}" if least == most else f"measured, {least:,} to {most:,} runs"


def how(costs: Costs) -> str:
    """How times are known, such as `measured, 961 runs` or `estimated`; a dash: there are none."""
    return how_measured(costs) if costs.kind == "measured" else costs.kind or "–"


def is_one_run(costs: Costs) -> bool:
    """Whether each time is of a single run."""
    return costs.kind == "measured" and {la.time and la.time.n for la in costs.timed} == {1}


def _why_no_estimate(costs: Costs) -> Iterator[str]:
    """Whose the estimates are, and reasons for layers without one."""
    facts = (layer.facts for layer in costs.layers if costs.of(layer) is not None)
    lent = sum(bool(known is not None and known.measured_on) for known in facts)
    if costs.estimated and lent:
        yield f"{lent:,} from equal layers"
    if costs.now.timed == costs.now.layers:
        return
    if _is_cached(costs):
        yield "timing cache"
    pieces = (one for one in costs.engine.known.pieces if profile_in(one.name) == costs.profile)
    if whole := [one.ms for one in pieces]:  # of nodes that are listed as the layers inside
        yield f"{count(len(whole), 'ForeignNode')} timed as a whole, {milliseconds(sum(whole))}"


def _is_cached(costs: Costs) -> bool:
    """Whether a timing cache explains that a layer has no estimate."""
    cache = costs.engine.known.timing_cache
    if cache is None:
        return False
    printed = bool(cache.cached_results) or not cache.hits
    return bool(cache.loaded) or not printed or cache.kind == "global"


def _why_no_row(costs: Costs) -> Iterator[str]:
    """Reasons for layers without a time, and how much of the profile's time is not of the timed."""
    if costs.now.timed == 0 < costs.now.layers and len(costs.profiles) > 1:
        ran = [time.profile for time in costs.each if time.timed]
        yield f"the times are of optimisation profile {ran[0]}" if ran else ""
    elif costs.now.timed < costs.now.layers and not any(map(costs.missing, costs.layers)):
        yield "the others run no kernel"
    if costs.rest_share:
        yield f"{percent(costs.rest_share)} of the profile's time is not theirs"


# ---- the time of one inference, and the times of layers within it --------------------------------


def inference(costs: Costs) -> float | None:
    """Returns the ms that layers are a part of: one inference on the GPU, else their sum."""
    return None if costs.whole is None else costs.whole * ratio(costs)


def share_touched(layers: Collection[int], costs: Costs) -> float | None:
    """Returns the part of the sum of all layers that these take; None where it is unknown.

    What one layer holds beside its work is no part of the sum.
    """
    if (held := held_in_one(costs)) is not None:
        costs = costs.without(held.layer, held.ms)
    return costs.part(costs.engine.layers[index] for index in layers) if layers else None


def share_words(costs: Costs) -> str:
    """Returns what the shares of `share_touched` are of; empty: of the sum of all layers."""
    return costs.share_words if held_in_one(costs) is None else "of an inference"


def is_scaled(costs: Costs) -> bool:
    """Whether `of_inference` scales the times of layers by more than is lost in printing."""
    return ratio(costs) < 0.999 and held_in_one(costs) is None


def of_inference(costs: Costs) -> Costs:
    """Returns the times of layers as they are in one inference.

    Layers sum to more where each was timed alone: then all are scaled. Where they sum to less, the
    rest of the inference passes between them.
    """
    if (held := held_in_one(costs)) is not None:
        return costs.without(held.layer, held.ms)
    factor = ratio(costs)
    return costs if factor >= 1 else costs.scaled(factor)


class Held(NamedTuple):
    """A layer whose time holds more than its work, by so many ms."""

    layer: Layer
    ms: float


def held_in_one(costs: Costs) -> Held | None:
    """Returns the layer that holds what layers sum to more than an inference; None: not one."""
    if ratio(costs) >= 0.7 or costs.rest or len(costs.profiles) > 1:
        return None  # where layers sum to little more, none waits: each was timed alone
    first, beyond = _far_longest(costs), (costs.whole or 0.0) * (1 - ratio(costs))
    return None if first is None or beyond >= (costs.of(first) or 0.0) else Held(first, beyond)


def first_run(costs: Costs) -> Layer | None:
    """Returns the layer that holds the start-up of the only run; None: none is as long."""
    return _far_longest(costs) if is_one_run(costs) else None


def _far_longest(costs: Costs) -> Layer | None:
    """Returns the layer that takes ten times as long as any other; None: there is none."""
    first, *others = costs.ranking
    second = max((costs.of(layer) or 0.0 for layer in others), default=0.0)
    return first if second and (costs.of(first) or 0.0) > 10 * second else None


def ratio(costs: Costs) -> float:
    """Returns the time of one inference as a part of the sum of its layers; 1: not known.

    The builder's estimates stay as they are.
    """
    took = None if costs.estimated else gpu_compute(costs)
    known = took and costs.whole and costs.ranked and costs.engine.source.complete
    return took / costs.whole if known and took and costs.whole else 1.0


def at_most(ms: float, costs: Costs) -> float:
    """Returns the ms, at most what the layers of an inference take."""
    return ms if costs.whole is None else min(ms, costs.whole)


def gpu_compute(costs: Costs) -> float | None:
    """Returns the ms of one inference by trtexec; None: unknown, or of which engine."""
    told = costs.engine.known.performance
    row = told.gpu_compute if told is not None else None
    return (row.mean or row.median) if row is not None and len(costs.profiles) == 1 else None
