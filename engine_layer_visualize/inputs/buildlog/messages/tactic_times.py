"""Reads how long a tactic took: the tactic, as printed, and its ms."""

from __future__ import annotations

import re
from typing import Final

from engine_layer_visualize.core.numbers import LEAST, MOST
from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.messages.autotuning_counts import HOPELESS
from engine_layer_visualize.io.source import line_start

FASTEST: Final = b"Fastest Tactic: "
TIME: Final = b" Time: "
# e.g. (-7) Tactic: 15 time 0.0123
# e.g. (8-) Tactic: 0x0f Time: 0.0123
TACTIC: Final = lazy(rb"Tactic: (\S+) [Tt]ime:? ([-+.\w]+)[ \t\r]*$", re.MULTILINE)
# e.g. (8.6-) profiling completed in 0.1 seconds. Fastest Tactic: 0x0f Time: 0.0123
FASTEST_LINE: Final = lazy(rb"Fastest Tactic: \S+ Time: [-+.\w]+[ \t\r]*$", re.MULTILINE)
# Before a `Tactic: ` that stands in another line, or in a name there.
_NO_TRIAL: Final = (b"Fastest ", b"valid tactics for ", b"costs for ")


def fastest(piece: bytes, begin: int) -> tuple[int, int, bytes, float]:
    """Reads `Fastest Tactic: T Time: MS` at `begin`: where it begins and ends, T and MS."""
    stop = piece.find(b"\n", begin) + 1 or len(piece)
    tactic, _, words = piece[begin + len(FASTEST) : stop].partition(TIME)
    return begin, stop, tactic, number(words)


def timings(piece: bytes, begin: int, stop: int) -> list[tuple[bytes, bytes]]:
    """(tactic, time), exactly: `time 0.1` of TensorRT 7, names that look like a timing."""
    timed = []
    for match in TACTIC.finditer(piece, begin, stop):
        before = piece[line_start(piece, match.start()) : match.start()]
        if not any(words in before for words in _NO_TRIAL):
            timed.append((match[1], match[2]))
    return timed


def number(words: bytes) -> float:
    """HOPELESS where it is no time: `inf`, `nan`, 1e-300, other words."""
    try:
        ms = float(words)
    except ValueError:
        return HOPELESS
    return ms if LEAST <= ms <= MOST or ms == 0 else HOPELESS
