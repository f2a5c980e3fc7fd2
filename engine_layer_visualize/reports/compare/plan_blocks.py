"""What a report says of a plan: which modules to build as in A, and which as in B."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum
from typing import Final

from engine_layer_visualize.analysis import measures, precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.result import (
    Border,
    Comparison,
    Plan,
    PlannedModule,
    TakenFrom,
)
from engine_layer_visualize.comparison.side import role_of
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.text import count, milliseconds, percent, plural
from engine_layer_visualize.core.words import Name, Words, joined
from engine_layer_visualize.documents import blocks as page

_MAX_NAMED: Final = 3  # modules
_NOISE: Final = 0.02  # part of a time that runs of one engine may differ by


def blocks(comparison: Comparison, options: ReportOptions) -> Iterator[page.Block]:
    """The plan; why there is none; nothing where it was not asked for."""
    plan = comparison.plan
    if plan is None:
        if comparison.no_plan:
            yield page.Paragraph(f"No plan: {comparison.no_plan}.")
        return
    yield page.Heading("Plan: which modules to build as in A, and which as in B")
    for said in _sentences(comparison, plan):
        yield page.Paragraph(said)
    differ, alike = _by_precision(comparison, plan)
    fewer = _fewer(differ)
    modules = sorted(differ, key=lambda one: (one.take != fewer, -abs(one.b_ms - one.a_ms)))
    heads = ("as in", "module", ">A", ">B", "precision in A", "in B")
    rows = tuple(_module(comparison, module) for module in modules[: options.top])
    yield page.Grid(heads, (*rows, *_alike(alike)))
    if left := len(modules) - len(rows):
        yield page.Paragraph(f"… and {count(left, 'more module')}; --top shows more.")
    if plan.borders:
        yield page.Heading("Neighbours that were never measured together")
        columns = ("module", "is read by", ">reformat", "as measured of")
        borders = sorted(plan.borders, key=lambda border: -border.ms)[: options.top]
        yield page.Grid(columns, tuple(_border(comparison, border) for border in borders))
        if left := len(plan.borders) - len(borders):
            yield page.Paragraph(f"… and {count(left, 'more pair')}; --top shows more.")


def _by_precision(
    comparison: Comparison, plan: Plan
) -> tuple[list[PlannedModule], list[PlannedModule]]:
    """The modules that compute in other precisions in B, and those that do not."""
    differ: list[PlannedModule] = []
    alike: list[PlannedModule] = []
    for module in plan.modules:
        a, b = _precisions(comparison.a, module.a), _precisions(comparison.b, module.b)
        (alike if a == b != precisions.UNKNOWN else differ).append(module)
    return differ, alike


def _alike(modules: Sequence[PlannedModule]) -> Iterator[tuple[Words, ...]]:
    """The row of the modules of which no precision is to be chosen."""
    if modules:
        ms = [page.ms(fsum(times)) for times in zip(*((one.a_ms, one.b_ms) for one in modules))]
        yield "either", count(len(modules), "module"), *ms, "the same", "the same"


def _fewer(modules: Sequence[PlannedModule]) -> TakenFrom:
    """The engine from which fewer modules are taken."""
    from_a = sum(module.take == "a" for module in modules)
    return "a" if 2 * from_a < len(modules) else "b"


def _sentences(comparison: Comparison, plan: Plan) -> Iterator[Words]:
    totals: dict[TakenFrom, float] = {
        "a": comparison.a.total or 0.0,
        "b": comparison.b.total or 0.0,
    }
    took = f"The layers of A take {milliseconds(totals['a'])}, of B {milliseconds(totals['b'])}"
    differ, alike = _by_precision(comparison, plan)
    if not differ:
        yield f"Nothing to choose: each module computes in the same precision in both. {took}."
        return
    fewer = _fewer(differ)
    few = [module for module in differ if module.take == fewer]
    most = len(differ) - len(few)
    other: TakenFrom = "b" if fewer == "a" else "a"
    best = min(totals, key=lambda side: totals[side])
    gain = 1 - plan.plan_ms / totals[best] if totals[best] else 0.0
    if not few:
        its = f"{'the ' if alike else 'its '}{count(most, 'module')}"
        its += " of other precisions in A and B" if alike else ""
        known = "is known to take" if plan.unknown_borders else "takes"
        said = f"Take {other.upper()} as it is: no other choice of {its} "
        yield f"{said}{known} less, with what their borders take. {took}."
    else:
        names = joined(", ", [Name(module.module) for module in few[:_MAX_NAMED]])
        more = f" and {len(few) - _MAX_NAMED:,} more" if len(few) > _MAX_NAMED else ""
        start = f"{count(most, 'module')} as in {other.upper()} and {len(few):,} as in "
        rest = f" {count(len(alike), 'module')} {plural(len(alike), 'has', 'have')} the same "
        rest += "precision in both."
        if gain < _NOISE:
            said = f"Take {best.upper()} as it is: the best choice takes only {percent(gain)} less,"
            start = f"{said} and runs of one engine may differ by as much. It is {start}"
        else:
            start = f"Take {start}"
        yield (
            f"{start}{fewer.upper()} (",
            *names,
            f"{more}): {milliseconds(plan.plan_ms)}, {_reformats(plan)}. {took}.",
            rest if alike else "",
        )
        yield (
            "The plan is a sum of measured rows of two engines. Build it, and measure: "
            f"{count(len(plan.borders), 'pair')} of neighbours "
            f"{plural(len(plan.borders), 'was', 'were')} never measured together."
        )
    if plan.unknown_borders:
        yield (
            f"Of {count(plan.unknown_borders, 'pair')} of neighbours no measured reformat tells "
            "what a border between them takes: these are taken from one engine."
        )


def _reformats(plan: Plan) -> str:
    borders = count(len(plan.borders), "border")
    if not plan.borders_ms:
        return f"with no reformat at {borders}, where types and formats are the same"
    return f"of which {milliseconds(plan.borders_ms)} are reformats at {borders}"


def _module(comparison: Comparison, module: PlannedModule) -> tuple[Words, ...]:
    return (
        module.take.upper(),
        Name(module.module),
        page.ms(module.a_ms),
        page.ms(module.b_ms),
        _precisions(comparison.a, module.a),
        _precisions(comparison.b, module.b),
    )


def _precisions(costs: Costs, indices: Sequence[int]) -> str:
    """The precisions of the layers that compute; if none computes, of all layers."""
    layers = [costs.engine.layers[i] for i in indices]
    computing = [layer for layer in layers if role_of(layer) == "computes"] or layers
    return ", ".join(dict.fromkeys(map(measures.precision_of, computing)))


def _border(comparison: Comparison, border: Border) -> tuple[Words, ...]:
    like: Words = "the same type and format"
    if border.like is not None:
        side, index = border.like
        costs = comparison.a if side == "a" else comparison.b
        like = (f"{index} ", Name(costs.engine.layers[index].name), f" of {side.upper()}")
    ms = milliseconds(border.ms) if border.ms else "0"
    return Name(border.first), Name(border.second), ms, like
