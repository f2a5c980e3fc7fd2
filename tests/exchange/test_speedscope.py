"""`--format speedscope`: stacks of modules, weights in ms."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from factories import engine
from paths import FIXTURES

from engine_layer_visualize import read
from engine_layer_visualize.assembly.graph import build
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.writers import render
from exchange.test_trace import of_layers, timed

CLASSIC = FIXTURES / "classic"


def stacks(of: Engine) -> list[list[tuple[tuple[str, ...], float]]]:
    """(names, ms) of each profile in the file."""
    found: dict[str, Any] = json.loads(render(of, "speedscope"))
    frames = found["shared"]["frames"]
    for profile in found["profiles"]:
        assert (profile["type"], profile["unit"]) == ("sampled", "milliseconds")
        assert profile["startValue"] == 0
        assert profile["endValue"] == sum(profile["weights"])
    return [
        [
            (tuple(frames[number]["name"] for number in sample), weight)
            for sample, weight in zip(profile["samples"], profile["weights"], strict=True)
        ]
        for profile in found["profiles"]
    ]


def test_a_stack_is_the_modules_around_a_layer() -> None:
    made = of_layers(
        timed(0, "/a/b.1/Conv", "x", "y", 1.5),
        timed(1, "Conv_7", "y", "z", 0.25),
        timed(2, "/a/c/Conv", "z", "u", 1.0),
    )
    (found,) = stacks(made)
    assert found[0] == (("a", "b.1", "/a/b.1/Conv"), 1.5)
    assert found[2] == (("a", "c", "/a/c/Conv"), 1.0)


def test_modules_of_one_name_in_two_modules_are_two_frames() -> None:
    made = of_layers(timed(0, "/a/n/Conv", "x", "y", 1), timed(1, "/b/n/Conv", "y", "z", 2))
    frames = json.loads(render(made, "speedscope"))["shared"]["frames"]
    assert [one["file"] for one in frames if one["name"] == "n"] == ["/a/n", "/b/n"]
    lines = [(one["file"], one["line"]) for one in frames if "Conv" in one["name"]]
    assert lines == [("build.log", 10), ("build.log", 11)]


@pytest.mark.parametrize("stem", ["8.0-centernet", "10-two-profiles-myelin", "10-nsight"])
def test_weights_sum_to_the_layers(stem: str) -> None:
    profiles = sorted(CLASSIC.glob(f"{stem}.profile*"))
    (made,) = read(CLASSIC / f"{stem}.log", profiles, facts=True).engines
    whole = math.fsum(one.time.average_ms or 0.0 for one in made.layers if one.time is not None)
    weights = [ms for profile in stacks(made) for _, ms in profile]
    assert math.fsum(weights) == pytest.approx(whole, rel=1e-14)
    assert min(weights) >= 0


def test_kernels_are_the_innermost_frames() -> None:
    profile = CLASSIC / "10-nsight.profile.csv"
    (made,) = read(CLASSIC / "10-nsight.log", profile, facts=True).engines
    (found,) = stacks(made)
    innermost = {names[-1] for names, _ in found}
    kernels = {k.name for one in made.layers if one.time is not None for k in one.time.kernels}
    assert kernels and kernels <= innermost


def test_each_optimisation_profile_is_a_profile() -> None:
    made = of_layers(
        timed(0, "a", "x", "y", 1.0), timed(1, "a [profile 1]", "x [profile 1]", "y [profile 1]", 2)
    )
    assert stacks(made) == [[(("a",), 1.0)], [(("a [profile 1]",), 2)]]


def test_without_times_there_is_nothing_to_draw() -> None:
    made = of_layers(timed(0, "a", "x", "y", 1.0))
    untimed = engine(*made.layers, graph=build(made.layers))
    with pytest.raises(ReadError, match="ELV411"):
        render(untimed, "speedscope")
