"""The sentences of a comparison, and the command `compare`: what it takes and prints."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from compared import compared, conv, convs, said_of, timed
from factories import layer, tensor
from logtext import file_of, listing_of
from paths import CENTERNET, FIXTURES, TIMES
from program import Program
from rendered import page_text

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import causes, result, sentences
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.core.build_info import Device, EngineFacts, Measure, Option, Performance
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.reports.compare import as_text, of_comparison


def chain(*ms: float | None, kernels: Sequence[str | None] = ("k",) * 9) -> Engine:
    layers = zip(convs(*ms), kernels)
    return timed(*(layer._replace(kernel=kernel) for layer, kernel in layers))


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ([0.0], [1.5], "B is slower (0 µs → 1.50 ms): 1 layer takes another time"),
        ([1.5], [0.0], "B is faster (1.50 ms → 0 µs): 1 layer takes another time"),
        ([0.0], [0.0], "B takes as long as A (0 µs → 0 µs)."),
        ([1.0], [1.004], "B takes as long as A (1.00 ms → 1.00 ms)."),
        ([1.0], [2.0], "B is 2.00 × slower (1.00 ms → 2.00 ms)"),
    ],
)
def test_the_speed(a: Sequence[float], b: Sequence[float], said: str) -> None:
    assert sentences.first(compared(chain(*a), chain(*b))).startswith(said)


@pytest.mark.parametrize(
    ("dtype", "said"),
    [("Half", "1 layer runs another kernel"), ("Int8", "1 layer went from Half to Int8")],
)
def test_a_cause_has_layers_whose_reformat_has_no_time(dtype: str, said: str) -> None:
    def engine(ms: float, dtype: str, kernel: str) -> Engine:
        x, a = tensor("x", dtype), tensor("a", dtype)
        copy = "Reformatting CopyNode for Output Tensor 0 to Conv_0"
        only = conv(0, "Conv_0", x, a, ms, kernel=kernel)
        return timed(only, layer(1, copy, [a], ["y"], type="Reformat"))

    found = compared(engine(2.0, "Half", "k1"), engine(1.0, dtype, "k2"))
    assert f"{said} (−1.00 ms)." in sentences.first(found)


def test_kernels_that_cannot_be_compared_are_not_called_unchanged() -> None:
    def said(versions: tuple[str, str], *kernels: str | None) -> str:
        sides = zip((1, 3), versions)
        a, b = (chain(1, ms, kernels=kernels)._replace(tensorrt=own) for ms, own in sides)
        return sentences.first(compared(a, b))

    took, same, other = "2 layers take another time", ("8.4", "8.4"), ("8.4", "8.2")
    assert f"{took} with the same kernels (+2.00 ms)." in said(same, None, None)
    assert f"{took} (+2.00 ms)." in said(other, None, None)
    assert f"{took} (+2.00 ms)." in said(other, "k", None)


def test_what_was_measured_of_the_whole_comes_before_estimates() -> None:
    row = Measure("GPU Compute Time", None, None, None, None, (), 1)

    def engine(ms: float, estimate: float) -> Engine:
        found = chain(None)
        (layer,) = found.layers
        return found._replace(
            profile=None,
            layers=(layer._replace(facts=elv.LayerFacts(build_ms=estimate)),),
            facts=EngineFacts(performance=Performance(measures=(row._replace(mean=ms),))),
        )

    assert sentences.first(compared(engine(2, 3), engine(1, 2))).startswith(
        "B is 2.00 × faster (GPU compute time, mean: 2.00 ms → 1.00 ms). The layers of B take 2.00 "
        "ms by the builder's estimates, those of A 3.00 ms: 1 layer takes another time "
    )
    neither, more = "(1.00 ms and 2.00 ms) {}", "do not explain the difference"
    for a, b, took in (
        ((2, 1), (1, 2), neither.format(more)),
        ((2, 1), (2.019, 2), neither.format("say otherwise")),
        ((2, 1), (1, 1), f"(1.00 ms and 1.00 ms) {more}"),
    ):
        said = sentences.first(compared(engine(*a), engine(*b)))
        assert said.endswith(f"The estimates {took}.")
    assert sentences.first(compared(engine(2, 1), engine(2.019, 2))).startswith(
        "B takes as long as A, within what runs vary (GPU compute time, mean: 2.00 ms → 2.02 ms)."
    )


def test_inputs_of_which_one_side_is_unknown() -> None:
    b, c = (timed(conv(0, "Conv_0", tensor("t0", dims=dims), "t1")) for dims in ("4,8", "-1,8"))
    said = "The shapes of the inputs of {} are not known: its run may be of more samples."
    assert said.format("B") in sentences.first(compared(b, c))
    assert said.format("A") in sentences.first(compared(c, b))
    assert "not known" not in sentences.first(compared(c, c)) + sentences.first(compared(b, b))


@pytest.mark.parametrize(
    ("key", "a", "b", "differ"),
    [
        ("Model", "/a/harbour.onnx", "C:\\b\\harbour.onnx", False),
        ("Model", "harbour.onnx", "quay.onnx", True),
        ("Input build shape", "x:0=1x3+2x3+4x3", "in=1x3+2x3+4x3", False),
        ("Input build shape", "x:0=1x3+2x3+4x3", "x:0=1x3+2x3+8x3", True),
        ("Input build shapes", "model", "/x=1x3", True),
        ("avgTiming", "4", "8", True),
        ("Max batch", "explicit", "explicit batch", False),
        ("Model", "/a/harbour.onnx", "", False),
    ],
)
def test_options_that_are_told(key: str, a: str, b: str, differ: bool) -> None:
    options = ((Option("Build", key, value, 1),) for value in (a, b))
    engines = (chain(1)._replace(facts=EngineFacts(options=own)) for own in options)
    told = [difference.what for difference in compared(*engines).builds]
    assert told == ([f"Build: {key}"] if differ else [])


def test_devices_of_one_name_are_told_by_their_size() -> None:
    """Modules with 16 and 8 SMs call themselves Orin."""
    devices = (Device("Orin", sms=16, memory_mib=62000), Device("Orin", sms=8, memory_mib=7600))
    a, b = (chain(1)._replace(facts=EngineFacts(device=device)) for device in devices)
    told = [tuple(each) for each in compared(a, b).builds]
    assert told == [("SMs", "16", "8"), ("device memory in MiB", "62000", "7600")]


def of_two_profiles(alone: int) -> Engine:
    """Two layers that both engines have and `alone` that only this one has, in two profiles."""
    names = [f"Conv_{n}" for n in range(2)] + [f"Only_{n}" for n in range(alone)]
    both = ((n, name, end) for end in ("", " [profile 1]") for n, name in enumerate(names))
    ends = ((f"{name}{end}", f"t{n}{end}", f"t{n + 1}{end}") for n, name, end in both)
    return timed(*(conv(at, *own) for at, own in enumerate(ends)))


def test_counts_are_of_the_optimisation_profile_that_times_are_of() -> None:
    found = compared(of_two_profiles(3), of_two_profiles(0))
    assert len(found.unmatched.a) == 6
    counted = "3 layers of A and 0 of B without a timed counterpart (−3.00 ms)"
    assert counted in sentences.first(found)
    untimed = compared(of_two_profiles(3)._replace(profile=None), of_two_profiles(0))
    assert "3 layers without a counterpart" in sentences.first(untimed)
    own = of_two_profiles(0)._replace(profile=None)
    assert "0 of 2 groups" in sentences.first(compared(own, own))


def test_an_optimisation_profile_that_one_engine_has_is_no_list_of_layers() -> None:
    one, two = chain(1, 1), of_two_profiles(0)
    assert len(compared(one, two).unmatched.b) == 2
    text = " ".join(said_of(compared(one, two)).split())
    assert "Groups are of all optimisation profiles that both have, totals of profile 0" in text
    assert "without a counterpart" not in text
    assert "Groups are of all optimisation profiles that" in said_of(compared(two, two))


def test_nothing_is_listed_where_nothing_changed() -> None:
    untimed = chain(1, 2)._replace(profile=None, layers=chain(None, None).layers)
    text = said_of(compared(untimed, untimed))
    assert "0 of 2 groups of layers changed." in text
    assert "Groups" not in text
    assert "A and B: Measure the layers: `trtexec" in text and text.count("Measure") == 1
    text = said_of(compared(chain(1, 2), untimed))
    assert "B: Measure the layers: `trtexec" in text and "A: Measure" not in text


def test_a_timed_layer_whose_counterpart_has_no_time_is_counted() -> None:
    a = chain(50, 1)
    found = compared(a, chain(50, None))
    assert [(step.cause, step.ms) for step in found.waterfall if step.ms] == [("unmatched", -1)]
    counted = "1 layer of A and 0 of B without a timed counterpart (−1.00 ms)"
    assert counted in sentences.first(found)


def test_groups_that_are_alike_are_one_row() -> None:
    """Blocks of a network; `full` has each."""
    a = chain(2.0, 1.0, 1.01, 1.0, 0.99, 0.5, 0.5)
    b = chain(2.0, 1.3, 1.31, 1.3, 1.29, 0.6, 0.6)
    found = compared(a, b)

    text, full = (said_of(found, width=200, full=full) for full in (False, True))
    rows = [line for line in text.splitlines() if line.count("Conv_") == 2]
    assert len(rows) == 4 and "Matched by names (7)." in text and "matched by" not in text
    assert rows[0].split()[:2] == ["+1.20", "ms"] and "4 alike, such as 1 Conv_1" in rows[0]
    assert "4.00 ms    5.20 ms" in rows[0] and " 1.30 " in rows[0]
    assert "alike" not in full
    assert all(f"Conv_{number} " in full for number in range(7))


# ---- pairs that were told wrongly once; how two engines stand as columns -------------------------


def case(a: str, b: str, *, timed: bool = True) -> result.Comparison:
    def read(name: str) -> elv.Engine:
        profiles = [FIXTURES / f"cases/{name}.profile.json"] if timed else []
        return elv.read(FIXTURES / f"cases/{name}.layers.json", profiles).engines[0]

    first, second = read(a), read(b)
    return compare(Costs(first), Costs(second))


def test_types_of_tensors_tell_the_precision_of_foreign_nodes() -> None:
    found = case("05-myelin-fp32", "05-myelin-fp16")
    assert sentences.first(found) == (
        "B is 3.17 × faster (1.90 ms → 600 µs): 3 layers went from Float tensors to Half tensors "
        "(−1.30 ms)."
    )
    assert {one.cause: round(one.ms, 6) for one in found.waterfall if one.ms} == {"precision": -1.3}
    assert [group.kernels_known for group in found.groups] == [False] * 3
    mixed = case("05-myelin-fp32ctx", "05-myelin-fp16mixed", timed=False)
    said = {change for group in mixed.groups for change in causes.changes(mixed, group)}
    assert "Float tensors → Half tensors, Float tensors" in said


def test_one_factor_of_all_layers_tells_nothing_of_the_engine() -> None:
    found = case("06-same-engine-a", "06-same-engine-b")
    # The ratios of the two files' averageMs, sorted: the 12th and 13th are 4.1961 and 4.2016.
    uniform = of_comparison(found)["uniform"]
    assert uniform == pytest.approx({"factor": 4.198825, "low": 4.014400, "high": 4.600448})
    assert sentences.first(found) == (
        "B is 4.25 × slower (940 µs → 4.00 ms): 24 layers with the same kernels are slower by "
        "about 4.20 × (half of them by 4.01 to 4.60 ×): another GPU, other clocks or options "
        "of the run, or another load, which tells nothing of the engine (+3.06 ms)."
    )
    back = sentences.first(case("06-same-engine-b", "06-same-engine-a"))
    assert "24 layers with the same kernels are faster by about 4.20 × (half of them by" in back


def test_small_layers_do_not_tell_the_factor_of_another_gpu() -> None:
    """Seven layers with a thirtieth of the time gain less than the two with the rest."""
    a, b = chain(*[0.01] * 7, 1.0, 1.0), chain(*[0.008] * 7, 0.4, 0.4)
    a, b = (e._replace(facts=EngineFacts(device=Device(n))) for e, n in ((a, "Tern"), (b, "Gull")))
    assert compared(a, b).factor is None
    assert "1.25" not in sentences.first(compared(a, b))


@pytest.mark.parametrize("match", [True, False])
def test_what_is_compiled_has_as_many_elements_in_another_rank(match: bool) -> None:
    def of(*dims: str) -> Engine:
        ends = (("x", "t", "/a/C.../b/M"), ("t", "y", "/c/M.../d/A"))
        each = (
            conv(n, f"{{ForeignNode[{name}]}}", read, tensor(to, dims=own), 1.0)
            for n, ((read, to, name), own) in enumerate(zip(ends, dims))
        )
        return timed(*(layer._replace(type="Myelin", attributes=()) for layer in each))

    others = ("1,4,16,8", "1,8,8") if match else ("1,7,33,8", "1,5,11")
    assert bool(compared(of("1,64,8", "1,64"), of(*others)).groups) == match


def test_other_outputs_are_told_but_for_their_batch() -> None:
    def of(dtype: str, dims: str) -> Engine:
        return timed(conv(0, "Conv_0", "t0", tensor("y", dtype, dims)))

    def told(a: Engine, b: Engine) -> list[tuple[str | None, ...]]:
        return [tuple(each) for each in compared(a, b).builds]

    other = ("outputs", "Int32 [-1,1]", "Int64 [-1]")
    assert told(of("Int32", "-1,1"), of("Int64", "-1")) == [other]
    assert not told(of("Float", "1,8,4"), of("Float", "32,8,4"))
    assert told(of("Float", "1,8,4"), of("Float", "1,8,5"))


def test_outputs_that_stand_in_another_order_are_the_same() -> None:
    """A listing's order is that of the layers, and another one in the next build."""
    ends = enumerate((("hm", "1,4,8"), ("wh", "1,2,8")))
    heads = [conv(n, f"/head.{n}/Conv", "x", tensor(name, dims=own)) for n, (name, own) in ends]
    a, b = timed(*heads), timed(*(one._replace(index=n) for n, one in enumerate(heads[::-1])))
    assert [each for each in compared(a, b).builds if each.what == "outputs"] == []


def test_engines_of_other_outputs_have_no_causes() -> None:
    heads = (conv(2 + n, f"Head_{n}", "t2", f"o{n}", 0.1, kernel="k") for n in range(3))
    found = compared(chain(1.0, 1.0), timed(*chain(1.0, 1.0).layers, *heads))
    said = sentences.first(found)
    assert said.startswith("A has 1 output, B 3: they compute other things. B is 1.15 × slower")
    assert "counterpart" not in said
    assert of_comparison(found)["outputs"] == {"a": 1, "b": 3}
    assert "3 outputs, A has 1" in "".join(as_text([found, found], (), ReportOptions(width=160)))


def test_a_network_is_known_by_its_nodes_however_they_are_fused() -> None:
    names = [f"/block.{n}/Conv" for n in range(6)]
    a = timed(*convs(*[1.0] * 6, name="/block.{}/Conv"))
    foreign = "{ForeignNode[/block.0/Conv.../block.5/Conv]}"
    b = timed(conv(0, foreign, "t0", "t6", type="Myelin"))
    inside = b.layers[0].known._replace(onnx_nodes=tuple(names), onnx_nodes_from="graph")
    b = b._replace(layers=(b.layers[0]._replace(facts=inside),))
    assert compared(a, b).same_network
    other = timed(*convs(*[1.0] * 6, name="/other.{}/Conv"))
    assert not compared(other, b).same_network


# ---- two engines as columns with bands: what is one box, where it stands, what colour it has -----


A, B = (elv.read(FIXTURES / "comparison" / f"{name}.log").engines[0] for name in ("fp16", "int8"))


def test_a_finding_of_one_engine_alone_is_advice() -> None:
    told = "let the layers on both sides run in one precision"
    # The reformat of layer 7 takes 11 µs, `Int8 -> Half` in front of the addition: int8.log:31.
    for first, second, state in ((A, B, "new"), (B, A, "gone")):
        (found,) = elv.compare(first, second).data["advice"]
        assert found == {"code": "F04", "text": told, "ms": 0.011, "state": state}
    assert elv.compare(A, A).data["advice"] == []


# ---- the command `compare`: which engines it takes, what it prints where, and how it ends --------


FP16, INT8 = (str(FIXTURES / "comparison" / name) for name in ("fp16.log", "int8.log"))
TWO = str(FIXTURES / "classic" / "8.4-two-engines.log")


Compared = Callable[..., "tuple[str, str]"]


@pytest.fixture
def run(here: Program, folder: Path) -> Compared:
    """`run(A, B, code=0)`, in an empty folder: what is printed on stdout and on stderr."""

    def run(*words: object, code: int = 0) -> tuple[str, str]:
        done = here("compare", *words, code=code)
        return done.stdout, done.stderr

    return run


def made_log(path: Path, layers: Sequence[str]) -> None:
    """Writes a log of a chain of layers."""
    listed = listing_of(*layers, tensor="Half[1,8,8,8]")
    path.write_text(f"{listed}[V] [TRT] Total Activation Memory: 8\n")


def data(run: Compared, *words: object) -> Any:
    return json.loads(run(*words, "--format", "json", "--quiet")[0])["comparisons"]


def test_every_format_tells_of_every_group(run: Compared) -> None:
    (found,) = data(run, FP16, INT8)
    assert len(found["groups"]) == 9
    said, _ = run(FP16, INT8, "-f", "markdown", "--full")
    assert all(f"| {group['a'][0]} `/" in said for group in found["groups"])
    for format in ("text", "markdown"):
        assert "… and 7 more groups" in run(FP16, INT8, "-f", format, "--top", "2")[0]


def test_a_profile_belongs_to_the_log_before_it(run: Compared) -> None:
    (found,) = data(run, CENTERNET, TIMES, CENTERNET)
    assert [found[side]["time_kind"] for side in "ab"] == ["measured", None]
    (found,) = data(run, "--log_file", CENTERNET, "-p", TIMES, "--log_file", CENTERNET, TIMES)
    assert (found["delta_ms"], found["speedup"]) == (0, 1)


def test_a_profile_that_fits_both_logs_is_of_the_one_before_it(run: Compared) -> None:
    for name in "ab":
        made_log(Path(f"{name}.log"), ("one", "two"))
    Path("1.txt").write_text("one: 1ms\ntwo: 2ms\n")
    (found,) = data(run, "a.log", "b.log", "1.txt")
    assert [found[side]["ms"] for side in "ab"] == [None, 3]


def test_a_profile_of_no_log_is_an_error(run: Compared) -> None:
    Path("other.txt").write_text("another: 1ms\n")
    Path("broken.json").write_text('[{"name": ')
    for name in ("other.txt", "broken.json"):
        said, problems = run(FP16, INT8, "-p", name, "-f", "json", code=1)
        codes = [one["code"] for one in json.loads(said)["problems"]]
        assert len(codes) == 1 and f"error[{codes[0]}]" in problems


def test_engines_are_chosen_by_log_and_number(run: Compared) -> None:
    def engines(*words: str) -> list[tuple[int, int]]:
        return [(one["a"]["engine"], one["b"]["engine"]) for one in data(run, *words)]

    assert engines(TWO) == [(0, 1)]
    assert engines(TWO, TWO, "--engine", "1") == [(1, 1)]
    assert engines(TWO, TWO, "--engine", "0", "--engine", "1") == [(0, 1), (0, 0), (0, 1)]
    assert engines(TWO, "--engine", "1", "--engine", "0") == [(1, 0)]
    _, problems = run(FP16, TWO)
    assert "8.4-two-engines.log holds 2 engines, of which engine 0 is compared" in problems


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([FP16], 3, "error[ELV606]: this is the only engine that was read; a comparison needs two"),
        ([FP16, INT8, "--engine", "7"], 3, "there is no engine 7; the log holds engine 0 alone"),
        ([FP16, INT8, "--optimization_profile", "4"], 3, "has no optimisation profile 4"),
        ([FP16, INT8, TIMES], 1, "error[ELV202]"),
        ([FP16, CENTERNET], 0, "warning[ELV703]: it seems to be another network than A"),
        ([CENTERNET, CENTERNET], 0, "warning[ELV704]: no difference of times: neither engine has"),
    ],
)
def test_what_is_not_compared(words: list[str], code: int, said: str, run: Compared) -> None:
    assert said in run(*words, code=code)[1]
    document = json.loads(run(*words, "--format", "json", code=code)[0])
    assert bool(document["comparisons"]) == (code < 3)
    told = [f"{one['severity']}[{one['code']}]: {one['message']}" for one in document["problems"]]
    assert said in "\n".join(told)


def test_several_are_compared_with_the_first(run: Compared) -> None:
    """Every format tells of each of them."""
    for name, log in {"a": FP16, "b": INT8, "c": FP16}.items():
        shutil.copyfile(log, f"{name}.log")
    words = ("a.log", "b.log", "c.log", "-f")
    pairs = [("a.log", "b.log"), ("a.log", "c.log")]
    for format in ("json", "brief"):
        found = json.loads(run(*words, format)[0])["comparisons"]
        assert [(one["a"]["file"], one["b"]["file"]) for one in found] == pairs
        assert [round(one["speedup"], 2) for one in found] == [1.57, 1.0]
    assert len(run(*words, "brief")[0].encode()) <= 6_144
    said, _ = run(*words, "markdown")
    assert said.startswith("## 2 engines against engine 0 of a.log")
    assert "| C | engine 0 of c.log | 10 | 442 µs |" in said
    assert "## C, engine 0 of c.log, against A, engine 0 of a.log" in said
    assert said.count("| A | B |") == said.count("| A | C |") + 1  # of the allowed precisions
    said, problems = run(*words, "text")
    assert "c.log:23:1: warning[ELV704]: its times are those of A: one run stands for" in problems
    firsts = ("B is 1.57 × faster (442 µs → 281 µs)", "C takes as long as A (442 µs → 442 µs)")
    assert all(said.count(first) == 1 for first in firsts)
    run(*words, "html")
    page = page_text(Path("comparison.html").read_text("utf-8"))
    assert all(page.count(first) == 1 for first in firsts)


def test_two_words_are_both_sides(run: Compared) -> None:
    """A log of times alone is the engine A, though a log follows; nor is it B's profile."""
    times, listing = Path("times.log"), Path("listing.log")
    times.write_text(
        "[TensorRT] VERBOSE: Deserialize required 1860432 microseconds.\n"
        "conv_a: 0.25ms\nconv_b: 0.75ms\n"
    )
    made_log(listing, ["conv_a", "conv_b"])
    for words in ((times, listing), (listing, times)):
        (found,) = data(run, *words)
        assert [found[side]["file"] for side in "ab"] == [word.name for word in words]
        assert {found[side]["ms"] for side in "ab"} == {1.0, None}


def test_no_other_log_stands_for_a_that_cannot_be_read(tmp_path: Path, run: Compared) -> None:
    bad = file_of(tmp_path, "nothing\n", "bad.log")
    printed, said = run(bad, FP16, INT8, code=3)
    assert printed == "" and "bad.log" in said and "fp16.log" not in said
    printed, _ = run(FP16, bad, INT8, code=3)
    assert "B, engine 0 of int8.log, against A, engine 0 of fp16.log" in printed


def test_of_a_log_with_several_engines_only_the_compared_one_is_judged(run: Compared) -> None:
    log = Path("two.log")
    start, header, rest = Path(TWO).read_text("utf-8").rpartition("Engine Layer Information:")
    log.write_text(f"{start}{header}{rest.replace(' -> ', ' ', 1)}")
    printed, said = run(log, log, "-f", "json")
    assert "two.log holds 2 engines, of which engine 0 is compared" in said
    assert "ELV103" not in said and "ELV103" not in printed
    assert "ELV103" in run(log, code=1)[1]


def test_python_and_the_command_say_the_same(run: Compared) -> None:
    logs = [Path("a", "build.log"), Path("b", "build.log")]
    for log in logs:
        log.parent.mkdir()
        shutil.copyfile(CENTERNET, log)
    found = elv.compare(*(elv.read(log).engines[0] for log in logs))
    assert json.loads(found.to("json")) == json.loads(run(*logs, "-f", "json")[0])
    assert [one["code"] for one in json.loads(found.to("json"))["problems"]] == ["ELV704"]
    title = "B, engine 0 of b/build.log, against A, engine 0 of a/build.log"
    assert not hasattr(found, "_repr_html_"), "it would stand in place of the tables"
    assert found._repr_markdown_().startswith(f"## {title}") and str(found).startswith(title[:9])
    assert found.data["b"]["file"] == "b/build.log"
