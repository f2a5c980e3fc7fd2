"""Numbers of tensors: those of a file, and losses that trtexec of TensorRT 11 prints.

The log is made from the texts of trtexec's source; the files are in the forms that Polygraphy
0.53.6 saved of invented arrays.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.cli import main
from fuzz import budget

LOG = FIXTURES / "facts" / "11-accuracy.log"


def written(folder: Path, value: object) -> Path:
    (folder / "stats.json").write_text(json.dumps(value), "utf-8")
    return folder / "stats.json"


def numbers(log: Path, file: Path) -> list[dict[str, dict[str, float]] | None]:
    """Of each layer, as the JSON has them."""
    from engine_layer_visualize.writers import render

    (engine,) = elv.read(log, numbers=file).engines
    return [layer["numbers"] for layer in json.loads(render(engine, "json"))["layers"]]


def array(descr: str, code: str, *values: float) -> dict[str, Any]:
    """As Polygraphy saves an array."""
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len(values)},), }}".encode()
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head
    data += struct.pack(f"<{len(values)}{code}", *values)
    inside = {"array": base64.b64encode(data).decode(), "polygraphy_class": "ndarray"}
    return {"values": inside, "polygraphy_class": "LazyArray"}


def compared(*iterations: dict[str, Any]) -> dict[str, Any]:
    """As `--save-accuracy-results` saves the iterations of two runners."""
    one = {"lst": [[["trt", "onnxrt"], list(iterations)]], "polygraphy_class": "AccuracyResult"}
    return {"lst": [one], "polygraphy_class": "AccuracyResults"}


def difference(largest: float, passed: bool) -> dict[str, Any]:
    return {
        **{"max_absdiff": largest, "mean_absdiff": largest / 2, "quantile_absdiff": None},
        "thresholds": {"check_error_stat": "elemwise", "atol": 0.01, "rtol": 0.01},
        "passed": passed,
        "polygraphy_class": "OutputCompareResult",
    }


def test_losses_in_the_log(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (engine,) = elv.read(LOG).engines
    assert engine.facts is not None
    wing, tail = engine.facts.accuracy
    assert wing == ("wing", "L0", 0.01, 0.005, True, 25)
    assert tail[:5] == ("tail (long)", "L0", 0.001, 0.005, False)
    told = {option.key: option.value for option in engine.facts.options}
    assert told["RefOutputs"] == "wing:wing.bin" and told["Relative Tolerance (rtol)"] == "0.001"
    assert main(["summary", str(LOG)]) == 0
    words = " ".join(capsys.readouterr().out.split())
    said = "Accuracy: 1 of 2 compared tensors failed; the worst is `wing` of layer 0, L0 0.01"
    assert f"{said}, threshold 0.005." in words
    assert main(["-o", str(tmp_path), "-f", "json,svg,html", "--log_file", str(LOG)]) == 0
    layers = json.loads((tmp_path / "EngineLayers_0.json").read_text("utf-8"))["layers"]
    assert layers[0]["numbers"] == {"wing": {"loss (L0)": 0.01}}
    for format in ("svg", "html"):
        assert "loss (L0) 0.01" in (tmp_path / f"EngineLayers_0.{format}").read_text("utf-8")


def test_a_threshold_that_only_the_options_tell(tmp_path: Path) -> None:
    text = LOG.read_text("utf-8").replace(" [FAIL: >= threshold 0.005]", "")
    (tmp_path / "b.log").write_text(text, "utf-8")
    (engine,) = elv.read(tmp_path / "b.log").engines
    assert engine.facts is not None
    assert engine.facts.accuracy[0][3:5] == (0.005, None)


def test_statistics_stand_at_the_layer_that_writes_the_tensor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, {"egg": {"min": 0, "max": 9}, "wing": {"min": -1.5, "max": 3}})
    assert numbers(LOG, file) == [
        {"wing": {"min": -1.5, "max": 3, "loss (L0)": 0.01}},
        {"tail (long)": {"loss (L0)": 0.001}},
    ]
    args = ["table", "--tables", "tensors", "--log_file", str(LOG), "--numbers", str(file)]
    assert main([*args, "-f", "jsonl", "-o", str(tmp_path / "tables")]) == 0
    (table,) = (tmp_path / "tables").glob("*tensors*")
    rows = [json.loads(row) for row in table.read_text("utf-8").split("\n") if row]
    of_input = next(row for row in rows if row["name"] == "egg")
    assert of_input["numbers"] == [{"name": "min", "value": 0}, {"name": "max", "value": 9}]


def test_differences_that_polygraphy_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = {"wing": difference(0.001, True), "tail (long)": difference(0.002, True)}
    second = {"wing": difference(0.5, False), "tail (long)": False}  # of another shape
    file = written(tmp_path, compared(first, second))
    text = "\n".join(row for row in LOG.read_text("utf-8").split("\n") if "ccuracy" not in row)
    (tmp_path / "b.log").write_text(text, "utf-8")
    wing, tail = numbers(tmp_path / "b.log", file)
    assert wing == {"wing": {"max_absdiff": 0.5, "mean_absdiff": 0.25}}
    assert tail == {"tail (long)": {"max_absdiff": 0.002, "mean_absdiff": 0.001}}
    assert main(["summary", str(tmp_path / "b.log"), "--numbers", str(file)]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert (
        "1 of 2 compared tensors failed; the worst is `wing` of layer 0, max_absdiff 0.5" in words
    )


def test_the_least_likeness_is_the_worst(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def likeness(value: float) -> dict[str, Any]:
        return {"cosine_similarity": value, "thresholds": {"threshold": 0.99}, "passed": False}

    file = written(tmp_path, compared({"wing": likeness(0.9), "tail (long)": likeness(-0.5)}))
    text = "\n".join(row for row in LOG.read_text("utf-8").split("\n") if "ccuracy" not in row)
    (tmp_path / "b.log").write_text(text, "utf-8")
    assert main(["summary", str(tmp_path / "b.log"), "--numbers", str(file)]) == 0
    assert "`tail (long)` of layer 1, cosine_similarity -0.5, threshold 0.99" in " ".join(
        capsys.readouterr().out.split()
    )


def test_outputs_that_polygraphy_saved(tmp_path: Path) -> None:
    outputs = {
        "wing": array("<f4", "f", -2.0, 1.0, 4.0, float("nan")),
        "tail (long)": array("<f2", "e", 1.5, 2.5),
    }
    runs = [["trt", [{"outputs": outputs, "runtime": 0.1, "polygraphy_class": "IterationResult"}]]]
    file = written(tmp_path, {"lst": runs, "polygraphy_class": "RunResults"})
    (wing, tail) = (each or {} for each in numbers(LOG, file))
    assert wing["wing"] == {"min": -2, "max": 4, "mean": 1, "not finite": 1, "loss (L0)": 0.01}
    assert tail["tail (long)"]["mean"] == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"wing": {"min": 1', "not JSON"),
        ("[]", "no object with the numbers"),
        ("{}", "no number of any tensor"),
        ('{"wing": {"min": "low"}}', "no number of any tensor"),
        ('{"_N0": [null, true]}', "a replay of `polygraphy debug`"),
        ('{"polygraphy_class": "FormattedArray"}', "Polygraphy's 'FormattedArray'"),
        ('{"lst": [["trt", [3]]], "polygraphy_class": "RunResults"}', "no number of any tensor"),
        ('{"lst": 3, "polygraphy_class": "AccuracyResults"}', "no number of any tensor"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_bad_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (tmp_path / "s.json").write_text(text, "utf-8")
    args = ["-o", str(tmp_path), "--log_file", str(LOG), "--numbers", str(tmp_path / "s.json")]
    assert main(args) == 1
    told = capsys.readouterr().err
    assert "ELV212" in told and said in told


def test_a_broken_array_costs_only_itself(tmp_path: Path) -> None:
    outputs = {
        "wing": {"values": {"array": "%%%%", "polygraphy_class": "ndarray"}},
        "tail (long)": array("<f4", "f", 1.0),
    }
    file = written(
        tmp_path, {"lst": [["trt", [{"outputs": outputs}]]], "polygraphy_class": "RunResults"}
    )
    build = elv.read(LOG, numbers=file)
    (told,) = (one for one in build.problems if one.code == "ELV213")
    assert "1 of 2 tensors have no number" in told.message


def test_numbers_of_other_tensors_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, {name: {"max": 1.0} for name in ("wing", "a", "b", "c", "d")})
    assert main(["summary", str(LOG), "--numbers", str(file)]) == 0
    assert "4 of 5 tensors are of no layer: `a`, `b`, `c` and 1 more" in capsys.readouterr().err


@pytest.mark.slow
def upgraded(*words: str | Path, format: str = "text") -> int:
    logs = (FIXTURES / "comparison" / f"{name}.log" for name in ("fp16", "int8"))
    return main(["compare", *map(str, (*logs, *words)), "--upgrade", "--format", format])


def test_suspects_of_an_upgrade_whose_tensors_failed_come_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stem, end = "/stem/Relu_output_0", "/block2/relu_1/Relu_output_0"
    found = compared({stem: difference(0.5, False), end: difference(0.002, True)})
    words = ("--numbers", written(tmp_path, found))
    assert upgraded(*words, format="json") == 0
    (only,) = json.loads(capsys.readouterr().out)["comparisons"]
    first, *others = only["upgrade"]["suspects"]
    assert first["onnx_nodes"][0] == "/stem/Conv" and first["ms_b"] < first["ms_a"]
    assert first["accuracy"] == {
        **{"tensor": stem, "algorithm": "max_absdiff", "loss": 0.5, "threshold": 0.01},
        **{"failed": True, "line": None},
    }
    assert first["numbers"] == {stem: {"max_absdiff": 0.5, "mean_absdiff": 0.25}}
    said = {one["what"]: one["accuracy"] for one in others}
    assert said["fusion"]["tensor"] == end and said["kernel"] is None
    assert upgraded(*words, "--width", "150") == 0
    text = capsys.readouterr().out
    assert f"numbers in B: failed: {stem}, max_absdiff 0.5, threshold 0.01" in text
    assert "those first of which a tensor failed in B, then those that take the most" in text
    assert upgraded(*words, format="markdown") == 0
    cell = f"passed: `{end}`, max_absdiff 0.002, threshold 0.01"
    assert cell in capsys.readouterr().out


def test_statistics_stand_beside_suspects_where_nothing_was_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = "/stem/Relu_output_0", "/block1/relu/Relu_output_0"
    file = written(tmp_path, {good: {"min": 0, "max": 2}, bad: {"min": 0, "not finite": 3}})
    assert upgraded("--numbers", file, format="markdown") == 0
    text = capsys.readouterr().out
    assert f"`{bad}`, min 0, not finite 3; 1 more" in text
    assert "those first that take the most more time in B" in text


def test_numbers_belong_to_one_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, {"y": {"min": 0}})
    with pytest.raises(SystemExit):
        upgraded("--numbers", file, "--numbers", file)
    assert f"int8.log has {file} already" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["compare", "--numbers", str(file), str(LOG), str(LOG)])
    assert "numbers of tensors belong to the log before it" in capsys.readouterr().err


@pytest.mark.parametrize("limit", ["", " [FAIL: >= threshold 0.005]"])
def test_a_loss_that_reformats_carry_is_of_the_layer_before_them(
    tmp_path: Path, limit: str
) -> None:
    """Of outputs that a reformat writes; a failure without a number is the worst."""
    text = (FIXTURES / "comparison" / "int8.log").read_text("utf-8")
    gemm = "/head/fc/Gemm_output_0"
    copy = "Layer(Reformat): Reformatting CopyNode for Output Tensor 0 to /head/fc/Gemm, "
    copy += f"Tactic: 0x0, between (Float[1,10,1,1]) -> {gemm} (Float[1,10,1,1])\n"
    lines = text.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if f"-> {gemm} (" in line)
    lines[at] = lines[at].replace(f"-> {gemm} (", "-> between (")
    log = tmp_path / "b.log"
    log.write_text("".join([*lines[: at + 1], copy, *lines[at + 1 :]]), "utf-8")
    log.write_text(
        log.read_text("utf-8").replace(
            "&&&& PASSED",
            f"[I] Accuracy loss for tensor {gemm} (L0): "
            f"nan{limit}\n[I] Accuracy loss for tensor {gemm} (L1): 0.5{limit}\n&&&& PASSED",
        ),
        "utf-8",
    )
    both = [elv.read(path).engines[0] for path in (FIXTURES / "comparison" / "fp16.log", log)]
    facts = both[1].facts
    assert facts is not None and [one.loss for one in facts.accuracy] == [None, 0.5]
    found = elv.compare(both[0], both[1], upgrade=True).suspects
    assert found is not None
    (suspect,) = (one for one in found if one.accuracy is not None)
    assert suspect.operators == ("Gemm",) and suspect.numbers[gemm] == {"loss (L1)": 0.5}
    assert suspect.failed is bool(limit) and (found[0] is suspect)
    assert suspect.accuracy is not None
    assert suspect.accuracy.loss == (None if limit else 0.5)


def test_many_tensors_take_linear_time(tmp_path: Path) -> None:
    def prepared(size: int) -> Callable[[], object]:
        file = written(tmp_path, {f"t{i}": {"min": -i, "max": i} for i in range(size)})
        return partial(elv.read, LOG, numbers=file)

    budget.linear(prepared, 50_000, 400_000)
