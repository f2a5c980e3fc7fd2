"""The page as a file: what is in it, what cannot be, and how it is put down."""

import base64
import hashlib
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT
from program import Program
from rendered import page_data

import engine_layer_visualize as elv
from engine_layer_visualize.core.build_info import EngineFacts, Option
from engine_layer_visualize.core.layer_facts import LaunchedKernel, LayerFacts, Memory
from engine_layer_visualize.core.options import Options
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.drawing.theme import DARK, LIGHT, contrast, ink
from engine_layer_visualize.facts.sentences import name as name_of
from engine_layer_visualize.page import html
from engine_layer_visualize.page.data import LAYERS

CLASSIC = ROOT / "fixtures" / "classic"
NASTY = "</script><script>\u2028\u2029\x00\x1b\ud800\u202e<!--&'\"\\ 😀"


def centernet() -> elv.Engine:
    """Without build info: tests give it their own."""
    times = CLASSIC / "8.0-centernet.profile.json"
    [engine] = elv.read(CLASSIC / "8.0-centernet.log", times, facts=False).engines
    return engine


def page(*engines: elv.Engine) -> str:
    return b"".join(html.pieces(engines)).decode("utf-8")


def data_of(engine: elv.Engine, *first: elv.Layer) -> dict[str, Any]:
    """The data of an engine whose first layers are others."""
    layers = (*first, *engine.layers[len(first) :])
    found: dict[str, Any]
    [found] = page_data(page(engine._replace(layers=layers)), "engine-data")
    return dict(found)


def nasty() -> elv.Engine:
    engine = centernet()
    tensor = elv.Tensor(NASTY, NASTY, NASTY, (1,), NASTY, NASTY)
    layer = elv.Layer(
        0, Place(NASTY, 7), NASTY, NASTY, NASTY, (tensor,), (tensor,), NASTY, ((NASTY, [NASTY]),)
    )
    return engine._replace(layers=(layer, *engine.layers[1:]))


def test_the_policy_allows_this_script_and_this_style_and_nothing_else() -> None:
    text = page(centernet())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].replace("&#x27;", "'").split(";"))
    assert rules["default-src"] == "'none'"
    for rule, tag in (("script-src", "script"), ("style-src", "style")):
        [inside] = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"


def test_nothing_is_loaded_from_anywhere() -> None:
    namespace = 'xmlns="http://www.w3.org/2000/svg"'  # of SVG that is exported; nothing fetches it
    text = page(centernet()).replace(namespace, "")
    assert not re.findall(r"https?://|\bsrc=|@import|url\((?!data:font/woff2;base64,)", text)
    assert re.findall(r"<link[^>]*>", text) == ['<link rel="icon" href="data:,">']
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", text)


def test_names_cannot_leave_their_element() -> None:
    text = page(nasty())
    assert text.count("<script") == text.count("</script>") == 4  # look, head, data, script
    data = re.findall(r'<script type="application/[^>]*>(.*?)</script>', text, re.DOTALL)
    assert len(data) == 3
    for each in data:
        assert not set(each) & set("<>&\u2028\u2029\x00\x1b\n")
    [found] = page_data(text, "engine-data")
    assert re.search(r'class="engine-data">[A-Za-z0-9+/=]+</script>', text)  # deflated
    strings, layers = found["strings"], found["layers"]
    for column in ("name", "type", "tactic", "kernel"):
        assert strings[layers[column][0]] == visible(NASTY)
    number, record = layers["attributes"][:2]
    assert number == 0
    assert strings[found["records"][record][0]] == visible(NASTY)
    for column in ("name", "dtype", "dims", "format", "strides"):
        assert strings[found["tensors"][column][layers["in"][0][0]]] == visible(NASTY)


def test_the_data_tells_what_the_engine_is() -> None:
    engine = centernet()
    text = page(engine)
    [head], [found] = page_data(text, "engine-head"), page_data(text, "engine-data")
    assert head["ms"] == engine.time.total_ms
    strings, layers = found["strings"], found["layers"]
    assert [strings[n] for n in layers["name"]] == [layer.name for layer in engine.layers]
    assert layers["line"] == [layer.place.line for layer in engine.layers]
    edges = found["edges"]
    between = {(a, b) for a, b in zip(edges["from"], edges["to"]) if a < head["layers"] > b}
    assert between == {(edge.source, edge.target) for edge in engine.graph.between}
    assert [strings[n] for n in found["ports"]["name"]] == ["input", "hm", "wh", "reg"]


def test_every_fill_has_its_ink() -> None:
    [look] = page_data(page(centernet()), "look")
    assert look["quiet"] == ["constant", "hidden", "reformat"]
    for name, theme in (("light", LIGHT), ("dark", DARK)):
        one = look[name]
        marks = [mark[2] for mark in one["marks"].values()]
        fills = {*one["heat"], *one["fills"]["types"], *one["fills"]["precisions"], *marks}
        assert one["inks"] == {fill: ink(fill, theme) for fill in fills}
        assert all(contrast(color, fill) >= 4.5 for fill, color in one["inks"].items())
        explained = {kind for kind, mark in one["marks"].items() if mark[0]}
        assert explained == set(theme.marks) - {"layer", "port", "constant"}


def test_facts_are_words_with_units() -> None:
    (engine,) = elv.read(ROOT / "fixtures" / "facts" / "7.2-two-layers.log").engines
    [found] = page_data(page(engine), "engine-data")
    told = [found["strings"][n] for n in found["layers"]["facts"][0]]
    words = dict(zip(told[::2], told[1::2]))
    assert words["autotuning"] == "2 tactics timed, 1 skipped for lack of memory"
    formats = "(CaskConvolution), Float(1,8,64,192) -> Float(1,8,64,256)"
    fastest = [
        "250 µs: wharf_scudnn_128x64_relu_small, tactic -4420849921117327522",
        "500 µs: wharf_scudnn_128x32_relu_small, tactic 1062367460111450758",
    ]
    assert json.loads(words["fastest tactics"]) == [f"{one} {formats}" for one in fastest]
    assert words["memory"] == "host persistent 1.6 KiB, device persistent 265 KiB, weights 96 B"
    assert words["optimiser's steps"] == "log line 12: ConvReluFusion: Fusing Conv_0 with Relu_1"
    lines = json.loads(words["lines of the log"])
    assert lines[:2] == ["log line 24: runner", "log line 24: builder's estimate"]
    assert "_" not in " ".join(words)


def named(*options: tuple[str, str, str], file: str = "/home/me/logs/net.v2.log.gz") -> str:
    engine = centernet()
    facts = EngineFacts(options=tuple(Option(*option, 1) for option in options))
    source = engine.source._replace(file=file)
    return name_of(engine._replace(facts=facts, source=source))


def test_an_engine_is_called_by_its_model_else_by_its_log() -> None:
    assert named(("Model", "Model", "C:\\models\\resnet50.onnx")) == "resnet50.onnx"
    assert named(("Build", "Model", "other.onnx")) == "net.v2"
    assert named(("Model", "Model", ""), file="net") == "net"
    assert named(file="<stdin>") == "<stdin>"


def test_one_file_holds_all_engines(here: Program, tmp_path: Path) -> None:
    log = CLASSIC / "8.4-two-engines.log"
    here("--log_file", log, "--format", "html", "--engine", "1", "--output_dir", tmp_path / "one")
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["EngineLayers_1.html"]
    done = here("--log_file", log, "--format", "html,dot", "--output_dir", tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir() if path.is_file())
    assert names == ["EngineLayers_0.dot", "EngineLayers_0.html", "EngineLayers_1.dot"]
    [line] = [line for line in done.stdout.splitlines() if ".html" in line]
    words = line.split("  ", 1)[1]
    assert re.fullmatch(r"engine 0: \d+ layers?, .*; engine 1: \d+ layers?, .*", words)
    text = (tmp_path / "EngineLayers_0.html").read_text("utf-8")
    assert [head["index"] for head in page_data(text, "engine-head")] == [0, 1]


VIEWER = sorted((ROOT / "engine_layer_visualize" / "page" / "viewer").glob("*.js"))


@pytest.mark.parametrize("path", VIEWER, ids=[path.name for path in VIEWER])
def test_scripts_keep_the_house_rules(path: Path) -> None:
    lines = path.read_text("utf-8").split("\n")
    assert len(lines) <= 400
    assert lines[0] == "// @ts-check"
    said = " ".join(itertools.takewhile(lambda line: line.startswith("// "), lines[1:]))
    assert said.endswith(".")


def test_every_script_is_in_the_page_after_what_it_imports() -> None:
    scripts = html.scripts("main", {})
    assert {path.stem for path in VIEWER} == set(scripts)
    for number, (name, text) in enumerate(scripts.items()):
        needs = re.findall(r"^const .* = modules\.(\w+);$", text, re.MULTILINE)
        assert set(needs) <= set(list(scripts)[:number]), name
        assert not re.findall(r"^(?:import|export)\b", text, re.MULTILINE), name


def test_the_columns_that_the_scripts_know_are_those_of_the_data() -> None:
    types = (VIEWER[0].parent / "types.d.ts").read_text("utf-8")
    inside = types.partition("export interface Layers {")[2].partition("}")[0]
    forms = {"ById": "sparse", "Set": "set"}
    read = re.findall(r"(\w+): ([^;]+);", inside)
    known = {name: forms.get(kind.partition("<")[0], "list") for name, kind in read}
    assert known == {name: column.form for name, column in LAYERS.items()}
    [found] = page_data(page(centernet()), "engine-data")
    written = {name: form.replace("full", "sparse") for name, (form, _) in found["columns"].items()}
    assert written == known
    assert [unit for _, unit in found["columns"].values()] == [one.unit for one in LAYERS.values()]
    assert list(found["layers"]) == list(LAYERS)
    for name, column in LAYERS.items():
        words = found["fields"].get(name)
        assert (words and words["doc"]) == (column.field and column.field.doc), name
    assert found["fields"]["bytes"]["key"] == "memory"  # `bytes` of tables is what a layer moves
    assert found["fields"]["also"]["label"] == "second line"
    assert found["fields"]["share"]["unit"] == "share"
    assert found["times"]["profiles"][0]["label"] == "mean"


def test_rows_of_the_profile_are_told_where_a_time_is_their_sum() -> None:
    """Not of a layer whose kernels the profile names: they are told themselves."""
    engine = centernet()
    first, second = engine.layers[:2]
    assert first.time is not None
    several = first._replace(time=first.time._replace(parts=3))
    kernels = first.time._replace(parts=3, kernels=(LaunchedKernel("k", 1.0, 0.5),))
    hidden = engine.layers[2]._replace(listed=False)
    found = data_of(engine, several, second._replace(time=kernels), hidden)
    told = dict(zip(found["layers"]["facts"][::2], found["layers"]["facts"][1::2]))
    words = {at: [found["strings"][n] for n in told[at]] for at in range(3)}
    assert words[0][:2] == ["sum of", "3 rows of the profile"]
    assert "sum of" not in words[1]
    assert "no: only an `Adding reformat layer` line tells of it" in words[2]


def test_choices_are_the_first_ones_of_the_page() -> None:
    options = Options(theme="dark", color_by="precision")
    text = b"".join(html.pieces((centernet(),), options)).decode()
    [look] = page_data(text, "look")
    assert (look["first"], look["color"]) == ("dark", "precision")


def test_the_scripts_are_given_words() -> None:
    engine = centernet()
    found = data_of(engine)
    strings, ports = found["strings"], found["ports"]
    assert [strings[n] for n in ports["word"]] == ["input", "output", "output", "output"]
    assert [strings[n] for n in ports["words"]] == ["engine input", *["engine output"] * 3]
    assert found["memory"] == "bytes of the tensors read and written"
    assert found["times"]["missing"] == "not timed: the profile has no row of this name"
    assert found["times"]["unsteady"] == "mean and median differ by more than 10 %"
    assert (found["profile"], found["unmatched"]) == ("8.0-centernet.profile.json", [])
    facts = LayerFacts(memory=Memory(scratch=1 << 20))
    unread = engine.layers[0]._replace(raw="Layer(?", facts=facts)
    found = data_of(engine, unread)
    strings, layers = found["strings"], found["layers"]
    assert strings[layers["title"][0]] == "unreadable record"
    assert strings[layers["subtitle"][0]] == "Layer(?"
    assert found["memory"] == "scratch"
    assert [strings[n] for n in layers["holds"][1::2]] == ["scratch"]
