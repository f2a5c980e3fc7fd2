"""Parts of any engine, against a slow reader of the same graph."""

from typing import Any

import queries
from factories import linked
from hypothesis import given
from hypothesis import strategies as st
from strategies import Record, layers, tensor

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import draw as writers
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.drawing import dot
from engine_layer_visualize.facts.query import FIELDS, Query, parse
from engine_layer_visualize.facts.search import Searched
from engine_layer_visualize.facts.subgraph import View, part, whole
from engine_layer_visualize.linting.subject import Subject

_sides = st.lists(st.sampled_from("abcdefg"), max_size=3, unique=True).map(
    lambda names: tuple(tensor(name, "1", "Half") for name in names)
)
_types = st.sampled_from(["Conv", "Reformat", "NoOp", "Constant"])
_records = st.builds(Record, _types, st.sampled_from("xyz"), st.just("1"), _sides, _sides)
# Layers that share a handful of tensors, so that they hang together.
ENGINES = st.lists(_records, max_size=9).map(lambda found: linked(*layers(found)))


choices = st.fixed_dictionaries(
    {},
    optional={
        "query": st.sampled_from(["-type:reformat", "x", "/[xy]/", "Conv", "/^a$/", "a | b"]),
        "around": st.integers(0, 9),
        "radius": st.integers(0, 3),
    },
)


def chosen(engine: Engine, choice: dict[str, Any]) -> View | None:
    """None where it leaves nothing."""
    try:
        return part(engine, **choice)
    except ReadError as error:
        assert error.problem.code == "ELV407"
        return None


@given(ENGINES)
def test_everything_is_the_whole(engine: Engine) -> None:
    all_of_it = whole(engine)
    assert part(engine) == all_of_it
    assert part(engine, query="") == all_of_it
    if engine.layers:
        assert part(engine, query="/^[xyz]/") == all_of_it
    assert not all_of_it.partial
    assert all_of_it.words == ""


@given(ENGINES, choices)
def test_any_part_is_drawn_and_the_rest_told(engine: Engine, choice: dict[str, Any]) -> None:
    view = chosen(engine, choice)
    if view is None:
        return
    shown = {layer.index for layer in view.layers}
    assert len(shown) + view.outside == len(engine.layers)
    lines = {(e.source, e.target, e.tensor) for e in engine.graph.edges}
    drawn = {(e.source, e.target, e.tensor) for e in view.edges}
    between = {line for line in lines if None not in line[:2]}
    inside = {line for line in between if line[0] in shown and line[1] in shown}
    cut = {line for line in between if (line[0] in shown) != (line[1] in shown)}
    assert drawn <= lines
    assert drawn & between == inside
    assert view.cut == len(cut)
    stubs = {(s.tensor, s.entering, i) for s in view.stubs for i in s.inside}
    assert stubs == {
        (tensor, True, target) if target in shown else (tensor, False, source)
        for source, target, tensor in cut
    }
    for stub in view.stubs:
        assert not shown & set(stub.outside)
    if view.partial:
        assert view.words.startswith(f"{len(shown)} of {len(engine.layers)} layer")
    text = writers.render(view, "dot")
    assert dot.to_pydot(view).to_string().encode("utf-8") == text
    for layer in engine.layers:
        assert (b"\nlayer_%d [" % layer.index in text) == (layer in view.layers)


@given(ENGINES, st.integers(0, 9))
def test_around_grows_line_by_line(engine: Engine, centre: int) -> None:
    if centre >= len(engine.layers):
        return
    between = [(e.source, e.target) for e in engine.graph.between]
    before = {layer.index for layer in part(engine, around=centre, radius=0).layers}
    assert before == {centre}
    for radius in range(1, 4):
        near = {layer.index for layer in part(engine, around=centre, radius=radius).layers}
        assert near == before | {
            b for pair in between for a, b in (pair, pair[::-1]) if a in before and b is not None
        }
        before = near


# ---- any text is a query, or an error that points into it ----------------------------------------


_PIECES = [
    *(field.example for field in FIELDS.values()),
    *('"', "/", "|", "-", "#1", " ", ":", ">", "=", "conv", "(", "\\", "1×64", "FP32", "F02", "*"),
]
texts = st.one_of(st.text(max_size=30), st.lists(st.sampled_from(_PIECES)).map("".join))


def parsed(text: str) -> Query | None:
    """None where the text cannot be read."""
    try:
        return parse(text)
    except ReadError as error:
        assert error.problem.code == "ELV410"
        assert 1 <= error.problem.place.column <= len(text) + 1
        return None


@given(texts)
def test_any_text_is_a_query_or_an_error_in_it(text: str) -> None:
    if (query := parsed(text)) is not None:
        assert Searched(Subject(Costs(queries.engine()))).find(query) <= set(range(6))


@given(st.sampled_from([query for query, _ in queries.CASES]))
def test_each_term_finds_what_the_excluded_one_leaves(text: str) -> None:
    searched = Searched(Subject(Costs(queries.engine())))
    for terms in parse(text).any_of:
        for term in terms:
            found = searched.find(Query("", ((term,),)))
            other = searched.find(Query("", ((term._replace(excluded=not term.excluded),),)))
            assert found | other == set(range(6))
            assert not found & other
