"""What must hold of whatever is read.

Bytes as a log, as an engine's JSON or as a file of times in; what was read out, or nothing where a
ReadError says why. Any other error, or a problem without a place, is a finding.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.problems import Problem, ReadError, explanations


def sound(problems: Iterable[Problem]) -> bool:
    """Every problem has a known code, a place, and an excerpt of bounded length on one line."""
    return all(
        problem.code in explanations()
        and problem.place.line >= 1
        and problem.place.column >= 1
        and problem.message
        and len(problem.excerpt) <= 1000  # 80 characters, each of them spelled
        and problem.excerpt.isprintable()
        and 0 <= problem.caret <= len(problem.excerpt)
        for problem in problems
    )


def engines(
    chunks: list[bytes], profiles: Iterable[Path] = (), *, facts: bool = False
) -> list[Engine]:
    """The engines of a log; none where a ReadError says why."""
    try:
        log = Log("build.log", profiles, chunks=chunks, facts=facts)
        found = list(log.engines())
    except ReadError as error:
        assert sound([error.problem])
        assert str(error.problem).isprintable() or error.problem.excerpt
        return []
    assert found
    assert sound(log.problems)
    for engine in found:
        whole(engine)
    return found


def whole(engine: Engine) -> None:
    """Layers in order, each with its line; lines between layers that are there."""
    count = len(engine.layers)
    assert count
    assert [layer.index for layer in engine.layers] == list(range(count))
    assert all(layer.place.line >= 1 for layer in engine.layers)
    for edge in engine.graph.edges:
        for end in (edge.source, edge.target):
            assert end is None or 0 <= end < count
