"""What is said of a build without a listing, and of a listing that is not whole."""

from pathlib import Path

import pytest
from logtext import HEADER, TV, classic, detailed, file_of, pieces, text
from paths import FIXTURES
from program import Program

from engine_layer_visualize.api.draw import render
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import Log, read
from engine_layer_visualize.core.problems import Problem, ReadError
from engine_layer_visualize.facts.sentences import outline

CASES = FIXTURES / "cases"
RUNNING = "&&&& RUNNING TensorRT.trtexec [TensorRT v100700] # trtexec --onnx=a.onnx --verbose\n"
PASSED = RUNNING.replace("RUNNING", "PASSED")
NETWORK = f"{TV}Adding network input: x with dtype: float32, dimensions: (1, 8)\n"
NETWORK += f"{TV}Marking z as output: z\n"
PASSES = text(f"{TV}Original: 4 layers", f"{TV}After concat removal: 3 layers")


def timed(*names: str) -> str:
    return "".join(
        text(
            f"{TV}=============== Computing costs for {name}",
            f"{TV}--------------- Timing Runner: {name} (CaskConvolution[0x80000009])",
            f"{TV}Tactic: 0x1 Time: 0.01",
        )
        for name in names
    )


def refusal(data: str) -> ReadError:
    """Why there is nothing to draw: the same of a file's bytes in whatever pieces."""
    found = []
    for chunks in ([data.encode()], pieces(data.encode(), 100)):
        with pytest.raises(ReadError) as caught:
            list(Log("a.log", chunks=chunks).engines())
        found.append(caught.value)
    assert (found[0].problem, found[0].hint) == (found[1].problem, found[1].hint)
    return found[0]


def refused(data: str) -> Problem:
    return refusal(data).problem


def engines(data: str) -> list[Engine]:
    """The engines, the same with and without build info."""
    chunks = pieces(data.encode(), 100)
    found = [list(Log("a.log", chunks=chunks, facts=facts).engines()) for facts in (False, True)]
    states = [[one.source.state for one in some] for some in found]
    assert states[0] == states[1]
    return found[0]


def codes(engine: Engine) -> list[str]:
    return [problem.code for problem in engine.problems]


SELECTED = f"{TV}Formats and tactics selection completed in 1 seconds.\n"
GENERATED = f"{TV}Engine generation completed in 1 seconds.\n"
FEWER = text(f"{TV}Original: 4 layers", f"{TV}After concat removal: 2 layers")
OLD_RUNNER = f"{TV}--------------- Timing Runner: a + b (CaskConvolution)\n"
CHOSEN = f"{TV}>>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 0x1\n"
NEXT = f"{TV}*************** Autotuning format combination: Half(1,8) -> Half(1,4) ***\n"
KERNEL = "[TRT]   c (scudnn) Set Tactic Name: quay_64\n"


@pytest.mark.parametrize(
    ("data", "doing"),
    [
        ("[I] [TRT] Input filename:   a.onnx\n", "while parsing the ONNX model"),
        (f"{TV}Importing initializer: quay.weight\n", "while parsing the ONNX model"),
        (NETWORK, "while the network was defined"),
        (f"{TV}Parsing node: stem/conv [Conv]\n", "while parsing the ONNX model at node stem/conv"),
        (NETWORK + PASSES, "while optimising the network"),
        (f"{TV}=============== Computing costs for \n", "while timing layers"),
        (SELECTED, "after the tactics"),
        (GENERATED, "after the engine was generated"),
        (NETWORK + PASSES + timed("a") + GENERATED + FEWER + timed("d", "e"), "while timing e,"),
        # An excerpt leaves out the line that names the layer of a tactic.
        (timed("a") + SELECTED, "after the tactics"),
        (timed("a") + SELECTED + f"{TV}Tactic: 0x2 Time: 0.0314\n", "while timing layers"),
        (SELECTED + f"{TV}After reformat layers: 3 layers\n", "after the tactics were selected"),
        # Once a runner is chosen, no line names what is timed next.
        (CHOSEN, "while timing layers,"),
        (OLD_RUNNER, "while timing a + b,"),
        (OLD_RUNNER + CHOSEN, "while timing layers,"),
        (OLD_RUNNER + NEXT, "while timing layers,"),
        # A kernel that is set for a selected tactic is not timed.
        (OLD_RUNNER + CHOSEN + SELECTED + KERNEL, "after the tactics were selected"),
        (OLD_RUNNER + CHOSEN + NEXT + OLD_RUNNER.replace("a + b", "c"), "while timing c,"),
        # From 8.6 on a layer may be timed in further formats, until the next one is named.
        (PASSES + timed("a", "b") + CHOSEN, "while timing b,"),
        (PASSES + f"{TV}=============== Computing costs for {'b + ' * 400}b", "while timing b + b"),
    ],
)
def test_what_was_going_on_where_a_log_ends(data: str, doing: str) -> None:
    problem = refused(RUNNING + data)
    assert problem.code == "ELV412"
    assert doing in problem.message and "not a VERBOSE log" not in problem.message
    assert f"the log ends at line {problem.place.line}" in problem.message


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("Killed", "was killed"),
        ("./build.sh: line 3: 4242 Killed                  trtexec --onnx=a.onnx", "was killed"),
        ("command terminated by signal 9", "was killed"),
        ("Aborted (core dumped)", "crashed"),
        ("trtexec: pick.cpp:99: void pick(): Assertion `best != 0' failed.", "crashed"),
        ("terminate called after throwing an instance of 'std::bad_alloc'", "crashed"),
    ],
)
def test_a_build_that_was_stopped_from_outside(line: str, how: str) -> None:
    problem = refused(RUNNING + NETWORK + timed("a") + line + "\n")
    assert (problem.code, problem.place.line) == ("ELV404", 7)
    assert f"the build {how}: {line.split('  ')[0]}" in problem.message
    assert "while timing a" in problem.message


def test_a_tactic_that_fails_is_no_build_that_fails() -> None:
    """The builder leaves it out, and goes on."""
    skipped = "[E] [TRT] Error Code: 9: Skipping tactic 0x7 due to exception\n"
    assert refused(RUNNING + NETWORK + timed("a") + skipped).code == "ELV412"
    assert refused(RUNNING + NETWORK + skipped + timed("a")).code == "ELV412"
    fatal = "[E] [TRT] 10: no implementation for a\n"
    assert refused(RUNNING + NETWORK + timed("a") + fatal).code == "ELV404"


PARSING = text("[I] Start parsing network model.", "[I] [TRT] Input filename:   a.onnx")
LOADED_AFTER = "[I] [TRT] Engine generation completed in 1.65861 seconds.\n"
LOADED_AFTER += "[I] [TRT] Loaded engine size: 3 MiB\n"
QUIET = text(
    "[I] [TRT] Loaded engine size: 3 MiB",
    "[E] [TRT] Error Code: 9: Skipping tactic 0x7 due to exception",
    "[I] Engine built in 2.71777 sec.",
)


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        pytest.param(PARSING, "ELV402", "; it ends while parsing the ONNX model", id="not verbose"),
        pytest.param(timed("a") + LOADED_AFTER, "ELV413", "built", id="filtered"),
        pytest.param(
            RUNNING.replace(" --verbose", "") + QUIET + PASSED,
            *("ELV402", "the build succeeded"),
            id="a logger that tells less",
        ),
    ],
)
def test_a_log_that_lacks_lines_is_of_a_build(data: str, code: str, said: str) -> None:
    problem = refused(data)
    assert problem.code == code
    assert said in problem.message and "loaded" not in problem.message


def test_a_build_that_begins_after_another_engine() -> None:
    """Its lines follow on a whole listing: the log has one engine, and half a build."""
    whole = NETWORK + HEADER + text(classic("a", "x", "z")) + PASSED
    (engine,) = engines(whole)
    assert (engine.source.state, codes(engine)) == ("whole", [])
    (engine,) = engines(whole + RUNNING + NETWORK + PASSES + timed("a"))
    assert engine.source.state == "whole"
    assert codes(engine) == ["ELV412"]
    long = timed("a") * 10_000  # the build begins far above the end
    assert len(long) > 1 << 20
    (engine,) = engines(whole + RUNNING + NETWORK + PASSES + long)
    assert codes(engine) == ["ELV412"]
    (engine,) = engines(whole + RUNNING + NETWORK + "[E] [TRT] 10: no implementation\n")
    assert codes(engine) == []


def test_a_version_is_of_the_build_that_tells_it() -> None:
    """The first build has no listing, and more timings than a version is looked for in."""
    first, second = (RUNNING.replace("v100700", v) for v in ("v8203", "v101601"))
    long = timed("a") * 5_000
    assert len(long) > 1 << 19
    (engine,) = engines(first + NETWORK + PASSES + long + second + NETWORK + HEADER + A + "\n")
    assert engine.tensorrt == "10.16.1"


A, B = classic("a", "x", "y"), classic("b", "y", "z")
DA, DB = detailed("a", "x", "y"), detailed("b", "y", "z")
NO_TENSORS = "Layer(Cask): c, Tactic: 0x7,  -> "
held = TV + "Layer: {} HostPersistent: 0 DevicePersistent: 0"
DUMP = "[03/24/2023-12:57:39] [I] Layers:"
BINDINGS = ("", "Bindings:", "x", "z")
SECOND = [classic(*(f"{name} [profile 1]" for name in names)) for names in ("axy", "byz")]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (HEADER + f"{A}\n{B[:-30]}", "cut inside a record"),
        (HEADER + f"{A}\nLayer(Conv", "cut inside a record"),
        (HEADER + f"{A}\nLa", "cut inside a record"),
        (NETWORK + HEADER + text(A), "nothing in it writes the output `z`"),
        (
            HEADER + text(classic("a", "x", "Reformatted Output Tensor 0 to a")),
            "nothing in it reads `Reformatted Output Tensor 0 to a`",
        ),
        (HEADER + f"{A}\nLayer(Conv): c, Tactic: 0x1,  ->", "cut inside a record"),
        (text("```", "trtexec", "```", "> ```css", HEADER.rstrip(), A), "fence of Markdown"),
        (text(f"{TV}After reformat layers: 3 layers") + HEADER + text(A, B), "2 of at least 3"),
        (
            text(f"{TV}After concat removal: 1 layers", f"{TV}Layers:", DA),
            "the names of its inputs and outputs do not follow",
        ),
        (text(f"{TV}Layers:", DA) + DB, "cut inside a record"),
        (text("```", f"{TV}Layers:", DA, "...more") + "Name: b/c", "cut inside a record"),
        (HEADER + text(A, "…") + "Layer(Conv): b", "cut inside a record"),
        (text(f"{TV}Layers:", DA, DB, *BINDINGS[:-1]), "the names of its inputs and outputs"),
        (NETWORK + HEADER + text(A, B, SECOND[0]), "writes the output `z [profile 1]`"),
    ],
)
def test_a_listing_in_which_the_log_ends(data: str, why: str) -> None:
    (engine,) = engines(data)
    assert engine.source.state == "cut"
    problem = engine.problems[-1]
    assert (problem.code, problem.severity) == ("ELV114", "error")
    assert f"the listing ends at line {engine.source.last_line}" in problem.message
    assert "cut" in problem.message and why in problem.message
    assert engine.outputs == () or "z" in engine.outputs
    assert "of a listing that is cut" in outline(engine)


@pytest.mark.parametrize(
    "data",
    [
        NETWORK + HEADER + text(A, B),
        NETWORK + HEADER + f"{A}\n{B}",
        HEADER + text(A),
        timed("a", "b") + HEADER + text(A, B),
        timed("a", "b", "Optimizer Reformat(z -> <out>)") + HEADER + text(A, B),
        timed("c", "d") + HEADER + text(A, B),
        text("Layers:", DA, DB, *BINDINGS),
        text("Layers:", DA, DB, *BINDINGS[:-1]) + "z",
        NETWORK + HEADER + text(A, f"{TV}Total Activation Memory: 64"),
        HEADER + text(A) + "root@orin:~# ",
        text("```", "trtexec --verbose", "```", HEADER.rstrip(), A),
        # The last line is a colour that is switched off.
        "\n".join(f"\x1b[36m{line}\x1b[0m" for line in (HEADER.rstrip(), A, NO_TENSORS, "")),
        # A layer without tensors is the last, and the file has no last newline.
        HEADER + f"{A}\nLayer(TrainStation): [trainStation1], Tactic: 0x0,  -> ",
        # A name alone makes no second optimisation profile.
        NETWORK + HEADER + text(A, classic("b [profile 1]", "y", "z")),
        NETWORK + HEADER + text(A, B, *SECOND),
        # TensorRT 8.0 tells the memory of all, and lists no layer that writes a view of a tensor.
        NETWORK
        + text(f"{TV}After reformat layers: 4 layers", *map(held.format, "ab"))
        + f"{TV}Engine generation completed in 5.3 seconds.\n"
        + HEADER
        + text(A, classic("b", "y", "w")),
    ],
)
def test_a_whole_listing_at_the_end_of_a_log(data: str) -> None:
    (engine,) = engines(data)
    assert (engine.source.state, codes(engine)) == ("whole", [])


@pytest.mark.parametrize(
    ("second", "listed"), [((DA,), 1), (("a",), 1), ((DA, DB[:-20]), 2)], ids=str
)
def test_a_cut_second_listing_is_of_the_same_engine(second: tuple[str, ...], listed: int) -> None:
    more = classic("c", "z", "w")
    data = HEADER + text(A, B, more, f"{TV}Total Activation Memory: 64", DUMP)
    (engine,) = engines(data + "\n".join(second) + "\n" * (listed == 1))
    assert [layer.name for layer in engine.layers] == ["a", "b", "c"]
    assert (engine.source.state, [one.state for one in engine.also]) == ("whole", ["cut"])
    (problem,) = (one for one in engine.problems if one.code == "ELV114")
    assert f"cut: it has {listed} of 3 layers" in problem.message


THREE = HEADER + text(*(classic(name, "x", name) for name in ("left", "leftmost", "right")))
FIRST = (  # as 8.5 prints it: names, the last one too, end in one column
    "[I] === Profile (10 iterations ) ===\n"
    "[I]       Layer   Time (ms)   Avg. Time (ms)   Median Time (ms)   Time %\n"
    "[I]        left        1.00           0.1000             0.1000     40.0\n"
    "[I]       right        1.50           0.1500             0.1500     60.0\n"
    "[I]       Total        2.50           0.2500             0.2500    100.0\n"
)
LAST = (
    "[I] === Profile (10 iterations ) ===\n"
    "[I]  Time(ms)  Avg.(ms)  Median(ms)  Time(%)  Layer\n"
    "[I]  1.00  0.1000  0.1000  40.0  left\n"
    "[I]  1.50  0.1500  0.1500  60.0  leftmost\n"
    "[I]  2.50  0.2500  0.2500  100.0  Total\n"
)


@pytest.mark.parametrize(("table", "last"), [(FIRST, "right"), (LAST, "leftmost")])
def test_a_table_of_times_that_is_cut(table: str, last: str) -> None:
    for end in ("", "\n", "\n[I]\n[I] more\n"):
        (engine,) = engines(THREE + table.rstrip() + end)
        assert "ELV210" not in codes(engine)
    rows = table[: table.index("[I]", table.index(last))]
    torn = rows[: -4 if table is FIRST else rows.index("leftmost") + 4 - len(rows)]
    # What is left of a torn row may be the name of another layer.
    both = ["left", last]
    for data, timed in ((rows, both), (rows + "Killed\n", both), (torn, ["left"])):
        (engine,) = engines(THREE + data)
        assert codes(engine).count("ELV210") == 1
        assert [one.name for one in engine.layers if one.time is not None] == timed


def test_of_two_tables_of_times_the_whole_one_is_taken_where_the_last_is_cut() -> None:
    whole = LAST.replace("leftmost", "right")
    cut = FIRST[: FIRST.index("[I]       Total")].replace("0.1", "0.7")
    for tables, times, told in (
        (whole + cut, [0.1, None, 0.15], ["ELV206"]),
        (cut + whole, [0.1, None, 0.15], []),
        (cut + cut.replace("0.7", "0.8"), [0.8, None, 0.85], ["ELV210"]),
    ):
        (engine,) = engines(THREE + tables)
        assert [one.time and one.time.average_ms for one in engine.layers] == times
        assert codes(engine) == told
    (problem,) = engines(THREE + whole + cut)[0].problems
    assert (problem.place.line, problem.severity) == (10, "warning")
    assert problem.message == "this table of times is cut; the whole one at line 5 is taken"


TOTAL = "[I]  Total  {}  3.0488  100.0\n"
HEADS = "[I]   Layer   Time (ms)   Avg. Time (ms)   Time %\n"
SLOW, QUICK = "[I]  dock to nvm  300.00  3.0000  98.4\n", "[I]  buoy  4.88  0.0488  1.6\n"


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (SLOW + QUICK, ""),  # all is 304.88 ms, or 304.72 ms as the share is rounded
        (SLOW, "take 300.00 ms, all together at least 304.72 ms, as `dock to nvm` is 98.4 %"),
        (SLOW + "[I]  buoy  4.70  0.0470  1.5\n", ""),
        (SLOW + QUICK + TOTAL.format(304.89), ""),  # a sum of rounded times
        (SLOW + TOTAL.format(304.88), "take 300.00 ms, all together 304.88 ms by its Total"),
        (SLOW + QUICK + "[I]  dock  0.00  0.0000  0.0\n", ""),
        (SLOW + "[I]  buoy  4.x  0.0400  1.3\n", ""),  # a time that cannot be read is told
    ],
)
def test_a_table_of_times_that_lacks_rows(rows: str, told: str, tmp_path: Path) -> None:
    problems = read(file_of(tmp_path, HEADS + rows)).problems
    told = told and f"rows are missing: these {told}"
    assert [one.message for one in problems if one.code == "ELV215"] == [told] * bool(told)


@pytest.mark.parametrize(
    "lines",
    [
        (f"{TV}Layers:", DA, "...more", detailed("c", "v", "w"), *BINDINGS),
        (HEADER.rstrip(), A, "… (12 more)", classic("c", "v", "w")),
        (HEADER.rstrip(), A, "[...]"),
        ("```", f"{TV}Layers:", DA, "```", "Some words"),
    ],
)
def test_a_listing_that_a_person_shortened(lines: tuple[str, ...]) -> None:
    (engine,) = engines(text(*lines))
    assert engine.source.state == "part"
    (problem,) = engine.problems
    assert (problem.code, problem.severity) == ("ELV115", "warning")
    assert "a part of a listing" in problem.message
    assert "a part of a listing" in outline(engine)


def test_a_quoted_record_says_nothing_of_the_ends_of_its_engine() -> None:
    copy = classic("Reformatting CopyNode for Input Tensor 0 to b", "r", "q", "Reformat")
    (engine,) = engines(text(copy))
    assert (engine.source.state, codes(engine)) == ("part", ["ELV106"])
    assert (engine.inputs, engine.outputs) == ((), ())
    assert (engine.graph.unresolved, engine.graph.unused) == (("r",), ("q",))
    drawn = render(engine, "svg").decode()
    for name, words in (("r", "read, but no listed layer writes it"), ("q", "written, but no")):
        assert f"<title>{name}[Half 1×8]\n{words}" in drawn


@pytest.mark.parametrize(
    ("counted", "state"),
    [
        ("Original: 9 layers\n{V}After concat removal: 2 layers", "whole"),
        ("Original: 9 layers\n{V}After concat removal: 3 layers", "cut"),
        (
            "Layer: a Host Persistent: 8 bytes\nDevice Persistent: 0 bytes\n{V}Skipped printing "
            "memory information for 1 layers with 0 memory size",
            "whole",
        ),
        (
            "Layer: a Host Persistent: 8 bytes Device Persistent: 0 bytes\n{V}Skipped printing "
            "memory information for 2 layers with 0 memory size",
            "cut",
        ),
        (
            "Building graph using backend strategy 4\n{V}After concat removal: 3 layers\n"
            "{V}Use backend strategy 4 with estimated inference time (0.5) as the initial choice\n"
            "{V}Building graph using backend strategy 3\n{V}After concat removal: 2 layers\n"
            "{V}Chose this engine with backend strategy 3 since its estimated inference time (0.2)",
            "whole",
        ),
    ],
)
def test_a_listing_has_no_fewer_layers_than_the_log_counts(counted: str, state: str) -> None:
    records = classic("a", "x", "t") + "\n" + classic("b", "t", "y") + "\n"
    (engine,) = engines(TV + counted.replace("{V}", TV) + "\n" + HEADER + records)
    assert engine.source.state == state
    assert ("ELV114" in codes(engine)) == (state == "cut")


# ---- what is said where there is no listing, by the version and the program that made the log ----


LOADED = "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=a.engine\n"
BUILT = LOADED.replace("--loadEngine=a.engine", "--onnx=a.onnx --verbose")
BUILT += "[01/01/2024-10:00:00] [V] [TRT] Applying generic optimizations\n"
OF_RTX = "[engine_layer_visualize] builder: tensorrt_rtx 1.7.1.116\n"


def test_an_option_that_the_version_lacks_is_told_and_not_advised() -> None:
    error = refusal((CASES / "14-option-that-this-version-lacks.txt").read_text("utf-8"))
    assert "Unknown option: --exportLayerInfo h.layers.json" in error.problem.message
    assert "trtexec 8.0.1 has no --exportLayerInfo (8.2.1 is the first)" in error.hint
    assert "give the file" not in error.hint


def test_what_torch_tensorrt_built_is_no_loaded_engine() -> None:
    with pytest.raises(ReadError) as caught:
        read(CASES / "18-engine-built-by-torch-tensorrt.txt")
    error = caught.value
    assert "the build succeeded (line 2)" in error.problem.message
    assert "TypeError: a size is not known" in error.problem.message
    assert "loaded" not in error.problem.message
    assert "torch_tensorrt.logging.debug()" in error.hint and "trtexec" not in error.hint


@pytest.mark.parametrize(
    ("data", "words", "is_advised"),
    [
        (LOADED, "--loadEngine=… --exportLayerInfo=FILE`", True),  # this version has the option
        (f"{OF_RTX}[I] [TRT] Loaded engine size: 1\n", "trtexec", False),
        # The memory is looked at only where nothing names the cause.
        (f"{BUILT}Killed\n", "look at the memory", True),
        (f"{BUILT}trtexec: a.cpp:12: f: Assertion `s > 0' failed.\n", "look at the memory", False),
    ],
)
def test_what_is_advised(data: str, words: str, is_advised: bool) -> None:
    assert (words in refusal(data).hint) == is_advised


def test_a_report_of_tensorrt_rtx_names_no_trtexec(tmp_path: Path, here: Program) -> None:
    log = (FIXTURES / "detailed/rtx-io-tensors.log").read_text("utf-8")
    path = file_of(tmp_path, OF_RTX + log)
    for command in ("summary", "lint"):
        assert "trtexec" not in here(command, path).stdout


E_TRT = "[E] [TRT] "


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (
            f"{NETWORK}{E_TRT}ops.cpp:5403 In function importPlugin:\n[8] Assertion failed: gull\n",
            *("ELV404", "In function importPlugin: [8] Assertion failed: gull"),
        ),
        (
            "[I] [TRT] Loaded engine size: 24 MiB\n"
            f"{E_TRT}x: Error Code 6: (The engine plan file is not compatible)\n[E] no engine!\n",
            *("ELV403", "the engine could not be loaded: x: Error Code 6"),
        ),
    ],
)
def test_the_cause_is_told_and_not_what_came_of_it(data: str, code: str, words: str) -> None:
    problem = refused(data)
    assert problem.code == code and words in problem.message, problem
