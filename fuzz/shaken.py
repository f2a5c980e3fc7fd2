"""Seeds changed by hypothesis: for machines without atheris, and for the tests.

A target in; `shaken`, a strategy of its inputs, out, and the figures of a run of so many seconds.
"""

from __future__ import annotations

import time
import traceback
from itertools import chain
from typing import Final

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fuzz import seeds
from fuzz.figures import Figures
from fuzz.targets import TARGETS
from fuzz.words import WORDS

_AT_ONCE: Final = 20

_edits: Final = st.lists(
    st.tuples(
        st.sampled_from(("put", "cut", "copy", "swap")),
        st.integers(0, 1 << 16),
        st.integers(0, 200),
        st.one_of(st.sampled_from(WORDS), st.binary(max_size=4)),
    ),
    max_size=8,
)


def _edited(seed: bytes, edits: list[tuple[str, int, int, bytes]]) -> bytes:
    data = seed
    for kind, at, length, word in edits:
        at %= len(data) + 1
        if kind == "put":
            data = data[:at] + word + data[at:]
        elif kind == "cut":
            data = data[:at] + data[at + length :]
        elif kind == "copy":
            data = data[:at] + data[at : at + length] * 2 + data[at + length :]
        else:
            data = data[:at] + word + data[at + len(word) :]
    return data[: seeds.LONGEST]


def shaken(name: str) -> st.SearchStrategy[bytes]:
    """A target's seeds after a few edits."""
    found = list(chain(TARGETS[name].seeds(), seeds.kept(name)))
    return st.builds(_edited, st.sampled_from(found), _edits)


def run(name: str, seconds: float, runs: int | None) -> Figures:
    """Figures of as many executions as fit, or of `runs`, always the same ones; it ends with the
    first finding."""
    count, findings = 0, list[str]()
    start = time.monotonic()

    @settings(
        max_examples=runs or _AT_ONCE,
        derandomize=runs is not None,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(shaken(name))
    def some(data: bytes) -> None:
        nonlocal count
        count += 1
        TARGETS[name].run(data)

    while not findings and (not count if runs else time.monotonic() - start < seconds):
        try:
            some()
        except Exception:
            findings.append(traceback.format_exc())
    return Figures(name, count, time.monotonic() - start, findings=tuple(findings))
