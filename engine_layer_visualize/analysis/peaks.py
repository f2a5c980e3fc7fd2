"""Finds what a device can do: FLOP/s by precision, and bandwidth.

What GPUs can do stands in `peaks.json`, with its sources. All figures are dense, and of the
maximum clock, not of the clock of a run.
"""

import json
import math
import re
from functools import cache
from typing import Any, Final

from engine_layer_visualize.core.build_info import Device
from engine_layer_visualize.core.options import Peak
from engine_layer_visualize.core.text import not_among

PRECISIONS: Final = ("fp64", "fp32", "tf32", "fp16", "bf16", "int8", "fp8", "fp4")
BANDWIDTH: Final = "bw"
_SMALLEST_PEAK, _LARGEST_PEAK = 0.001, 1_000_000_000  # of a peak that is given
_LONGEST_NAME: Final = 80  # characters of a device's name
# What tensor cores of GeForce do with FP32 accumulation: by name in the data, no flag's words.
_FP32: Final = "_fp32"
# What the data has of each device, in this order.
_OF_DEVICE: Final = (
    *("name", "compute_capability", "sms"),
    *("compute_clock_ghz", "bus_bits", "memory_clock_ghz"),
)


def of_device(device: Device | None) -> Peak | None:
    """What a device can do, by the lines of the log; None where they name none that is known."""
    capability = (device.compute_capability or "").strip() if device is not None else ""
    if device is None or capability not in _data()["fma"]:
        return None
    table, name = dict(_data()["fma"][capability]), device.name or ""
    if "GeForce" in name:
        table |= _data()["geforce"].get(capability, {})
    if lacks_tensor_cores(name):
        table = {"fp32": table["fp32"]}
    each = 2 * (device.sms or 0) * (device.compute_clock_ghz or 0) / 1e3
    tflops = _sorted({key: each * fma for key, fma in table.items()} if each else {})
    called = device.name or f"compute capability {capability}"
    unverified = tuple(_data()["unverified"].get(capability, ()))
    # By name: devices of one capability have different ones, and a part of one (MIG) its own.
    l2_mib = _data()["l2_mib"].get(name.removeprefix("NVIDIA "))
    bandwidth = _bandwidth(device, capability)
    return Peak(tflops, bandwidth, called, unverified=unverified, l2_mib=l2_mib)


def device(name: str) -> Device:
    """The device of this name, as people write it: `A100`, `RTX 4090`, `Orin`.

    Raises ValueError for a name that is unknown, with the nearest one.
    """
    known = _data()["devices"]
    found = {_letters(one): one for one in known}.get(_letters(name))
    if found is None:
        raise ValueError(not_among("device", name, tuple(known)))
    return Device(**dict(zip(_OF_DEVICE, known[found])))


def _letters(name: str) -> str:
    """A name without what people leave out: case, blanks, `NVIDIA`, `GeForce`, `Tesla`."""
    words = re.sub(r"nvidia|geforce|tesla|jetson", "", name[:_LONGEST_NAME].casefold())
    return re.sub(r"[^a-z0-9]", "", words)


def lacks_tensor_cores(name: str) -> bool:
    """Whether it names a GPU that has none, though others of its compute capability do."""
    return any(f" {word}" in f" {name}" for word in _data()["without_tensor_cores"])


def _bandwidth(device: Device, capability: str) -> float | None:
    """Returns the bandwidth of a device's memory in GB/s; None where it is unknown.

    A GPU without memory of its own prints another clock than its memory's: for it, it is the most
    that the bus carries.
    """
    if capability in _data()["integrated"]:  # of a Jetson
        rate: float | None = _data()["integrated_gbit"].get(capability)
        widths = _data()["integrated_bits"].get(capability, {})
        # Others of its capability have other memory: their number of SMs does not tell which.
        bits: int | None = widths.get(str(device.sms)) if widths else device.bus_bits
        return rate * bits / 8 if rate and bits else None
    if not device.memory_clock_ghz or not device.bus_bits:
        return None
    return device.memory_clock_ghz * 2 * device.bus_bits / 8


def parse(words: str | None) -> Peak | None:
    """What a user says that a device can do, in dense TFLOPS or TOPS, and GB/s.

    An example is `fp32=19.5,tf32=156,fp16=312,int8=624,bw=1935`. No words give None.

    Raises:
        ValueError: Something is no name or no positive number.
    """
    figures: dict[str, float] = {}
    for part in filter(None, map(str.strip, (words or "").split(","))):
        key, _, text = part.partition("=")
        key = key.strip().casefold()
        if key not in (*PRECISIONS, BANDWIDTH):
            raise ValueError(not_among("peak", key, (*PRECISIONS, BANDWIDTH)))
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not _SMALLEST_PEAK <= value <= _LARGEST_PEAK:
            wanted = f"no number from {_SMALLEST_PEAK} to {_LARGEST_PEAK:,}"
            raise ValueError(f"{key}: {wanted}: {text!r}")
        figures[key] = value
    if not figures:
        return None
    given, bandwidth = tuple(figures), figures.pop(BANDWIDTH, None)
    return Peak(_sorted(figures), bandwidth, given=given)


def merged(device: Peak | None, given: Peak | None) -> Peak | None:
    """The device's figures, with those that the user gave in their stead."""
    if device is None or given is None:
        return device or given
    known = dict(device.tflops)
    for key, _ in given.tflops:
        known.pop(key + _FP32, None)
    bandwidth = device.bandwidth if given.bandwidth is None else given.bandwidth
    left = tuple(key for key in device.unverified if key not in given.given)
    tflops = _sorted({**known, **dict(given.tflops)})
    return device._replace(tflops=tflops, bandwidth=bandwidth, given=given.given, unverified=left)


def _sorted(known: dict[str, float]) -> tuple[tuple[str, float], ...]:
    keys = sorted(known, key=lambda key: (PRECISIONS.index(key.removesuffix(_FP32)), key))
    return tuple((key, known[key]) for key in keys)


@cache
def _data() -> Any:
    from pkgutil import get_data  # slow to import

    text = get_data(__package__, "peaks.json")  # a package may lie in a zip file
    assert text is not None
    return json.loads(text)
