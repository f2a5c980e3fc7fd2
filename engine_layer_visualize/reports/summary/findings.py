"""The section on findings: what makes the engine slow, and what to try, the most to gain first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_times import share
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Words, parts
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.json import finding_json
from engine_layer_visualize.linting import of
from engine_layer_visualize.linting.order import Weight, in_order

_NAMED: Final = 3  # layers


def collect(costs: Costs, top: int) -> JsonValue:
    """All findings of the optimisation profile, those with the most at stake first."""
    return [{**finding_json(one), "share": share(one.ms, costs.whole)} for one in of(costs)]


class Group(NamedTuple):
    """Findings of one rule that advise the same and share no layer; the first is the largest."""

    first: page.Data
    layers: list[int]
    ms: float | None
    share: float | None
    findings: int

    @property
    def code(self) -> str:
        return str(self.first["code"])

    @property
    def advice(self) -> str:
        return str(self.first["advice"])


def grouped(rows: Iterable[page.Data], most: JsonValue) -> list[Group]:
    """The findings of the section, the most at stake first. `most`: the ms of one inference, which
    no group gains more than; None: unknown."""
    found: dict[tuple[str, str, int], list[page.Data]] = {}
    taken: dict[tuple[str, str, int], set[int]] = {}
    for row in rows:
        layers, number = set(_layers(row)), 0
        while not layers.isdisjoint(taken.get(key := (*_rule(row), number), ())):
            number += 1
        found.setdefault(key, []).append(row)
        taken.setdefault(key, set()).update(layers)
    groups = [_group(own, most if isinstance(most, float) else math.inf) for own in found.values()]
    return in_order(groups, lambda one: Weight(one.ms, str(one.first["severity"]), one.code))


def _group(rows: list[page.Data], most: float) -> Group:
    layers, ms, share = [i for row in rows for i in _layers(row)], _sum(rows, "ms"), None
    if ms is not None and (share := _sum(rows, "share")) is not None and ms > most:
        share *= most / ms
    return Group(rows[0], layers, None if ms is None else min(ms, most), share, len(rows))


def _rule(row: page.Data) -> tuple[str, str]:
    return str(row["code"]), str(row["advice"])


def _layers(row: page.Data) -> list[int]:
    layers = row["layers"]
    assert isinstance(layers, list)
    return [index for index in layers if isinstance(index, int)]


def _sum(rows: Iterable[page.Data], key: str) -> float | None:
    known = [value for row in rows if isinstance(value := row[key], (int, float))]
    return math.fsum(known) if known else None


def blocks(data: JsonValue, engine: page.Data, top: int) -> Iterator[page.Block]:
    """`top`: rows of the table; the data is whole."""
    rows = page.rows_of(data)
    yield page.Heading("Findings")
    if not rows:
        yield page.Paragraph(
            "None." if page.whole(engine) else "None by the layers that are listed."
        )
        return
    groups = grouped(rows, engine["inference_ms"])
    yield table(groups[:top], str(engine["share_of"] or "")).filled()
    left = sum(group.findings for group in groups[top:])
    more = f"… and {count(left, 'more finding')}. " if left else ""
    yield page.Paragraph(f"{more}`lint` prints all of them, with the lines of the log.")


def table(groups: Iterable[Group], share_of: str) -> page.Grid:
    """A row for each group."""
    return page.Grid(
        (">at most", f">share {share_of}".rstrip(), "layers", "rule", "why", "what to try"),
        tuple(
            (
                page.ms(one.ms),
                page.part(one.share),
                _indices(one.layers),
                one.code,
                _why(one),
                one.advice,
            )
            for one in groups
        ),
    )


def _indices(layers: list[int]) -> str:
    """`3, 49, 51 and 17 more`."""
    if not layers:
        return "the whole engine"
    more = len(layers) - _NAMED
    shown = ", ".join(map(str, layers[:_NAMED]))
    return f"{shown} and {more:,} more" if more > 0 else shown


def _why(group: Group) -> Words:
    """The sentence of the largest one."""
    words = page.sentence(group.first["message"])
    more = group.findings - 1
    return (*parts(words), f" (and {more:,} more)") if more else words
