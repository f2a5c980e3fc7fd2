"""Every fixture, read as what its hand-written expectation says, under any name."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from paths import FIXTURES

from engine_layer_visualize.api import draw
from engine_layer_visualize.api.read import Log

SUFFIX = ".expected.json"
DIALECTS = ("classic", "detailed", "inspector_json")
# Keys whose values stand in no order.
SETS = {"edges", "unmatched_rows", "untimed_layers"}

EXPECTED = sorted(path for name in DIALECTS for path in (FIXTURES / name).glob(f"*{SUFFIX}"))


def stem(path: Path) -> str:
    return path.name.removesuffix(SUFFIX)


def belongs(path: Path) -> list[Path]:
    """The files of one fixture: those that begin with its stem."""
    return sorted(file for file in path.parent.iterdir() if file.name.startswith(f"{stem(path)}."))


def log_of(path: Path) -> Path:
    (log,) = (file for file in belongs(path) if file not in (path, *profiles_of(path)))
    return log


def profiles_of(path: Path) -> list[Path]:
    """`8.6-markdown.0.profile.txt` belongs to `8.6-markdown.log`."""
    return [file for file in belongs(path) if ".profile" in file.name]


def read(log: Path, profiles: Sequence[Path]) -> list[Any]:
    """The engines in the shape of `--format json`, through the program's own writer."""
    return [json.loads(draw.render(engine, "json")) for engine in Log(log, profiles).engines()]


def differences(expected: Any, found: Any, where: str = "") -> Iterator[str]:
    """Where `found` is not what is expected; keys that are not expected are free."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            if key not in found:
                yield f"{where}.{key}: not there"
            elif key == "problems":
                yield from unlike_problems(value, found[key], where)
            elif key in SETS:
                yield from unlike_sets(value, found[key], f"{where}.{key}")
            else:
                yield from differences(value, found[key], f"{where}.{key}")
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield f"{where}: {len(expected)} expected, {len(found)} found"
        for number, (value, other) in enumerate(zip(expected, found)):
            yield from differences(value, other, f"{where}[{number}]")
    elif isinstance(expected, float) or isinstance(found, float):
        numbers = isinstance(expected, (int, float)) and isinstance(found, (int, float))
        if not numbers or not math.isclose(expected, found, rel_tol=1e-9, abs_tol=1e-9):
            yield f"{where}: {expected!r} expected, {found!r} found"
    elif type(expected) is not type(found) or expected != found:
        yield f"{where}: {expected!r} expected, {found!r} found"


def unlike_sets(expected: list[Any], found: list[Any], where: str) -> Iterator[str]:
    wanted, there = (
        Counter(json.dumps(value, sort_keys=True) for value in values)
        for values in (expected, found)
    )
    yield from (f"{where}: {text} expected" for text in wanted - there)
    yield from (f"{where}: {text} found" for text in there - wanted)


def unlike_problems(expected: list[Any], found: list[Any], where: str) -> Iterator[str]:
    """A line or a code that is null or absent is not pinned; those that pin most choose first."""
    rest = list(found)
    for problem in sorted(expected, key=lambda p: sum(value is None for value in p.values())):
        pinned = {key: value for key, value in problem.items() if value is not None}
        for other in rest:
            if all(other[key] == value for key, value in pinned.items()):
                rest.remove(other)
                break
        else:
            yield f"{where}.problems: {problem} expected"
    for other in rest:
        yield f"{where}.problems: {other} found"


def test_there_are_fixtures_and_all_have_expectations() -> None:
    folders = [FIXTURES / name for name in DIALECTS if (FIXTURES / name).is_dir()]
    files = [file for folder in folders for file in folder.iterdir()]
    assert sorted(file for path in EXPECTED for file in belongs(path)) == sorted(files)
    assert all(log_of(path).is_file() for path in EXPECTED)


@pytest.mark.parametrize("path", EXPECTED, ids=stem)
def test_a_fixture_is_read_as_expected(path: Path) -> None:
    expected = json.loads(path.read_text("utf-8"))
    assert expected, "an expectation of nothing"
    assert list(differences(expected, read(log_of(path), profiles_of(path)))) == []


def test_no_fixture_meets_the_expectation_of_another() -> None:
    """Else the comparison would see nothing."""
    expected = [json.loads(path.read_text("utf-8")) for path in EXPECTED]
    assert all(list(differences(one, other)) for one, other in pairwise(expected))
