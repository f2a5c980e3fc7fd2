"""Writes an engine as a profile of speedscope: a flame graph of the modules.

https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts: each sample is a stack
of frames, the outermost first, and its weight is in ms. A stack is the scopes around a layer, the
layer, and the kernel where the times tell it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis import scopes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.exchange import sequence
from engine_layer_visualize.exchange.sequence import TimedLayer
from engine_layer_visualize.fields.json import dump, rows
from engine_layer_visualize.views.subgraph import View

_SCHEMA: Final = "https://www.speedscope.app/file-format-schema.json"


def render(view: View, format: str = "speedscope", options: Options = DEFAULT) -> Iterator[bytes]:
    """The whole engine, whatever the view. Raises ReadError (ELV411) where no layer has a time."""
    costs = Costs(view.engine, options.optimization_profile, options.time)
    for text in _pieces(costs, sequence.timed(costs)):
        yield text.encode("utf-8", "backslashreplace")


def _pieces(costs: Costs, timed: dict[int, list[TimedLayer]]) -> Iterator[str]:
    frames = _Frames(costs.engine.source.file)
    profiles = [_profile(sequence.name_of(costs, k), layers, frames) for k, layers in timed.items()]
    active = next(place for place, k in enumerate(timed) if k >= min(costs.profile, max(timed)))
    head = {
        **{"$schema": _SCHEMA, "name": f"{costs.engine.source.file}, engine {costs.engine.index}"},
        **{"exporter": "engine_layer_visualize", "activeProfileIndex": active},
        "about": sequence.about(costs),
    }
    yield dump(head).removesuffix("}") + ',\n"profiles": '
    yield from rows(profiles)
    yield ',\n"shared": {"frames": '
    yield from rows(frames.all)
    yield "}}\n"


class _Frames:
    """The frames of all stacks, each once: speedscope adds up what is in one frame."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.all: list[JsonValue] = []
        self._numbers: dict[tuple[str, str, int], int] = {}

    def stacks(self, timed_layer: TimedLayer) -> Iterator[tuple[list[int], float]]:
        """(frames, ms), of each kernel and of what is left for the layer."""
        stack = [
            self._number(sequence.label(part), scopes.written(timed_layer.path[:depth]), 0)
            for depth, part in enumerate(timed_layer.path, 1)
        ]
        # Two layers of one name stand on two lines.
        stack.append(self._number(timed_layer.layer.name, self._file, timed_layer.layer.place.line))
        left = timed_layer.ms
        for name, ms in timed_layer.kernels:
            yield [*stack, self._number(name, "kernel", 0)], ms
            left -= ms
        if left > 0 or not timed_layer.kernels:
            yield stack, left

    def _number(self, name: str, file: str, line: int) -> int:
        known = self._numbers.setdefault((name, file, line), len(self.all))
        if known == len(self.all):
            frame: dict[str, JsonValue] = {"name": name, "file": file}
            self.all.append(frame | {"line": line} if line else frame)
        return known


def _profile(name: str, layers: Iterable[TimedLayer], frames: _Frames) -> JsonValue:
    stacks = [stack for timed_layer in layers for stack in frames.stacks(timed_layer)]
    samples: list[JsonValue] = [list(stack) for stack, _ in stacks]
    weights = [ms for _, ms in stacks]
    return {
        **{"type": "sampled", "name": name, "unit": "milliseconds"},
        **{"startValue": 0, "endValue": sum(weights)},
        **{"samples": samples, "weights": list(weights)},
    }
