"""Tells which findings are new since an earlier build.

A finding is known by its cause and by the names of its layers, without numbers that the builder
gives anew in each build.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.linting.causes import cut_to, of_rule
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.trt.layer_names import without_profile

Key = tuple[str, str]  # a cause, and the name of a layer
# What the builder numbers: Myelin's layers, copies, layers without a name, tensors of reformats.
_NUMBERED: Final = re.compile(
    r"(?P<start>_myl|__mye|_clone_|\(Unnamed Layer\* |Input Tensor |Output Tensor )[\d_]+"
)


class Known:
    """The keys of the earlier findings, by the index of their engine."""

    def __init__(self, keys: Iterable[tuple[int, Key]]) -> None:
        self._keys: Mapping[int, Counter[Key]] = defaultdict(Counter)
        for index, key in keys:
            self._keys[index][key] += 1

    def of(self, engine: Engine) -> KnownOfEngine:
        """Returns the earlier findings about the engine with the same index."""
        return KnownOfEngine(self._keys.get(engine.index, Counter()))


class KnownOfEngine:
    """The earlier findings about an engine, each of which stands for one finding of this build."""

    def __init__(self, keys: Counter[Key]) -> None:
        self._left = keys.copy()

    def without(self, finding: Finding, costs: Costs) -> Finding | None:
        """Returns the finding about the layers that are new; None where none is."""
        new = [index for index, key in keyed(finding, costs.engine) if not self._take(key)]
        layers = [index for index in new if index is not None]
        return cut_to(finding, layers, costs, "in the baseline") if new else None

    def _take(self, key: Key) -> bool:
        self._left[key] -= 1
        return self._left[key] >= 0


def keyed(finding: Finding, engine: Engine) -> Iterator[tuple[int | None, Key]]:
    """Yields each layer of a finding with its key; None and the cause where it has no layers."""
    cause = finding.cause or of_rule(finding.code).key
    if not finding.layers:
        yield None, key_of(cause, None)
    for index in finding.layers:
        yield index, key_of(cause, engine.layers[index].name)


def key_of(cause: str, layer: str | None) -> Key:
    """Returns the key of a cause, and of the name of one of its layers, if it has any."""
    return cause, "" if layer is None else _NUMBERED.sub(r"\g<start>#", without_profile(layer))
