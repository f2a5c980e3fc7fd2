"""Reports the layers of the most nodes, what each ForeignNode holds, reformats.

Weights in a layer's name do not count as nodes, nor does what quantises for a layer: the metadata
of records leaves it out, names have it. Of a ForeignNode whose two ends alone are known it is said
that it holds at least these.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from engine_layer_visualize.analysis import labels, origin, precisions, times
from engine_layer_visualize.analysis.kinds import is_myelin
from engine_layer_visualize.analysis.reformat_reasons import Reason, cause, without_reason
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.words import Words, first_of
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.facts.field import plain
from engine_layer_visualize.facts.layer import called, cell, of_fields
from engine_layer_visualize.facts.sentences import reformatted
from engine_layer_visualize.linting.network import how_to_open
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import names, operators

# What networks are made from, where their layers may have no names.
_UNNAMED: Final = (origin.API, origin.UNKNOWN)
_OPERATORS_IN_CELL: Final = 6  # nodes of a fusion, on a page
_OPERATIONS_ON_PAGE: Final = 30  # inside of a ForeignNode


def is_known(subject: Subject) -> bool:
    """Whether nodes were looked for: records name them, or the facts, which do, were read."""
    engine = subject.engine
    return engine.facts is not None or any(layer.onnx_nodes for layer in engine.layers)


# ---- layers of several nodes ---------------------------------------------------------------------


def data(subject: Subject, top: int) -> JsonValue:
    """The `top` layers with the most ONNX nodes."""
    return [
        {
            **_nodes(subject, layer),
            "nodes": None if _is_range(layer) else size,
            "operators": _operators(layer),
        }
        for layer, size in _fused(subject, top)
    ]


def _fused(subject: Subject, top: int) -> list[tuple[Layer, int]]:
    """The layers of the most nodes, each with their number."""
    unnamed = subject.frontend in _UNNAMED
    sizes = [(layer, _size(layer, unnamed)) for layer in subject.layers]
    fused = [(layer, size) for layer, size in sizes if size > 1]
    return sorted(fused, key=lambda pair: -pair[1])[:top]


def _size(layer: Layer, unnamed: bool) -> int:
    """How many nodes a layer is known to come from, at least.

    With `unnamed`, the parts of its name may have no name of their own, such as `(Unnamed Layer* 3)
    [Pooling]`: beside others only those count that no parser adds on its own.
    """
    nodes = origin.onnx_nodes_of(layer)
    if _is_range(layer):
        return max(2, len(nodes.ends))
    kinds = labels.node_operators(layer)
    known = len(nodes.all) - sum(kind in operators.QUANTISERS for kind in kinds)
    if not unnamed:
        return known
    parts = names.parts(layer.name)
    if known:
        return known + sum(map(operators.is_unnamed_node, parts))
    return sum(not operators.serves(part) for part in parts)


def _is_range(layer: Layer) -> bool:
    """Whether its name alone tells of its nodes, and that leaves out those between two of them."""
    return any(names.ends(layer.name)) and not origin.onnx_nodes_of(layer).all


def _operators(layer: Layer) -> dict[str, JsonValue]:
    """How many of each operator it is made of; what quantises does not count."""
    counted = labels.counted(labels.node_operators(layer))
    return {name: number for name, number in counted if name not in operators.QUANTISERS}


def _nodes(subject: Subject, layer: Layer) -> dict[str, JsonValue]:
    """What a layer is, and the nodes that it is made of."""
    nodes = origin.onnx_nodes_of(layer)
    return {
        **of_fields(subject, layer, "index", "line", "name", "type", "ms"),
        "onnx_nodes": list(nodes.all) if subject.is_onnx else [],
        "onnx_nodes_from": nodes.source if subject.is_onnx else None,
    }


def blocks(subject: Subject, top: int) -> Iterator[page.Block]:
    """The section on fusions as blocks of a page."""
    fused = _fused(subject, top)
    if not fused:
        return
    yield page.Heading("Largest fusions")
    ms = cell(subject, "ms")
    yield page.grid(
        fused,
        (f">{subject.frontend.node}s", lambda row: _at_least(*row)),
        ("layer", lambda row: called(row[0], row[0].type)),
        ("operators", lambda row: _kinds(_operators(row[0]))),
        (">time", lambda row: ms(row[0])),
    )


def _at_least(layer: Layer, size: int) -> str:
    if not _is_range(layer):
        return str(size)
    ends = len(origin.onnx_nodes_of(layer).ends)
    return f"at least {ends}" if ends > 1 else "several"


def _kinds(counted: Mapping[str, object]) -> Words:
    """Operators and how many of each, such as `2 Conv, 1 Relu`."""
    kinds = [f"{number} {name}" for name, number in counted.items()]
    return first_of(kinds, _OPERATORS_IN_CELL, noun="kind") or "–"


# ---- ForeignNodes --------------------------------------------------------------------------------


def foreign(subject: Subject) -> list[Layer]:
    """The layers that Myelin compiled, each as one piece."""
    return [layer for layer in subject.layers if is_myelin(layer) and layer.type != names.DLA]


def foreign_is_known(subject: Subject) -> bool:
    """Whether nodes were looked for, or there is no ForeignNode that could hold any."""
    return is_known(subject) or not foreign(subject)


def foreign_data(subject: Subject, top: int) -> JsonValue:
    """Every ForeignNode with its nodes. `nodes` is null where only its ends are known."""
    from engine_layer_visualize.analysis.inside import operations  # slow to import

    return [
        {
            **_nodes(subject, layer),
            "nodes": len(origin.onnx_nodes_of(layer).all) or None,
            "ends": list(origin.onnx_nodes_of(layer).ends),
            "operators": dict(labels.counted(labels.node_operators(layer))),
            "operations": [plain(each) for each in operations(layer)],
        }
        for layer in foreign(subject)
    ]


def foreign_blocks(subject: Subject, top: int) -> Iterator[page.Block]:
    """The section on ForeignNodes as blocks of a page."""
    from engine_layer_visualize.analysis.inside import operations

    layers = foreign(subject)
    if not layers:
        return
    yield page.Heading("Inside each ForeignNode")
    of = origin.onnx_nodes_of

    def number(layer: Layer) -> str:
        return "ends only" if of(layer).ends else page.word(len(of(layer).all) or None)

    yield page.grid(
        layers,
        ("layer", called),
        (f">{subject.frontend.node}s", number),
        ("operators", lambda la: _kinds(dict(labels.counted(labels.node_operators(la))))),
        (">time", cell(subject, "ms")),
    )
    for layer in layers:
        if runs := operations(layer):
            yield page.Paragraph(f"What the log tells of inside layer {layer.index}:")
            yield from page.first_rows(
                runs,
                _OPERATIONS_ON_PAGE,
                "operation",
                ("operation", lambda run: page.called(run.name)),
                (">time", lambda run: page.ms(run.ms)),
                ("times", lambda run: page.word(run.ms_kind)),
                ("precision", lambda run: page.word(run.precision)),
                (">tactics", lambda run: page.word(run.tactics)),
                ("fastest kernel", lambda run: page.called(run.kernel)),
            )
    if not any(of(layer).all or operations(layer) for layer in layers):
        yield page.Advice(f"To see what is inside, {how_to_open(subject)}.")


# ---- the reformats that the builder put between layers -------------------------------------------

_REFORMATS_ON_PAGE: Final = 20


def reformats_data(subject: Subject, top: int) -> JsonValue:
    """All reformats of the optimisation profile, the slowest first."""
    return [
        {
            **of_fields(subject, layer, "index", "line", "name", "listed", "ms", "share"),
            "changes": list(why.changes) if why else [],
            "from": why.before if why else None,
            "to": why.after if why else None,
            "reason": why.text if why else without_reason(layer),
            "origin": why.origin if why else None,
            "cause": cause(layer),
            "sources": plain(why.sources) if why else [],
            "targets": plain(why.targets) if why else [],
            "dims": precisions.dims(layer.outputs[:1]),
        }
        for layer, why in _slowest(subject)
    ]


def _slowest(subject: Subject) -> list[tuple[Layer, Reason | None]]:
    layers = subject.longest_first(subject.reformats)
    return [(layer, subject.reasons.get(layer.index)) for layer in layers]


def reformats_blocks(subject: Subject, top: int) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    costs, slowest = subject.costs, _slowest(subject)
    if not slowest:
        return
    yield page.Heading("Reformats, and why each is there")
    of = f"Optimisation profile {costs.profile}: " if len(costs.profiles) > 1 else ""
    yield page.Paragraph(f"{of}{reformatted(times.reformats(costs), costs)}.")

    def change(reason: Reason | None) -> str:
        return f"{reason.before} → {reason.after}" if reason and not reason.is_vague else "–"

    yield from page.first_rows(
        slowest,
        _REFORMATS_ON_PAGE,
        "reformat",
        ("layer", lambda row: f"{row[0].index}{'' if row[0].listed else ' (not listed)'}"),
        (">time", lambda row: page.ms(costs.of(row[0]))),
        ("from → to", lambda row: change(row[1])),
        ("dims", lambda row: page.shapes(precisions.dims(row[0].outputs[:1]))),
        ("reason", lambda row: row[1].words if row[1] else str(without_reason(row[0]))),
    )
