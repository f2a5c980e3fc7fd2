"""Real detailed listings and inspector JSON: what two ways of writing one engine say agrees."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from paths import RECORDED, recorded

from engine_layer_visualize.api.engine import Build, Engine
from engine_layer_visualize.api.read import read
from engine_layer_visualize.assembly import listings
from engine_layer_visualize.core.model import Dialect, Layer
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading import scanner, wrapping


def build(number: str, *profiles: str) -> Build:
    return read(recorded(number), [recorded(profile) for profile in profiles])


def only(number: str, *profiles: str) -> Engine:
    (engine,) = build(number, *profiles).engines
    return engine


def listing(number: str, dialect: Dialect) -> tuple[Layer, ...]:
    """The layers of the only listing of that dialect, read on its own."""
    blocks = scanner.scan(Source(recorded(number), unwrap=wrapping.unwrapped)).listings
    (block,) = (block for block in blocks if block.dialect == dialect)
    reading = listings.Group(block, recorded(number).name, {}).read()
    assert reading.problems == ()
    assert reading.also == ()
    return reading.layers


Ends = list[tuple[str, tuple[int, ...]]]


def shown(layers: Sequence[Layer]) -> list[tuple[str | Ends, ...]]:
    """Names of layers and tensors, and shapes."""
    ends = (([(t.name, t.shape) for t in s] for s in (la.inputs, la.outputs)) for la in layers)
    return [(layer.name, *own) for layer, own in zip(layers, ends)]


def tactics(layers: Sequence[Layer]) -> list[int | None]:
    return [None if layer.tactic is None else int(layer.tactic, 0) % 2**64 for layer in layers]


LAYERS = {"131": 25, "128": 7, "125": 1, "143": 94}
JSON = {"131": "132", "128": "129", "125": "126"}


@pytest.mark.parametrize(("number", "layers"), LAYERS.items())
def test_a_build_and_its_dump_agree_and_are_one_engine(number: str, layers: int) -> None:
    classic, detailed = listing(number, "classic"), listing(number, "detailed")
    assert len(classic) == len(detailed) == layers
    assert shown(classic) == shown(detailed)
    pairs = zip(tactics(classic), tactics(detailed))
    told = [(one, other) for one, other in pairs if one is not None and other is not None]
    assert told
    assert all(one == other for one, other in told)
    types = 0
    for layer, same in zip(classic, detailed):
        for a, b in zip((*layer.inputs, *layer.outputs), (*same.inputs, *same.outputs)):
            if b.dtype is not None:
                assert (layer.name, a.name, a.dtype) == (same.name, b.name, b.dtype)
                types += 1
    assert types >= layers
    engine = only(number)
    assert (engine.dialect, len(engine.layers)) == ("detailed", layers)
    assert [also.dialect for also in engine.also] == ["classic"]
    assert shown(engine.layers) == shown(detailed)
    assert [layer.place.line for layer in engine.layers] == [layer.place.line for layer in detailed]
    assert [layer.also_line for layer in engine.layers] == [layer.place.line for layer in classic]
    assert engine.also[0].first_line < classic[0].place.line
    assert engine.also[0].last_line == classic[-1].place.line < engine.source.first_line
    assert tactics(engine.layers) == tactics(classic)  # the dump alone does not tell them all
    assert all(layer.raw is None for layer in engine.layers)


@pytest.mark.parametrize(("log", "inspector"), JSON.items())
def test_a_build_and_its_json_agree(log: str, inspector: str) -> None:
    engine, inspected = only(log), only(inspector)
    assert len(inspected.layers) == LAYERS[log]
    assert shown(inspected.layers) == shown(engine.layers)
    assert [layer.type for layer in inspected.layers] == [layer.type for layer in engine.layers]
    assert [layer.kernel for layer in inspected.layers if layer.kernel] == [
        layer.kernel for layer in listing(log, "detailed") if layer.kernel
    ]
    for one, other in zip(tactics(inspected.layers), tactics(engine.layers)):
        assert one is None or one == other
    assert inspected.graph == engine.graph
    for ours, theirs in zip(engine.layers, inspected.layers):
        assert [key for key, _ in ours.attributes] == [key for key, _ in theirs.attributes]


# Layers of each file.
INSPECTED = {
    **{"079": 36, "101": 58, "126": 1, "129": 7},
    **{"132": 25, "141": 59, "149": 14, "165": 22, "327": 23},
    **{"332": 389, "334": 20, "336": 16, "338": 14},
}


def test_all_files_of_the_inspector_are_looked_at() -> None:
    assert sorted(path.name[:3] for path in RECORDED.glob("*.layers.json")) == sorted(INSPECTED)


def reads(document: Any) -> set[tuple[int, str]]:
    """(layer, tensor) of every read of a tensor that a layer before it writes."""
    written: set[str] = set()
    found = set()
    for index, layer in enumerate(document["Layers"]):
        found |= {(index, one["Name"]) for one in layer["Inputs"] if one["Name"] in written}
        written |= {one["Name"] for one in layer["Outputs"]}
    return found


@pytest.mark.parametrize("number", INSPECTED)
def test_an_inspectors_json(number: str) -> None:
    engine = only(number)
    document = json.loads(recorded(number).read_text("utf-8"), strict=False)
    layers = INSPECTED[number]
    assert len(document["Layers"]) == len(engine.layers) == layers
    assert [layer.name for layer in engine.layers] == [one["Name"] for one in document["Layers"]]
    assert all(layer.raw is None for layer in engine.layers)
    assert {(edge.target, edge.tensor) for edge in engine.graph.between} == reads(document)
    assert (engine.graph.between != ()) is (layers > 1)
    assert {*engine.inputs, *engine.outputs} == set(document["Bindings"])
    assert not set(engine.inputs) & set(engine.outputs)
    assert engine.inputs
    assert engine.outputs
    assert engine.graph.unresolved == ()
    assert engine.problems == ()


@pytest.mark.parametrize(
    ("number", "profile"), [("079", "080"), ("101", "102"), ("141", "142"), ("149", "150")]
)
def test_json_and_its_profile(number: str, profile: str) -> None:
    engine = only(number, profile)
    assert engine.profile is not None
    layers = INSPECTED[number]
    assert (engine.profile.matched, engine.profile.layers, engine.profile.rows) == (layers,) * 3
    assert engine.profile.unmatched_rows == engine.profile.untimed_layers == ()
    assert all(layer.time is not None for layer in engine.layers)
    assert engine.problems == ()


@pytest.mark.parametrize(("number", "engines"), [("012", 3), ("009", 1)])
def test_detailed_listings_are_complete(number: str, engines: int) -> None:
    found = build(number)
    assert len(found.engines) == engines
    assert found.problems == ()
    (engine,) = (engine for engine in found.engines if engine.dialect == "detailed")
    assert len(engine.layers) == 12
    assert all(layer.raw is None for layer in engine.layers)
    assert len(engine.graph.between) == 10
    assert (engine.inputs, engine.outputs) == (("x",), ("y", "z"))
    assert engine.graph.unresolved == ()
    assert engine.also == ()
