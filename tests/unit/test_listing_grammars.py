"""The grammar, and what it says of records that do not follow it."""

from pathlib import Path
from types import ModuleType

import logtext
import pytest
from factories import engine_of
from logtext import HEADER, TV, pieces, text
from program import Patch

from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.reading import classic, detailed, grammars
from engine_layer_visualize.reading import grammars as lark_parser

OLD = "a tensor such as `270[Int8(1,64)]`"
NEW = "a tensor such as `270 (Int8[1,64])`"
ARROW = "` -> ` and the outputs"
TACTIC = "`, Tactic: ` and a number"


def read(*records: str) -> tuple[list[Layer], list[Problem]]:
    """Layers and problems of a listing of these records; the first stands on line 2."""
    data = (HEADER + text(*records)).encode()
    log = Log("build.log", chunks=[data])
    layers = [layer for engine in log.engines() for layer in engine.layers]
    return layers, log.problems


MODULES: dict[str, ModuleType] = {"classic": classic, "detailed": detailed}
each_dialect = pytest.mark.parametrize("dialect", MODULES)


@each_dialect
def test_every_terminal_has_a_phrase(dialect: str) -> None:
    phrases = MODULES[dialect].PHRASES
    terminals = MODULES[dialect].parser().lark.terminals
    assert set(phrases) == {terminal.name for terminal in terminals}
    assert all(phrase.strip() for phrase in phrases.values())
    assert len(set(phrases.values())) == len(phrases)


def test_every_grammar_is_a_dialects() -> None:
    folder = Path(lark_parser.__file__).parents[2] / "grammars"
    assert {path.stem for path in folder.glob("*.lark")} == set(MODULES)


@each_dialect
def test_a_pattern_is_what_lark_makes_of_the_terminal(dialect: str) -> None:
    by_lark = MODULES[dialect].parser().lark.terminals
    for one in by_lark:
        assert grammars.pattern(f"{dialect}.lark", one.name) == one.pattern.to_regexp()


# What is read of a broken record, the rest of it, the code, what was expected.
BEGUN = "Layer(Conv): a, Tactic: 1, "
BROKEN = [
    (BEGUN, "zzz", "ELV102", OLD),
    (f"{BEGUN}1[Float(1)], ", "zzz", "ELV102", OLD),
    (f"{BEGUN}1[Float(1)] -> ", "zzz", "ELV102", OLD),
    (f"{BEGUN}1[Float(1)] -> 2[Float(1)], ", "zzz", "ELV102", OLD),
    (f"{BEGUN}1[Float(1)] -> ", "2[Float(1", "ELV102", OLD),
    (f"{BEGUN}1[Float(1)]", "", "ELV103", ARROW),
    (f"{BEGUN}1 (Float[1])", "", "ELV103", ARROW),
    ("Layer(Conv): ", "a, 1[Float(1)] -> 2[Float(1)]", "ELV101", TACTIC),
    ("Layer(Conv): ", "a, Tactic: fast, 1[Float(1)] -> 2[Float(1)]", "ELV101", TACTIC),
    ("Layer(Conv): ", "a, Tac", "ELV101", TACTIC),
    # The style of a listing (8.5 and later here) is known from its whole records, and its own.
    (f"{BEGUN}1 (Float[1]) -> ", "zzz", "ELV102", NEW),
    (f"{BEGUN}1 (Float[1]), ", "zzz", "ELV102", NEW),
    (f"{BEGUN}1 (Float[1]) -> ", "2 (Float[1", "ELV102", NEW),
]


@pytest.mark.parametrize(("begin", "rest", "code", "expected"), BROKEN)
def test_a_broken_record_names_its_place(begin: str, rest: str, code: str, expected: str) -> None:
    record = begin + rest
    whole = "Layer(Conv): b, Tactic: 0x0f, 0 (Float[1]) -> 1 (Float[1])"
    for before in ([], [whole]) if expected == NEW else ([],):
        layers, problems = read(*before, record)
        assert layers[-1].raw == record, "kept as an opaque layer"
        (problem,) = [problem for problem in problems if problem.severity == "error"]
        assert (problem.code, problem.expected) == (code, expected)
        assert (problem.place.file, problem.place.line) == ("build.log", 2 + len(before))
        assert problem.place.column == len(begin) + 1
        assert problem.excerpt[problem.caret :].startswith(rest[:20])


@pytest.mark.parametrize("dims", ["1--2", ",", "1:2:3", "1,", "-"])
def test_dims_that_are_no_numbers_cost_the_record_only(dims: str) -> None:
    bad = f"Layer(Conv): a, Tactic: 1, 1[Float(1)] -> 2[Float({dims})]"
    good = "Layer(Conv): b, Tactic: 1, 2[Float(1)] -> 3[Float(1)]"
    layers, problems = read(bad, good)
    if dims in ("1--2", "-"):
        record = logtext.detailed("a", "x", "y").replace("1,8", dims)
        listing = text(f"{TV}Layers:", record, logtext.detailed("b", "y", "z"))
        log = Log("build.log", chunks=[listing.encode()])
        more = [layer for engine in log.engines() for layer in engine.layers]
        assert [layer.raw for layer in more] == [record, None]
        problems += log.problems
    assert [layer.raw for layer in layers] == [bad, None]
    assert {problem.place.line for problem in problems if problem.severity == "error"} == {2}


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
@pytest.mark.parametrize("start", ["{", "{\n", "\n{\n  ", "\ufeff{", "{ \n\n\t"], ids=ascii)
def test_an_inspectors_json_is_told_however_it_is_laid_out(start: str, size: int) -> None:
    data = f'{start}"Layers": ["a", "b"],\n"Bindings": []}}'.encode()
    chunks = pieces(data, size)
    (engine,) = Log("layers.json", chunks=chunks).engines()
    assert (engine.dialect, len(engine.layers)) == ("inspector-json", 2)


@pytest.mark.parametrize("place", ["start", "middle", "end"])
def test_the_excerpt_of_a_very_long_line_is_short(place: str) -> None:
    many = ", ".join(f"tensor_{number:05}[Float(1,3,224,224)]" for number in range(4000))
    broken = {
        "start": f"Layer(Conv): a, no tactic, {many} -> z[Float(1)]",
        "middle": f"Layer(Conv): a, Tactic: 1, {many} -> y[Float(1)] zzz, {many[:70_000]}",
        "end": f"Layer(Conv): a, Tactic: 1, {many}, zzz",
    }[place]
    _, (problem,) = read(broken)
    assert 0 < len(problem.excerpt) <= 82 and problem.excerpt.strip("…") in broken
    column = problem.place.column - 1
    assert broken[column : column + 5] == problem.excerpt[problem.caret :][:5].rstrip("…")
    assert len(max(str(problem).split("\n"), key=len)) < 160


def test_an_unreadable_record_keeps_its_name_and_type() -> None:
    (layer,), _ = read("Layer(CaskConvolution): conv1 + relu1, Tactic: -3, zzz")
    assert (layer.type, layer.name, layer.tactic) == ("CaskConvolution", "conv1 + relu1", "-3")
    assert (layer.inputs, layer.outputs) == ((), ())
    (layer,), problems = read("Layer(Conv): ")
    assert layer.type == "Conv" and layer.raw is not None
    assert [problem.severity for problem in problems] == ["error"]


# ---- where the grammar is ----------------------------------------------------------------------


@pytest.mark.parametrize("folders", [("",), ("", "package")], ids=["beside", "inside"])
def test_the_grammar_s_place(monkeypatch: Patch, tmp_path: Path, folders: tuple[str, ...]) -> None:
    monkeypatch.setattr(grammars, "_PACKAGE", tmp_path / "package")
    for folder in folders:
        (tmp_path / folder / "grammars").mkdir(parents=True)
        file = tmp_path / folder / "grammars" / "classic.lark"
        file.write_text(f"start : WORD // ä{folder}\n", "utf-8")
    assert grammars.grammar_text.__wrapped__("classic.lark").endswith(f"ä{folders[-1]}\n")


@pytest.mark.parametrize("at", ["TacticName: s", "TacticValue: 0x00", ", StreamId: "])
def test_a_record_that_a_terminal_broke_inside_of_a_value(at: str) -> None:
    tensor = "{{ Name: {}, Dimensions: [1,8], Format/Datatype: Half }}"
    record = (
        f"Name: elm + oak, LayerType: gemm, Inputs: [ {tensor.format('x')}], "
        f"Outputs: [ {tensor.format('y')}], Activation: RELU, Origin: QDQ, "
        "TacticName: sm80_gemm_tf32f32, TacticValue: 0x00000000000202f7, StreamId: 0, "
        "Metadata: [ONNX Layer: elm]\ufffd[ONNX Layer: oak]"
    )
    first, second = record[: record.index(at) + len(at)], record[record.index(at) + len(at) :]
    (layer,) = engine_of(f"> {first}\n{second}\n", facts=True).layers
    assert (layer.kernel, layer.tactic) == ("sm80_gemm_tf32f32", "0x00000000000202f7")
    assert dict(layer.attributes)["Activation"] == "RELU"
    assert layer.onnx_nodes == ("elm", "oak")


@pytest.mark.slow
@pytest.mark.parametrize("words", ["Success !", "done", "7", "x", ", y", "])", " -> ", "3 (of 4)"])
@pytest.mark.parametrize(
    ("record", "torn"),
    [
        (
            "Layer(NoOp): (Unnamed Layer* 8) [Shuffle] + pad_3, Tactic: 0, (Unnamed Layer* 7) "
            "[Scale]_output[Float(-24,25,1,1)] -> add_8[Float(-1,49)], b[Half(2,32:8)]",
            "[Float(-24,25,1,1)",
        ),
        (
            "Layer(Conv): a [x] 1 + relu, Tactic: 0x01, x (Float[1,3,-17]) -> "
            "y (Float[1,8]), r (Half[2,32:8])",
            "x (Float[1,3,-17]",
        ),
    ],
)
def test_words_of_another_writer_in_a_record(record: str, torn: str, words: str) -> None:
    """Wherever they stand, what is read without them is the record, or it is not read so."""
    ((whole,), _) = read(record)
    mended = []
    for end in range(1, len(record)):
        layers, problems = read(record[:end] + words, record[end:], record.replace("pad", "q"))
        if any(one.code == "ELV116" for one in problems):
            mended.append(end)
            for name in ("name", "tactic", "inputs", "outputs"):
                assert getattr(layers[0], name) == getattr(whole, name), record[:end]
            assert f"{words.strip()}` stands in" in problems[0].message
            assert problems[0].place.line == 2 and len(layers) == 2
    place = record.index(torn) + len(torn)
    if words == "Success !":
        assert place in mended
        assert not {place - 2, record.index("): ") + 4, 2}.intersection(mended)  # inside of words
