"""A layer with its build info in; pairs of a key and its value, in words with units, out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from engine_layer_visualize.analysis import onnx_nodes, precisions
from engine_layer_visualize.analysis.layer_kinds import runs_kernel
from engine_layer_visualize.core import build_info
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.text import amount, milliseconds
from engine_layer_visualize.outputs.sentences import runs

Pair = tuple[str, JsonValue]


def known_of(layer: Layer, node: str, work: Iterable[Pair] = ()) -> Iterator[Pair]:
    """Work of the layer, and its build info without what the page shows elsewhere. `node`: what a
    node of its frontend is called."""
    yield from work
    if layer.time is not None:
        for key, words in runs(layer.time):
            yield key, [*words]
    if (precise := precisions.of(layer)).tf32:
        yield "computes in", str(precise)
    facts = layer.facts
    if facts is None:
        return
    if ends := onnx_nodes.of(layer).ends:
        yield f"{node}s, ends only", list(ends)
    for field in dataclasses.fields(facts):
        value = getattr(facts, field.name)
        if value in (None, (), "", field.default) or field.name.startswith("onnx_"):
            continue
        if field.name == "kernel" and value == layer.kernel:
            continue
        if field.name in ("build_ms", "measured_on") and not runs_kernel(layer):
            continue  # the time of the copy that it replaces
        if field.name == "lines":
            yield from _lines(value, node)
            continue
        pairs = _WORDS.get(field.name)
        yield from pairs(value) if pairs is not None else ((_in_words(field.name), _plain(value)),)


def _of(key: str, words: Callable[[Any], JsonValue] = str) -> Callable[[Any], Iterator[Pair]]:
    """A function that makes one pair of a value: `key`, and the value in words."""

    def pairs(value: Any) -> Iterator[Pair]:
        yield key, words(value)

    return pairs


def _autotuning(tuned: build_info.Candidates) -> Iterator[Pair]:
    parts = [] if tuned.tried is None else [f"{tuned.tried:,} tactics timed"]
    parts += [f"{tuned.skipped:,} skipped for lack of memory"] if tuned.skipped else []
    parts += [f"{tuned.cached:,} results from a timing cache"] if tuned.cached else []
    parts += [f"{tuned.seconds:.3g} s"] if tuned.seconds is not None else []
    if parts:
        yield "autotuning", ", ".join(parts)
    if tuned.chosen is not None:
        yield "chosen tactic", _tactic(tuned.chosen)
    if tuned.best:
        yield "fastest tactics", [_tactic(one) for one in tuned.best]
    if tuned.runners:
        yield "runners tried", [_runner(one) for one in tuned.runners]


def _tactic(one: build_info.Candidate) -> str:
    runner = f" ({one.runner})" if one.runner else ""
    kernel = f"{one.kernel}, " if one.kernel else ""
    formats = f", {one.formats}" if one.formats else ""
    return f"{milliseconds(one.ms)}: {kernel}tactic {one.tactic}{runner}{formats}"


def _runner(one: build_info.RunnerCost) -> str:
    parts = [f"{one.runner}: {one.tried:,} tactics timed in {one.profilings:,} tries"]
    parts += [f"{one.skipped:,} skipped for lack of memory"] if one.skipped else []
    parts += [f"no valid tactic in {one.unfit:,} of them"] if one.unfit else []
    parts += [f"{one.seconds:.3g} s"] if one.seconds is not None else []
    return ", ".join(parts)


def _memory(memory: build_info.Memory) -> Iterator[Pair]:
    for key, size in (
        ("persistent on the host", memory.host_persistent),
        ("persistent on the device", memory.device_persistent),
        ("scratch", memory.scratch),
        ("weights", memory.weights),
    ):
        if size is not None:
            yield key, amount(size)


def _lines(lines: tuple[tuple[str, int], ...], node: str) -> Iterator[Pair]:
    words = {**_FACTS, "onnx_nodes": f"{node}s"}
    yield (
        "lines of the log",
        [f"log line {line}: {words.get(what, _in_words(what))}" for what, line in lines],
    )


_FACTS: Final = {
    "build_ms": "the builder's estimate",
    "candidates": "autotuning",
    "formats": "formats in autotuning",
    "fused_from": "optimiser's steps",
    "measured_on": "layer that was timed",
    "precision_note": "precision",
}
_WORDS: Final[dict[str, Callable[[Any], Iterator[Pair]]]] = {
    "build_ms": _of("builder's estimate", milliseconds),
    "formats": _of("formats in autotuning"),
    "measured_on": _of("estimate is of"),
    "candidates": _autotuning,
    "memory": _memory,
    "fused_from": _of(
        "optimiser's steps", lambda steps: [f"log line {one.line}: {one.text}" for one in steps]
    ),
    "precision_note": _of("precision"),
}
assert set(_WORDS) <= {field.name for field in dataclasses.fields(build_info.LayerFacts)}


def _in_words(key: str) -> str:
    """A key without words of its own: `measured_on` -> `measured on`, `_ms` with its unit."""
    return key.removesuffix("_ms").replace("_", " ") + (" (ms)" if key.endswith("_ms") else "")


def _plain(value: Any) -> JsonValue:
    """Records as objects without empty values."""
    if hasattr(value, "_asdict"):
        values = {_in_words(name): _plain(each) for name, each in value._asdict().items()}
        return {key: each for key, each in values.items() if each not in (None, [], "")}
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
