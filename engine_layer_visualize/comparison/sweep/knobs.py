"""Tells what each knob of build routes changes: builds are compared that differ in it alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import exp, fsum, log
from typing import Final, NamedTuple

Route = Mapping[str, str]
_UNSET: Final = ""  # the value of a knob that a route does not name


class KnobEffect(NamedTuple):
    """What a value of a knob changes against another one."""

    knob: str
    value: str
    against: str  # empty: the knob is not named
    change: float | None  # of the time, over all pairs: -0.05 is 5 % faster
    least: float | None  # of single pairs
    most: float | None
    pairs: tuple[tuple[int, int], ...]  # of routes that differ in this knob alone


def parsed(route: str) -> dict[str, str]:
    """`-a=on -b=off` by knob."""
    each = (word.lstrip("-").partition("=") for word in route.split())
    return {knob: value for knob, _, value in each if knob}


def effects(
    routes: Sequence[Route | None], ms: Sequence[float | None], base: int | None
) -> list[KnobEffect]:
    """The effect of each value of each knob, the largest first.

    Args:
        routes: Of each build; None where it has none, or failed.
        ms: The time of each build.
        base: The build whose values the others are held against.
    """
    names = dict.fromkeys(knob for route in routes if route for knob in route)
    before: Route = (routes[base] if base is not None else None) or {}
    found = [
        effect for knob in names for effect in _of_knob(knob, routes, ms, before.get(knob, _UNSET))
    ]
    return sorted(found, key=lambda effect: -abs(effect.change or 0.0))


def _of_knob(
    knob: str, routes: Sequence[Route | None], ms: Sequence[float | None], before: str
) -> Iterator[KnobEffect]:
    alike: dict[frozenset[tuple[str, str]], dict[str, int]] = defaultdict(dict)
    for place, route in enumerate(routes):
        if route is not None:
            others = frozenset(item for item in route.items() if item[0] != knob)
            alike[others].setdefault(route.get(knob, _UNSET), place)
    values = dict.fromkeys(value for group in alike.values() for value in group)
    against = before if before in values else next(iter(values), _UNSET)
    for value in values:
        pairs = [(g[against], g[value]) for g in alike.values() if against in g and value in g]
        if value != against and pairs:
            yield _effect(knob, value, against, pairs, ms)


def _effect(
    knob: str,
    value: str,
    against: str,
    pairs: Sequence[tuple[int, int]],
    ms: Sequence[float | None],
) -> KnobEffect:
    logs = [log(b / a) for n, m in pairs if (a := ms[n]) and (b := ms[m])]
    if not logs:
        return KnobEffect(knob, value, against, None, None, None, tuple(pairs))
    each = (fsum(logs) / len(logs), min(logs), max(logs))
    mean, least, most = (exp(change) - 1 for change in each)
    return KnobEffect(knob, value, against, mean, least, most, tuple(pairs))
