"""Tells the flags of trtexec that an engine's version of TensorRT has.

Where the log does not name the version, the listing may tell that it is an old one.
"""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.core.model import Engine

_POOLS: Final = (8, 4, 1)  # the first version whose trtexec has --memPoolSize
# The first version whose listings print tactics in hexadecimal digits.
_HEXADECIMAL: Final = (8, 4)
_PROFILING: Final = (8, 2, 1)  # the first version whose trtexec has --profilingVerbosity
_VERBOSITY: Final = frozenset(("profilingverbosity", "nvtxverbosity"))  # keys without blanks
_IS_DETAILED: Final = frozenset(("2", "detailed"))


def version(engine: Engine) -> tuple[int, ...] | None:
    """TensorRT's, such as (8, 5, 1); None where the log does not say, and of TensorRT-RTX."""
    parts = (engine.tensorrt or "").split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else None


def is_before(engine: Engine, first: tuple[int, ...]) -> bool | None:
    """Whether TensorRT is older than this version; None: unknown."""
    if engine.tensorrt is not None:
        known = version(engine)
        return None if known is None else known < first
    old = any((la.tactic or "").removeprefix("-").isdecimal() for la in engine.layers)
    return True if old and first >= _HEXADECIMAL else None


def workspace(engine: Engine) -> str:
    """The one for the size of the workspace in MiB."""
    return "--workspace=" if is_before(engine, _POOLS) else "--memPoolSize=workspace:"


def has_verbosity(engine: Engine) -> bool:
    """Whether there is a flag for the verbosity of profiling, as far as is known.

    Where decimal tactics alone tell the version, there need not be.
    """
    return not is_before(engine, _HEXADECIMAL if engine.tensorrt is None else _PROFILING)


def is_detailed(engine: Engine) -> bool:
    """Whether the engine was built with details: an option or its records show it."""
    for option in engine.facts.options if engine.facts is not None else ():
        key = option.key.replace(" ", "").casefold()
        if key in _VERBOSITY and option.value.strip().casefold() in _IS_DETAILED:
            return True
    listings = (engine.source, *engine.also)
    return any(listing.dialect != "classic" and listing.state != "names" for listing in listings)
