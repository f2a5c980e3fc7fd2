"""Lines of a log: what tells them, samples of each, in any pieces, and those passed over."""

import gzip
from importlib import import_module
from pathlib import Path

import pytest
from factories import engine_in_pieces, engines_of, layer_facts
from logtext import HEADER, detailed, file_of, pieces
from paths import fixture_logs
from program import Patch
from sample_lines import PATTERNS

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.io import source
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading import blocks, build_context
from engine_layer_visualize.reading.scanner import scan


def test_a_pattern_matches_its_sample_lines() -> None:
    for module, name, samples in PATTERNS:
        pattern = getattr(import_module(module), name)
        assert samples, (module, name)
        for sample in samples:
            line = sample if isinstance(pattern.pattern, str) else sample.encode()
            assert pattern.search(line) is not None, (module, name, sample)


# ---- however a log comes in pieces, it says the same: each of these said something else once -----


LOGS = [p for p in fixture_logs() if p.suffix in (".log", ".json") and p.stat().st_size < 40_000]

LISTING = HEADER + "Layer(CaskConvolution): a, Tactic: 0x7, x (Float[1]) -> y (Float[1])\n"
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
    network = "[V] Adding network input: x with dtype: float32, dimensions: (1)\n"
    network += "[V] Marking y as output: y\n"
    later = "[V] Marking z as output: z\n"
    assert engine_in_pieces(network + RUNNER + FASTEST + later + LISTING).outputs == ("y",)
    assert engine_in_pieces(network + later + RUNNER + FASTEST + LISTING).outputs == ("y", "z")


def candidates(text: str) -> tuple[int, int]:
    """What was tried and skipped, by the counts of the one layer."""
    (layer,) = engine_in_pieces(text + LISTING).layers
    found = layer_facts(layer).candidates
    assert found.tried is not None and found.skipped is not None
    return found.tried, found.skipped


def test_what_is_timed_after_the_fastest_is_timed_for_nobody() -> None:
    tactic = "[V] [TRT] Tactic: 0x7 Time: 0.1\n"
    skipped = "[V] [TRT] Tactic: 0x8 skipped. Scratch requested: 9, available: 0\n"
    assert candidates(RUNNER + tactic + skipped + FASTEST + CHOSE) == (1, 1)
    again = tactic + skipped + FASTEST
    assert candidates(RUNNER + tactic + FASTEST + CHOSE + again) == (1, 0)


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
    record = detailed(name, "x", tensor, "kgen", ", TacticName: k, StreamId: 0")
    data = (LISTING + "[V] [TRT] words\n" * 40 + record + "\n").encode()
    whole, *others = (engines_of(pieces(data, size), facts=True) for size in (len(data), 50, 7))
    assert [[layer.name for layer in one.layers] for one in whole] == [["a"], [name]]
    assert whole[1].layers[0].outputs[0].name == tensor
    assert others == [whole, whole]


def test_the_last_version_counts() -> None:
    """A run that failed stands before it in the log."""
    runs = "&&&& RUNNING [TensorRT v8502] # trtexec\n", "&&&& RUNNING [TensorRT v8601] # trtexec\n"
    assert engine_in_pieces("".join(runs) + LISTING).tensorrt == "8.6.1"
    named = f"{runs[1]}[I] TensorRT version: 10.7.0\nTensorRT verbose, tensorrt_builder: x\n"
    assert engine_in_pieces(named + LISTING).tensorrt == "10.7.0"
    library = "[V] libnvinfer_plugin.so.8.4.3 loaded\n"
    assert engine_in_pieces(library + runs[0] + library + LISTING).tensorrt == "8.5.2"
    assert engine_in_pieces(library + LISTING).tensorrt == "8.4.3"


# ---- what is passed over in a large log, and found all the same; on small ones -------------------


LAYERS = 300
KERNEL_BASE = 0x7000_0000_0000_0000


def a_log() -> bytes:
    """One build: network, timings of many layers, a reformat, the listing of every tenth layer."""
    lines = ["[V] [TRT] Adding network input: pixels with dtype: float32, dimensions: (1, 8)"]
    lines += ["[V] [TRT] Marking score_0 as output: score"]
    for number in range(LAYERS):
        lines += [
            f"[V] [TRT] --------------- Timing Runner: dense_{number} (CaskConvolution)",
            f"[V] [TRT] dense_{number} Set Tactic Name: kernel_{number} Tactic: {tactic(number)}",
            f"[V] [TRT] Tactic: {tactic(number)} Time: 0.25",
        ]
    lines += [
        "[V] [TRT] Adding reformat layer: Reformatted Input Tensor 0 to dense_0 (pixels)"
        " from Float(8,1) to Half(8,1)",
        "[V] [TRT] Engine Layer Information:",
        "Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to dense_0, Tactic: 1002,"
        " pixels[Float(1,8)] -> Reformatted Input Tensor 0 to dense_0[Half(1,8)]",
    ]
    tensor = "Reformatted Input Tensor 0 to dense_0"
    for number in range(0, LAYERS, 10):
        result = "score" if number + 10 >= LAYERS else f"t{number}"
        words = f"{tensor}[Half(1,8)] -> {result}[Half(1,8)]"
        lines.append(f"Layer(CaskConvolution): dense_{number}, Tactic: {tactic(number)}, {words}")
        tensor = result
    return ("\n".join(lines) + "\n").encode()


def tactic(number: int) -> int:
    return KERNEL_BASE + number


def check(engine: Engine) -> None:
    layers = engine.layers[1:]
    assert len(layers) == LAYERS // 10
    assert [layer.kernel for layer in layers] == [f"kernel_{n}" for n in range(0, LAYERS, 10)]
    assert (engine.inputs, engine.outputs) == (("pixels",), ("score",))
    changes = ("ReformatFrom", "Float(8,1)"), ("ReformatTo", "Half(8,1)")
    assert {*engine.layers[0].attributes} == {*changes}
    assert engine.problems == ()


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: Patch) -> None:
    monkeypatch.setattr(source, "CHUNK", 700)
    monkeypatch.setattr(build_context, "WHOLE", 2_000)
    monkeypatch.setattr(build_context, "_STEP_BACK", 300)


def the_engine(log: Log) -> Engine:
    (engine,) = log.engines()
    return engine


def test_a_file_is_looked_through_again_for_kernels(tmp_path: Path) -> None:
    engine = the_engine(Log(file_of(tmp_path, a_log())))
    check(engine)
    lines = a_log().decode().split("\n")
    assert [lines[layer.place.line - 1].split(", Tactic")[0] for layer in engine.layers] == [
        f"Layer({layer.type}): {layer.name}" for layer in engine.layers
    ]


def test_a_part_of_it_was_passed_over(tmp_path: Path) -> None:
    """Else the tests here would test nothing."""
    (found,) = scan(Source(file_of(tmp_path, a_log()))).listings
    passed_over = sum(stretch.end - stretch.begin for stretch in found.context.skipped)
    assert passed_over > len(a_log()) / 2


def test_what_cannot_be_read_again_is_read_at_once(tmp_path: Path) -> None:
    data = a_log()
    check(the_engine(Log("build.log", chunks=pieces(data, 700))))
    check(the_engine(Log(file_of(tmp_path, gzip.compress(data)))))


def test_builds_keep_their_kernels_apart(tmp_path: Path) -> None:
    path = file_of(tmp_path, a_log() + a_log().replace(b"kernel_", b"other_"))
    first, second = Log(path).engines()
    check(first)
    assert [layer.kernel for layer in second.layers[1:3]] == ["other_0", "other_10"]


def test_a_dump_of_names_is_bounded(monkeypatch: Patch) -> None:
    monkeypatch.setattr(blocks, "_MOST_NAMES", 30)
    data = b"Layers:\n" + b"a name\n" * 31 + b"\nBindings:\na\n"
    assert scan(Source(None, chunks=[data])).listings == []
    data = b"Layers:\n" + b"a name\n" * 30 + b"\nBindings:\na\n"
    (found,) = scan(Source(None, chunks=[data])).listings
    assert len(found.bare_names) == 30


def test_a_file_that_is_gone_for_the_second_look(tmp_path: Path) -> None:
    path = file_of(tmp_path, a_log())
    log = Log(path)
    path.unlink()
    with pytest.raises(ReadError, match="ELV401"):
        the_engine(log)


@pytest.mark.parametrize("listed", [0, LAYERS])
def test_a_file_is_looked_through_again_once(listed: int, tmp_path: Path) -> None:
    """Also where a layer's kernel is nowhere in it."""
    words = b"dense_0, Tactic: %d,"
    path = file_of(tmp_path, a_log().replace(words % tactic(0), words % tactic(listed)))
    log = Log(path)
    log.scores([], keep=False)
    path.unlink()
    assert the_engine(log).layers[1].kernel == (None if listed else "kernel_0")


def failed_then_built() -> bytes:
    """A build of `mask` that failed in its timings, and one whose ends have other names."""
    failed = a_log().split(b"[V] [TRT] Adding reformat", 1)[0].replace(b"pixels", b"mask")
    built = a_log().replace(b"score_0 as output: score", b"score_0 as output: s2")
    return failed.replace(b"output: score", b"output: no") + built.replace(b"-> score[", b"-> s2[")


def test_a_network_after_a_failed_build_is_found_where_it_was_passed_over(tmp_path: Path) -> None:
    path = file_of(tmp_path, failed_then_built())
    (listing,) = scan(Source(path)).listings
    assert [names.inputs for names in listing.context.definitions()] == [["mask"]]
    engine = the_engine(Log(path))
    assert (engine.inputs, engine.outputs) == (("pixels",), ("s2",))
    assert [problem.code for problem in engine.problems] == ["ELV415"]


def test_reformats_after_the_last_timing_are_read_with_their_lines(tmp_path: Path) -> None:
    many = b"[V] [TRT] another line of the builder's, of which there are some\n" * 50
    data = a_log().replace(b"[V] [TRT] Engine Layer", many + b"[V] [TRT] Engine Layer")
    path = file_of(tmp_path, data)
    (found,) = scan(Source(path)).listings
    (reformat,) = found.context.reformats.values()
    assert b"Adding reformat layer" in data.split(b"\n")[reformat.line - 1]
    check(the_engine(Log(path)))


def test_a_line_longer_than_a_step_back(tmp_path: Path) -> None:
    long = b"x" * 2_000
    data = a_log().replace(b"[V] [TRT] Adding reformat", long + b" [V] [TRT] Adding reformat")
    check(the_engine(Log(file_of(tmp_path, data))))
