"""Marks are found wherever they stand: at a window's edge, behind one, many or none."""

from __future__ import annotations

import pytest

from engine_layer_visualize.reading import markers


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
