"""What a layer's tactic took, and what else was tried: true, or nothing."""

import pytest
from factories import engine_facts, engine_in_pieces, engines_of, layer_facts
from logtext import HEADER, TV, cached, choices, chose, combination, costs, timed

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.times import timed_layers
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.facts import layer_values

LINEAR, CHANNELS = "Float(64,8,1)", "Float(64,1,8)"
SAME, LAST = f"{LINEAR} -> {LINEAR}", f"{CHANNELS} -> {CHANNELS}"


def read(messages: str, *records: str) -> Engine:
    """The engine that is listed with these records behind the messages."""
    log = "".join((messages, HEADER, *records))
    return engine_in_pieces(log, (1, 30, 80, 200, *range(300, 1500, 90)))


def facts(found: Engine, index: int = 0) -> LayerFacts:
    return layer_facts(found.layers[index])


def layer(kind: str, name: str, tactic: int, tensors: str) -> str:
    return f"Layer({kind}): {name}, Tactic: {tactic:#018x}, {tensors}\n"


def moved(name: str, source: str, target: str) -> str:
    """A reformat that is timed."""
    stars = "*" * 15
    begins = f"{TV}{stars} Autotuning Reformat: {source} -> {target} {stars}\n"
    return begins + timed(f"Optimizer Reformat({name})", "Reformat", (0, 0.125))


def record(kind: str, name: str, dims: str = "8,8", tactic: int = 7, dtype: str = "Float") -> str:
    """A layer that reads x and writes y."""
    return layer(kind, name, tactic, f"x ({dtype}[{dims}]) -> y ({dtype}[{dims}])")


def test_an_equal_layer_lends_its_time_to_one_without_valid_tactics() -> None:
    unfit = (
        f"{TV}--------------- Timing Runner: b (CaskConvolution)\n"
        f"{TV}CaskConvolution has no valid tactics for this config, skipping\n"
    )
    found = read(
        choices("a", "CaskConvolution", (SAME, 0.25)) + combination(SAME) + unfit,
        record("CaskConvolution", "a"),
        layer("CaskConvolution", "b", 7, "y (Float[8,8]) -> z (Float[8,8])"),
        layer("CaskConvolution", "c", 7, "z (Float[8,8]) -> w (Float[8,4])"),
    )
    a, b, c = (facts(found, index) for index in range(3))
    assert (a.build_ms, a.measured_on) == (0.25, None)
    assert (b.build_ms, b.measured_on, b.runner) == (0.25, "a", "CaskConvolution")
    assert b.candidates.chosen is None  # it was not timed itself
    assert c.build_ms is None  # not equal


@pytest.mark.parametrize("name", ["a", "a [profile 1]", "a [b] [c]"])
@pytest.mark.parametrize("shape", [LINEAR, "Float((* (# 1 (SHAPE x [y])) 8),8,1)"])
def test_a_cached_result_is_the_choice_for_its_formats(name: str, shape: str) -> None:
    results = cached(name, f"{shape} -> {LINEAR}", "CaskConvolution", 7, 0.25)
    results += cached(name, LAST, "CaskConvolution", 8, 0.125)
    known = facts(read(costs(name) + results, record("CaskConvolution", name)))
    assert (known.build_ms, known.runner) == (0.25, "CaskConvolution")
    assert known.formats == f"{shape} -> {LINEAR}"
    assert (known.candidates.tried, known.candidates.cached) == (0, 2)
    assert dict(known.lines)["build_ms"] == 2


def test_a_cached_result_before_a_choice_leaves_the_formats_of_what_is_chosen() -> None:
    timing = combination(SAME) + timed("a", "CaskConvolution", (7, 0.25))
    between = cached("b", LAST, "CudnnConvolution", 8, 0.125)
    messages = timing + between + chose("CaskConvolution", 7)
    known = facts(read(messages, record("CaskConvolution", "a")))
    assert (known.build_ms, known.formats) == (0.25, SAME)


def test_timings_behind_a_listing_are_of_its_layers_until_a_build_begins() -> None:
    """Excerpts that are put together in another order; each build that is whole has its own."""
    a, b = (layer("CaskConvolution", name, 1, "x (Half[8]) -> y (Half[8])") for name in "ab")
    timing = timed("a", "CaskConvolution", (1, 0.25)) + chose("CaskConvolution", 1)
    own, other = costs("a", "Half(1) -> Half(1)") + timing, timed("c", "Cask", (1, 2.0))

    def times(log: str) -> list[float | None]:
        return [Costs(one).total for one in engines_of(log, facts=True)]

    end = f"{TV}Total Activation Memory: 64\n"
    first = HEADER + a + end
    assert times(first + own) == [0.25]
    assert times(first + other) == [None]
    assert times(first + own + HEADER + a) == [None, 0.25]
    assert times(own + first + own.replace("0.25", "9.5")) == [0.25]
    assert times(first + f"{TV}Original: 1 layers\n" + own) == [None]
    assert times(first + own + f"{TV}Original: 1 layers\n" + own + HEADER + b) == [0.25, None]


def test_what_runs_nothing_takes_no_time() -> None:
    found = read(
        choices("view", "Shuffle", (SAME, 0.25), tactic=0)
        + choices("bias", "Constant", (f" -> {LINEAR}", 0.125), tactic=0),
        record("NoOp", "view", tactic=0),
        layer("Constant", "bias", 0, " -> c (Float[8,8])"),
        layer("NoOp", "view too", 0, "y (Float[8,8]) -> z (Float[8,8])"),
    )
    for index in range(3):
        known = facts(found, index)
        assert (known.build_ms, known.runner, known.formats) == (None, None, None)
        assert (known.measured_on, known.candidates.chosen) == (None, None)
    assert facts(found).candidates.tried == 1  # that much is true


@pytest.mark.parametrize(
    ("timed_tensor", "lender", "said"),
    [
        ("y", None, ""),
        ("other", "Optimizer Reformat(other -> <out>)", "a reformat between the same formats"),
    ],
)
def test_a_reformat_of_a_renamed_tensor(timed_tensor: str, lender: str | None, said: str) -> None:
    """The line that adds a reformat has the name that autotuning gives its tensor."""
    copied = "Reformatted Input Tensor 0 to b"
    found = read(
        moved(f"{timed_tensor} -> <out>", LINEAR, CHANNELS)
        + f"{TV}Adding reformat layer: {copied} (y) from {LINEAR} to {CHANNELS}\n",
        layer("Reformat", "Reformatting CopyNode for Input Tensor 0 to b", 0,
              f"(Unnamed Layer* 4) [Pooling]_output (Float[8,8]) -> {copied} (Float[8,8])"),
    )  # fmt: skip
    assert (facts(found).build_ms, facts(found).measured_on) == (0.125, lender)
    whose = " (1 from equal layers)" if said else ""
    assert timed_layers(Costs(found)) == f"1 of 1 listed layer timed{whose}"


LONG = f"{LINEAR} long-strided"


@pytest.mark.parametrize(
    ("messages", "records", "index", "ms", "formats"),
    [
        pytest.param(
            choices("a", "CaskPooling", (SAME, 0.5))
            + choices("b", "Shuffle", (f"{CHANNELS} -> Float(64,1)", 0.125),
                      (f"{LINEAR} -> Float(64,1)", 0.25), tactic=0),
            record("CaskPooling", "a")
            + layer("Shuffle", "b", 0, "y (Float[8,8]) -> z (Float[64])"),
            1, 0.25, f"{LINEAR} -> Float(64,1)", id="those that the neighbours have",
        ),
        pytest.param(
            moved("x -> <out>", LINEAR, CHANNELS) + moved("<in> -> y", CHANNELS, LINEAR)
            + choices("a", "Reformat", (f"{CHANNELS} -> {LINEAR}", 0.25),
                      (f"{LINEAR} -> {CHANNELS}", 0.5), (SAME, 0.75), (LAST, 1.0), tactic=0),
            record("Reformat", "a", "8,8,8", 0),
            0, 0.75, SAME, id="those of the engine's ends, which reformats tell",
        ),
        pytest.param(
            choices("b", "CaskPooling", (SAME, 0.125), (f"{LONG} -> {LINEAR}", 0.25)),
            layer("CaskConvolution", "a", 6, "x (Float[8,8,8]) -> y (Float[8,8,8])")
            + layer("CaskPooling", "b", 7, "y (Float[4,8,8]) -> z (Float[4,8,8])"),
            1, 0.25, f"{LONG} -> {LINEAR}", id="a part of a tensor is strided",
        ),
        pytest.param(
            choices("a", "CublasConvolution", (SAME, 0.5))
            + choices("a", "CudnnConvolution", (LAST, 0.25)),
            record("CublasConvolution", "a"),
            0, 0.5, SAME, id="those of the implementation that is listed",
        ),
        pytest.param(
            choices("a", "CaskPooling", (SAME, 0.25)),
            record("CaskPooling", "a", "8,8,8", dtype="Half"),
            0, None, None, id="none in other types",
        ),
    ],
)  # fmt: skip
def test_of_several_formats_the_ones_that_the_layer_runs_in(
    messages: str, records: str, index: int, ms: float | None, formats: str | None
) -> None:
    known = facts(read(messages, records), index)
    assert (known.build_ms, known.formats) == (ms, formats)


def test_a_layer_whose_format_is_hidden_has_no_estimate() -> None:
    """The same tactic was chosen for two formats, and nothing tells which the layer runs in."""
    found = read(
        choices("a", "CaskPooling", (SAME, 0.0041), (LAST, 0.00387))
        + choices("b", "CaskPooling", (SAME, 0.5), tactic=8),
        record("CaskPooling", "a", "8,8,8"),
        layer("CaskPooling", "b", 8, "v (Float[8,8,8]) -> w (Float[8,8,8])"),
    )
    assert (facts(found).build_ms, facts(found).formats) == (None, None)
    assert timed_layers(Costs(found)) == "1 of 2 layers timed"
    (said,) = layer_values.times(found.layers[0], Costs(found))
    assert said == "the log has no timing of it in its formats"


def test_where_one_implementation_was_timed_no_line_names_the_choice() -> None:
    """As TensorRT 7 prints it: the reformats that follow are of another name."""
    reformats = timed("<reformat>", "Reformat", (0, 0.0625))
    log = combination(SAME) + timed("a", "Gather", (6, 0.5), (7, 0.25)) + reformats
    log += combination(SAME) + timed("b", "cudnn", (7, 0.5)) + timed("b", "CaskPooling", (7, 0.25))
    log += combination(SAME) + timed("c", "Scale", (7, 0.125))
    found = read(log, record("Gather", "a"), record("Pooling", "b"), record("Scale", "c"))
    assert [layer.known.build_ms for layer in found.layers] == [0.25, None, 0.125]


def test_the_formats_are_those_that_a_reformat_beside_it_is_added_for() -> None:
    """The listing shows a part of a tensor, and its reformat under the whole tensor's name."""
    narrow, wide, whole = "Half(64,1:8,8)", "Half(128,1:8,16) long-strided", "Half(1024,8,1)"
    copied = "Reformatted Output Tensor 0 to a"
    timings = ((f"{LINEAR} -> {wide}", 0.5), (f"{LINEAR} -> {narrow}", 0.75))
    ends = f"{copied} (Half[8,8]) -> joined (Half[8,8])"
    found = read(
        choices("a", "CaskConvolution", *timings)
        + f"{TV}Adding reformat layer: {copied} (part) from {wide} to {whole}\n",
        layer("CaskConvolution", "a", 7, f"x (Float[8,8]) -> {copied} (Half[8,8])"),
        layer("Reformat", "Reformatting CopyNode for Output Tensor 0 to a", 0, ends),
    )
    assert (facts(found).build_ms, facts(found).formats) == (0.5, f"{LINEAR} -> {wide}")
    changes = {key: value for key, value in found.layers[1].attributes if "Reformat" in key}
    assert changes == {"ReformatFrom": wide, "ReformatTo": whole}


SHORT = (
    "[W] [TRT] UNSUPPORTED_STATE: Skipping tactic 0 due to insufficient memory on requested size of"
    " 2688 detected for tactic 0x0000000000000000.\n",
    "[W] UNSUPPORTED_STATESkipping tactic 0 due to insufficient memory on requested size of 9\n",
    "[W] [TRT] Skipping tactic 2 due to insuficient memory on requested size of 8026 detected for"
    " tactic 60.\r\n",
    "[W] Skipping tactic 3 due to oom error on requested size of 1248 detected for tactic 4.\n",
    f"{TV}Tactic: 0x0000000000000001 skipped. Scratch requested: 9, available: 1\n",
)
LISTED = record("Myelin", "a")


@pytest.mark.parametrize("line", SHORT)
def test_tactics_are_skipped_for_memory(line: str) -> None:
    other = timed("a", "CaskConvolution", (7, 0.5))
    found = read(timed("a", "Myelin", between=line + line) + other, LISTED)
    known = facts(found).candidates
    assert (known.tried, known.skipped) == (1, 2)
    assert known.skipped_by == (("Myelin", 2),)
    assert engine_facts(found).tactics_skipped == 2


def test_a_name_skips_nothing() -> None:
    name = (
        "Skipping tactic 0 due to insufficient memory on requested size of 9"
        " Tactic: 1 skipped. Scratch requested: 9, available: 1"
    )
    found = read(timed(name, "Myelin", (7, 0.5), between=SHORT[0]), record("Myelin", name))
    assert facts(found).candidates.skipped == 1
