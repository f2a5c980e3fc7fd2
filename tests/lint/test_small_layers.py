"""Engines of so many short layers that no fixture has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.linting.hardware import small_layers
from engine_layer_visualize.linting.subject import Subject

PREFIX = "[05/26/2022-18:09:34] [I] "


def told(folder: Path, short: int, long: int) -> list[str]:
    """What H07 says of times alone, of layers of 5 µs and of 500 µs."""
    times = [("short", 0.005)] * short + [("long", 0.5)] * long
    whole = sum(ms for _, ms in times)
    rows = [(f"{name}_{i}", ms, 100 * ms / whole) for i, (name, ms) in enumerate(times)]
    rows.append(("Total", whole, 100.0))
    lines = [
        "=== Profile (10 iterations ) ===",
        "Layer   Time (ms)   Avg. Time (ms)   Time %",
        *(f"{name}  {10 * ms:.3f}  {ms:.4f}  {share:.1f}" for name, ms, share in rows),
    ]
    path = folder / "times.log"
    path.write_text("".join(f"{PREFIX}{line}\n" for line in lines), "utf-8")
    (engine,) = Log(path).engines()
    return [finding.message for finding in small_layers(Subject(Costs(engine)))]


@pytest.mark.parametrize(("short", "long"), [(99, 9), (100, 100)])
def test_few_short_layers_or_many_others(tmp_path: Path, short: int, long: int) -> None:
    assert not told(tmp_path, short, long)


def test_a_hundred_short_layers_are_told_whatever_others_take(tmp_path: Path) -> None:
    (message,) = told(tmp_path, 100, 9)
    start = "100 of 109 layers take less than 10.0 µs each, 500 µs together, 10.0 % of all"
    assert message.startswith(start)
