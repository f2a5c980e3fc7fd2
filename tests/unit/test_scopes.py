"""The modules that layers are of, by the names of their ONNX nodes and weights."""

from __future__ import annotations

import pytest
from factories import layer

from engine_layer_visualize.analysis import scopes
from engine_layer_visualize.core.model import Layer


def named(*names: str) -> list[Layer]:
    return [layer(at, name, [], []) for at, name in enumerate(names)]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("/encoder/layer.3/attention/MatMul", "/encoder/layer.3/attention"),
        ("model/conv2d/Conv2D", "model/conv2d"),
        ("[RELU]-[aten_ops.relu.default]-[/features/4/relu_1]", "/features/4"),
        ("[SHUFFLE]-[aten_ops.reshape.default]-[__/reshape_default]", ""),
        ("h.11.ln", "h.11"),
        ("p2o.Conv.20", ""),  # a number at the end is one of the node
        ("Conv_97", ""),
        ("//", ""),
        ("", ""),
    ],
)
def test_the_path_around_a_name(name: str, path: str) -> None:
    assert scopes.written(scopes.around(name)) == path


@pytest.mark.parametrize(
    ("name", "block"),
    [
        ("net/conv2_block1_1_conv/Conv2D", "/conv2_block1"),
        ("net/block_13_expand_relu/Relu6", "/block_13"),
        ("net/block2a_dwconv/depthwise", "/block2a"),
        ("net/unit_1/Conv2D", "/unit_1"),
    ],
)
def test_keras_writes_the_block_before_the_layer(name: str, block: str) -> None:
    path = scopes.around(name)
    assert path[1] == block
    assert scopes.written(path) == name.rpartition("/")[0]


def test_a_layer_is_where_most_of_its_nodes_are() -> None:
    found = scopes.paths(
        named(
            "/a/b.0/x/Conv + /a/b.0/x/Relu",
            "/a/b.0/x/Conv + /a/b.0/y/Relu",
            "/a/b.0/Add + /a/b.0/Mul + /a/b.1/Cast",
            "/a/b.0/Add + /c/Cast",
        )
    )
    assert list(map(scopes.written, found)) == ["/a/b.0/x", "/a/b.0", "/a/b.0", ""]


def test_a_reformat_is_of_what_its_neighbours_share() -> None:
    copy = "Reformatting CopyNode for Input Tensor 0 to "
    layers = [
        layer(0, f"{copy}/a/b.0/Conv", [], [], type="Reformat"),
        layer(1, "/a/b.0/Conv", [], []),
        layer(2, f"{copy}/a/b.0/Add", [], [], type="Reformat"),
        layer(3, "/a/b.0/Add", [], []),
        layer(4, f"{copy}/a/b.1/Conv", [], [], type="Reformat"),
        layer(5, "/a/b.1/Conv", [], []),
    ]
    found = list(map(scopes.written, scopes.paths(layers)))
    assert found == ["", "/a/b.0", "/a/b.0", "/a/b.0", "/a", "/a/b.1"]


def test_a_scope_around_one_alone_is_left_out() -> None:
    layers = named("/m/a.0/x/Conv", "/m/a.0/x/Relu", "/m/a.0/y/Conv", "/m/a.1/x/Conv",
                   "/m/a.1/x/Add", "/fc/Gemm")  # fmt: skip
    found = scopes.scopes(layers)
    assert [(one.path, one.layers, one.parent, one.depth) for one in found] == [
        ("/m", (0, 1, 2, 3, 4), None, 0),
        ("/m/a.0", (0, 1, 2), 0, 1),
        ("/m/a.0/x", (0, 1), 1, 2),
        ("/m/a.1/x", (3, 4), 0, 1),
    ]


def test_optimisation_profiles_have_scopes_of_their_own() -> None:
    names = ("/a/b.0/Conv", "/a/b.0/Relu", "/c/Gemm")
    layers = named(*names, *(f"{name} [profile 1]" for name in names))
    found = [(one.path, one.layers, one.parent, one.profile) for one in scopes.scopes(layers)]
    assert found == [("/a/b.0", (0, 1), None, 0), ("/a/b.0", (3, 4), None, 1)]
