"""However a log comes in pieces, it says the same: each of these said something else once."""

from __future__ import annotations

from pathlib import Path

import pytest
from factories import engine_in_pieces, engines_of
from logtext import pieces
from paths import FIXTURES

from engine_layer_visualize.core.problems import ReadError

LOGS = sorted(
    path
    for path in (*FIXTURES.glob("*/*.log"), *FIXTURES.glob("inspector_json/*.json"))
    if path.stat().st_size < 40_000 and ".expected" not in path.name and ".profile" not in path.name
)

LISTING = (
    "[V] [TRT] Engine Layer Information:\n"
    "Layer(CaskConvolution): a, Tactic: 0x7, x (Float[1]) -> y (Float[1])\n"
)
RUNNER = "[V] [TRT] --------------- Timing Runner: a (CaskConvolution)\n"
FASTEST = "[V] [TRT] Fastest Tactic: 0x7 Time: 0.1\n"
CHOSE = "[V] [TRT] >>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 0x7\n"


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_a_fixture_says_the_same_in_any_pieces(path: Path) -> None:
    data = path.read_bytes()
    try:
        whole = engines_of(pieces(data, 1 << 18), facts=True)
    except ReadError:
        with pytest.raises(ReadError):  # of a pipe only the last pieces say why
            engines_of(pieces(data, 99), facts=True)
        return
    for size in (1, 99):
        assert engines_of(pieces(data, size), facts=True) == whole


def test_outputs_are_named_before_timings() -> None:
    """One that stands after them is named by nobody, in whatever piece it comes."""
    network = (
        "[V] Adding network input: x with dtype: float32, dimensions: (1)\n"
        "[V] Marking y as output: y\n"
    )
    later = "[V] Marking z as output: z\n"
    assert engine_in_pieces(network + RUNNER + FASTEST + later + LISTING).outputs == ("y",)
    assert engine_in_pieces(network + later + RUNNER + FASTEST + LISTING).outputs == ("y", "z")


def candidates(text: str) -> tuple[int, int, int]:
    """What was tried, skipped and unfit, by the counts of the one layer."""
    (layer,) = engine_in_pieces(text + LISTING).layers
    assert layer.facts is not None
    found = layer.facts.candidates
    assert found.tried is not None and found.skipped is not None
    return found.tried, found.skipped, sum(runner.unfit for runner in found.runners)


def test_what_is_timed_after_the_fastest_is_timed_for_nobody() -> None:
    tactic = "[V] [TRT] Tactic: 0x7 Time: 0.1\n"
    skipped = "[V] [TRT] Tactic: 0x8 skipped. Scratch requested: 9, available: 0\n"
    assert candidates(RUNNER + tactic + skipped + FASTEST + CHOSE) == (1, 1, 0)
    again = tactic + skipped + FASTEST
    assert candidates(RUNNER + tactic + FASTEST + CHOSE + again) == (1, 0, 0)


def test_kernels_with_and_without_a_time() -> None:
    timed = "[V] [TRT] Tactic Name: k_f16 Tactic: 0xb2 Time: 0.1\n"
    named = "[V] [TRT] a Set Tactic Name: k_f32 Tactic: 0x7\n"
    assert engine_in_pieces(named + timed + LISTING).layers[0].kernel == "k_f32"
    assert engine_in_pieces(timed + named + LISTING).layers[0].kernel == "k_f32"
    both = f"{timed}{named}{LISTING}Layer(A): b, Tactic: 0xb2, y (Float[1]) -> z (Float[1])\n"
    assert [layer.kernel for layer in engine_in_pieces(both).layers] == ["k_f32", "k_f16"]


TABLE = (
    "[I] === Profile (3 iterations ) ===\n"
    "[I]    Layer   Time (ms)   Avg. Time (ms)   Time %\n"
    "[I]        a        0.30           0.1000    100.0\n"
    "[I]    Total        0.30           0.1000    100.0\n"
)


def test_a_table_after_timings_is_of_another_build() -> None:
    ended = LISTING + "[V] [TRT] words\n" * 40
    assert engine_in_pieces(ended + TABLE).layers[0].time is not None
    assert engine_in_pieces(ended + RUNNER + TABLE).layers[0].time is None


@pytest.mark.parametrize("name", ["b === Profile (3 iterations ) ===", "b"])
@pytest.mark.parametrize("tensor", ["z === Profile (3 iterations ) ===", "z"])
def test_a_title_in_a_detailed_record_is_a_name(name: str, tensor: str) -> None:
    """Of a log that was cut, in which no header stands before the record."""
    record = (
        f"Name: {name}, LayerType: kgen, Inputs: [ {{ Name: x, Dimensions: [1], "
        f"Format/Datatype: Half }}], Outputs: [ {{ Name: {tensor}, Dimensions: [1], "
        "Format/Datatype: Half }], TacticName: k, StreamId: 0\n"
    )
    data = (LISTING + "[V] [TRT] words\n" * 40 + record).encode()
    whole = engines_of(pieces(data, len(data)), facts=True)
    assert [[layer.name for layer in one.layers] for one in whole] == [["a"], [name]]
    assert whole[1].layers[0].outputs[0].name == tensor
    assert (
        engines_of(pieces(data, 7), facts=True) == engines_of(pieces(data, 50), facts=True) == whole
    )


def test_the_last_version_counts() -> None:
    """A run that failed stands before it in the log."""
    runs = "&&&& RUNNING [TensorRT v8502] # trtexec\n", "&&&& RUNNING [TensorRT v8601] # trtexec\n"
    assert engine_in_pieces("".join(runs) + LISTING).tensorrt == "8.6.1"
    assert (
        engine_in_pieces(f"{runs[1]}[I] TensorRT version: 10.7.0\n{LISTING}").tensorrt == "10.7.0"
    )
    library = "[V] libnvinfer_plugin.so.8.4.3 loaded\n"
    assert engine_in_pieces(library + runs[0] + library + LISTING).tensorrt == "8.5.2"
    assert engine_in_pieces(library + LISTING).tensorrt == "8.4.3"
