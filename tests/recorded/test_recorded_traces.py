"""Real logs in other tools' files: every timed layer is there, slices nest, sums lose nothing."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from exchange.perfetto import misplaced
from paths import recorded
from recorded_logs import LOGS, engines_of

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import compare
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.exchange import explorer_sync
from engine_layer_visualize.inputs.buildlog.time_stamps import STAMP
from engine_layer_visualize.pipeline import Log
from engine_layer_visualize.writers import render

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
            with pytest.raises(ReadError):
                render(engine, "speedscope")
            continue
        layers = {one["args"]["index"]: one for one in events if one.get("cat") == "layer"}
        assert list(layers) == list(times)
        for index, one in layers.items():
            assert one["dur"] == pytest.approx(1000 * times[index], rel=1e-14)
        assert not misplaced(events)
        profiles = json.loads(render(engine, "speedscope"))["profiles"]
        weights = [weight for one in profiles for weight in one["weights"]]
        assert math.fsum(weights) == pytest.approx(math.fsum(times.values()), rel=1e-12)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name[:3])
def test_the_trace_of_a_build_nests_and_covers_the_log(path: Path) -> None:
    try:
        engines = list(Log(path, timeline=True).engines())
    except ReadError:
        return
    stamps = STAMP.findall(path.read_bytes())
    try:
        trace = json.loads(render(engines[0], "build-trace"))
    except ReadError:
        assert not stamps
        return
    events = trace["traceEvents"]
    assert not misplaced(events)
    stages = [one for one in events if one.get("cat") == "stage"]
    seconds = trace["otherData"]["seconds"]
    assert sum(one["dur"] for one in stages) == pytest.approx(1e6 * seconds)
    assert len({engine.timeline for engine in engines}) == 1


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name[:3])
def test_the_graph_has_each_layer_and_groups_have_their_sums(path: Path) -> None:
    for engine in engines_of(path):
        costs = Costs(engine)
        (graph,) = json.loads(render(engine, "model-explorer"))
        nodes = graph["nodes"]
        assert [one["id"] for one in nodes] == [str(layer.index) for layer in engine.layers]
        assert sum(len(one["incomingEdges"]) for one in nodes) == len(engine.graph.between)
        for space, told in graph["groupNodeAttributes"].items():
            inside = [
                costs.of(layer)
                for layer, one in zip(engine.layers, nodes)
                if f"{one['namespace']}/".startswith(f"{space}/") or not space
            ]
            assert told["layers"] == str(len(inside))
            if "ms" in told:
                ms = math.fsum(ms for ms in inside if ms is not None)
                assert float(told["ms"]) == pytest.approx(ms, rel=1e-8)


def test_layers_of_two_real_logs_in_sync() -> None:
    a, b = (Costs(engines_of(recorded(number, ".log"))[0]) for number in ("020", "033"))
    found = compare(a, b)
    told = json.loads("".join(explorer_sync.render([found], [], ReportOptions())))
    assert len(told["mappingEntries"]) == len(found.groups) > 5
    for one, group in zip(told["mappingEntries"], found.groups):
        assert tuple(map(int, one["leftNodeIds"])) == group.a
        assert tuple(map(int, one["rightNodeIds"])) == group.b
