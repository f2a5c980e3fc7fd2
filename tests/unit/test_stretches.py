"""Lines that are read together know their numbers; patterns are compiled when they are needed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine_layer_visualize.reading.markers import Stretch
from engine_layer_visualize.trt import versions

DATA = b"above\nfirst a\nsecond mark x mark y\n\nthird mark\r\nlast"


@given(st.lists(st.integers(6, len(DATA)), min_size=1))
def test_a_place_has_the_number_of_its_line_in_any_order(places: list[int]) -> None:
    stretch = Stretch(DATA, 6, len(DATA), 2)
    for place in places:
        assert stretch.number(place) == 1 + DATA.count(b"\n", 0, place)


def test_a_mark_counts_once_in_a_line() -> None:
    stretch = Stretch(DATA, 6, len(DATA), 2)
    assert list(stretch.marked(b"mark")) == [(b" x mark y", b"second ", 3), (b"", b"third ", 5)]
    assert list(stretch.part(6, 14).marked(b"mark")) == []


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (b"[TensorRT v8501] # trtexec", "8.5.1"),
        (b"TensorRT version: 8.4.1\n[I] TensorRT version: 10.3.0", "10.3.0"),
        (b"builder: tensorrt_rtx 1.7.1.116\n[TensorRT v", "RTX 1.7.1"),
        (b"[TensorRT v101600]\nTensorRT verbose", "10.16.0"),
        (b"TensorRT v8501, tensorrt_builder: x", None),
    ],
)
def test_the_last_version_that_is_named(text: bytes, version: str | None) -> None:
    assert versions.last_named(text, 0, len(text)) == version
