"""What is fuzzed keeps its promises on every seed, and after a few edits of each."""

import os
from collections.abc import Callable
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, given, settings
from program import Patch

from fuzz import atheris_run, budget, shaken
from fuzz.__main__ import replay
from fuzz.targets import TARGETS, Target

EXAMPLES = {"growth": 5, "drawings": 40, "tables": 40}  # these are slow


@pytest.mark.parametrize("name", TARGETS)
def test_every_seed_keeps_the_promises(name: str) -> None:
    found = replay(name)
    assert found.findings == ()
    assert found.executions >= 4


@pytest.mark.parametrize("name", TARGETS)
def test_edited_seeds_keep_the_promises(name: str) -> None:
    @settings(
        max_examples=EXAMPLES.get(name, 150),
        deadline=None,
        derandomize=True,  # by command it draws others
        suppress_health_check=list(HealthCheck),
    )
    @given(shaken.shaken(name))
    def run(data: bytes) -> None:
        TARGETS[name].run(data)

    run()


def breaks(data: bytes) -> None:
    assert b"Tactic" not in data


def test_a_broken_promise_is_found(monkeypatch: Patch) -> None:
    monkeypatch.setitem(TARGETS, "log", Target(breaks, TARGETS["log"].seeds))
    (finding, *_) = replay("log").findings
    assert "AssertionError" in finding
    (shrunk,) = shaken.run("log", 20, None).findings
    assert "AssertionError" in shrunk


def test_costs_that_grow_too_fast_are_found(monkeypatch: Patch) -> None:
    def quadratic(words: str) -> None:
        sum(1 for a in range(len(words) // 20) for b in range(len(words) // 20))

    def hoards(words: str) -> None:
        (bytes(len(words) ** 2 // 500),)

    grow: Callable[[bytes], None] = TARGETS["growth"].run
    monkeypatch.setattr(budget, "_TRIES", 0)  # as the machine's are of no use here
    for work in (quadratic, hoards):
        monkeypatch.setattr("fuzz.targets.WORKS", (work,))
        with pytest.raises(AssertionError, match="for 8 times as much"):
            grow(b"\0\0\0abc")


@pytest.mark.skipif(find_spec("atheris") is None, reason="pip install -e '.[fuzz]'")
def test_atheris_runs_and_reports_a_child_that_breaks(monkeypatch: Patch) -> None:
    """It runs, says what it did, and a child that breaks is a finding."""
    figures = atheris_run.run("names", 3, None, grow=False)
    assert figures.findings == ()
    assert figures.executions > 10
    assert (figures.places or 0) > 50
    monkeypatch.setattr(atheris_run, "_begin", os.abort)
    assert len(atheris_run.run("names", 0, 5, grow=False).findings) == 1
