"""Lists the timed layers of an engine in the order of execution, as traces show them.

Layers are laid end to end: a profile tells how long a layer took, and not when it began.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import scopes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.coverage import timed_layers
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.problems import Place, Problem, ReadError

DECLARED: Final = (
    "sequence, not a time line: the layers are laid end to end in the order of execution, for a "
    "profile says how long each took, and not when it began"
)
HINT: Final = "--profile_file takes the times, such as those of trtexec --exportProfile"


class TimedLayer(NamedTuple):
    """A layer with its time, the scopes around it, and what ran inside, where times tell that.

    `kernels` are names and ms, no more in all than `ms`.
    """

    layer: Layer
    ms: float
    path: scopes.Path
    kernels: tuple[tuple[str, float], ...] = ()


def timed(costs: Costs) -> dict[int, list[TimedLayer]]:
    """The timed layers of each optimisation profile.

    Raises:
        ReadError: (ELV411) No layer has a time.
    """
    engine = costs.engine
    if costs.kind is None or costs.is_sum:
        place = Place(engine.source.file, engine.source.first_line)
        what = (
            "the time of a run: an unknown number of runs is summed" if costs.is_sum else "a time"
        )
        message = f"no layer of engine {engine.index} has {what}"
        raise ReadError(Problem(place, "ELV411", message), HINT)
    layers_of: dict[int, list[TimedLayer]] = {number: [] for number in costs.profiles}
    for layer, path in zip(engine.layers, scopes.paths(engine.layers)):
        if (ms := costs.of(layer)) is not None:
            kernels = tuple(_kernels(costs, layer, ms))
            layers_of[costs.profile_of(layer)].append(TimedLayer(layer, ms, path, kernels))
    return {number: layers for number, layers in layers_of.items() if layers}


def _kernels(costs: Costs, layer: Layer, ms: float) -> Iterator[tuple[str, float]]:
    """Medians of parts do not add up to the median of the whole: then there are none."""
    time = layer.time
    if time is None or costs.estimated or costs.statistic != "mean":
        return
    inside = [(kernel.name, kernel.average_ms) for kernel in time.kernels]
    rows = [(row.name, row.time.average_ms or 0.0) for row in time.rows]
    for name, took in inside or rows:
        took = min(took, ms)
        yield name, took
        ms -= took


def name_of(costs: Costs, number: int) -> str:
    """The name of a sequence: `engine 0`, and the optimisation profile if there are several."""
    words = f"engine {costs.engine.index}"
    return words if len(costs.profiles) < 2 else f"{words}, optimisation profile {number}"


def label(part: str) -> str:
    """A scope's own name, without the separator before it."""
    return part.lstrip("/.") or part


def about(costs: Costs) -> dict[str, JsonValue]:
    """What a trace is of, and what its times are."""
    engine = costs.engine
    return {
        "source": {"file": engine.source.file, "first_line": engine.source.first_line},
        "engine": engine.index,
        "tensorrt": engine.tensorrt,
        "times": costs.kind,
        "statistic": costs.statistic,
        "timed": timed_layers(costs),
        "declared": DECLARED,
    }
