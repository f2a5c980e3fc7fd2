"""Cuts the ONNX nodes of layers out of a model, and prints the command that times each piece."""

from pathlib import Path
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.commands import Report, flags, inputs, outputs
from engine_layer_visualize.core.model import Engine, Layer
from engine_layer_visualize.core.onnx_model import OnnxModel
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import count, visible
from engine_layer_visualize.documents import marks
from engine_layer_visualize.export import trace
from engine_layer_visualize.export.piece import Cutter, NoPiece, trtexec_line
from engine_layer_visualize.facts import subgraph
from engine_layer_visualize.io import onnx_file
from engine_layer_visualize.io.atomic_file import Together, make_folder
from engine_layer_visualize.trt.versions import is_rtx

_WHICH: Final = flags.Group("", within=flags.Group("what is cut out"), required=True)


class Options(inputs.LogOptions):
    """Which layers are cut out of which model."""

    onnx: str | OnnxModel | None = flags.READ.flag("the model of the engine", "FILE", required=True)
    layer: str | None = _WHICH.flag("this layer: an index, a name, or a part of one name", "LAYER")
    slowest: int = _WHICH.flag(
        "the N slowest layers whose ONNX nodes are known", "N", type=flags.positive, default=0
    )
    output_dir: str = flags.OUTPUT_DIR


def run(options: Options, report: Report) -> None:
    """Writes the pieces. Raises ReadError where there are none."""
    model = onnx_file.load(str(options.onnx))
    options = options.but(onnx=model)
    for named, log in inputs.logs(options, report, facts=True):
        for costs in inputs.shown(named, log, options, report):
            if log.number > 1 and len(options.engine or ()) != 1:
                words = f"layers of engine {costs.engine.index} are cut out"
                report.remark(f"{named.name} holds {log.number} engines; {words}")
            stem = f"{named.stem}_" if len(options.log_file) > 1 else ""
            _cut(costs, model, stem, options, report)
            break


def _cut(costs: Costs, model: OnnxModel, stem: str, options: Options, report: Report) -> None:
    engine, folder = costs.engine, Path(options.output_dir)
    if engine.onnx is not None and not engine.onnx.same:  # None of a file that is a listing
        raise _none(engine, "the model is of another network")
    cutter = Cutter(engine, model)
    if options.layer is not None:
        layers = [engine.layers[subgraph.index_of(engine, options.layer)]]
    else:
        layers = _slowest(costs, cutter, options.slowest, report)
    paths = [folder / f"{stem}cut_{layer.index}.onnx" for layer in layers]

    def whose(path: Path) -> str:
        before = marks.of(path)
        return "" if before and before.log == visible(engine.source.file) else outputs.OF_OTHERS

    outputs.check(paths, options.force, whose, read=[*options.files_read, model.path])
    make_folder(folder)
    for layer, path in zip(layers, paths):
        try:
            piece, remarks = cutter.cut(layer)
        except NoPiece as why:
            words = f"layer {layer.index} cannot be cut out: {why}"
            report.failed(_none(engine, words, layer=layer))
            continue
        line = "TensorRT-RTX has no trtexec: time the piece in a program with an `IProfiler`"
        if not is_rtx(engine.tensorrt):
            line = trtexec_line(cutter, costs, layer, piece, path)
        piece.doc_string = f"{marks.in_words(engine.source)}\n{visible(line)}"
        with Together() as files:
            files.write(path, (piece.SerializeToString(),))
            files.finish()
        for remark in remarks:
            report.remark(f"{path.name}: {remark}")
        graph = piece.graph
        parts = ((graph.node, "node"), (graph.input, "input"), (graph.output, "output"))
        report.wrote(str(path), ", ".join(count(len(part), word) for part, word in parts))
        report.line(line)


def _slowest(costs: Costs, cutter: Cutter, number: int, report: Report) -> list[Layer]:
    """Gives so many of the slowest layers that have nodes in the model."""
    known = [layer for layer in costs.ranking if cutter.nodes_of(layer)[0]][:number]
    if not known:
        raise _none(costs.engine, "no layer has a time, and ONNX nodes in the model", trace.HINT)
    if passed := costs.ranking.index(known[-1]) + 1 - len(known):
        report.remark(f"{count(passed, 'layer')} passed over, as no ONNX nodes are known")
    return known


def _none(engine: Engine, why: str, hint: str = "", layer: Layer | None = None) -> ReadError:
    line = engine.source.first_line if layer is None else layer.place.line
    return ReadError(Problem(Place(engine.source.file, line), "ELV607", why), hint)
