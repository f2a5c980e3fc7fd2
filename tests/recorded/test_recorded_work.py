"""The work of real engines: published numbers to the last digit, and no layer beats its bound."""

from pathlib import Path

import pytest
from paths import recorded
from recorded_logs import engine as engine_of

from engine_layer_visualize.analysis import peaks
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.work import work
from engine_layer_visualize.api.read import read
from engine_layer_visualize.linting import findings_of, subject

A100 = "fp32=19.5,tf32=156,fp16=312,bf16=312,int8=624,bw=1555"
RTX_3080 = "fp32=30.3,tf32=30.3,fp16=121,int8=242,bw=760"


PUBLISHED = {
    "141": 4_089_184_256,  # ResNet-50
    **dict.fromkeys(("131", "132"), 15_470_264_320),  # VGG-16
    **dict.fromkeys(("149", "165"), 714_188_480),  # AlexNet
    "079": 58_050_347_008,  # ResNet-18, 32 pictures
}


@pytest.mark.parametrize(("number", "macs"), PUBLISHED.items())
def test_published_numbers(number: str, macs: int) -> None:
    found = engine_of(number).work
    assert (found.macs, found.layers_unknown) == (macs, 0)


@pytest.mark.parametrize("number", ["020", "038", "033", "066"])
def test_numbers_at_the_shapes_that_the_log_tells(number: str) -> None:
    work = engine_of(number).work
    found = work.macs, work.of_times, [one.shape for one in work.at]
    if number == "066":  # the build's shapes are not in the log
        assert found == (85_901_443_072, False, [(32, 256, 1)])
    else:
        assert found == (55_535_616, True, [(4, 1, 28, 28)])


@pytest.mark.parametrize("number", ["125", "128", "131", "143"])
def test_onnx_lines_tell_what_a_detailed_listing_does(number: str, tmp_path: Path) -> None:
    """Of the same build: the log ends with the detailed listing, which is cut off."""
    classic, cut, _ = recorded(number, ".log").read_bytes().partition(b"[I] Layers:\n")
    assert cut
    log = tmp_path / "build.log"
    log.write_bytes(classic)
    (engine,) = read(log, facts=True).engines
    detailed = engine_of(number)
    assert (engine.dialect, detailed.dialect) == ("classic", "detailed")
    macs = [[one.macs for one in found.work.layers.values()] for found in (engine, detailed)]
    assert macs[0] == macs[1]
    assert all(one.bytes is not None for one in engine.work.layers.values())


PEAKS = {
    **dict.fromkeys(("079", "101", "141", "149"), A100),
    **dict.fromkeys(("126", "129", "132"), RTX_3080),
    **dict.fromkeys(("128", "131", "143", "147"), None),  # these name their device
    "134": None,  # by the ONNX lines alone
}


@pytest.mark.parametrize(("number", "peak"), PEAKS.items())
def test_no_layer_beats_its_bound(number: str, peak: str | None) -> None:
    engine = engine_of(number)
    found = work(Costs(engine, peak=peaks.parse(peak)))
    bounds = [(one.efficiency, engine.layers[at].name) for at, one in found.layers.items()]
    known = [(value, name) for value, name in bounds if value is not None]
    assert known
    assert [name for value, name in known if value > 1] == []


@pytest.mark.parametrize(("number", "small"), [("101", 1), ("141", 1), ("132", 0)])
def test_an_engine_of_small_layers_is_told(number: str, small: int) -> None:
    """The first two take 29 and 13 times their bounds, and no layer of them stands out."""
    costs = Costs(engine_of(number), peak=peaks.parse(A100))
    found = [one for one in findings_of(subject.Subject(costs)) if one.code == "H07"]
    assert [one.layers for one in found] == [()] * small  # it is about the whole engine
