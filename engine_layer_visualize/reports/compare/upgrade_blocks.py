"""What a report says of an upgrade: what only one of the engines has, by ONNX operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.cause_words import signed
from engine_layer_visualize.comparison.result import Comparison, Suspect
from engine_layer_visualize.comparison.sentences import unknown_kernels
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, Words, joined
from engine_layer_visualize.documents import blocks as page

_MAX_NAMED: Final = 3  # layers


def blocks(comparison: Comparison, options: ReportOptions) -> Iterator[page.Block]:
    """A table of the suspects; nothing where it was not asked for."""
    if (suspects := comparison.suspects) is None:
        return
    yield page.Heading("What only one of the engines has: suspects of an upgrade")
    unknown = unknown_kernels(comparison.groups).removeprefix("; ")
    if not suspects:
        said = "Both have the same fusions, kernels and precisions, as far as the logs show"
        yield page.Paragraph(f"{said}{'; ' if unknown else ''}{unknown}.")
        return
    yield page.Paragraph(
        f"{count(len(suspects), 'suspect')}, those first that take the most more time in B"
        f"{'; ' if unknown else ''}{unknown}. Where B gives other results, compare the outputs of "
        "these ONNX nodes."
    )
    heads = (">difference", "what", "operators", "in A", "in B", ">A", ">B", "ONNX nodes")
    rows = tuple(_row(comparison, suspect) for suspect in suspects[: options.top])
    yield page.Grid(heads, rows).filled()
    if left := len(suspects) - len(rows):
        yield page.Paragraph(f"… and {count(left, 'more suspect')}; --top shows more.")


def _row(comparison: Comparison, suspect: Suspect) -> tuple[Words, ...]:
    known = None not in (suspect.ms_a, suspect.ms_b)
    nodes = suspect.onnx_nodes
    more = f" and {len(nodes) - 1:,} more" if len(nodes) > 1 else ""
    return (
        signed(suspect.more_ms) if known else "–",
        suspect.what,
        Name(" + ".join(suspect.operators)),
        _side(comparison.a, suspect, suspect.a, suspect.in_a),
        _side(comparison.b, suspect, suspect.b, suspect.in_b),
        page.ms(suspect.ms_a),
        page.ms(suspect.ms_b),
        (Name(nodes[0]), more) if nodes else "",
    )


def _side(costs: Costs, suspect: Suspect, layers: Sequence[int], told: str) -> Words:
    """The layers that are fused, else the kernel or the precision, and of how many layers it is."""
    if suspect.what == "fusion" or not told:
        return named(costs, layers)
    many = f" in {count(len(layers), 'layer')}" if len(layers) > 1 else ""
    return (Name(told), many)


def named(costs: Costs, indices: Sequence[int]) -> Words:
    """`3 conv1, 4 relu1 and 2 more`."""
    layers = [costs.engine.layers[i] for i in indices]
    words = joined(", ", [(f"{layer.index} ", Name(layer.name)) for layer in layers[:_MAX_NAMED]])
    more = len(layers) - _MAX_NAMED
    return (*words, f" and {more:,} more") if more > 0 else words
