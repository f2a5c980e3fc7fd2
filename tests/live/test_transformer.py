"""A transformer of twelve blocks, built for real: its modules are found at both verbosities."""

from itertools import pairwise

import builder
import pytest
from encoder_model import BLOCKS

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import labels, scopes
from engine_layer_visualize.analysis.groups import folds, groups
from engine_layer_visualize.analysis.inside import inside

pytestmark = builder.needed()

MODULES = [f"/encoder/layer.{number}" for number in range(BLOCKS)]


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, elv.Engine]:
    builds = [("transformer", words) for words in builder.VERBOSITIES]
    found = builder.engines(builds, tmp_path_factory.mktemp("transformer"))
    return {words: engine for (_, words), engine in found.items()}


def test_every_block_is_a_scope_of_neighbours(engines: dict[str, elv.Engine]) -> None:
    layers = engines["DETAILED"].layers
    found = [one for one in scopes.scopes(layers) if one.path.count("/") == 2]
    assert [one.path for one in found] == MODULES
    assert {len(one.layers) for one in found} == {len(found[0].layers)}
    for one in found:
        assert one.layers == tuple(range(one.layers[0], one.layers[-1] + 1))


def test_the_outermost_groups_are_the_blocks(engines: dict[str, elv.Engine]) -> None:
    layers = engines["DETAILED"].layers
    found = folds(groups(layers, [0] * len(layers)), range(len(layers)), 0, 0).groups
    assert [one.label for one in found if one.parent is None] == MODULES


def test_one_box_holds_every_block(engines: dict[str, elv.Engine]) -> None:
    (layer,) = engines["LAYER_NAMES_ONLY"].layers
    parts = labels.contents(layer)
    blocks = [part for part in parts if part.path.count("/") == 2]
    assert [part.path for part in blocks] == MODULES
    assert {(p.nodes, p.operators) for p in blocks} == {(blocks[0].nodes, blocks[0].operators)}
    (encoder, *_) = labels.alike_parts(parts)
    assert (encoder.first.path, encoder.number) == (MODULES[0], BLOCKS)
    assert encoder.path == f"{MODULES[0]}–{BLOCKS - 1}"


def test_one_box_unfolds_to_every_block(engines: dict[str, elv.Engine]) -> None:
    """A chain of twelve equal groups between the model's input and its classifier."""
    (layer,) = engines["LAYER_NAMES_ONLY"].layers
    found = inside(layer, node="ONNX node")
    assert found is not None
    assert found.words == "12 × layer, 350 ONNX nodes"
    outermost = [n for n, group in enumerate(found.groups) if group.parent is None]
    assert [found.groups[n].path for n in outermost] == MODULES
    assert len({found.groups[n].words for n in outermost}) == 1

    def block(box: int | None) -> int | str | None:
        """The number of the block that a box is in, else its name."""
        if box is None:
            return None
        group = found.boxes[box].group
        while group is not None and found.groups[group].parent is not None:
            group = found.groups[group].parent
        return found.boxes[box].path if group is None else outermost.index(group)

    ends = {(block(edge.source), block(edge.target)) for edge in found.edges}
    chain = [None, *range(BLOCKS), "/classifier/MatMul", "/classifier/Add", None]
    assert {(a, b) for a, b in ends if a != b} == set(pairwise(chain))
