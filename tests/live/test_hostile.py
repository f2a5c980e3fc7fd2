"""Names of poison, drawn by hypothesis and built for real: read back exactly, or flagged.

`HOSTILE_BUILDS=500 pytest tests/live/test_hostile.py` draws so many other ones.
"""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import builder
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from outcomes import is_as_put_in, truth

from engine_layer_visualize.api.read import Log

pytestmark = builder.needed()

HEADER: Final = "[11/21/2026-02:40:00] [TRT] [V] Engine Layer Information:"
RECORD: Final = "Layer(Conv): c, Tactic: 0x0000000000000005, p (Half[1,2]) -> q (Half[1,2])"
DETAILED: Final = (
    "Name: z, LayerType: kgen, Inputs: [ { Name: p, Dimensions: [1], Format/Datatype: Half }], "
    "Outputs: [ { Name: q, Dimensions: [1], Format/Datatype: Half }], TacticName: , StreamId: 0"
)
# What a name may hold; NUL ends a name, and lone surrogates are no text for the builder.
PIECES: Final = (
    " (Float[4,8])", "[Float(4,8)]", " (Half[4,8])", " (Int32[])", " (Float[-1,64:8])",
    ", ", " -> ", "->", ", Tactic: 0x0", ", Tactic: 0x0000000000000000, ", ", Tactic: -3, ",
    "Layer(Myelin): ", "Engine Layer Information:", "Layers:", "Bindings:", "I/O Tensors:",
    "}], Outputs: [", ", Inputs: [", " }]", "{ Name: ", ", Dimensions: [1]",
    ", Format/Datatype: Half }", ", Metadata: ", "[ONNX Layer: n]", "Adding network input: ",
    "\x1b[31m", "\u202e", "\u2066", "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\u2028", "\u2029",
    "\n", "\t", " ", "{ForeignNode[a...b]}", "'", '"', "\\", "\\n", "{}", "%s",
    "x" * 400, "é" * 300, "😀",
)  # fmt: skip
# Whole lines of a log: what holds these is more often flagged.
FAKES: Final = (
    f"\n{HEADER}\n{RECORD}\n", f"\n{RECORD}", f"\n{DETAILED}\n", DETAILED, "\r\n", "\n\n",
    "Name: z, LayerType: kgen, Inputs: [ {", "[11/21/2026-02:40:00] [TRT] [V] ", "[V] [TRT] ",
    "=============== Computing costs for ", "Marking a as output: b", "_myl0_1",
    "*************** Autotuning format combination: Float(8,1) -> Float(8,1) ***************",
    "=== Profile (1 iterations ) ===", " [profile 1]",
)  # fmt: skip
_LONGEST: Final = 4_000  # bytes; TensorRT cuts names at 4,095


def poison(pieces: Sequence[str]) -> st.SearchStrategy[str]:
    """Names made of these and of plain letters."""
    words = st.one_of(st.sampled_from(pieces), st.text("abxy01.:/_", min_size=1, max_size=4))
    joined = st.lists(words, min_size=1, max_size=9).map("".join)
    return joined.filter(lambda text: len(text.encode()) < _LONGEST)


def judged(texts: Sequence[str], folder: Path) -> list[tuple[str, str, str]]:
    """(name, verbosity, outcome) of a network with each name, at both verbosities.

    `right`: exactly what was put in, and no word of a problem; `flagged`: a problem says that
    something is doubtful or unreadable; `wrong`: neither; `refused`: the builder did not build it.
    """
    assert not any(builder.TWIN in text for text in texts)
    names = (builder.TWIN, *texts)
    wanted = [(text, verbosity) for text in names for verbosity in builder.VERBOSITIES]
    told = builder.build([(f"text:{text}", verbosity) for text, verbosity in wanted], folder)
    twins = {verbosity: told.of(number) for number, verbosity in enumerate(builder.VERBOSITIES)}
    found = []
    for number, (text, verbosity) in enumerate(wanted[len(twins) :], len(twins)):
        if not told.built[number]:
            found.append((text, verbosity, "refused"))
            continue
        part = told.of(number)
        network = builder.network(f"text:{text}")
        wished = truth(part, twins[verbosity], text, network)
        log = Log("x", chunks=[part.log().encode()])
        engines = list(log.engines())
        right = len(engines) == 1 and is_as_put_in(engines[0], wished)
        # A classic record that comes out otherwise is told of itself: by ELV107, or as unreadable.
        classic = not right and verbosity != "DETAILED"
        flagged = any(one.code.startswith("ELV1") or not classic for one in log.problems)
        found.append((text, verbosity, "flagged" if flagged else "right" if right else "wrong"))
    return found


BUILDS: Final = int(os.environ.get("HOSTILE_BUILDS", 0))
# The same names in every run, but for those that are asked for; each example builds 40.
SAME = settings(
    max_examples=max(4, BUILDS // 40),
    phases=[Phase.generate],  # no search for less
    deadline=None,
    derandomize=not BUILDS,
    suppress_health_check=list(HealthCheck),
    database=None,
)


@SAME
@given(st.lists(poison(PIECES), min_size=20, max_size=20, unique=True))
def test_names_of_poison(texts: list[str]) -> None:
    check(texts, 3 / 4)


@SAME
@given(st.lists(poison((*PIECES, *FAKES)), min_size=20, max_size=20, unique=True))
def test_names_that_hold_lines_of_a_log(texts: list[str]) -> None:
    check(texts, 1 / 2)


def check(texts: list[str], least: float) -> None:
    """None is wrong, and so many are read without a word of doubt, too."""
    with tempfile.TemporaryDirectory() as folder:
        found = judged(texts, Path(folder))
    assert not [entry for entry in found if entry[2] == "wrong"]
    right = [entry for entry in found if entry[2] == "right"]
    assert len(right) > len(found) * least
