"""A network of any names says the same under other names."""

from __future__ import annotations

from typing import Any

from anonymised import Renaming, text_of
from factories import engines_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import (
    Layout,
    Written,
    engines,
    layouts,
    print_log,
    print_profile_json,
    profile_rows,
    real_names,
)

from engine_layer_visualize.core.model import Engine


def said(engine: Engine) -> Any:
    """What the listing says, without places in its lines."""
    return [
        [
            *(layer.place.line, layer.type, layer.name, layer.tactic),
            [[t.name, t.dtype, t.dims] for t in (*layer.inputs, *layer.outputs)],
        ]
        for layer in engine.layers
    ] + [[[e.source, e.target, e.tensor] for e in engine.graph.edges]]


@given(st.lists(engines(real_names), min_size=1, max_size=2), layouts)
def test_layers_and_edges_stay(written: list[Written], layout: Layout) -> None:
    log = print_log(written, layout).data
    (other,) = text_of(log)
    before, after = engines_of(log), engines_of(other)
    assert len(before) == len(after)
    renaming = Renaming()
    for one, two in zip(before, after):
        assert list(renaming.differences(said(one), said(two))) == []


@given(engines())
def test_hostile_names_change_nothing_else(written: Written) -> None:
    log = print_log([written]).data
    (other,) = text_of(log)
    (before,), (after,) = engines_of(log), engines_of(other)
    assert list(Renaming().differences(said(before), said(after))) == []
    assert text_of(other) == [other]
    assert other.count("\n") == log.count(b"\n")


@given(engines(real_names), profile_rows)
def test_names_of_a_profile_become_those_of_the_log(written: Written, rows: Any) -> None:
    log = print_log([written]).text
    names = [record.name for record in written.listing]
    rows = tuple(
        type(row)(name, row.time) for row, name in zip(rows, names)
    )  # as many as there are of both
    profile = print_profile_json(rows)
    other_log, other_profile = text_of(log, profile)
    (engine,) = engines_of(other_log)
    for row, layer in zip(rows, engine.layers):
        assert f'"{layer.name}"'.replace("\x1e", "\\u001e") in other_profile, row
