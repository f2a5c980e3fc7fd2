"""Files appear whole or not at all, and no output is held whole where it needs not be."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from factories import chain

from engine_layer_visualize.api import draw
from engine_layer_visualize.io.atomic_file import save


def broken() -> Iterator[bytes]:
    yield b"half of it"
    raise RuntimeError("the other half")


def test_a_drawing_that_fails_half_way_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.dot"
    with pytest.raises(RuntimeError):
        save(path, broken())
    assert not list(tmp_path.iterdir())
    save(path, [b"old ", b"and whole"])
    with pytest.raises(RuntimeError):
        save(path, broken())
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"old and whole"


@pytest.mark.slow
@pytest.mark.parametrize("format", ["dot", "json"])
def test_text_goes_out_layer_by_layer(format: str) -> None:
    of = chain(*(f"Conv_{i}" for i in range(2_000)))
    pieces = list(draw.pieces(of, format))
    assert b"".join(pieces) == draw.render(of, format)
    assert max(map(len, pieces)) < sum(map(len, pieces)) / 100


@pytest.mark.skipif(sys.platform != "linux", reason="names of 255 bytes")
def test_a_name_as_long_as_the_system_has_them(tmp_path: Path) -> None:
    path = tmp_path / ("\N{GREEN HEART}" * 62 + ".svg")  # 252 bytes
    save(path, [b"whole"])
    assert path.read_bytes() == b"whole"
