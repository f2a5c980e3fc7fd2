"""What Python users see: values as text and in a notebook, summaries, findings, wrong arguments."""

import json
import os
import re
import shutil
import typing
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest
from factories import chain
from factories import engine as made
from paths import CENTERNET, FIXTURES, TIMES
from program import Patch, Program
from test_work import convolution, timed

import engine_layer_visualize as elv
from engine_layer_visualize.api.draw import DRAWINGS, REPORTS, named, render
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.drawing.shapes import width
from engine_layer_visualize.page import notebook

RUNS = FIXTURES / "facts" / "8.6-runs.log"
SEVERAL = FIXTURES / "classic" / "8.5-host-prefixes.log"
DETAILED = FIXTURES / "detailed" / "10-build-detailed.log"
BROKEN = FIXTURES / "broken"


# ---- as text -----------------------------------------------------------------------------------


def test_a_value_says_what_it_is(build: elv.Build, centernet: Engine) -> None:
    outline = "54 layers, 69 edges, 54 of 54 timed, 2.596 ms"
    assert str(build) == f"<Build: 1 engine of 8.0-centernet.log, no problems\n  0: {outline}>"
    assert str(centernet) == f"<Engine 0 of 8.0-centernet.log: {outline}>"
    layer = centernet.layers[2]
    assert str(layer) == "<Layer 2, line 16: CudaPooling MaxPool_12>"
    assert str(layer.inputs) == "(<Tensor 267: Int8 1×64×-40×-44>,)"
    time = "average_ms=0.0291848, total_ms=28.0466, percent=1.12436, n=961"
    assert str(layer.time) == f"Timing({time})"
    edges = "69 edges between layers, 73 in all"
    assert str(centernet.graph) == f"<Graph: input → hm, wh, reg; {edges}>"


def test_a_view_says_which_part_it_is(centernet: Engine) -> None:
    shown = "3 of 54 layers shown (--around MaxPool_12 --radius 1), 51 outside, 3 edges cut"
    assert str(elv.part(centernet, around="MaxPool_12", radius=1)) == f"<View of engine 0: {shown}>"
    assert str(elv.part(centernet)) == "<View of engine 0: all 54 layers>"


def test_what_could_not_be_read_is_said() -> None:
    build = elv.read(BROKEN / "unreadable-among-good.log")
    assert "3 errors" in repr(build)
    place = f"{BROKEN}/unreadable-among-good.log:5:21"
    told = f"<Problem {place}: error[ELV101]: layer record without a tactic>"
    assert repr(build.problems[0]) == told
    assert repr(build.engines[0].layers[2]).endswith(", unreadable record>")
    shown = said(page(build))
    assert "3 errors" in shown
    assert str(BROKEN) not in shown, "a notebook is given to others: no folders"


def test_estimates_and_build_info_are_named() -> None:
    build = elv.read(RUNS, facts=True)
    first = build.engines[0]
    assert "  0: 1 layer, 0 edges, ≈ 100 µs, estimated by the builder\n" in repr(build)
    for words in ("precisions=('FP32', 'FP16', 'INT8')", "options=(Option(sect"):
        assert words in repr(first.facts)
    assert "kernel='quay_f16'" in repr(first.layers[0].facts)


def test_only_the_first_engines_of_a_build_are_listed() -> None:
    one = chain("a")
    lines = repr(elv.Build((one,) * 25)).split("\n")
    assert len(lines) == 12
    assert lines[-1] == "  and 15 more>"
    text = said(page(elv.Build((one,) * 1_000)))
    assert "and 990 more" in text and len(text) < 10_000


def values(path: Path) -> Iterator[object]:
    build = elv.read(path, facts=True)
    yield from (build, *build.problems, *build.engines, *elv.findings(build.engines[0]))
    for one in build.engines:
        yield from (elv.part(one), one.graph, one.facts, one.time, one.work)
        for layer in one.layers:
            yield from (layer, layer.facts, layer.time, *layer.inputs, *layer.outputs)


LOGS = [*sorted((FIXTURES / "classic").glob("*.log")), RUNS, DETAILED]


@pytest.mark.parametrize("path", LOGS)
def test_no_value_fills_the_screen(path: Path) -> None:
    shown = [repr(value) for value in values(path)]
    assert len(shown) > 5
    assert max(map(len, shown)) < 1_500
    assert all(text.replace("\n", "").isprintable() for text in shown)


def test_names_of_any_length_are_short_in_a_line() -> None:
    long = chain("x" * 5_000, "\x1b[31m\n" * 900)
    for value in (long, elv.part(long), long.graph, *long.layers, *long.layers[0].inputs):
        assert repr(value).isprintable() and len(repr(value)) < 400


# ---- in a notebook -----------------------------------------------------------------------------


def page(value: Engine | elv.View | elv.Build) -> ElementTree.Element:
    """What a notebook shows, as a reader of XML understands it."""
    return ElementTree.fromstring(value._repr_html_())


def said(root: ElementTree.Element) -> str:
    return " ".join(root.itertext())


def test_words_of_a_notebook_are_as_wide_in_any_font(centernet: Engine) -> None:
    """Its picture has no font of its own: in a wider one words lay over others."""
    texts = page(centernet).findall(".//{http://www.w3.org/2000/svg}text")
    assert len(texts) > 50
    for text in texts:
        bold = text.get("font-weight") == "700"
        wide = width("".join(text.itertext()), float(text.get("font-size", "0")), bold)
        assert float(text.get("textLength", "0")) == pytest.approx(wide, abs=0.1)
        assert text.get("lengthAdjust") == "spacingAndGlyphs"


def test_an_engine_and_a_part_of_it_show_their_picture(centernet: Engine) -> None:
    """Without ids: those of two pictures would be the same, and links lead to the first."""
    assert "deconv_layers.9" in said(page(centernet))
    part = said(page(elv.part(centernet, around=5)))
    assert "8 of 54 layers shown" in part and "deconv_layers.9" not in part
    assert not hasattr(centernet, "_repr_svg_"), "a picture is kept once"
    wide = elv.read(FIXTURES / "classic" / "10-two-profiles-myelin.log").engines[0]
    for one in (centernet, wide):
        assert not [tag for tag in page(one).iter() if {"id", "href"} & set(tag.attrib)]


def test_a_build_shows_its_text_and_a_picture(build: elv.Build) -> None:
    for one in (build, elv.read(SEVERAL)):
        text, picture = page(one)
        assert (text.tag, text.text) == ("pre", repr(one))
        assert picture.tag.endswith("svg")
    assert "deconv_layers.8" in said(page(build))


@pytest.mark.slow
def test_no_notebook_has_a_large_picture(centernet: Engine, monkeypatch: Patch) -> None:
    # Names without digits, all different: nothing repeats, so runs of layers are one box each.
    letters = "".join(chr(ord("a") + i) for i in range(26))
    named = [f"{a}{b}{c}" for a in letters[:12] for b in letters[:12] for c in letters]
    shown = chain(*named)._repr_html_()
    assert shown.count('class="layer"') <= 300 and "3,744 layers in " in shown
    monkeypatch.setattr(notebook, "LARGEST_PICTURE", 10_000)
    assert "too large for a notebook" in centernet._repr_html_()
    assert "<svg" in elv.part(centernet, around="MaxPool_12", radius=0)._repr_html_()


# ---- a summary ---------------------------------------------------------------------------------


@pytest.mark.parametrize("format", tuple(REPORTS))
@pytest.mark.parametrize("log", [SEVERAL, RUNS])
def test_a_summary_is_that_of_the_command(log: Path, format: str, here: Program) -> None:
    words = ["--log_file", log, "--format", format, "--width", "100", "--top", "3"]
    told = here("summary", *words).stdout
    summary = elv.summary(elv.read(log, facts=True), format, width=100, top=3)
    assert str(summary).strip("\n") == told.strip("\n")
    assert repr(summary) == str(summary)


def test_a_summary_has_its_numbers_as_data(centernet: Engine) -> None:
    summary = elv.summary(centernet, top=2)
    (only,) = summary.data["engines"]
    assert only["engine"]["layers"] == 54 and len(only["slowest"]) == 2
    assert summary.data == json.loads(summary.to("json"))


def test_a_notebook_shows_a_summary_as_tables(centernet: Engine) -> None:
    shown = elv.summary(centernet)._repr_markdown_()
    assert shown is not None and "\n### Slowest layers\n\n| time |" in shown
    assert elv.summary(centernet, "json")._repr_markdown_() is None


def test_a_summary_says_that_build_info_was_not_read() -> None:
    """Not that the log has none, which nobody looked for."""
    plain = elv.read(RUNS, facts=False)
    without = str(elv.summary(plain, width=200))
    assert "Build info was not read" in without and "facts=False" in without
    assert "The log has no" not in without and "The log does not say" not in without
    assert "By layer type" in without
    assert "Build info was not read" not in str(elv.summary(elv.read(RUNS)))
    (data, _) = elv.summary(plain).data["engines"]
    needing_facts = "fusions memory autotuning latency sources"
    assert {key for key in data if data[key] is None} == set(needing_facts.split())


# ---- findings ----------------------------------------------------------------------------------


def test_findings_are_given_with_most_to_gain_first(centernet: Engine) -> None:
    found = elv.findings(centernet)
    one = found[0]
    assert one.layers == (39, 41, 43)
    assert one.message.startswith("3 transposed convolutions take ") and one.advice
    assert repr(one).startswith("<Finding H10, layers 39, 41, 43: ")
    # Of each a fifth of what it touches counts.
    assert [(one.code, one.ms is None) for one in found] == [("H10", True), ("H08", True)]


def test_findings_say_that_build_info_was_not_read(recwarn: pytest.WarningsRecorder) -> None:
    """Without it there are fewer, which else looks like a better engine."""
    log = FIXTURES / "facts" / "7.2-two-layers.log"
    whole, plain = (elv.read(log, facts=wanted).engines[0] for wanted in (True, False))
    told = elv.findings(whole)
    assert not recwarn.list
    with pytest.warns(UserWarning, match=r"build info was not read .* more to find"):
        found = elv.findings(plain)
    assert len(found) < len(told)


# ---- of times and peaks that the user chooses --------------------------------------------------


def test_python_takes_the_peaks_of_the_commands() -> None:
    """A listing names no device: bounds come from `peak` alone."""
    one = convolution("2,16,32,32", "2,32,32,32", 3, pad=1)._replace(time=elv.Timing(0.1))
    engine = made(one, graph=elv.Graph((), (), ()), timed=True, facts=elv.EngineFacts())
    assert elv.work(engine).layers[0].bound_ms is None
    assert "H04" not in [one.code for one in elv.findings(engine)]
    peak = "fp16=1,bw=100"
    above = pytest.approx(0.1 - 0.018874, rel=1e-3)
    assert elv.work(engine, peak=peak).layers[0].above_ms == above
    (far,) = (one for one in elv.findings(engine, peak=peak) if one.code == "H04")
    assert (far.ms, far.touches_ms) == (None, 0.1)  # no other layer shows what is reached


def test_python_takes_the_optimisation_profile_of_the_commands() -> None:
    several = [timed(convolution(f"{n},16,32,32", f"{n},32,32,32", 3, pad=1), 0.3) for n in (2, 4)]
    names = "a", "a [profile 1]"
    layers = [one._replace(index=n, name=names[n]) for n, one in enumerate(several)]
    engine = made(*layers, graph=elv.Graph((), (), ()), timed=True, facts=elv.EngineFacts())
    for profile, macs in ((None, 9_437_184), (1, 18_874_368)):
        assert elv.work(engine, optimization_profile=profile).macs == macs
        found = elv.findings(engine, optimization_profile=profile, peak="fp16=1,bw=100")
        (far,) = (one for one in found if one.code == "H04")
        assert far.layers == (profile or 0,)


# ---- wrong arguments ---------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [b"build.log", None, 3, [CENTERNET]], ids=str)
def test_what_is_no_path_is_told_in_one_sentence(wrong: typing.Any) -> None:
    wanted = f"a path is wanted .str or pathlib.Path., not {type(wrong).__name__}"
    with pytest.raises(TypeError, match=wanted):
        elv.read(wrong)
    if isinstance(wrong, bytes):
        for profiles in (wrong, [wrong]):
            with pytest.raises(TypeError, match=wanted):
                elv.read(CENTERNET, profiles=typing.cast("typing.Any", profiles))


Calls = tuple[Callable[..., object], ...]
NUMBERS: Calls = (elv.findings, elv.work, elv.summary)
DRAW: Calls = (partial(elv.draw, path="x.svg"),)
WRONG: list[tuple[Calls, dict[str, typing.Any], str]] = [
    (NUMBERS, {"peak": "fp16=fast"}, "no number"),
    (NUMBERS, {"optimization_profile": 7}, "error[ELV408]: engine 0 has no optimisation profile 7"),
    (NUMBERS[2:], {"format": "yaml"}, "no format 'yaml'; there are text, markdown, json, brief"),
    (NUMBERS[2:], {"top": 0}, "top must be at least 1, not 0"),
    (NUMBERS[2:], {"width": 39}, "width must be at least 40, not 39"),
    (DRAW, {"theme": "drak"}, "no theme 'drak'; did you mean dark? there are light, dark"),
    (DRAW, {"format": "SVG"}, "no format 'SVG'; did you mean svg? there are dot, json, svg"),
]


@pytest.mark.parametrize(("calls", "wrong", "told"), WRONG)
def test_a_wrong_word_is_an_error_at_once(
    centernet: Engine, folder: Path, calls: Calls, wrong: dict[str, typing.Any], told: str
) -> None:
    for call in calls:
        with pytest.raises((ValueError, elv.ReadError), match=re.escape(told)):
            call(centernet, **wrong)
    assert not list(folder.iterdir())


def test_a_name_of_the_command_has_the_command_s_format(centernet: Engine, tmp_path: Path) -> None:
    for format in DRAWINGS:
        if format in ("png", "card"):  # they need a package
            continue
        name = f"EngineLayers_0.{named(format).suffix or format}"
        elv.draw(centernet, tmp_path / name)
        assert (tmp_path / name).read_bytes() == render(centernet, format), format


def test_a_folder_that_is_not_there_is_named(centernet: Engine, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        elv.draw(centernet, tmp_path / "nodir" / "x.svg")
    assert raised.value.filename == str(tmp_path / "nodir")
    assert not list(tmp_path.iterdir())


def test_another_value_is_told(build: elv.Build, centernet: Engine, tmp_path: Path) -> None:
    view = elv.part(centernet, around=5)
    of_build = "not Build; write `build.engines[0]`"
    of_view = "not View; write `view.engine`"

    def draw(value: typing.Any) -> None:
        elv.draw(value, tmp_path / "x.svg")

    calls: list[tuple[typing.Any, typing.Any, str]] = [
        (elv.findings, build, f"an Engine is wanted, {of_build}"),
        (elv.findings, view, f"an Engine is wanted, {of_view}"),
        (elv.work, build, f"an Engine is wanted, {of_build}"),
        (elv.part, build, f"an Engine is wanted, {of_build}"),
        (elv.summary, view, f"an Engine or a Build is wanted, {of_view}"),
        (elv.summary, [centernet], "an Engine or a Build is wanted, not list"),
        (draw, build, f"an Engine or a View is wanted, {of_build}"),
        (partial(elv.gate, centernet), [], "an Engine is wanted, not NoneType"),
        (partial(elv.gate, centernet), [None], "an Engine is wanted, not NoneType"),
        (partial(elv.gate, new=centernet), build, f"an Engine is wanted, {of_build}"),
        (partial(elv.snapshot, path="base.json"), "build.log", "an Engine is wanted, not str"),
    ]
    for call, value, told in calls:
        with pytest.raises(TypeError) as raised:
            call(value)
        assert str(raised.value) == told


def test_values_are_equal_by_what_they_hold(centernet: Engine) -> None:
    (again,) = elv.read(CENTERNET, TIMES).engines
    assert again == centernet and again is not centernet
    assert elv.part(again, around=5) == elv.part(centernet, around=5)
    assert len({centernet.layers[0], again.layers[0], centernet.layers[1]}) == 2


def test_a_build_is_no_sequence(build: elv.Build) -> None:
    with pytest.raises(TypeError, match="not iterable"):
        list(build)  # type: ignore[call-overload]


def test_a_path_is_whatever_the_system_takes(tmp_path: Path, monkeypatch: Patch) -> None:
    shutil.copy(CENTERNET, tmp_path / "a.log")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for entry in os.scandir(tmp_path):
        assert elv.read(entry).engines[0].build_id == elv.read(CENTERNET).engines[0].build_id  # type: ignore[arg-type]


def test_one_engine_needs_no_list() -> None:
    assert [one.index for one in elv.read(SEVERAL, engines=3).engines] == [3]
    assert [one.index for one in elv.iter_engines(SEVERAL, engines=3)] == [3]
