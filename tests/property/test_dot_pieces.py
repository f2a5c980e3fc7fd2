"""Dot text is written straight; pydot, which reads it, makes the same bytes of it."""

from pathlib import Path

import pydot
import pytest
from factories import engines_of
from hypothesis import given
from hypothesis import strategies as st
from paths import FIXTURES
from strategies import Written, engines, print_log

from engine_layer_visualize.api import draw
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import read
from engine_layer_visualize.core.problems import ReadError

_STEMS = [str(path).removesuffix(".expected.json") for path in FIXTURES.rglob("*.expected.json")]
_NAMED = (Path(f"{stem}{end}") for stem in _STEMS for end in (".log", ".json"))
LOGS = sorted(path for path in _NAMED if path.is_file())


def check(engine: Engine) -> None:
    text = b"".join(draw.pieces(engine, "dot"))
    assert engine.to_pydot().to_string().encode("utf-8") == text


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
def test_dot_of_every_fixture_is_what_pydot_writes(log: Path) -> None:
    profiles = sorted(log.parent.glob(f"{log.stem}.profile*"))
    try:
        found = read(log, profiles).engines
    except ReadError:
        assert log.parent.name == "broken"
        return
    assert found
    for engine in found:
        check(engine)


@given(st.lists(engines(), min_size=1, max_size=2))
def test_dot_of_any_engine_is_what_pydot_writes(written: list[Written]) -> None:
    for engine in engines_of(print_log(written).data):
        check(engine)


def test_the_objects_are_pydots() -> None:
    (engine,) = read(FIXTURES / "classic" / "10-two-profiles-myelin.log").engines
    graph = engine.to_pydot()
    assert isinstance(graph, pydot.Dot)
    nodes = {node.get_name() for box in graph.get_subgraphs() for node in box.get_nodes()}
    assert {f"layer_{layer.index}" for layer in engine.layers} <= nodes
    assert len(graph.get_edges()) >= len(engine.graph.between)
