"""Tells what differs between the builds of two engines, as far as both logs say it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.comparison.result import Difference
from engine_layer_visualize.core.build_info import Device, EngineFacts
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.text import amount, base_name

_SECTIONS: Final = ("Model", "Build", "System", "Inference")
# Files differ between any two runs; precisions are told in one form for all builders.
_OTHER: Final = frozenset(
    ("Save engine", "Load engine", "timingCacheFile", "Export timing", "Precision")
)
_DEVICE: Final = (
    ("name", "device"),
    ("compute_capability", "compute capability"),
    ("sms", "SMs"),
    ("memory_mib", "device memory in MiB"),
    ("bus_bits", "memory bus in bits"),
    ("compute_clock_ghz", "compute clock in GHz"),
    ("memory_clock_ghz", "memory clock in GHz"),
)
_INPUT: Final = re.compile(r"[^,=]+=(?=\d)")  # `x:0=` of `x:0=1x3x32x32`
_TOTALS: Final = ("Activation", "Weights", "Scratch")


def differences(a: Engine, b: Engine) -> tuple[Difference, ...]:
    """What differs, where both logs say it.

    TensorRT, listing, device, clocks, options, precisions, memory, timing cache.
    """
    return tuple(
        difference
        for difference in _all(a, b)
        if difference.a != difference.b and None not in difference
    )


def _all(a: Engine, b: Engine) -> Iterator[Difference]:
    yield Difference("TensorRT", a.tensorrt, b.tensorrt)
    yield Difference("format of the listing", a.dialect, b.dialect)
    first, second = a.facts or EngineFacts(), b.facts or EngineFacts()
    here, there = first.device or Device(), second.device or Device()
    for field, what in _DEVICE:
        yield Difference(what, _text(getattr(here, field)), _text(getattr(there, field)))
    yield Difference(
        "allowed precisions",
        ", ".join(first.precisions) or None,
        ", ".join(second.precisions) or None,
    )
    yield from _options(first, second)
    for name in _TOTALS:
        sizes = first.total(name), second.total(name)
        if None not in sizes:
            yield Difference(f"{name.lower()} memory", *(amount(size or 0) for size in sizes))
    yield Difference("timing cache", _cache(first), _cache(second))


def _options(a: EngineFacts, b: EngineFacts) -> Iterator[Difference]:
    """The options of trtexec."""
    mine, yours = (
        {
            (option.section, option.key): option.value
            for option in facts.options
            if option.section in _SECTIONS and option.key not in _OTHER
        }
        for facts in (a, b)
    )
    for key, value in mine.items():
        other = yours.get(key)
        if other is not None and _told(key[1], value) != _told(key[1], other):
            yield Difference(": ".join(key), value, other)


def _told(key: str, value: str) -> str:
    """What a value says of a build: not the folder of a file, nor the names of inputs.

    These differ between machines, and between exports of one network.
    """
    if key.strip() == "Model":
        return base_name(value)
    return _INPUT.sub("", value) if key.startswith("Input") else value


def _cache(facts: EngineFacts) -> str | None:
    if (cache := facts.timing_cache) is None:
        return None
    return "loaded" if cache.loaded else cache.kind


def _text(value: object) -> str | None:
    return None if value is None else str(value)
