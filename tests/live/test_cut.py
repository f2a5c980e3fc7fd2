"""`cut`, beside a real builder: pieces of models that are known give what the whole model gives.

Logs of the builder are made as the tests run, and kept nowhere.
"""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import builder
import numpy as np
import onnx
import pytest
from cut_models import MODELS
from onnx.reference import ReferenceEvaluator
from program import Capture

import engine_layer_visualize as elv
from engine_layer_visualize.commands.cli import main

pytestmark = builder.needed()

NAMES: Final = sorted(MODELS)
TWO: Final = 2  # the batch, and any other extent that varies


class Case(NamedTuple):
    """A model, and the engine that was built from it."""

    model: Path
    engine: elv.Engine

    def cut(self, folder: Path, layer: int) -> int:
        """The exit code of `cut`."""
        files = ["--log_file", self.engine.source.file, "--onnx", str(self.model)]
        return main(["cut", *files, "--layer", str(layer), "--output_dir", str(folder)])

    def piece(self, node: str, folder: Path) -> Any:
        """The model of the first layer that names this node."""
        (at, *_) = (one.index for one in self.engine.layers if node in outer(one))
        assert self.cut(folder, at) == 0
        return onnx.load(folder / f"cut_{at}.onnx")


Cases = Callable[[str, str], Case]


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Cases:
    folder = tmp_path_factory.mktemp("cut")
    builds = [(name, verbosity) for name in NAMES for verbosity in builder.VERBOSITIES]
    engines = builder.engines([(f"cut:{name}", verbosity) for name, verbosity in builds], folder)

    def case(name: str, verbosity: str) -> Case:
        model = folder / f"{name}.onnx"
        model.write_bytes(MODELS[name].model())
        return Case(model, engines[f"cut:{name}", verbosity])

    return case


def values(path: Path) -> dict[str, Any]:
    """Every tensor outside of subgraphs, of one run of the whole model."""
    model = onnx.load(path)
    known = {one.name for one in model.graph.output}
    inner = [name for node in model.graph.node for name in node.output if name not in known]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in inner)
    random, feed = np.random.default_rng(1), {}
    for one in model.graph.input:
        kind = one.type.tensor_type
        dims = [dim.dim_value or TWO for dim in kind.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        whole = random.integers(0, TWO, dims) if dtype.kind in "ib" else random.normal(size=dims)
        feed[one.name] = np.asarray(whole).astype(dtype)
    run = ReferenceEvaluator(model).run(None, feed)
    return {**feed, **dict(zip((one.name for one in model.graph.output), run))}


def outer(layer: elv.Layer) -> set[str]:
    """The nodes that the layer names."""
    facts = layer.facts
    return set(layer.onnx_nodes or (facts.onnx_nodes if facts is not None else ()))


@pytest.mark.parametrize("verbosity", builder.VERBOSITIES)
@pytest.mark.parametrize("name", NAMES)
def test_each_piece_gives_the_same(name: str, verbosity: str, cases: Cases, tmp_path: Path) -> None:
    """As the whole model."""
    case = cases(name, verbosity)
    whole = values(case.model)
    inside: set[str] = set()
    wanted: set[str] = set()
    for layer in case.engine.layers:
        code = case.cut(tmp_path, layer.index)
        path = tmp_path / f"cut_{layer.index}.onnx"
        # The names alone do not tell which call of a function is meant.
        unclear = (name, verbosity) == ("functions", "LAYER_NAMES_ONLY")
        if unclear or not outer(layer):
            assert code == 3
            assert not path.exists()
            continue
        assert code == 0
        onnx.checker.check_model(str(path), full_check=True)
        piece = onnx.load(path)
        feed = {one.name: whole[one.name] for one in piece.graph.input}
        found = ReferenceEvaluator(piece).run(None, feed)
        assert piece.graph.output
        for one, value in zip(piece.graph.output, found):
            assert np.asarray(value).tobytes() == np.asarray(whole[one.name]).tobytes(), one.name
        wanted |= outer(layer)
        inside |= names(piece)
    assert wanted or (name, verbosity) == ("functions", "LAYER_NAMES_ONLY")
    assert wanted <= inside


def flags(piece: Any) -> list[str]:
    """What the command gives trtexec that the piece has."""
    return shlex.split(piece.doc_string.splitlines()[-1])


def names(model: Any) -> set[str]:
    """Of all nodes, those of subgraphs and functions, too; as the parser calls those without."""
    todo = [*model.graph.node, *(node for one in model.functions for node in one.node)]
    found = set()
    while todo:
        node = todo.pop()
        found.add(node.name or f"node_of_{node.output[0]}")
        todo += [inner for one in node.attribute if one.HasField("g") for inner in one.g.node]
    return found


@pytest.mark.parametrize("name", ["quantised", "fixed", "functions", "half"])
def test_tensorrt_builds_each_piece(name: str, cases: Cases, tmp_path: Path) -> None:
    case = cases(name, "DETAILED")
    made = []
    for layer in filter(outer, case.engine.layers):
        assert case.cut(tmp_path, layer.index) == 0
        made.append((f"file:{tmp_path / f'cut_{layer.index}.onnx'}", "DETAILED"))
    told = builder.build(made, tmp_path)
    assert all(told.built), told.errors


def test_a_quantised_layer_reads_what_it_reads_in_the_engine(cases: Cases, tmp_path: Path) -> None:
    case = cases("quantised", "DETAILED")
    (layer,) = (one for one in case.engine.layers if "node_conv1" in outer(one))
    assert layer.inputs[0].dtype == "Int8"
    piece = case.piece("node_conv1", tmp_path)
    types = {one.name: one.type.tensor_type.elem_type for one in piece.graph.input}
    assert types["relu0_q"] == onnx.TensorProto.INT8
    assert "node_relu0_d" in names(piece)
    words = flags(piece)
    assert "--int8" in words
    read = next(word for word in words if word.startswith("--inputIOFormats="))
    assert "int8:" in read


def test_shapes_that_vary(cases: Cases, tmp_path: Path) -> None:
    words = flags(cases("dynamic", "DETAILED").piece("node_m", tmp_path))
    for flag, batch in (("minShapes", 1), ("optShapes", 2), ("maxShapes", 4)):
        assert f"--{flag}=f:{batch}x2048" in words


def test_shapes_that_a_log_of_names_does_not_tell(cases: Cases, tmp_path: Path) -> None:
    assert cases("dynamic", "LAYER_NAMES_ONLY").cut(tmp_path, 0) == 0
    piece = onnx.load(tmp_path / "cut_0.onnx")
    assert "--shapes=x:?x3x16x16" in flags(piece)


def test_the_shape_that_a_reshape_computes_comes_along(cases: Cases, tmp_path: Path) -> None:
    piece = cases("fixed", "DETAILED").piece("node_f", tmp_path)
    assert "node_s" in names(piece)
    assert [one.name for one in piece.graph.input] == ["c1"]


def test_a_node_inside_of_another_is_cut_with_it(cases: Cases, tmp_path: Path) -> None:
    assert "loop" in names(cases("rounds", "DETAILED").piece("body_mm", tmp_path))


def test_names_of_several_nodes(cases: Cases, tmp_path: Path, capsys: Capture) -> None:
    case = cases("same_names", "DETAILED")
    assert case.cut(tmp_path, 1) == 0
    assert "several nodes of the model are called `same`" in capsys.readouterr().err
