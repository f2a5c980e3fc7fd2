"""Lines of a log: the marks that tell them, their numbers, and a sample of each that is read."""

from __future__ import annotations

from importlib import import_module

import pytest
from sample_lines import PATTERNS

from engine_layer_visualize.reading.markers import Stretch
from engine_layer_visualize.trt import versions

DATA = b"above\nfirst a\nsecond mark x mark y\n\nthird mark\r\nlast"


def test_a_mark_counts_once_in_a_line() -> None:
    stretch = Stretch(DATA, 6, len(DATA), 2)
    found = [(line.words, line.before, line.number) for line in stretch.marked(b"mark")]
    assert found == [(b" x mark y", b"second ", 3), (b"", b"third ", 5)]
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
