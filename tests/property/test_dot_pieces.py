"""Dot text is written straight; pydot, which reads it, makes the same bytes of it."""

from factories import engines_of, fixture_engines
from hypothesis import given
from hypothesis import strategies as st
from strategies import Written, engines, print_log

from engine_layer_visualize.api import draw
from engine_layer_visualize.api.engine import Engine


def check(engine: Engine) -> None:
    text = b"".join(draw.pieces(engine, "dot"))
    assert engine.to_pydot().to_string().encode("utf-8") == text


def test_dot_of_every_fixture_is_what_pydot_writes() -> None:
    engines = fixture_engines()
    assert len(engines) > 50
    for engine in engines:
        check(engine)


@given(st.lists(engines(), min_size=1, max_size=2))
def test_dot_of_any_engine_is_what_pydot_writes(written: list[Written]) -> None:
    for engine in engines_of(print_log(written).data):
        check(engine)
