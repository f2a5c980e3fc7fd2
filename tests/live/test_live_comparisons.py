"""Engines that a real builder made of one network, exported in several ways: the test knows which
part of the network each layer computes, and the comparison must find the same parts again."""

from collections.abc import Callable, Iterable
from pathlib import Path

import builder
import pytest
from residual_models import VARIANTS, exported

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import origin

pytestmark = builder.needed()

Engines = Callable[[str, str], elv.Engine]
# Two variants, and by what the layers of both are found again in detailed listings.
PAIRS = [
    ("base", "half", "names"),
    ("base", "batch", "names"),
    ("by_part", "inserted", "names"),
    ("by_part", "quantised", "names"),
    ("base", "shifted", "structure"),
    ("base", "by_operator", "structure"),
    ("base", "by_part", "structure"),
    ("base", "inserted_numbered", "structure"),
    ("half", "by_part", "structure"),
]


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Engines:
    folder = tmp_path_factory.mktemp("residual")
    builds = [(f"residual:{name}", words) for name in VARIANTS for words in builder.VERBOSITIES]
    read = builder.engines(builds, folder)
    return lambda name, words: read[f"residual:{name}", words]


MACS = 5_058_880  # by hand: its convolutions, one of which is strided, and the head


@pytest.mark.parametrize("words", builder.VERBOSITIES)
@pytest.mark.parametrize("name", ["base", "half", "batch", "by_operator", "by_part"])
def test_a_model_of_other_nodes(name: str, words: str, engines: Engines, tmp_path: Path) -> None:
    """It is another network's, though its names are these."""
    log, path = engines(name, words).source.file, tmp_path / "model.onnx"
    for other in ("base", "half", "batch", "shifted", "by_operator", "by_part"):
        path.write_bytes(exported(other).model)
        (engine,) = elv.read(log, onnx=path).engines
        assert engine.onnx is not None
        alike = name == other or {name, other} <= {"base", "half", "batch"}
        assert engine.onnx.same == alike, other
        unknown = [la.name for la in engine.layers if engine.work.of(la).macs is None]
        if alike and words == "DETAILED" and unknown:
            assert all("MulSum" in one for one in unknown), "a product or a weighted sum"
        elif alike:
            assert engine.work.macs == MACS * exported(name).batch


def parts(engine: elv.Engine, name: str) -> list[frozenset[str]]:
    """By layer, the parts of the network that it computes."""
    known = exported(name).parts
    return [frozenset(known[node] for node in origin.onnx_nodes_of(la).all) for la in engine.layers]


@pytest.mark.parametrize("words", builder.VERBOSITIES)
@pytest.mark.parametrize(("a", "b", "confidence"), PAIRS)
def test_layers_of_a_part(a: str, b: str, confidence: str, words: str, engines: Engines) -> None:
    one, other = engines(a, words), engines(b, words)
    found = elv.compare(one, other)
    mine, yours = parts(one, a), parts(other, b)
    assert any(mine) and any(yours) and found.same_network
    for group in found.groups:
        for i, own in [(i, mine[i]) for i in group.a if mine[i]]:
            theirs = together(yours, group.b)
            assert own & theirs or not theirs, f"{one.layers[i].name} is in the wrong group"
    lost = together(mine, range(len(mine))) & together(yours, range(len(yours)))
    for group in found.groups:
        lost -= together(mine, group.a) & together(yours, group.b)
    assert not lost
    if words == "DETAILED":  # a listing of names alone has one layer
        known = {group.confidence for group in found.groups if together(mine, group.a)}
        assert known == {confidence}


def together(parts: list[frozenset[str]], layers: Iterable[int]) -> frozenset[str]:
    return frozenset[str]().union(*(parts[i] for i in layers))
