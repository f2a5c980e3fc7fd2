"""Reads TensorRT's version in a line of a log, `8.5.1`; tells which flags its trtexec has.

TensorRT-RTX counts its own versions: its 1.7 is no TensorRT 1.7.
"""

import os
import re
from functools import cache
from typing import Any, Final

# e.g. (8-) &&&& RUNNING TensorRT.trtexec [TensorRT v8501] # trtexec --verbose
# e.g. (8-) [I] TensorRT version: 8.5.1
# e.g. (8-) [V] Loaded Module: tensorrt | Version: 8.5.1.7 | Path: ['/usr/lib/tensorrt']
# e.g. (rtx) [engine_layer_visualize] builder: tensorrt_rtx 1.7.1.116
PRINTED: Final = re.compile(
    rb"\[TensorRT v(\d{4,6})\]|(?:TensorRT version|Module: tensorrt \| Version): (\d[\d.]{0,20})"
    rb"|\bbuilder: tensorrt_rtx (\d[\d.]{0,20})"
)
# e.g. (8-) Loading shared library libnvinfer_builder_resource.so.10.1.0
_LIBRARY: Final = re.compile(rb"libnvinfer\w{0,64}\.so\.(\d{1,3}\.\d{1,3}\.\d{1,3})")
# e.g. (10.10-) Loaded shared library libnvinfer_builder_resource_sm89.so.10.16.0
_CAPABILITY: Final = re.compile(rb"libnvinfer_builder_resource_sm(\d{1,2})(\d)\.so\.")
# What is printed of a version begins with one of these, or with `[` and one.
_MARKS: Final = (b"TensorRT v", b"Module: tensorrt | ", b"builder: tensorrt_rtx ")
_LONGEST: Final = 64  # bytes of one, with its mark
_RTX: Final = "RTX "


def last_named(data: bytes, begin: int, end: int) -> str | None:
    """The last version that is printed in `data[begin:end]`; None where none is."""
    found = []
    for mark in _MARKS:
        stop = end if data.find(mark, begin, end) >= 0 else begin  # faster than from the end
        while (place := data.rfind(mark, begin, stop)) >= 0:
            if match := PRINTED.search(data, max(begin, place - 1), min(end, place + _LONGEST)):
                found.append(match)
                break
            stop = place
    last = max(found, key=re.Match.start, default=None)
    return None if last is None else of(last)


def of_library(data: bytes, begin: int, end: int) -> str | None:
    """The version in the first name of a library in `data[begin:end]`; None where none is."""
    match = _LIBRARY.search(data, begin, end)
    return None if match is None else match[1].decode()


def capability(data: bytes, begin: int, end: int) -> str | None:
    """The GPU's compute capability by the first library of its kernels; None where none is."""
    match = _CAPABILITY.search(data, begin, end)
    return None if match is None else f"{int(match[1])}.{int(match[2])}"


def of(match: re.Match[bytes]) -> str:
    """The version in a match of PRINTED.

    `8203` -> 8.2.3; `101600` -> 10.16.0; dotted text as it is; of TensorRT-RTX `RTX 1.7.1`.
    """
    if match[3]:
        return _RTX + _short(match[3].decode())
    digits = (match[1] or match[2]).decode()
    if "." in digits:
        return digits
    number = int(digits)
    if number >= 10000:
        return f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    return f"{number // 1000}.{number // 100 % 10}.{number % 100}"


def is_rtx(version: str | None) -> bool:
    """Whether it is one of TensorRT-RTX, which has no trtexec."""
    return (version or "").startswith(_RTX)


def line(version: str) -> str:
    """The line as trtexec prints it: `10.16.1.11`, of a package -> `TensorRT version: 10.16.1`."""
    return f"TensorRT version: {_short(version)}"


def called(version: str) -> str:
    """The name and the version: `TensorRT 8.5.1`, `TensorRT-RTX 1.7.1`."""
    return f"TensorRT{'-' if is_rtx(version) else ' '}{version}"


def _short(version: str) -> str:
    return ".".join(version.split(".")[:3])


# ---- the flags of trtexec ------------------------------------------------------------------------

Version = tuple[int, ...]

OLDEST: Final = (8,)  # of older versions few flags are known


def has_flag(version: Version | None, flag: str) -> bool:
    """Whether a version has a flag; of an unknown one all that some version has are assumed."""
    known = _flags().get(flag)
    if known is None or version is None:
        return known is not None
    first, last = known
    return (first or OLDEST) <= version and (not last or version[: len(last)] <= last)


def ends_of_flag(flag: str) -> tuple[str, str]:
    """The first and the last version that has a flag, such as `10.16`; empty: all have it."""
    first, last = (".".join(map(str, end)) for end in _flags().get(flag, ((), ())))
    return first, last


def numbers(version: str) -> Version | None:
    """The numbers of `8.5.1`; None of anything else, such as a version of TensorRT-RTX."""
    parts = version.split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else None


@cache
def _flags() -> dict[str, tuple[Version, Version]]:
    """The first and the last version that has each flag; () where it is all that are known."""
    loader: Any = __spec__.loader  # the package may lie in a zip file
    text = loader.get_data(os.path.join(os.path.dirname(__file__), "flags.tsv")).decode()
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return {flag: (numbers(first) or (), numbers(last) or ()) for flag, first, last in rows}
