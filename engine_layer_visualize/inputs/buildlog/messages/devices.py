"""Makes a `Device` of what trtexec prints of it, key by key."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from engine_layer_visualize.core.build_info import Device
from engine_layer_visualize.core.numbers import measured
from engine_layer_visualize.core.patterns import lazy

SECTION: Final = "Device Information"
# e.g. (8-) [I] Throughput: 245.3 qps
_QUANTITY: Final = lazy(r"\s*([\d.]{1,24}(?:e[+-]?\d{1,3})?)(?![\w.])")
# More than any device has: of what is misread nothing is computed.
_MOST_CLOCK, _MOST_SMS, _MOST_BITS, _MOST_MEMORY = 100.0, 10_000, 1_000_000, 1_000_000_000


def of(value: Callable[[str], str | None]) -> Device:
    """`value`: the words of a key; None where there is no such key."""

    def number(most: float, *keys: str) -> float | None:
        amount = next((quantity(words) for key in keys if (words := value(key))), None)
        return None if amount is None or not 0 < amount <= most else amount

    def clock(key: str) -> float | None:
        return number(_MOST_CLOCK, key, f"Application {key}")

    def whole(most: int, key: str) -> int | None:
        amount = number(most, key)
        return None if amount is None else int(amount)

    return Device(
        name=value("Selected Device"),
        compute_capability=value("Compute Capability"),
        sms=whole(_MOST_SMS, "SMs"),
        memory_mib=whole(_MOST_MEMORY, "Device Global Memory"),
        shared_kib=whole(_MOST_MEMORY, "Shared Memory per SM"),
        bus_bits=whole(_MOST_BITS, "Memory Bus Width"),
        compute_clock_ghz=clock("Compute Clock Rate"),
        memory_clock_ghz=clock("Memory Clock Rate"),
    )


def quantity(words: str) -> float | None:
    """The number at the start of `424.281 qps`; None where there is none that can be."""
    match = _QUANTITY.match(words)
    try:
        number = float(match[1]) if match else math.nan
    except ValueError:
        return None
    return number if measured(number) else None
