"""Reports a model that Torch-TensorRT divided: its engines together, and what runs in PyTorch.

The engines of a log come one by one; `Models` takes the costs of each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import ModelPart
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, Words
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.objects import plain

_SHOWN: Final = 10  # operators in PyTorch, and names of each
_NAMES: Final = 3


class Models:
    """The models that the engines so far are parts of."""

    def __init__(self) -> None:
        self.found: list[page.Data] = []
        self._keys: list[tuple[str, int]] = []
        self._waiting: list[Iterator[page.Block]] = []
        self._of: page.Data | None = None  # the model that they wait for
        self._told: list[page.Data] = []

    def pages(
        self, costs: Costs, engine_page: Iterator[page.Block]
    ) -> Iterator[Iterator[page.Block]]:
        """Takes an engine with its page; gives pages, those of a model's engines behind its own."""
        model = self.add(costs)
        if model is not self._of:
            yield from self.rest()
        self._of = model
        self._waiting.append(engine_page)
        if model is None or is_whole(model):
            yield from self.rest()

    def rest(self) -> Iterator[Iterator[page.Block]]:
        """The pages that wait for more engines of a model."""
        if self._waiting and self._of is not None and self._of not in self._told:
            self._told.append(self._of)
            yield blocks(self._of)
        yield from self._waiting
        self._waiting = []

    def add(self, costs: Costs) -> page.Data | None:
        """Takes an engine; returns its model, None where it is no part of one."""
        engine = costs.engine
        part = engine.facts.part if engine.facts is not None else None
        if part is None:
            return None
        key = engine.source.file, part.model
        if key not in self._keys:
            self._keys.append(key)
            self.found.append(_model(engine.source.file, part))
        model = self.found[self._keys.index(key)]
        model["engines"].append(_row(costs, part))
        _sum(model)
        return model


def is_whole(model: page.Data) -> bool:
    """Whether all engines of the model were taken."""
    return bool(len(model["engines"]) >= model["parts"])


def _model(file: str, part: ModelPart) -> page.Data:
    return {
        "file": file,
        "parts": part.parts,
        "operators": part.model_operators,
        "supported": part.model_supported,
        "times": None,
        "total_ms": None,
        "engines": [],
        "in_torch": plain(part.in_torch),
    }


def _row(costs: Costs, part: ModelPart) -> page.Data:
    return {
        "engine": costs.engine.index,
        "part": part.name,
        "operators": part.operators,
        "layers": len(costs.engine.layers),
        "timed": costs.now.timed,
        "times": costs.kind,
        "ms": costs.shown_total if costs.ranked else None,
        "share": None,
    }


def _sum(model: page.Data) -> None:
    """Adds up the times of the engines, where all are known, of one kind, and of known parts."""
    rows = model["engines"]
    kinds, known = {row["times"] for row in rows}, [row["ms"] for row in rows]
    named = all(row["part"] is not None for row in rows)
    if not (is_whole(model) and named and len(kinds) == 1 and None not in known):
        return
    model["times"], model["total_ms"] = rows[0]["times"], sum(known)
    for row in rows:
        row["share"] = row["ms"] / model["total_ms"] if model["total_ms"] else None


# ---- as blocks of a page -------------------------------------------------------------------------


def blocks(model: page.Data) -> Iterator[page.Block]:
    """The model's engines and what of it runs in PyTorch, as a short page."""
    rows, nodes = model["engines"], model["in_torch"]
    yield page.Heading(f"Model of {model['file']}", level=1)
    yield page.Paragraph(" ".join(_sentences(model)))
    if rows and rows[0]["part"] is not None:
        yield page.Grid(
            (">engine", "part", ">operators", ">layers", ">timed", ">time", ">share"),
            tuple(_cells(row) for row in rows),
        ).filled()
    if nodes:
        yield page.Heading("Runs in PyTorch")
        by_operator: dict[str, list[str]] = {}
        for node in nodes:
            by_operator.setdefault(node["operator"], []).append(node["name"])
        ranked = sorted(by_operator.items(), key=lambda each: -len(each[1]))
        cells = ((str(len(names)), Name(operator), _some(names)) for operator, names in ranked)
        yield page.Grid((">nodes", "operator", "where"), tuple(cells)[:_SHOWN])
        if len(ranked) > _SHOWN:
            yield page.Paragraph(f"… and {count(len(ranked) - _SHOWN, 'more operator')}.")


def _sentences(model: page.Data) -> Iterator[str]:
    rows, nodes = model["engines"], len(model["in_torch"])
    of = ""
    if model["operators"] is not None:
        of = f", of which TensorRT supports {model['supported']:,}"
        of = f" of a graph of {count(model['operators'], 'operator')}{of}"
    yield f"Torch-TensorRT makes {count(model['parts'], 'engine')}{of}."
    if model["total_ms"] is not None:
        how = "measured" if model["times"] == "measured" else "by the builder's own estimates"
        yield f"Together they take {page.ms(model['total_ms'])}, {how}."
    if rows[0]["part"] is None:
        yield "The log lists another number of engines: which is which part is not known."
    verb = "runs" if nodes == 1 else "run"
    if nodes:
        yield f"{count(nodes, 'node')} {verb} in PyTorch, whose time no engine has."


def _cells(row: page.Data) -> tuple[Words, ...]:
    return (
        str(row["engine"]),
        Name(str(row["part"])),
        "–" if row["operators"] is None else str(row["operators"]),
        str(row["layers"]),
        str(row["timed"]),
        page.ms(row["ms"]),
        page.part(row["share"]),
    )


def _some(names: list[str]) -> Words:
    shown = [word for name in names[:_NAMES] for word in (", ", Name(name))][1:]
    more = len(names) - _NAMES
    return (*shown, f" and {more} more") if more > 0 else tuple(shown)
