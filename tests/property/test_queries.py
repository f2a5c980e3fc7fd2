"""Any text is a query, or an error that points into it; what is excluded is the rest."""

from __future__ import annotations

from dataclasses import replace

import queries
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.facts.query import FIELDS, Query, parse
from engine_layer_visualize.facts.search import Searched
from engine_layer_visualize.linting.subject import Subject

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


@settings(deadline=None)  # the first reads the log
@given(texts)
def test_any_text_is_a_query_or_an_error_in_it(text: str) -> None:
    if (query := parsed(text)) is not None:
        assert Searched(Subject(Costs(queries.engine()))).find(query) <= set(range(6))


@settings(deadline=None)
@given(st.sampled_from([query for query, _ in queries.CASES]))
def test_each_term_finds_what_the_excluded_one_leaves(text: str) -> None:
    searched = Searched(Subject(Costs(queries.engine())))
    for terms in parse(text).any_of:
        for term in terms:
            found = searched.find(Query("", ((term,),)))
            other = searched.find(Query("", ((replace(term, excluded=not term.excluded),),)))
            assert found | other == set(range(6))
            assert not found & other
