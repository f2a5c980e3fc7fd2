"""Which listings of a log show one build: those that do, and those that nearly do."""

import json
from collections.abc import Sequence

import logtext
import pytest
from factories import engine_facts, engines_of
from logtext import classic, detailed

from engine_layer_visualize.api.engine import Engine, summary

BUILD = "[03/24/2023-12:57:38] [V] [TRT] Engine Layer Information:"
DUMP = ("[03/24/2023-12:57:39] [I] Layer Information:", "[03/24/2023-12:57:39] [I] Layers:")
BARE = ("Layers:",)
LOGGED = ("[03/24/2023-12:57:39] [V] [TRT] Layers:",)
dumps = pytest.mark.parametrize("header", [DUMP, DUMP[1:], BARE], ids=["dump", "layers", "bare"])


def read(*lines: str) -> list[Engine]:
    return engines_of(logtext.text(*lines))


def kinds(engines: Sequence[Engine]) -> list[str]:
    """Of every engine the dialect, and those of its further listings."""
    return ["+".join([e.dialect, *(also.dialect for also in e.also)]) for e in engines]


MARKING = "[03/24/2023-12:57:30] [V] [TRT] Marking {0} as output: {0}"
MARKED = tuple(map(MARKING.format, ("first", "second")))
A, B = classic("a", "x", "y"), classic("b", "y", "z")
DA, DB = detailed("a", "x", "y"), detailed("b", "y", "z")


# ---- Myelin ------------------------------------------------------------------------------------

MYELIN = classic("{ForeignNode[p...q]}", "y", "u", "Myelin")
INSIDE = [detailed("__myl_Add_myl1_0", "y", "t", "kgen"), detailed("__myl_Mul_myl1_1", "t", "u")]


@dumps
def test_a_myelin_layer_stands_for_its_records(header: tuple[str, ...]) -> None:
    last = classic("b", "u", "z")
    (engine,) = read(BUILD, A, MYELIN, last, *header, DA, *INSIDE, detailed("b", "u", "z"))
    assert kinds([engine]) == ["detailed+classic"]
    assert [layer.also_line for layer in engine.layers] == [2, 3, 3, 4]
    # A kernel inside has a tactic of its own, which nothing tells.
    assert [layer.tactic for layer in engine.layers] == ["0x7", None, None, "0x7"]


# ---- quoted by a person ------------------------------------------------------------------------

FENCE = "```"
QUOTED = (FENCE, BUILD, A, B, FENCE, "Then trtexec binds:", FENCE)
CREATED = "[03/24/2023-12:57:39] [I] Created {}put binding for {} with dimensions 1x8"
MADE = tuple(CREATED.format(*own) for own in (("in", "x"), ("out", "far"), ("out", "out")))
DC = detailed("c", "z", "w")


def test_two_listings_of_one_build_of_each_of_which_records_are_left_out() -> None:
    """The first has no output that trtexec bound, so the second may show more of the build."""
    (engine,) = engines_of(logtext.text(*QUOTED, *MADE, *DUMP, DA, DB, DC, FENCE), facts=True)
    assert kinds([engine]) == ["detailed+classic"]
    assert [layer.tactic for layer in engine.layers] == ["0x7", "0x7", None]
    assert [layer.also_line for layer in engine.layers] == [3, 4, None]
    assert engine.source.state == "part"
    assert [problem.code for problem in engine.problems] == ["ELV115"]
    assert (engine.inputs, engine.outputs) == (("x",), ("far", "out"))
    assert "`x` → `far`, `out`." in str(summary(engine, width=200))


# ---- those that are not ------------------------------------------------------------------------


MYELIN_B = classic("b", "u", "z")
SECOND_MYELIN = classic("{ForeignNode[r...s]}", "u", "z", "Myelin")
IN_SECOND = detailed("__myl_Exp_myl2_0", "u", "z")
OTHER = (BUILD, classic("c", "x", "u"), classic("d", "u", "z"))
SHOWN = (detailed("c", "x", "u"), detailed("d", "u", "z"))
ENDS = ("", "Bindings:", "x", "z")
MERGED, APART = ["detailed+classic"], ["classic", "detailed"]
NOT_INSIDE = [f"__myl_Add_myl{end}" for end in ("0_0", "2_0", "7_0", "_0", "1_0 and more")]
BETWEEN = "[03/24/2023-12:57:39] [I] [TRT] [MemUsageChange] Init CUDA: CPU +0"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((BUILD, A, B, DUMP[0], BETWEEN, DUMP[1], DA, DB), MERGED),
        ((BUILD, A, B, *DUMP, DA, DB, *ENDS, *DUMP, DA, DB), ["detailed+classic+detailed"]),
        ((*LOGGED, DA, DB, *ENDS, *DUMP, DA, DB), ["detailed+detailed"]),
        ((BUILD, A, B, *DUMP, DA, DB, *OTHER, *DUMP, *SHOWN), MERGED * 2),
        ((BUILD, A, B, BUILD, A, B, *DUMP, DA, DB), ["classic", *MERGED]),
        ((BUILD, A, B, *OTHER, *DUMP, DA, DB), ["classic", *APART]),  # of the one before the last
        ((*DUMP, DA, DB, BUILD, A, B), ["detailed", "classic"]),
        ((*LOGGED, DA, DB, BUILD, A, B), ["detailed", "classic"]),  # one network, built twice
        ((*LOGGED, DA, DB, "[V] Building again", *LOGGED, DA, DB), ["detailed"] * 2),
        ((BUILD, A, B, "[V] Building again", BUILD, A, B), ["classic"] * 2),
        *(((*header, DA, DB), ["detailed"]) for header in (DUMP, BARE, LOGGED)),
        # Myelin
        ((BUILD, A, MYELIN, *DUMP, DA), MERGED),
        ((BUILD, A, MYELIN, *DUMP, *INSIDE, DA), APART),
        ((BUILD, A, MYELIN, SECOND_MYELIN, *DUMP, DA, *INSIDE, IN_SECOND), MERGED),
        ((BUILD, A, MYELIN, SECOND_MYELIN, *DUMP, DA, IN_SECOND, *INSIDE), APART),
        *(
            # Layer 1 of the build is Myelin; 0 and 2 are not, and there is no 7.
            ((BUILD, A, MYELIN, MYELIN_B, *DUMP, DA, detailed(name, "y", "u"), DB), APART)
            for name in NOT_INSIDE
        ),
        # quoted
        ((*QUOTED, *DUMP, DA, DB, DC, FENCE), APART),  # nothing is bound
        ((*QUOTED, MADE[0], MADE[1].replace("far", "z"), *DUMP, DA, DB, DC, FENCE), APART),
        ((BUILD, A, B, *MADE, *DUMP, DA, DB, DC), APART),
        ((*QUOTED, *MADE, *DUMP, DA, DC, FENCE), APART),
        # A record that cannot be read has a name: it ends at the tactic, or at the layer's type.
        ((BUILD, A, "Layer(Conv): b, Tactic: 0x7, y -> z", *DUMP, DA, DB), MERGED),
        ((BUILD, A, B, *DUMP, DA, DB.replace(", Dimensions: [1,8]", "")), MERGED),
    ],
)
def test_which_listings_show_one_build(lines: tuple[str, ...], expected: list[str]) -> None:
    engines = read(*lines)
    assert kinds(engines) == expected
    assert [engine.index for engine in engines] == list(range(len(engines)))


@pytest.mark.parametrize("more", ["", ", TacticValue: 0x7"], ids=["", "an x in a number"])
@pytest.mark.parametrize(
    ("source", "target"), [("p", "r"), ("x", "r"), ("p", "z")], ids=["none", "input", "output"]
)
def test_a_network_is_not_that_of_another_engine(source: str, target: str, more: str) -> None:
    """Of its names one may stand in the dump, or a piece of a word that is spelled like one."""
    other = [detailed("c", source, "q", more=more), detailed("d", "q", target)]
    network = "[V] Adding network input: x with dtype: float16, dimensions: (1, 8)"
    engines = read(network, "[V] Marking z as output: z", BUILD, A, B, *DUMP, *other)
    assert kinds(engines) == ["classic", "detailed"]
    assert (engines[0].inputs, engines[0].outputs) == (("x",), ("z",))
    assert (engines[1].inputs, engines[1].outputs) == ((source,), (target,))
    assert engines[1].problems == ()


# ---- dumps of names alone ----------------------------------------------------------------------


def test_a_dump_of_other_names_alone() -> None:
    engines = read(BUILD, A, B, *DUMP, "a", "c", "", "Bindings:", "x", "z")
    assert kinds(engines) == ["classic", "detailed"]
    assert [layer.name for layer in engines[1].layers] == ["a", "c"]
    assert engines[1].graph.edges == ()
    assert [problem.code for problem in engines[1].problems] == ["ELV111"]
    assert (engines[1].inputs, engines[1].outputs, engines[1].bindings) == ((), (), ("x", "z"))


@pytest.mark.parametrize(
    ("bindings", "told"),
    [
        (("x", "z"), "2 inputs and outputs: `x`, `z`"),
        (("z",), "1 input or output: `z`"),
        ((), "no inputs → no outputs"),
    ],
)
def test_bindings_beside_names_have_no_direction(bindings: tuple[str, ...], told: str) -> None:
    (engine,) = engines_of(json.dumps({"Layers": ["a", "b"], "Bindings": bindings}), facts=True)
    assert engine.bindings == bindings
    assert told in str(summary(engine, width=200))


def test_a_binding_that_no_layer_mentions_may_be_a_line_of_another_program() -> None:
    (engine,) = read(*BARE, DA, DB, "", "Bindings:", "size", "x", "z", "Killed")
    assert (engine.inputs, engine.outputs, engine.bindings) == (("x",), ("z",), ())
    assert (engine.source.state, engine.problems) == ("whole", ())
    assert "`x` → `z`." in str(summary(engine, width=200))


TWO_OUTPUTS = (A, classic("b", "y", "second"), classic("c", "y", "first"))
BINDING = "[03/24/2023-12:57:50] [I] Created output binding for {} with dimensions 1x4"
BOUND = tuple(map(BINDING.format, ("first", "second")))


@pytest.mark.parametrize(
    ("lines", "outputs", "order"),
    [
        ((BUILD, *TWO_OUTPUTS), ("second", "first"), "listing"),
        ((BUILD, *TWO_OUTPUTS, *BOUND), ("first", "second"), "log"),
        ((BUILD, *TWO_OUTPUTS, *BOUND[:1]), ("first",), "log"),
        ((*MARKED, BUILD, *TWO_OUTPUTS), ("first", "second"), "log"),
        ((*BARE, DA, DB, "", "Bindings:", "x", "z"), ("z",), "log"),
        ((*BARE, "a", "b", "", "Bindings:", "x", "z"), (), None),
    ],
    ids=["python", "bound", "one of them bound", "marked", "bindings", "names"],
)
def test_outputs_order(lines: tuple[str, ...], outputs: tuple[str, ...], order: str | None) -> None:
    """A network of the Python API does not print its outputs; layers write them in any order."""
    (engine,) = engines_of(logtext.text(*lines), facts=True)
    assert engine.outputs == outputs
    assert engine_facts(engine).outputs_order == order
    page = str(summary(engine, width=200))
    assert ("(in the listing's order)" in page) == (order == "listing")


@pytest.mark.parametrize(("number", "counted"), [(1, 1), (2, None)])
def test_tensors_that_nothing_reads_need_not_be_outputs(number: int, counted: int | None) -> None:
    """A layer may write a tensor that nobody wants, as TopK its values."""
    told = f"[I] [TRT] Detected 1 inputs and {number} output network tensors."
    (engine,) = engines_of(logtext.text(told, BUILD, *TWO_OUTPUTS), facts=True)
    assert engine_facts(engine).outputs_counted == counted
    page = str(summary(engine, width=200))
    assert ("(the log counts 1 output)" in page) == (counted is not None)
