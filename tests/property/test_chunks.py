"""A stream is the same log, however it is cut and encoded."""

from __future__ import annotations

import codecs

import pytest
from factories import engines_of
from hypothesis import given, settings
from hypothesis import strategies as st
from logtext import cut, pieces
from paths import FIXTURES
from strategies import engines, layouts, print_log

MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


_places = st.lists(st.integers(0, 1000), max_size=12)
_logs = st.builds(
    lambda written, layout: print_log(written, layout).text,
    st.lists(engines(max_size=3), min_size=1, max_size=2),
    layouts,
)


@given(_logs, _places)
def test_any_cut_gives_the_same_engines(text: str, places: list[int]) -> None:
    data = text.encode()
    assert engines_of(cut(data, places)) == engines_of([data])


@given(_logs)
@settings(max_examples=20)
def test_single_bytes_give_the_same_engines(text: str) -> None:
    data = text.encode()
    assert engines_of(pieces(data, 1)) == engines_of([data])


@given(_logs, st.sampled_from(sorted(MARKS)), _places)
def test_an_encoding_with_its_mark_is_the_same_log(
    text: str, encoding: str, places: list[int]
) -> None:
    data = MARKS[encoding] + text.encode(encoding)
    assert engines_of(cut(data, places)) == engines_of([text.encode()])


@pytest.mark.parametrize("encoding", sorted(MARKS))
def test_single_bytes_of_an_encoding(encoding: str) -> None:
    text = (FIXTURES / "classic" / "8.5-new-descriptors.log").read_bytes().decode()
    data = MARKS[encoding] + text.encode(encoding)
    assert engines_of(pieces(data, 1)) == engines_of([text.encode()])


def test_a_tactic_of_many_kernels() -> None:
    """Which kernel a layer gets does not hang on where the stream was cut, nor on hash seeds."""
    lines = [f"[V] conv_{n} Set Tactic Name: kernel_{n} Tactic: 77" for n in range(300)]
    lines.append("Engine Layer Information:")
    lines += [
        f"Layer(Conv): {name}, Tactic: 77, x[Float(1)] -> y[Float(1)]"
        for name in ("conv_0", "conv_150", "conv_299", "a layer of the timing cache")
    ]
    pieces = [f"{line}\n".encode() for line in lines]
    by_line = [layer.kernel for layer in engines_of(pieces)[0].layers]
    assert by_line[:3] == ["kernel_0", "kernel_150", "kernel_299"]
    assert [layer.kernel for layer in engines_of([b"".join(pieces)])[0].layers] == by_line
