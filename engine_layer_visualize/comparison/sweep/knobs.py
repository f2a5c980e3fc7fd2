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
    pairs: int  # of builds that differ in this knob alone
    listed: tuple[int, int] | None  # the first of them that both have a listing


def parsed(route: str) -> dict[str, str]:
    """`-a=on -b=off` by knob."""
    each = (word.lstrip("-").partition("=") for word in route.split())
    return {knob: value for knob, _, value in each if knob}


def effects(
    routes: Sequence[Route | None],
    ms: Sequence[float | None],
    listed: Sequence[bool],
    base: int | None,
) -> list[KnobEffect]:
    """The effect of each value of each knob, the largest first.

    Args:
        routes: Of each build; None where it has none, or failed.
        ms: The time of each build.
        listed: Whether the layers of each build are known.
        base: The build whose values the others are held against.
    """
    # A setting is a bit, so that a route is a number, and a route without a knob is one, too.
    bits: dict[tuple[str, str], int] = {}
    masks = [
        sum(bits.setdefault(setting, 1 << len(bits)) for setting in (route or {}).items())
        for route in routes
    ]
    names = dict.fromkeys(knob for knob, _ in bits)
    before: Route = (routes[base] if base is not None else None) or {}
    found: list[KnobEffect] = []
    for knob in names:
        alike: dict[int, dict[str, int]] = defaultdict(dict)
        for place, route in enumerate(routes):
            if route is not None:
                value = route.get(knob, _UNSET)
                others = masks[place] & ~bits.get((knob, value), 0)
                alike[others].setdefault(value, place)
        found += _of_knob(knob, list(alike.values()), ms, listed, before.get(knob, _UNSET))
    return sorted(found, key=lambda effect: -abs(effect.change or 0.0))


def _of_knob(
    knob: str,
    alike: Sequence[Mapping[str, int]],
    ms: Sequence[float | None],
    listed: Sequence[bool],
    before: str,
) -> Iterator[KnobEffect]:
    """`alike`: builds by their value of the knob, which differ in nothing else."""
    values = dict.fromkeys(value for group in alike for value in group)
    against = before if before in values else next(iter(values), _UNSET)
    for value in values:
        pairs = [(g[against], g[value]) for g in alike if against in g and value in g]
        if value == against or not pairs:
            continue
        both = next(((n, m) for n, m in pairs if listed[n] and listed[m]), None)
        logs = [log(b / a) for n, m in pairs if (a := ms[n]) and (b := ms[m])]
        mean = least = most = None
        if logs:
            mean, least, most = (
                exp(change) - 1 for change in (fsum(logs) / len(logs), min(logs), max(logs))
            )
        yield KnobEffect(knob, value, against, mean, least, most, len(pairs), both)
