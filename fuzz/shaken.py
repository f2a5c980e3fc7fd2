"""Seeds changed by hypothesis: for machines without atheris, and for the tests.

A target in; `shaken`, a strategy of its inputs, out, and the figures of a run of so many seconds.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Sequence
from itertools import chain
from typing import Final

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fuzz import seeds
from fuzz.figures import Figures
from fuzz.targets import TARGETS
from fuzz.words import WORDS

_AT_ONCE: Final = 20


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
    return data[: max(len(seed), seeds.LONGEST)]


def damaged(
    texts: st.SearchStrategy[bytes], words: Sequence[bytes] = WORDS
) -> st.SearchStrategy[bytes]:
    """These texts after a few edits: words put in, small and large parts left out or repeated."""
    edit = st.tuples(
        st.sampled_from(("put", "cut", "copy", "swap")),
        st.integers(0, 1 << 16),
        st.integers(0, 200) | st.integers(0, 1 << 16),
        st.one_of(st.sampled_from(words), st.binary(max_size=4)),
    )
    return st.builds(_edited, texts, st.lists(edit, max_size=8))


def shaken(name: str) -> st.SearchStrategy[bytes]:
    """A target's seeds after a few edits."""
    return damaged(st.sampled_from(list(chain(TARGETS[name].seeds(), seeds.kept(name)))))


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
