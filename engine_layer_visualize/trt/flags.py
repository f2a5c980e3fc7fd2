"""Tells which flags the trtexec of a version of TensorRT has."""

from __future__ import annotations

from functools import cache
from pkgutil import get_data
from typing import Final

Version = tuple[int, ...]

OLDEST: Final = (8,)  # of older versions few flags are known


def has(version: Version | None, flag: str) -> bool:
    """Whether a version has a flag; of an unknown one all that some version has are assumed."""
    known = _flags().get(flag)
    if known is None or version is None:
        return known is not None
    first, last = known
    return (first or OLDEST) <= version and (not last or version[: len(last)] <= last)


def ends(flag: str) -> tuple[str, str]:
    """The first and the last version that has a flag, such as `10.16`; empty: all have it."""
    first, last = (".".join(map(str, end)) for end in _flags()[flag])
    return first, last


def numbers(version: str) -> Version | None:
    """The numbers of `8.5.1`; None of anything else, such as a version of TensorRT-RTX."""
    parts = version.split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else None


@cache
def _flags() -> dict[str, tuple[Version, Version]]:
    """The first and the last version that has each flag; () where it is all that are known."""
    text = (get_data(__package__, "flags.tsv") or b"").decode()
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return {flag: (numbers(first) or (), numbers(last) or ()) for flag, first, last in rows}
