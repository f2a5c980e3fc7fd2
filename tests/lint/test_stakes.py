"""What is at stake is no more than kernels reach, and what several rules see is told once."""

import weakref
from pathlib import Path

import logtext
import pytest
from factories import costs_of
from logtext import HEADER, RUNNING, choices, device, listing_of, measured

from engine_layer_visualize.core.limits import no_collections
from engine_layer_visualize.linting import findings_of, header, seen
from engine_layer_visualize.linting.causes import ranked
from engine_layer_visualize.linting.rules import Finding, Rule, saved
from engine_layer_visualize.linting.selection import Codes, selected
from engine_layer_visualize.linting.subject import Subject

DEVICE = RUNNING + device(logtext.DEVICE)  # 204.8 TFLOPS in Half, 1,000 GB/s
DETAILED = "[07/07/2026-06:12:19] [V] [TRT] Layers:\n"
PADDED = "Channel major FP16 format where channel % 8 == 0"
PLAIN = "Row major linear FP16 format"


def conv(
    name: str, read: int, written: int, form: str = PADDED, side: int = 100, gives: str = ""
) -> str:
    """A convolution of one image; all that have this many channels read the same tensor."""
    before, after = (f"1,{channels},{side},{side}" for channels in (read, written))
    keys = logtext.convolution(written)
    ends = f"x{read}", f"{name}_y"
    kind = "CaskConvolution"
    return logtext.detailed(name, *ends, kind, keys, form, before, after, gives) + "\n"


def found(log: str, folder: Path, code: str, **ms: float) -> list[Finding]:
    """What the rule sees by itself."""
    return seen(Subject(costs_of(log, folder, **ms)), lambda one: one == code)


# ---- padded channels -----------------------------------------------------------------------------


def test_where_the_format_pads_the_model_gains_nothing_by_it(tmp_path: Path) -> None:
    log = DEVICE + DETAILED + conv("c", 64, 20)
    assert not found(log, tmp_path, "H01", c=0.1), "written in 8s: the kernel has 24"
    log = DEVICE + DETAILED + conv("c", 50, 60, PLAIN, gives=PADDED)
    assert "(50 -> 56)" in found(log, tmp_path, "H01", c=0.1)[0].advice


def test_the_zeros_take_no_more_than_the_time_above_the_bound(tmp_path: Path) -> None:
    log = DEVICE + DETAILED + conv("c", 4096, 500, PLAIN)  # at least 200 µs
    (one,) = found(log, tmp_path, "H01", c=1.0)
    assert one.ms == pytest.approx(1 - 500 / 504)
    (one,) = found(log, tmp_path, "H01", c=0.2065)
    assert one.ms == pytest.approx(0.0015), "a kernel's launch takes 5 µs of it"
    assert not found(log, tmp_path, "H01", c=0.2055), "0.5 µs are the timer's noise"


def test_noise_is_no_finding(tmp_path: Path) -> None:
    log = DETAILED + conv("c", 64, 20, PLAIN) + conv("d", 64, 500, PLAIN)
    (one,) = found(log, tmp_path, "H01", c=0.1, d=0.005)
    assert one.layers == (0,) and "20 channels" in one.message
    several = found(log, tmp_path, "H01", c=0.1, d=0.5)
    assert [each.layers for each in several] == [(0,), (1,)]


def test_what_myelin_appends_is_not_the_model_s(tmp_path: Path) -> None:
    def tensor(name: str, dims: str, dtype: str = "Int8") -> str:
        form = "(NHWC) Channel major format"
        return f"[ {{ Name: {name}, Dimensions: [{dims}], Datatype: {dtype}, Format: {form} }}]"

    log = DETAILED + "".join(
        f"Name: {name}, LayerType: {kind}, Inputs: {tensor(*read)}, Constants: {tensor(*held)}, "
        f"Outputs: {tensor(*written)}, TacticName: k, StreamId: 0, Metadata: \n"
        for name, kind, read, held, written in [
            ("m", "kgen", ("a", "1,50,9,9", "Float"), ("k", "1,2,9,9"), ("b", "1,52,9,9")),
            ("c", "correlation", ("b", "1,52,9,9"), ("w", "64,52,1,1"), ("y", "1,64,9,9")),
        ]
    )
    assert not found(log, tmp_path, "H01", m=0.1, c=0.1), "the model's channels are not listed"


# ---- Int8 ----------------------------------------------------------------------------------------


ISLAND = """\
[07/07/2026-06:12:19] [V] [TRT] Engine Layer Information:
Layer(CaskConvolution): c, Tactic: 0x1, x[Half(1,32,8,8)] -> a[Half(1,32,8,8)]
Layer(Reformat): QuantizeLinear_1, Tactic: 0x0, a[Half(1,32,8,8)] -> b[Int8(1,32:32,8,8)]
Layer(CaskConvolution): d, Tactic: 0x1, b[Int8(1,32:32,8,8)] -> g[Int8(1,32:32,8,8)]
Layer(Reformat): DequantizeLinear_2, Tactic: 0x0, g[Int8(1,32:32,8,8)] -> h[Half(1,32,8,8)]
Layer(CaskConvolution): f, Tactic: 0x1, h[Half(1,32,8,8)] -> y[Half(1,32,8,8)]
"""
ISLAND_MS = {"c": 1.0, "QuantizeLinear_1": 0.03, "d": 0.1, "DequantizeLinear_2": 0.02, "f": 1.0}


def test_a_conversion_is_told_once_by_the_rule_that_says_the_most(tmp_path: Path) -> None:
    own = costs_of(ISLAND, tmp_path, **ISLAND_MS)
    told = [one for one in findings_of(Subject(own)) if {1, 3} & {*one.layers}]
    assert [(one.code, one.cause) for one in told] == [("P06", "quantisation-border")]
    assert told[0].message.endswith("and `c`, `f` in Half")
    left = selected(own, Codes(ignore=("P06",))).findings
    assert not [one.code for one in left if 1 in one.layers], "the network's Q/DQ decides it"


def test_a_reformat_at_both_ends_is_told_once_and_never_lost(tmp_path: Path) -> None:
    log = HEADER + "Layer(Reformat): r, Tactic: 0x1, x[Float(1,8,4,4)] -> y[Half(1,8,4,4)]\n"
    own = costs_of(log, tmp_path, r=0.5)
    for ignored, code in (((), "F02"), (("F02",), "F03")):
        left = selected(own, Codes(ignore=ignored)).findings
        assert [one.code for one in left if 0 in one.layers] == [code]


def test_a_finding_keeps_the_layers_that_no_other_rule_tells(tmp_path: Path) -> None:
    log = """\
[07/07/2026-06:12:19] [V] [TRT] Engine Layer Information:
Layer(Scale): c, Tactic: 0x1, x[Half(1,32,8,8)] -> a[Half(1,32,8,8)]
Layer(Reformat): q, Tactic: 0x0, a[Half(1,32,8,8)] -> b[Float(1,32,8,8)]
Layer(CaskConvolution): d, Tactic: 0x1, b[Float(1,32,8,8)] -> y[Float(1,32,8,8)]
Layer(CaskConvolution): e, Tactic: 0x1, x[Half(1,32,8,8)] -> g[Half(1,32,8,8)]
Layer(Reformat): r, Tactic: 0x0, g[Half(1,32,8,8)] -> h[Float(1,32,8,8)]
Layer(CaskConvolution): f, Tactic: 0x1, h[Float(1,32,8,8)] -> z[Float(1,32,8,8)]
"""
    several = findings_of(Subject(costs_of(log, tmp_path, c=1, q=0.25, d=1, e=1, r=0.5, f=1)))
    (one,) = (one for one in several if one.code == "F04")
    assert one.layers == (4,) and one.ms == one.touches_ms == pytest.approx(0.5)
    assert "(1 of its 2 layers in other findings)" in one.message


# ---- lower precisions --------------------------------------------------------------------------


def allowing(precision: str) -> str:
    """What trtexec prints of a build and of the device."""
    options = f"[I] === Build Options ===\n[I] Precision: {precision}\n"
    return RUNNING + options + device(logtext.DEVICE)


@pytest.mark.parametrize(
    ("allowed", "code"), [("FP32", "P15"), ("FP32+INT8", "P15"), ("FP32+FP16", "P01")]
)
def test_fp16_reaches_no_more_than_it_does_now(tmp_path: Path, allowed: str, code: str) -> None:
    known, plain = allowing(allowed) + DETAILED, "Row major linear FP32"
    slow = conv("c", 4096, 512, plain)  # FP16 has twice the speed of TF32
    assert found(known + slow, tmp_path, code, c=1.0)[0].ms == pytest.approx(0.5 - 0.005)
    many = conv("c", 64, 64, plain, side=4000)  # 8.2 GB, in FP16 half of them
    assert found(known + many, tmp_path, code, c=50.0)[0].ms == pytest.approx(25 - 0.005)
    unknown = known.replace("SMs: 100", "SMs: ?").replace("Clock Rate: 1 GHz", "Clock Rate: ?")
    (one,) = found(unknown + slow, tmp_path, code, c=1.0)
    assert one.ms is None


def test_a_reformat_that_stays_saves_the_bytes_that_its_new_type_has_fewer(tmp_path: Path) -> None:
    """An Int8 input is a quarter of a Float one: of five bytes two are left, not half."""
    inside = "Channel major {} format where channel % 4 == 0"
    for fed, own, part in (("FP32", "FP16", 1 / 3), ("FP32", "INT8", 3 / 5), ("FP16", "FP32", 0)):
        before, after = f"Row major linear {fed}", inside.format(own)
        written = conv("r", 8, 8, before, gives=after).replace("CaskConvolution", "Reformat")
        reader = conv("c", 8, 8, after).replace("x8,", "r_y,")
        several = found(DETAILED + written + reader, tmp_path, "F02", r=0.9, c=1.0)
        assert [one.ms for one in several] == ([pytest.approx(0.9 * part)] if part else [])
        assert all("HWC4 stays" in one.advice for one in several)
        short = found(DETAILED + written + reader, tmp_path, "F02", r=0.003, c=1.0)
        assert [one.ms for one in short] == ([None] if part else []), "its launch takes 3 µs"


# ---- the order -----------------------------------------------------------------------------------


def finding(
    code: str, ms: float | None, severity: str = "hint", touches: float | None = None
) -> Finding:
    rule = Rule(code, "x", severity)  # type: ignore[arg-type]
    return Finding(rule, () if touches is None else (0,), ms, "why", "do", touches_ms=touches)


def test_findings_stand_by_what_they_save_or_touch_then_by_their_code(tmp_path: Path) -> None:
    own = costs_of(listing_of("c"), tmp_path, c=10.0)
    several = [
        finding("F04", 0.05, touches=5.0),  # its own evidence shows little
        finding("H07", None)._replace(about=(0,)),
        finding("H04", None, touches=4.0),
        finding("T04", None, "warning")._replace(about=(0,)),
        finding("P15", 1.5, touches=6.0),
    ]
    found = ranked(several, own)
    assert [one.code for one in found] == ["T04", "P15", "H07", "H04", "F04"]
    assert [one.rank for one in found] == [1, 2, 3, 4, 5]
    assert [one.code for one in found if not one.shown] == ["F04"], "less than 1 % of the time"
    brief = costs_of(listing_of("c"), tmp_path, c=0.4)
    short = [finding("F02", 0.007, touches=0.007), finding("F03", 0.009, touches=0.009)]
    found = ranked(short, brief)
    assert [(one.code, one.shown) for one in found] == [("F03", True), ("F02", False)]
    many = ranked([finding("H04", 1.0, touches=1.0) for _ in range(9)], own)
    assert [one.shown for one in many] == [True] * 7 + [False] * 2


# ---- formats -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("half", "told"), [("Half", False), ("Float", True)])
def test_a_type_that_the_builder_chose_stays(tmp_path: Path, half: str, told: bool) -> None:
    """It timed the product in Half, too, or in Float alone. A NoOp in between has no type of its
    own."""
    log = """\
[07/07/2026-06:12:19] [V] [TRT] Engine Layer Information:
Layer(CaskConvolution): b, Tactic: 0x1, x[Half(1,8,4,4)] -> a[Half(1,8,4,4)]
Layer(Reformat): r, Tactic: 0x0, a[Half(1,8,4,4)] -> c[Float(1,8,4,4)]
Layer(NoOp): n, Tactic: 0x0, c[Float(1,8,4,4)] -> d[Float(8,4,4,1)]
Layer(CaskConvolution): e, Tactic: 0x1, d[Float(8,4,4,1)] -> y[Float(8,4,4,1)]
"""
    own, other = "Float(128,16,4,1) -> Float(128,16,4,1)", f"{half}(128,1,32,8)"
    times = choices("e", "CaskConvolution", (own, 0.016), tactic=1)
    times += choices("e", "CaskConvolution", (f"{other} -> {other}", 0.023), tactic=2)
    assert bool(found(times + log, tmp_path, "F04", b=1, r=0.007, e=0.016)) == told


# ---- messages ------------------------------------------------------------------------------------


def test_layers_take_and_save_no_more_than_an_inference(tmp_path: Path) -> None:
    log = (
        HEADER + "Layer(Reformat): r, Tactic: 0x1, x[Float(1,8)] -> a[Half(1,8)]\n"
        "Layer(Reformat): s, Tactic: 0x1, a[Half(1,8)] -> y[Float(1,8)]\n"
    ) + measured(GPU_Compute_Time=1)
    own = costs_of(log, tmp_path, r=0.9, s=0.35)
    several = findings_of(Subject(own))
    assert saved(several) == sum(one.touches_ms or 0.0 for one in several) == pytest.approx(1.0)


def test_a_flood_of_one_warning_hides_no_other(tmp_path: Path) -> None:
    missing = "[W] [TRT] Missing scale and zero-point for tensor t{}, expect fall back to \n"
    listing = HEADER + "Layer(PointWise): p, Tactic: 0x1, t1250[Half(1,8)] -> y[Half(1,8)]\n"
    weak = "[W] [TRT] Weakly-typed networks have been deprecated.\n"
    unstable = "[W] * GPU compute time is unstable, with coefficient of variance = 5.08%.\n"
    said = ("weakly typed", "varies by 5.08 %")
    for number in (90, 1300):
        flood = "".join(map(missing.format, range(number)))
        own = costs_of(flood + weak + listing + unstable, tmp_path)
        notes = " ".join(header.of(Subject(own)))
        assert all(words in notes for words in said)


def test_a_layer_with_more_than_an_inference_is_named_and_scales_none(tmp_path: Path) -> None:

    def taking(inference: float) -> Subject:
        log = listing_of("a", "b", kind="Conv") + measured(GPU_Compute_Time=inference)
        return Subject(costs_of(log, tmp_path, a=2.0, b=0.1)).in_inference

    far = taking(1.0)
    assert [far.ms(layer) for layer in far.layers] == pytest.approx([0.9, 0.1])
    said = " ".join(header.of(Subject(far.shown)))
    assert "Layer 0 `a` may count its first run: measure with --separateProfileRun" in said
    assert "1.10 ms more than an inference. This is left out below." in said
    near = taking(1.89)
    assert near.ms(near.layers[0]) == pytest.approx(1.8)


@pytest.mark.parametrize(("short", "long"), [(99, 9), (100, 100), (100, 9)])
def test_a_hundred_short_layers_are_always_told(tmp_path: Path, short: int, long: int) -> None:
    """They are to be most of the layers."""
    ms = {f"s{n}": 0.005 for n in range(short)} | {f"l{n}": 0.5 for n in range(long)}
    times = costs_of(listing_of(*ms), tmp_path, **ms)
    told = [one.message for one in seen(Subject(times), lambda code: code == "H07")]
    start = "100 of 109 layers take less than 10.0 µs each, 500 µs together, 10.0 % of all"
    assert [text.startswith(start) for text in told] == [True] * ((short, long) == (100, 9))


def test_an_engine_goes_without_a_collection(tmp_path: Path) -> None:
    """Of a log with many engines one is held at a time, with collections off."""
    times = costs_of(listing_of("a"), tmp_path, a=1.0)
    gone = weakref.ref(times)
    with no_collections():
        assert findings_of(Subject(times).in_inference) is not None
        header.of(Subject(times))
        del times
        assert gone() is None
