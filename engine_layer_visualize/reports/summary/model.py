"""Reports which nodes of the ONNX model behind an engine are in no layer, or in several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import count, percent
from engine_layer_visualize.core.words import Name, joined
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.json import HEAD
from engine_layer_visualize.fields.subject import Subject

_ROWS_ON_PAGE = 10  # nodes, operators


def collect(costs: Costs, top: int) -> JsonValue:
    """What the JSON of an engine tells of the model; None where no model was given."""
    known: JsonValue = HEAD.part(Subject(costs), costs.engine, "onnx")
    return known


def blocks(data: page.Data, engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    known, names = data["names_found"], data["names"]
    yield page.Heading("The model")
    share = f" ({percent(known / names)})" if names else ""
    said = f"{known:,} of {count(names, 'name')} of ONNX nodes in layers are in the model{share}"
    if not data["same_network"]:
        yield page.Paragraph((Name(data["file"]), f": {said}: nothing is taken from it."))
        return
    size = page.word(data["nodes"])
    yield page.Paragraph((Name(data["file"]), f": {size} nodes. {said}."))
    if data["in_no_layer"] is None:
        words = "Which nodes are in no layer is not known: of some layers not all nodes are known."
        yield page.Paragraph(words)
    elif left := page.rows_of(data["in_no_layer"]):
        kinds = Counter(node["operator"] for node in left).most_common()
        listed = joined(
            ", ", [(f"{number} ", Name(name)) for name, number in kinds[:_ROWS_ON_PAGE]]
        )
        first = f"{count(len(left), 'node')} that no layer names (removed, merged into others, or "
        more = (
            f" and {count(len(kinds) - _ROWS_ON_PAGE, 'more operator')}"
            if len(kinds) > _ROWS_ON_PAGE
            else ""
        )
        yield page.Paragraph((f"{first}computed at build time): ", *listed, f"{more}."))
        shown = ((Name(node["node"]), Name(node["operator"])) for node in left[:_ROWS_ON_PAGE])
        yield page.Grid(("node", "operator"), tuple(shown))
        yield from _rest(len(left))
    if several := page.rows_of(data["in_several_layers"]):
        yield page.Paragraph(f"{count(len(several), 'node')} in several layers:")
        rows = ((Name(node["node"]), ", ".join(map(str, node["layers"]))) for node in several)
        yield page.Grid(("node", "layers"), tuple(islice(rows, _ROWS_ON_PAGE)))
        yield from _rest(len(several))


def _rest(number: int) -> Iterator[page.Block]:
    if number > _ROWS_ON_PAGE:
        yield page.Paragraph(f"… and {count(number - _ROWS_ON_PAGE, 'more node')}.")
