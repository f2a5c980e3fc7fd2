"""What people ask about layers first, asked of real logs; the answers are read from their lines."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from paths import RECORDED

from engine_layer_visualize.commands import cli

pytestmark = pytest.mark.skipif(not RECORDED.is_dir(), reason="no recorded logs")

# The numbers of the files, what is typed, and the layers in order.
QUESTIONS: dict[str, tuple[Sequence[str], Sequence[str], Sequence[int]]] = {
    # Records whose first input is Int8; the Reformat before them reads FP32.
    "which run INT8": (["336", "337"], ["--query", "prec:int8"], range(1, 13)),
    # Layer(Reformat) of lines 17, 63, 65, 67; the first layer is of line 14.
    "which are reformats": (["000"], ["--query", "type:reformat"], [3, 49, 51, 53]),
    # Averages: 3.0399, 0.6925, 0.5272, 0.3614, 0.3478, 0.3291, 0.3117, 0.2879, 0.2683, 0.2658.
    "the ten slowest": (
        ["323"],
        ["--sort", "time", "--limit", "10"],
        [16, 15, 1, 4, 5, 3, 6, 2, 9, 11],
    ),
    # layer3.0.conv1 to layer3.5.conv2, lines 33 to 45.
    "what is in block 3": (["000"], ["--query", "scope:layer3"], range(19, 32)),
    # The second row: {ForeignNode[Conv_0...Concat_198]}; the others are copies.
    "what runs on the DLA": (["306"], ["--query", "type:dla"], [1]),
    # All but two rows of 0 ms: the least of the others takes 1.166 %.
    "which take more than 1 %": (["338", "339"], ["--query", "time>1%"], [*range(9), 10, 11, 12]),
    # Lines 59 to 61; line 58 writes it.
    "what reads a tensor": (["000"], ["--query", 'reads:"947"'], [45, 46, 47]),
    "what writes a tensor": (["000"], ["--query", 'writes:"947"'], [44]),
    # Layer(Myelin): the first, the fourth and the last of six records.
    "which ForeignNodes there are": (["320"], ["--query", "type:myelin"], [0, 3, 5]),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered(question: str, capsys: pytest.CaptureFixture[str]) -> None:
    numbers, words, layers = QUESTIONS[question]
    files = [str(path) for number in numbers for path in sorted(RECORDED.glob(f"{number}_*"))]
    assert files
    assert cli.main(["layers", *files, *words, "--format", "json"]) == 0
    (engine,) = json.loads(capsys.readouterr().out)["engines"]
    assert [layer["index"] for layer in engine["layers"]] == list(layers)
    assert engine["shown"] == len(layers)
