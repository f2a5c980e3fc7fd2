"""What trtexec prints of the device, key by key, in; a `Device` out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from engine_layer_visualize.core.build_info import Device

SECTION: Final = "Device Information"
_QUANTITY: Final = re.compile(r"\s*([\d.]{1,24}(?:e[+-]\d{1,3})?)")


def of(value: Callable[[str], str | None]) -> Device:
    """`value`: the words of a key; None where there is no such key."""

    def number(*keys: str) -> float | None:
        return next((quantity(words) for key in keys if (words := value(key))), None)

    def whole(key: str) -> int | None:
        found = number(key)
        return None if found is None else int(found)

    return Device(
        name=value("Selected Device"),
        compute_capability=value("Compute Capability"),
        sms=whole("SMs"),
        memory_mib=whole("Device Global Memory"),
        shared_kib=whole("Shared Memory per SM"),
        bus_bits=whole("Memory Bus Width"),
        compute_clock_ghz=number("Compute Clock Rate", "Application Compute Clock Rate"),
        memory_clock_ghz=number("Memory Clock Rate", "Application Memory Clock Rate"),
    )


def quantity(words: str) -> float | None:
    """The number at the start of `424.281 qps`; None where there is none."""
    match = _QUANTITY.match(words)
    try:
        return float(match[1]) if match else None
    except ValueError:
        return None
