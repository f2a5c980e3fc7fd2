"""Lines of a log: the marks that tell them, their numbers, and a sample of each that is read."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_lines import PATTERNS

from engine_layer_visualize.reading import markers
from engine_layer_visualize.reading.markers import Stretch
from engine_layer_visualize.trt import versions


def found(data: bytes) -> list[int]:
    return [match.start() for match in markers.marks(data, 0, len(data))]


def plainly(data: bytes) -> list[int]:
    return [match.start() for match in markers.MARK.finditer(data)]


@pytest.mark.parametrize(
    "mark", [b"Layer Information:", b"Layer(Conv): ", b"Layers:\n", b"LayerType: "]
)
@pytest.mark.parametrize("first", [b"L", b"Layer", b"Layer(Conv): "])
def test_at_every_distance_from_a_letter(mark: bytes, first: bytes) -> None:
    for gap in range(1 << 12, (1 << 12) + 40):
        for back in range(40):
            data = first + b"x" * (gap - back) + mark + b"x" * 300 + mark
            assert found(data) == plainly(data)


def test_text_without_a_marker_has_none() -> None:
    assert found(b"x" * 10_000) == []
    assert found(b"L" * 10_000) == []
    assert markers.MARK.findall(b"Layer( Layers: x LayerTypes") == []


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


def test_a_pattern_matches_its_sample_lines() -> None:
    for module, name, samples in PATTERNS:
        pattern = getattr(import_module(module), name)
        assert samples, (module, name)
        for sample in samples:
            line = sample if isinstance(pattern.pattern, str) else sample.encode()
            assert pattern.search(line) is not None, (module, name, sample)
