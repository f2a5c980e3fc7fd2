"""Makes the value of `--format brief`: what an assistant reads of engines, in a few kilobytes.

The writers of `summary`, `lint` and `compare` write it. What is left out is counted, and `more`
names the commands that print it; in these, LOG and PROFILE stand for the user's files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine_layer_visualize.analysis import labels, precisions, scopes, times
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import causes, sentences
from engine_layer_visualize.comparison.result import CauseTime, Comparison, Group
from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import ELLIPSIS, visible
from engine_layer_visualize.core.words import Name, Words, abridged, shown
from engine_layer_visualize.facts.field import picked
from engine_layer_visualize.linting.rules import Finding, saved
from engine_layer_visualize.linting.selection import Selected, selected

MOST: Final = 6_000  # bytes of a document
ENGINES: Final = 4  # of a log, those that take the most time
_LONGEST_LEVER: Final = 600  # characters: its 20 words have fewer, but for flags of many inputs
_ROWS: Final = 8  # more of a list never fit
_MORE: Final = (
    ("lint LOG PROFILE --full", "every finding, its reason, all of its layers, lines of the log"),
    ("--explain CODE", "what the code of a cause or of a problem means, and what to do"),
    ("summary LOG PROFILE", "the slowest layers, types, reformats, memory, fusions as text"),
    ("summary LOG PROFILE --format json", "the same as numbers"),
    ("summary LOG PROFILE --brief", "of a log with many engines, a line for each"),
    ("table LOG PROFILE", "every layer with all that is known of it, as CSV"),
)
_MORE_COMPARED: Final = (
    ("compare LOG LOG --full", "every group of layers with what changed in it"),
    ("compare LOG LOG --format json", "the same as numbers"),
)


# ---- engines -------------------------------------------------------------------------------------


def of_engines(found: Iterable[Costs | Selected | Problem]) -> str:
    """Returns the document of the engines of logs; those that take the most time are in it.

    They are taken one by one, and no more than `ENGINES` are held. Problems are of reading.
    """
    problems: list[Problem] = []
    kept: list[tuple[float, int, Costs | Selected]] = []
    number = 0
    for each in found:
        if isinstance(each, Problem):
            problems.append(each)
            continue
        costs = each.costs if isinstance(each, Selected) else each
        kept.append((-(costs.total or 0.0), number, each))
        kept = sorted(kept, key=lambda one: one[:2])[:ENGINES]
        number += 1
    in_order = (each for _, _, each in sorted(kept, key=lambda one: one[1]))
    rows = [_engine(each if isinstance(each, Selected) else selected(each)) for each in in_order]
    engines = _listed(rows, number)
    return fitted({"schema": 1, "engines": engines, **_tail(problems, _MORE)}, MOST)


def _engine(found: Selected) -> dict[str, Any]:
    costs = found.costs
    slowest = [_layer(layer, costs) for layer in costs.ranking[:_ROWS]]
    return {
        **_head(costs),
        "state": costs.engine.source.state,
        "largest_lever": found.lever and abridged(visible(found.lever), _LONGEST_LEVER),
        "header": _sentences(found.header),
        "inference_ms": times.gpu_compute(costs),
        "could_save_ms": saved(found.findings),
        "causes": Listed([_cause(finding, costs) for finding in found.findings]),
        "modules": Listed(list(_modules([costs]))),
        "slowest": _listed(slowest, len(costs.ranking)),
        "in_order": _sentences(found.in_order),
        "costly": _sentences(found.costly),
    }


def engine_json(costs: Costs) -> dict[str, JsonValue]:
    """Returns which engine it is, with its layers and its time."""
    engine, device = costs.engine, costs.engine.known.device
    return {
        "file": engine.source.file,
        "engine": engine.index,
        "tensorrt": engine.tensorrt,
        "device": device.name if device else None,
        "layers": len(engine.layers),
        "ms": costs.shown_total,
        "time_kind": costs.kind,
    }


def _head(costs: Costs) -> dict[str, Any]:
    told = engine_json(costs).items()
    names = {key: Name(value) if isinstance(value, str) else value for key, value in told}
    how_known = [times.timed_layers(costs), *([times.how(costs)] if costs.kind else [])]
    return {**names, "coverage": Said(", ".join(how_known))}


def _layer(layer: Layer, costs: Costs) -> dict[str, Any]:
    return {
        "index": layer.index,
        "name": Name(layer.name),
        "does": Name(labels.headline(layer)),
        "precision": Name(precisions.precision_of(layer)),
        "ms": costs.of(layer),
        "share": costs.share(layer),
        "line": layer.place.line,
    }


def _cause(finding: Finding, costs: Costs) -> dict[str, Any]:
    layers = costs.engine.layers
    slow = max(finding.layers, key=lambda index: costs.of(layers[index]) or 0.0, default=None)
    return {
        **picked(finding, "code", "cause"),
        "severity": finding.rule.severity,
        "touches_ms": finding.touches_ms,
        "share": times.share_touched(finding.layers, costs),
        "saves_ms": finding.saves_ms,
        "layers": Listed(finding.layers),
        "such_as": None if slow is None else Name(layers[slow].name),
        "why": Said(finding.why),
        "advice": Said(finding.advice),
        "lines": Listed(sorted({fact.line for fact in finding.evidence if fact.line is not None})),
    }


# ---- comparisons ---------------------------------------------------------------------------------


def of_comparisons(found: Sequence[Comparison], problems: Iterable[Problem]) -> str:
    """Returns the document of comparisons with one engine."""
    rows = _listed([_comparison(one) for one in found[:ENGINES]], len(found))
    return fitted({"schema": 1, "comparisons": rows, **_tail(problems, _MORE_COMPARED)}, MOST)


def _comparison(found: Comparison) -> dict[str, Any]:
    builds = [{"what": what, "a": a and Name(a), "b": b and Name(b)} for what, a, b in found.builds]
    steps = sorted(found.waterfall, key=lambda step: -abs(step.ms))
    groups = [_group(found, group) for group in found.groups[:_ROWS]]
    return {
        "a": _head(found.a),
        "b": _head(found.b),
        "same_network": found.same_network,
        "header": Said(sentences.first(found)),
        **picked(found, "delta_ms", "speedup", "per_sample"),
        "builds": Listed(builds),
        "causes": Listed([_step(step) for step in steps if step.ms]),
        "modules": Listed(list(_modules([found.a, found.b]))),
        "groups": _listed(groups, len(found.groups)),
        "unchanged_groups": sum(not group.changes for group in found.groups),
        "unmatched_a": Listed(found.unmatched.a),
        "unmatched_b": Listed(found.unmatched.b),
    }


def _step(step: CauseTime) -> dict[str, Any]:
    return {
        "cause": step.cause,
        "says": causes.CAUSES[step.cause],
        "ms": step.ms,
        "a": Listed(step.a),
        "b": Listed(step.b),
    }


def _group(found: Comparison, group: Group) -> dict[str, Any]:
    first = found.a.engine.layers[group.a[0]] if group.a else found.b.engine.layers[group.b[0]]
    return {
        **picked(group, "delta_ms", "ms_a", "ms_b"),
        "a": Listed(group.a),
        "b": Listed(group.b),
        "such_as": Name(first.name),
        "changed": Said("; ".join(causes.changes(found, group))),
        "confidence": group.confidence,
    }


# ---- both ----------------------------------------------------------------------------------------


def _modules(each: Sequence[Costs]) -> Iterator[dict[str, Any]]:
    """Yields the modules that take the most time, none within another, with their times in each.

    Layers of a module that are in none of its inner modules are as one: `/features/…`. There are
    none where names do not tell modules, or no layer has a time.
    """
    found = [_by_path(costs) for costs in each]
    outer = {path[:depth] for paths in found for path in paths for depth in range(1, len(path))}
    found = [
        {(*path, f"/{ELLIPSIS}") if path in outer else path: layers for path, layers in of.items()}
        for of in found
    ]
    shares = [
        {path: costs.part(layers) or 0.0 for path, layers in paths.items()}
        for costs, paths in zip(each, found)
    ]
    for module in scopes.costliest(shares):
        row: dict[str, Any] = {"module": Name(scopes.written(module))}
        depth = len(module)
        for side, costs, paths in zip(("_a", "_b") if len(each) > 1 else ("",), each, found):
            layers = [la for path, own in paths.items() if path[:depth] == module for la in own]
            row |= {
                f"layers{side}": len(layers),
                f"ms{side}": costs.sum(layers),
                f"share{side}": costs.part(layers),
            }
        yield row


def _by_path(costs: Costs) -> dict[scopes.Path, list[Layer]]:
    """The layers with a time of each module."""
    paths = scopes.paths(costs.engine.layers)
    return by_key((paths[layer.index], layer) for layer in costs.timed)


def _tail(problems: Iterable[Problem], more: Iterable[tuple[str, str]]) -> dict[str, Any]:
    known = list(dict.fromkeys(problems))
    rows = [
        {
            **picked(problem, "severity", "code"),
            "file": Name(problem.place.file),
            "line": problem.place.line,
            "message": Said(problem.message),
        }
        for problem in sorted(known, key=lambda problem: problem.severity != "error")[:_ROWS]
    ]
    return {
        "problems": _listed(rows, len(known)),
        "more": [{"command": command, "prints": prints} for command, prints in more],
    }


def _sentences(texts: Sequence[str]) -> Listed:
    return Listed([Said(text) for text in texts])


def _listed(rows: Sequence[Any], number: int) -> Listed:
    """Returns rows of which there are so many in all."""
    return Listed(rows, number - len(rows))


# ---- values of JSON that are cut until they fit: a text that is cut has an ellipsis --------------

_dump: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode
_DIGITS: Final = 6  # of a number, the significant ones


class Listed(NamedTuple):
    """Rows of which some may be cut off; `left` of them are already."""

    rows: Sequence[Any]
    left: int = 0


class Said(NamedTuple):
    """A sentence, whose names are shortened each on its own."""

    words: Words


class _Size(NamedTuple):
    rows: int  # of a list of objects or of sentences
    items: int  # of a list of numbers
    name: int  # characters
    sentence: int


# Sentences are cut before rows are.
_SIZES: Final = (
    *(_Size(8, 12, 100, 500), _Size(8, 12, 80, 350), _Size(7, 10, 64, 250), _Size(6, 8, 64, 200)),
    *(_Size(5, 6, 48, 200), _Size(4, 6, 48, 160), _Size(4, 4, 40, 120), _Size(3, 4, 32, 100)),
    *(_Size(2, 3, 32, 100), _Size(2, 2, 24, 80), _Size(1, 1, 24, 60), _Size(1, 1, 16, 40)),
)


def fitted(value: Mapping[str, Any], most: int) -> str:
    """Returns the value as JSON of at most so many bytes, cut as little as is needed.

    A list that is cut stands before the number of what is left of it: `layers`, then `layers_left`.

    Args:
        value: of JSON, with names as `Name`, sentences as `Said` and what can be cut as `Listed`.
        most: bytes in UTF-8.

    Raises:
        ValueError: where it does not fit even with one row of each list.
    """
    return _first_fitting((_cut(value, size) for size in _SIZES), most)


def _first_fitting(values: Iterable[JsonValue], most: int) -> str:
    for text in map(_dump, values):
        if len(text.encode("utf-8", "backslashreplace")) <= most:
            return text
    raise ValueError(f"cannot be cut to {most:,} bytes")


def _cut(value: Any, size: _Size) -> JsonValue:
    if isinstance(value, Mapping):
        made: dict[str, JsonValue] = {}
        for key, inner in value.items():
            if isinstance(inner, Listed):
                is_plain = not inner.rows or isinstance(inner.rows[0], int)
                longest = size.items if is_plain else size.rows
                made[key] = [_cut(row, size) for row in inner.rows[:longest]]
                made[f"{key}_left"] = inner.left + max(0, len(inner.rows) - longest)
            else:
                made[key] = _cut(inner, size)
        return made
    if isinstance(value, list):
        return [_cut(inner, size) for inner in value]
    if isinstance(value, (Name, Said)):
        return shown(value.words if isinstance(value, Said) else value, size.name, size.sentence)
    if isinstance(value, float):
        return _rounded(value)
    assert value is None or isinstance(value, (str, int))
    return value


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


# ---- any value -----------------------------------------------------------------------------------

_WIDTHS: Final = ((2_000, 60), (500, 30), (200, 15), (80, 8), (40, 4), (20, 2), (20, 1))


def shortened(value: JsonValue, most: int) -> str:
    """Returns the JSON of a value, of which texts, lists and objects are cut until it fits.

    What is left of a list stands at its end, of an object at the key `…`.

    Raises:
        ValueError: where it does not fit with one item of each list.
    """
    return _first_fitting((_shorter(value, *widths) for widths in _WIDTHS), most)


def _shorter(value: JsonValue, characters: int, items: int) -> JsonValue:
    if isinstance(value, str):
        return shown(Name(value), characters, characters)
    if isinstance(value, (list, tuple)):
        kept = [_shorter(inner, characters, items) for inner in value[:items]]
        more = len(value) - items
        return [*kept, f"… {more:,} more"] if more > 0 else kept
    if isinstance(value, dict):
        pairs = [*value.items()][: 2 * items]
        named = {
            abridged(visible(key), characters): _shorter(inner, characters, items)
            for key, inner in pairs
        }
        more = len(value) - 2 * items
        return {**named, "…": f"{more:,} more"} if more > 0 else named
    return _rounded(value) if isinstance(value, float) else value
