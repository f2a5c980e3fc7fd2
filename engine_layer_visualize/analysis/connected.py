"""Finds the parts in which all things are connected by pairs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def connected(things: Iterable[T], pairs: Iterable[tuple[T | None, T | None]]) -> list[list[T]]:
    """Each part in the order of `things`, the parts in that of their first things.

    Pairs with anything else do not count.
    """
    above = {thing: thing for thing in things}

    def top(thing: T) -> T:
        while above[thing] != thing:
            above[thing] = thing = above[above[thing]]
        return thing

    for thing_a, other in pairs:
        if thing_a in above and other in above:
            above[top(other)] = top(thing_a)
    members: dict[T, list[T]] = {}
    for thing in above:
        members.setdefault(top(thing), []).append(thing)
    return list(members.values())
