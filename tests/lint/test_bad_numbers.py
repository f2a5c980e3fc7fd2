"""Logs of which nothing can be computed: what is unknown is called so, and JSON stays JSON."""

import json
from pathlib import Path
from typing import Any

import logtext
import pytest
from logtext import HEADER
from program import Printed, Program

PRODUCT = "Layer(MatrixMultiply): fc, Tactic: 0x1, a[Half({0})], w[Half({0})] -> y[Half({0})]"
KEYS = ", TacticName: k, StreamId: 0, Metadata: "
DETAILED = logtext.detailed("fc", "x", "y", "CaskConvolution", KEYS, dims="{0}")


def log(
    record: str = PRODUCT, dims: str = "64,64", device: dict[str, str | None] | None = None
) -> str:
    head = HEADER if record is PRODUCT else "[TRT] [V] Layers:\n"
    told = record.replace("{0}", dims)
    known = logtext.device({**logtext.DEVICE, **(device or {})})
    return f"{logtext.RUNNING}{known}{head}{told}\n"


def strict(text: str) -> Any:
    """Raises ValueError for NaN and Infinity."""

    def constant(word: str) -> None:
        raise ValueError(word)

    return json.loads(text, parse_constant=constant)


def documents(text: str, folder: Path, printed: Printed) -> list[Any]:
    """What each command says of the log as JSON, with times."""
    (folder / "build.log").write_text(text)
    (folder / "prof.txt").write_text("fc: 0.02ms\n")
    files = [str(folder / "build.log"), str(folder / "prof.txt")]
    commands = (["summary", *files], ["lint", *files], ["compare", *files, *files])
    found = [strict(printed(*words, "--format", "json")) for words in commands]
    said = printed("summary", *files).split()
    assert "nan" not in said and "inf" not in said
    printed(*files, "-f", "json,svg,html", "-o", folder)
    return [*found, strict((folder / "EngineLayers_0.json").read_text())]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (log(dims="-1,-1"), "an extent is symbolic or unknown"),
        (log(dims=""), "its record does not give the extents of a product"),
        (log(DETAILED, "1,64,56,56"), "the listing gives no kernel size"),
        (log(DETAILED, "-1,-1,-1,-1"), "an extent is symbolic or unknown"),
    ],
)
def test_untold_work_is_unknown(text: str, why: str, tmp_path: Path, printed: Printed) -> None:
    summary, *_, drawn = documents(text, tmp_path, printed)
    done = summary["engines"][0]["work"]
    assert (done["macs"], done["layers_unknown"], done["bound_ms"]) == (None, 1, None)
    assert [one["why"] for one in done["reasons"]] == [why]
    work = drawn["layers"][0]["work"]
    assert (work["macs"], work["bound_ms"], work["efficiency"]) == (None, None, None)
    assert work["unknown"] == why


SPEED: Any = ({}, 1000.0, 64**3, "the device's peak in Half is not known")
BANDWIDTH: Any = (204.8, None, None, "the memory bandwidth of the device is not known")


@pytest.mark.parametrize("value", ["0", "-1", "1e30", "1e+400", "1" + "0" * 40, "nan", "x", None])
@pytest.mark.parametrize(
    ("key", "told"),
    [
        *(("SMs", SPEED), ("Compute Clock Rate", SPEED)),
        *(("Memory Bus Width", BANDWIDTH), ("Memory Clock Rate", BANDWIDTH)),
    ],
)
def test_a_device_without_a_number_has_no_bounds(
    key: str, told: Any, value: str | None, tmp_path: Path, printed: Printed
) -> None:
    summary, *_, drawn = documents(log(device={key: value}), tmp_path, printed)
    tflops, bandwidth, macs, why = told
    peak, work = summary["engines"][0]["work"]["peak"], drawn["layers"][0]["work"]
    assert peak["bandwidth_gbs"] == bandwidth and work["bound_ms"] is None
    assert (peak["tflops"] and peak["tflops"]["fp16"]) == (tflops and pytest.approx(tflops))
    assert work["unknown"] == why and (macs is None or work["macs"] == macs)


@pytest.mark.parametrize("capability", ["99.9", "x", None])
def test_an_unknown_device(capability: str | None, tmp_path: Path, printed: Printed) -> None:
    """It has intensities alone."""
    text = log(device={"Compute Capability": capability})
    summary, *_, drawn = documents(text, tmp_path, printed)
    assert summary["engines"][0]["work"]["peak"] is None
    work = drawn["layers"][0]["work"]
    assert work["bound_ms"] is None and work["intensity"] == pytest.approx(2 * 64**3 / 24_576)


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "1e300", "1e-300", "", "x"])
@pytest.mark.parametrize("key", ["bw", "fp16"])
def test_a_peak_that_is_no_number(key: str, value: str, tmp_path: Path, here: Program) -> None:
    (tmp_path / "build.log").write_text(log())
    done = here("summary", tmp_path / "build.log", "--peak", f"{key}={value}", code=2)
    assert f"{key}: no number from" in done.stderr
