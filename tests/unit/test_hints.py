"""What is said where there is no listing, by the version and the program that made the log."""

from __future__ import annotations

from pathlib import Path

import pytest
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.commands.cli import main
from engine_layer_visualize.core.problems import ReadError

LOADED = "&&&& RUNNING TensorRT.trtexec [TensorRT v{}] # trtexec --loadEngine=a.engine\n"


def refused(path: Path) -> ReadError:
    with pytest.raises(ReadError) as caught:
        elv.read(path)
    return caught.value


def test_an_option_that_the_version_lacks_is_told_and_not_advised() -> None:
    error = refused(FIXTURES / "cases" / "14-option-that-this-version-lacks.txt")
    assert "Unknown option: --exportLayerInfo h.layers.json" in error.problem.message
    assert "trtexec 8.0.1 has no --exportLayerInfo (8.2.1 is the first)" in error.hint
    assert "give the file" not in error.hint


def test_a_version_that_has_the_option_is_advised_to_use_it(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(LOADED.format(8601))
    assert "--loadEngine=… --exportLayerInfo=FILE`" in refused(path).hint


def test_what_torch_tensorrt_built_is_no_loaded_engine() -> None:
    error = refused(FIXTURES / "cases" / "18-engine-built-by-torch-tensorrt.txt")
    assert "the build succeeded (line 2)" in error.problem.message
    assert "TypeError: a size is not known" in error.problem.message
    assert "loaded" not in error.problem.message
    assert "torch_tensorrt.logging.debug()" in error.hint and "trtexec" not in error.hint


def test_of_tensorrt_rtx_no_trtexec_is_advised(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    head = "[engine_layer_visualize] builder: tensorrt_rtx 1.7.1.116\n"
    path.write_text(f"{head}[I] [TRT] Loaded engine size: 1\n")
    assert "trtexec" not in refused(path).hint


@pytest.mark.parametrize(
    ("last", "is_killed"),
    [("trtexec: cask.cpp:12: f: Assertion `stride > 0' failed.\n", False), ("Killed\n", True)],
)
def test_memory_is_looked_at_only_where_nothing_names_the_cause(
    tmp_path: Path, last: str, is_killed: bool
) -> None:
    path = tmp_path / "a.log"
    head = LOADED.format(8601).replace("--loadEngine=a.engine", "--onnx=a.onnx --verbose")
    path.write_text(f"{head}[01/01/2024-10:00:00] [V] [TRT] Applying generic optimizations\n{last}")
    assert ("look at the memory" in refused(path).hint) == is_killed


def test_a_report_of_tensorrt_rtx_names_no_trtexec(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.log"
    log = (FIXTURES / "detailed/rtx-io-tensors.log").read_text("utf-8")
    path.write_text(f"[engine_layer_visualize] builder: tensorrt_rtx 1.7.1.116\n{log}", "utf-8")
    for command in ("summary", "lint"):
        main([command, str(path)])
        assert "trtexec" not in capsys.readouterr().out
