"""Makes engines of times without a listing: a layer for each row, in the printed order, no edges.

The types of layers are known as far as their names tell them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Final

from engine_layer_visualize.assembly.listings import Reading
from engine_layer_visualize.core.model import Layer, Listing, Profile, Timing
from engine_layer_visualize.core.problems import Problem, ReadError
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.reading.wrapping import unwrapped
from engine_layer_visualize.trt.names import DLA, is_dla_copy, is_foreign, types_of_torch2trt

DIALECT: Final = "times"
# Names that TensorRT gives to what it adds, and the type of such a layer in a listing.
_TYPES: Final = (
    ("Reformatting CopyNode for ", "Reformat"),
    ("{ForeignNode[", "Myelin"),
    ("__myl_", "kgen"),
    ("PWN(", "PointWise"),
)
# Types in names by torch2trt, and those of such layers in a listing. A layer with another beside
# it, such as an activation, was fused with it.
_OF_TORCH2TRT: Final = {
    "CONSTANT": "Constant",
    "CONVOLUTION": "Convolution",
    "DECONVOLUTION": "Deconvolution",
    "FULLY_CONNECTED": "FullyConnected",
    "MATRIX_MULTIPLY": "MatrixMultiply",
}
_MULTIPLYING: Final = _OF_TORCH2TRT.keys() - {"CONSTANT"}
_JOINS: Final = " copy"  # of a tensor into one that several are joined in
# What Nsight Systems calls work on a GPU that is no kernel, and the type that it gets here.
_WORK: Final = (("[CUDA memcpy", "Copy"), ("[CUDA memset", "Memset"))
_NO_KERNELS: Final = tuple(start for start, _ in _WORK)


def profiles_of(path: str | Path) -> tuple[list[Profile], list[Problem]]:
    """The profiles of a file whose content is times, and problems; none where it has none."""
    from engine_layer_visualize.reading import profiles

    try:
        found, problems = profiles.read(path, unwrapped)
    except ReadError:
        return [], []
    problems += [_of_kernels(profile) for profile in found if profile.launches is not None]
    return [profile for profile in found if any(_lasts(row.time) for row in profile.rows)], problems


def _of_kernels(profile: Profile) -> Problem:
    """A warning that rows are no layers, and which launches are of no inference."""
    message = "a trace names no layers: what stands for one is a kernel, a copy or a set"
    message += ", with the sum of its launches"
    launches = profile.launches
    if launches is None:
        return Problem(profile.place, "ELV211", message)
    is_work = [row.name.startswith(_NO_KERNELS) for row in profile.rows]
    before = list(takewhile(lambda at: is_work[launches.rows[at]], range(len(launches.rows))))
    if 0 < len(before) < len(launches.rows):
        took = milliseconds(math.fsum(launches.nanoseconds[at] for at in before) / 1e6)
        each = f"{len(before):,} of {len(launches.rows):,} launches, {took}"
        message += f"; the sums hold what prepares inferences: {each}, precede the first kernel"
    return Problem(profile.place, "ELV211", message)


def _lasts(time: Timing) -> bool:
    return bool(time.average_ms or time.total_ms)


def reading(profile: Profile, file: str) -> Reading:
    """The layers of one profile."""
    line = profile.place.line
    layers = tuple(_layers(profile, file))
    listing = Listing(file, line, line, DIALECT, "times")
    return Reading(listing, (), layers, (), (None, None))


def _layers(profile: Profile, file: str) -> Iterable[Layer]:
    on_dla = any(is_dla_copy(row.name) for row in profile.rows)
    for index, row in enumerate(profile.rows):
        place = replace(profile.place, file=file, line=row.line or profile.place.line)
        if profile.launches is None:
            yield Layer(index, place, _type(row.name, on_dla), row.name, None, (), ())
        else:
            of_gpu = next((type for start, type in _WORK if row.name.startswith(start)), None)
            kernel = row.name if of_gpu is None else None
            yield Layer(index, place, of_gpu or "Kernel", row.name, None, (), (), kernel)


def _type(name: str, on_dla: bool) -> str:
    """Empty where the name does not tell it."""
    if is_dla_copy(name):
        return "Copy"
    if name.endswith(_JOINS):
        return "Reformat"
    if is_foreign(name) or (on_dla and name.startswith("{") and name.endswith("}")):
        return DLA if on_dla else "Myelin"
    if types := set(types_of_torch2trt(name)):
        told = types if types == {"CONSTANT"} else types & _MULTIPLYING
        return _OF_TORCH2TRT[told.pop()] if len(told) == 1 else ""
    return next((type for start, type in _TYPES if name.startswith(start)), "")
