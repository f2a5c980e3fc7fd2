"""What is passed over in a large log, and found all the same; on small ones, with small limits."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from logtext import file_of, pieces

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.io import source
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading import blocks, build_context
from engine_layer_visualize.reading.scanner import scan

LAYERS = 300
KERNEL_BASE = 0x7000_0000_0000_0000


def a_log() -> bytes:
    """One build: network, timings of many layers, a reformat, the listing of every tenth layer."""
    lines = [
        "[V] [TRT] Adding network input: pixels with dtype: float32, dimensions: (1, 8)",
        "[V] [TRT] Marking score_0 as output: score",
    ]
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
    assert dict(engine.layers[0].attributes) == {
        "ReformatFrom": "Float(8,1)",
        "ReformatTo": "Half(8,1)",
    }
    assert engine.problems == ()


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "CHUNK", 700)
    monkeypatch.setattr(build_context, "WHOLE", 2_000)
    monkeypatch.setattr(build_context, "_STEP_BACK", 300)


def the_engine(log: Log) -> Engine:
    (engine,) = log.engines()
    return engine


def test_a_file_is_looked_through_again_for_kernels(tmp_path: Path) -> None:
    log = Log(file_of(tmp_path, a_log()))
    check(the_engine(log))


def test_a_part_of_it_was_passed_over(tmp_path: Path) -> None:
    """Else the tests here would test nothing."""
    (found,) = scan(Source(file_of(tmp_path, a_log()))).listings
    passed_over = sum(stretch.end - stretch.begin for stretch in found.context.skipped)
    assert passed_over > len(a_log()) / 2


def test_what_cannot_be_read_again_is_read_at_once(tmp_path: Path) -> None:
    data = a_log()
    check(the_engine(Log("build.log", chunks=pieces(data, 700))))
    check(the_engine(Log(file_of(tmp_path, gzip.compress(data)))))


def test_the_numbers_of_lines_stay_right(tmp_path: Path) -> None:
    engine = the_engine(Log(file_of(tmp_path, a_log())))
    lines = a_log().decode().split("\n")
    assert [lines[layer.place.line - 1].split(", Tactic")[0] for layer in engine.layers] == [
        f"Layer({layer.type}): {layer.name}" for layer in engine.layers
    ]


def test_builds_keep_their_kernels_apart(tmp_path: Path) -> None:
    path = file_of(tmp_path, a_log() + a_log().replace(b"kernel_", b"other_"))
    first, second = Log(path).engines()
    check(first)
    assert [layer.kernel for layer in second.layers[1:3]] == ["other_0", "other_10"]


def test_a_dump_of_names_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
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


def failed_then_built() -> bytes:
    """A build of `mask` that failed in its timings, and one whose ends have other names."""
    failed = a_log().split(b"[V] [TRT] Adding reformat", 1)[0].replace(b"pixels", b"mask")
    built = a_log().replace(b"score_0 as output: score", b"score_0 as output: s2")
    return failed.replace(b"output: score", b"output: no") + built.replace(b"-> score[", b"-> s2[")


def test_a_network_after_a_failed_build_is_found_where_it_was_passed_over(tmp_path: Path) -> None:
    path = file_of(tmp_path, failed_then_built())
    assert [names.inputs for names in scan(Source(path)).listings[0].context.names] == [["mask"]]
    engine = the_engine(Log(path))
    assert (engine.inputs, engine.outputs, engine.problems) == (("pixels",), ("s2",), ())


def test_reformats_after_the_last_timing_are_read_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "build.log"
    many = b"[V] [TRT] another line of the builder's, of which there are some\n" * 50
    data = a_log().replace(b"[V] [TRT] Engine Layer", many + b"[V] [TRT] Engine Layer")
    path.write_bytes(data)
    (found,) = scan(Source(path)).listings
    (reformat,) = found.context.reformats.values()
    assert b"Adding reformat layer" in data.split(b"\n")[reformat.line - 1]
    check(the_engine(Log(path)))


def test_a_line_longer_than_a_step_back(tmp_path: Path) -> None:
    path = tmp_path / "build.log"
    long = b"x" * 2_000
    data = a_log().replace(b"[V] [TRT] Adding reformat", long + b" [V] [TRT] Adding reformat")
    path.write_bytes(data)
    check(the_engine(Log(path)))
