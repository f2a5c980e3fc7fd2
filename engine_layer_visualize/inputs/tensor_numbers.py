"""Numbers of tensors, in JSON: statistics by name, or what Polygraphy saves.

`{"tensor": {"min": -1, "max": 2}}` is taken as it is. Of `polygraphy run --save-outputs` come the
least, the largest and the mean value of each tensor, of the first runner's first iteration, as
Polygraphy itself takes them; of `--save-accuracy-results` the differences of each, over iterations
the largest, and whether they passed.
"""

from __future__ import annotations

import ast
import base64
import math
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from engine_layer_visualize.core.build_info import AccuracyLoss, TensorNumbers
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.json_stream import UNREADABLE, Walk
from engine_layer_visualize.io.source import MAX_WHOLE, Source

_CLASS: Final = "polygraphy_class"
_HINT: Final = "write it with `polygraphy run … --save-accuracy-results stats.json`"
# NumPy's names of types, and those of `struct`.
_TYPES: Final = {
    **{"<f2": "<e", "<f4": "<f", "<f8": "<d", "|i1": "<b", "<i2": "<h", "<i4": "<i", "<i8": "<q"},
    **{"|u1": "<B", "<u2": "<H", "<u4": "<I", "<u8": "<Q", "|b1": "<?"},
}


class Numbers(NamedTuple):
    """What a file says of tensors."""

    file: str
    tensors: Mapping[str, TensorNumbers]
    accuracy: tuple[AccuracyLoss, ...]


def read(path: str | Path) -> tuple[Numbers, list[Problem]]:
    """The numbers of one file. Raises ReadError (ELV212, ELV109, ELV401)."""
    source = Source(path, max_line=MAX_WHOLE)
    walk = Walk(source.text(), source.name)

    def unusable(message: str) -> ReadError:
        return ReadError(Problem(Place(source.name, 1), "ELV212", message), _HINT)

    try:
        found = walk.value()
        walk.end()
    except UNREADABLE as error:
        raise ReadError(walk.problem("ELV212", "not JSON", error), _HINT) from None
    if not isinstance(found, dict):
        raise unusable("no object with the numbers of each tensor by its name")
    kind, accuracy = found.get(_CLASS), list[AccuracyLoss]()
    if kind in ("AccuracyResults", "AccuracyResult"):
        results = found.get("lst") if kind == "AccuracyResults" else [found]
        tensors, accuracy = _of_accuracy(results)
    elif kind == "RunResults":
        tensors = _of_outputs(found)
    elif kind is not None:
        raise unusable(f"no numbers of tensors: Polygraphy's {kind!r:.80}")
    elif found and all(key.startswith("_N") for key in found):
        raise unusable("a replay of `polygraphy debug`, which names no tensor")
    else:
        tensors = {name: _finite(each) for name, each in found.items() if isinstance(each, dict)}
    known = {
        name: TensorNumbers(name, tuple(each.items())) for name, each in tensors.items() if each
    }
    if not known:
        raise unusable("no number of any tensor")
    problems = list(source.problems)
    if left := len(tensors) - len(known):
        message = f"{left} of {len(tensors)} tensors have no number that can be read"
        problems.append(Problem(Place(source.name, 1), "ELV213", message))
    return Numbers(source.name, known, tuple(accuracy)), problems


def _finite(values: Mapping[str, Any]) -> dict[str, float]:
    """The values that are numbers. `True` is none."""
    return {
        key: value
        for key, value in values.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool) and _is_finite(value)
    }


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


# ---- Polygraphy --------------------------------------------------------------------------------


def _iterations(results: object) -> Iterable[dict[str, Any]]:
    """Yields the iterations of the first runner in each list of `[runner, iterations]`."""
    for result in results if isinstance(results, list) else ():
        pairs = result.get("lst") if isinstance(result, dict) else None
        for pair in pairs[:1] if isinstance(pairs, list) else ():
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], list):
                yield from (each for each in pair[1] if isinstance(each, dict))


def _of_accuracy(results: object) -> tuple[dict[str, dict[str, float]], list[AccuracyLoss]]:
    """The largest difference of each kind over the iterations, and the losses that were checked."""
    tensors: dict[str, dict[str, float]] = {}
    losses: dict[tuple[str, str], AccuracyLoss] = {}
    for iteration in _iterations(results):
        for name, result in iteration.items():
            if not isinstance(result, dict):  # another shape: there is nothing to compare
                continue
            worst = tensors.setdefault(name, {})
            for key, value in _finite(result).items():
                lower = AccuracyLoss(name, key, value, None, None, None).lower_is_worse
                worst[key] = (min if lower else max)(worst.get(key, value), value)
            limits, passed = result.get("thresholds"), result.get("passed")
            limits = limits if isinstance(limits, dict) else {}
            stat = limits.get("check_error_stat")
            key = "max_absdiff" if stat == "elemwise" else f"{stat}_absdiff"
            if key not in worst:
                key = next(iter(worst), key)
            limit = _finite(limits).get("atol", _finite(limits).get("threshold"))
            failed = None if not isinstance(passed, bool) else not passed
            before = losses.get((name, key))
            if before is not None:
                failed = bool(before.failed or failed)
            losses[name, key] = AccuracyLoss(name, key, worst.get(key), limit, failed, None)
    return tensors, list(losses.values())


def _of_outputs(found: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    for iteration in _iterations([found]):
        outputs = iteration.get("outputs")
        if isinstance(outputs, dict):
            return {name: _statistics(value) for name, value in outputs.items()}
    return {}


def _statistics(value: object) -> dict[str, float]:
    """The least, the largest and the mean of an array; of what cannot be read nothing."""
    while isinstance(value, dict) and "array" not in value:
        value = value.get("values")
    try:
        data = base64.b64decode(value["array"]) if isinstance(value, dict) else b""
        length = 4 if data[6:7] > b"\x01" else 2
        begin = 8 + length + int.from_bytes(data[8 : 8 + length], "little")
        head = ast.literal_eval(data[8 + length : begin].decode("latin-1").strip())
        layout = struct.Struct(_TYPES[head["descr"]])
        numbers = [float(number) for (number,) in layout.iter_unpack(data[begin:])]
    except (ValueError, TypeError, KeyError, SyntaxError, RecursionError, struct.error):
        return {}
    finite = [number for number in numbers if math.isfinite(number)]
    known: dict[str, float] = {}
    if finite:
        known = {"min": min(finite), "max": max(finite), "mean": math.fsum(finite) / len(finite)}
    if strange := len(numbers) - len(finite):
        known["not finite"] = strange
    return known
