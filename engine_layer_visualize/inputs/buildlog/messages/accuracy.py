"""Reads how far trtexec's outputs were from the reference ones (TensorRT 11)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.build_info import AccuracyLoss
from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.stretches import Stretch
from engine_layer_visualize.io.source import decode

MARK: Final = b"Accuracy loss for tensor "
# A name may hold brackets and colons.
# e.g. (11-) Accuracy loss for tensor y (L0): 0.01 [FAIL: >= threshold 0.005]
_LOSS: Final = lazy(
    rb"Accuracy loss for tensor (.{1,4096}) \((\w{1,40})\): (\S{1,40})"
    rb"(?: \[(PASS|FAIL)\w{0,8}(?:: \S{1,2} threshold (\S{1,40}))?\])?$"
)
_MOST: Final = 10_000  # tensors of one run


def read(stretch: Stretch, held: int) -> Iterator[AccuracyLoss]:
    """The losses in these lines, where `held` were read before."""
    for _, (words, _, line) in zip(range(held, _MOST), stretch.marked(MARK)):
        match = _LOSS.match(MARK + words.rstrip())
        if match is not None:
            failed = {b"FAIL": True, b"PASS": False}.get(match[4])
            loss, limit = (_number(words or b"") for words in (match[3], match[5]))
            yield AccuracyLoss(decode(match[1]), decode(match[2]), loss, limit, failed, line)


def _number(words: bytes) -> float | None:
    try:
        number = float(words)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
