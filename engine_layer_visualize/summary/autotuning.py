"""Autotuning: where the build's time went.

takes: the `Costs` of an engine
gives: tactics tried and skipped and seconds, by implementation and by layer
never: takes a tactic's own time for the time of trying it
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from engine_layer_visualize.costs import Costs
from engine_layer_visualize.model import JsonValue, Layer
from engine_layer_visualize.style import milliseconds
from engine_layer_visualize.summary.page import (
    Advice,
    Block,
    Data,
    Grid,
    Heading,
    Text,
    counted,
    ms,
    of_layer,
    rows_of,
    word,
)
from engine_layer_visualize.words import Name, Words, joined


def collect(costs: Costs, top: int) -> JsonValue:
    engine = costs.engine
    facts = engine.facts
    runners = sorted(facts.runners, key=_effort) if facts is not None else []
    tuned = [layer for layer in engine.layers if _tried(layer)]
    tuned.sort(key=lambda layer: (-(_seconds(layer) or 0.0), -_tried(layer)))
    cache = facts.timing_cache if facts is not None else None
    return {
        "tried": sum(runner.tried for runner in runners),
        "skipped": sum(runner.skipped for runner in runners),
        "seconds": _sum([runner.seconds for runner in runners]),
        "timing_cache": asdict(cache) if cache is not None else None,
        "runners": [asdict(runner) for runner in runners],
        "layers": [_row(layer) for layer in tuned[:top]],
        "joined": dict(facts.joined) if facts is not None else {},
        "unjoined": [asdict(lines) for lines in facts.unjoined] if facts is not None else [],
    }


def _effort(runner: object) -> tuple[float, int]:
    return -(getattr(runner, "seconds", None) or 0.0), -getattr(runner, "tried", 0)


def _tried(layer: Layer) -> int:
    return layer.facts.candidates.tried if layer.facts is not None else 0


def _seconds(layer: Layer) -> float | None:
    return layer.facts.candidates.seconds if layer.facts is not None else None


def _sum(seconds: list[float | None]) -> float | None:
    known = [value for value in seconds if value is not None]
    return sum(known) if known else None


def _row(layer: Layer) -> dict[str, JsonValue]:
    assert layer.facts is not None
    tuned = layer.facts.candidates
    return {
        "index": layer.index,
        "name": layer.name,
        "type": layer.type,
        "tried": tuned.tried,
        "skipped": tuned.skipped,
        "cached": tuned.cached,
        "seconds": tuned.seconds,
        "build_ms": layer.facts.build_ms,
        "best": [asdict(candidate) for candidate in tuned.best],
    }


def page(data: JsonValue, engine: Data) -> Iterator[Block]:
    assert isinstance(data, dict)
    runners, rows = rows_of(data["runners"]), rows_of(data["layers"])
    yield Heading("Autotuning")
    if not runners and not rows:
        yield Advice("The log tells nothing of autotuning: build with --verbose (VERBOSE logger).")
        return
    tried, skipped = data["tried"], data["skipped"]
    assert isinstance(tried, int) and isinstance(skipped, int)
    said = f"{counted(tried, 'tactic')} timed, {skipped:,} skipped for want of workspace"
    yield Text(said + _took(data["seconds"]) + _cache(data["timing_cache"]) + ".")
    timed = any(row["seconds"] is not None for row in runners)
    if runners:
        heads = ("implementation", ">tries", ">tactics", ">skipped", ">unfit")
        yield Grid(
            (*heads, ">seconds") if timed else heads,
            tuple(
                (
                    str(row["runner"]),
                    *(str(row[key]) for key in ("profilings", "tried", "skipped", "unfit")),
                    *([_number(row["seconds"])] if timed else []),
                )
                for row in runners
            ),
        )
    if rows:
        heads = ("layer", ">tactics", ">skipped", ">chosen", "runners-up")
        yield Grid(
            (*heads, ">seconds") if timed else heads,
            tuple(
                (
                    of_layer(row),
                    str(row["tried"]),
                    str(row["skipped"]),
                    ms(row["build_ms"]),
                    _best(row["best"]),
                    *([_number(row["seconds"])] if timed else []),
                )
                for row in rows
            ),
        )


def _took(seconds: JsonValue) -> str:
    return f", {seconds:.1f} s in all" if isinstance(seconds, float) else ""


def _cache(cache: JsonValue) -> str:
    if not isinstance(cache, dict):
        return ""
    told = [f"{cache['kind']} timing cache"] if cache["kind"] else ["timing cache"]
    if cache["hits"] is not None:
        told.append(counted(int(str(cache["hits"])), "hit"))
    if cache["cached_results"]:
        told.append(counted(int(str(cache["cached_results"])), "result") + " taken from it")
    return "; " + ", ".join(told)


def _best(best: JsonValue) -> Words:
    several: list[Words] = [(*_kernel(row), f" in {_ms(row['ms'])}") for row in rows_of(best)[1:]]
    return joined("; ", several)


def _kernel(row: Data) -> tuple[str | Name, ...]:
    if row["kernel"]:
        return (Name(str(row["kernel"])),)
    return "tactic ", Name(word(row["tactic"]))


def _ms(value: JsonValue) -> str:
    return milliseconds(value) if isinstance(value, (int, float)) else ""


def _number(value: JsonValue) -> str:
    if not isinstance(value, (int, float)):
        return "–"
    return "<0.1" if 0 < value < 0.05 else f"{value:.1f}"
