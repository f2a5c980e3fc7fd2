"""Makes the value of `--format brief`: what an assistant reads of engines, in a few kilobytes.

The writers of `summary`, `lint` and `compare` write it. What is left out is counted, and `more`
names the commands that print it; in these, LOG and PROFILE stand for the user's files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from engine_layer_visualize.analysis import precisions, scopes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.analysis.times import gpu_compute, how, share_touched, timed_layers
from engine_layer_visualize.comparison import causes, sentences
from engine_layer_visualize.comparison.result import Comparison, Group
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import ELLIPSIS, visible
from engine_layer_visualize.core.words import Name, abridged
from engine_layer_visualize.documents.fitting import Listed, Said, fitted
from engine_layer_visualize.facts.field import picked
from engine_layer_visualize.linting.finding import Finding, saved
from engine_layer_visualize.linting.selection import Selected, selected

MOST: Final = 6_000  # bytes of a document
ENGINES: Final = 4  # of a log, those that take the most time
_Timed: TypeAlias = "dict[scopes.Path, list[Layer]]"  # the layers with a time of each module
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
    return {
        **_head(costs),
        "state": costs.engine.source.state,
        "largest_lever": found.lever and abridged(visible(found.lever), _LONGEST_LEVER),
        "header": _sentences(found.header),
        "inference_ms": gpu_compute(costs),
        "could_save_ms": saved(found.findings),
        "causes": Listed([_cause(finding, costs) for finding in found.findings]),
        "modules": Listed(list(_modules([costs]))),
        "slowest": _listed(
            [
                {
                    "index": layer.index,
                    "name": Name(layer.name),
                    "does": Name(headline(layer)),
                    "precision": Name(precisions.precision_of(layer)),
                    "ms": costs.of(layer),
                    "share": costs.share(layer),
                    "line": layer.place.line,
                }
                for layer in costs.ranking[:_ROWS]
            ],
            len(costs.ranking),
        ),
        "in_order": _sentences(found.in_order),
        "costly": _sentences(found.costly),
    }


def _head(costs: Costs) -> dict[str, Any]:
    engine = costs.engine
    device = engine.known.device
    return {
        "file": Name(engine.source.file),
        "engine": engine.index,
        "tensorrt": None if engine.tensorrt is None else Name(engine.tensorrt),
        "device": None if device is None or device.name is None else Name(device.name),
        "layers": len(costs.engine.layers),
        "ms": costs.shown_total,
        "time_kind": costs.kind,
        "coverage": Said(", ".join([timed_layers(costs), *([how(costs)] if costs.kind else [])])),
    }


def _cause(finding: Finding, costs: Costs) -> dict[str, Any]:
    layers = costs.engine.layers
    slow = max(finding.layers, key=lambda index: costs.of(layers[index]) or 0.0, default=None)
    lines = sorted({fact.line for fact in finding.evidence if fact.line is not None})
    return {
        **picked(finding, "code", "cause"),
        "severity": finding.rule.severity,
        "touches_ms": finding.touches_ms,
        "share": share_touched(finding.layers, costs),
        "saves_ms": finding.saves_ms,
        "layers": Listed(finding.layers),
        "such_as": None if slow is None else Name(layers[slow].name),
        "why": Said(finding.why),
        "advice": Said(finding.advice),
        "lines": Listed(lines),
    }


# ---- comparisons ---------------------------------------------------------------------------------


def of_comparisons(found: Sequence[Comparison], problems: Iterable[Problem]) -> str:
    """Returns the document of comparisons with one engine."""
    rows = _listed([_comparison(one) for one in found[:ENGINES]], len(found))
    return fitted({"schema": 1, "comparisons": rows, **_tail(problems, _MORE_COMPARED)}, MOST)


def _comparison(found: Comparison) -> dict[str, Any]:
    return {
        "a": _head(found.a),
        "b": _head(found.b),
        "same_network": found.same_network,
        "header": Said(sentences.first(found)),
        **picked(found, "delta_ms", "speedup", "per_sample"),
        "builds": _listed(
            [
                {"what": what, "a": a and Name(a), "b": b and Name(b)}
                for what, a, b in found.builds[:_ROWS]
            ],
            len(found.builds),
        ),
        "causes": Listed(
            [
                {
                    "cause": step.cause,
                    "says": causes.CAUSES[step.cause],
                    "ms": step.ms,
                    "a": Listed(step.a),
                    "b": Listed(step.b),
                }
                for step in sorted(found.waterfall, key=lambda step: -abs(step.ms))
                if step.ms
            ]
        ),
        "modules": Listed(list(_modules([found.a, found.b]))),
        "groups": _listed(
            [_group(found, group) for group in found.groups[:_ROWS]], len(found.groups)
        ),
        "unchanged_groups": sum(not group.changes for group in found.groups),
        "unmatched_a": Listed(found.unmatched.a),
        "unmatched_b": Listed(found.unmatched.b),
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
    # Layers of a module that are in none of its inner modules are one of their own.
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
            inside = [own for path, own in paths.items() if path[:depth] == module]
            layers = [layer for own in inside for layer in own]
            row |= {
                f"layers{side}": len(layers),
                f"ms{side}": costs.sum(layers),
                f"share{side}": costs.part(layers),
            }
        yield row


def _by_path(costs: Costs) -> _Timed:
    paths = scopes.paths(costs.engine.layers)
    of: _Timed = {}
    for layer in costs.timed:
        of.setdefault(paths[layer.index], []).append(layer)
    return of


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
