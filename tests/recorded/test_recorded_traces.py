"""Real logs as traces: every timed layer is there with its time, and slices nest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from exchange.perfetto import misplaced
from recorded_logs import LOGS, engines_of

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.draw import render
from engine_layer_visualize.core.problems import ReadError

pytestmark = pytest.mark.skipif(not LOGS, reason="no recorded logs")


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name[:3])
def test_slices_nest_and_sum_to_the_layers(path: Path) -> None:
    for engine in engines_of(path):
        costs = Costs(engine)
        times = {one.index: ms for one in engine.layers if (ms := costs.of(one)) is not None}
        try:
            events = json.loads(render(engine, "trace"))["traceEvents"]
        except ReadError:
            assert not times
            continue
        layers = {one["args"]["index"]: one for one in events if one.get("cat") == "layer"}
        assert list(layers) == list(times)
        for index, one in layers.items():
            assert one["dur"] == pytest.approx(1000 * times[index], rel=1e-14)
        assert not misplaced(events)
