"""What is eight times as long costs about eight times as much, whatever part of a line grows.

Costs are compared with each other, never with a limit: a quadratic reader costs 64 times as much.
Every line that the program reads grows: those beside its patterns (`# e.g.`), records, and rows.
"""

import re
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import pytest
from factories import engine_of, engines_of, profiles_in
from logtext import pieces
from sample_lines import PATTERNS

from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.io.source import CHUNK
from fuzz import budget

Case = tuple[str, str, str]  # before, what is repeated, after

HEADER = "[V] Engine Layer Information:\n"
LAYER = "Layer(A): a, Tactic: 1, x (Float[1]) -> y (Float[1])\n"
OLD_LAYER = "Layer(A): a, Tactic: 1, x[Float(1)] -> y[Float(1)]\n"
LISTING = HEADER + LAYER
IN_NAME, IN_TENSORS = "Layer(A): ", "Layer(A): a, Tactic: 1, "
RUNNER = "[V] [TRT] --------------- Timing Runner: a (Cask)\n"
STARS = "*" * 15
TABLE = "=== Profile (1 iterations ) ===\n   Layer   Time (ms)\n"
OBJECT = "{ Name: x, Location: Device, Dimensions: [1], Format/Datatype: Half }"
DETAILED = (
    f"Name: a, LayerType: A, Inputs: [ {OBJECT}, {OBJECT}], Outputs: [ {OBJECT}], A: b, "
    "TacticName: k, Metadata: [ONNX Layer: n], StreamId: 0"
)
# What must come before a line for it to be read: a runner, a node, a section.
STATE = (
    "=== Computing costs for a\n"
    "Parsing node: a [If]\n"
    f"[I] === Build Options ===\n[I] === Performance summary ===\n{RUNNER}"
)
# Lines beside those of the patterns: of other kinds, and the same in other states.
LINES = (
    *(sample for _, _, samples in PATTERNS for sample in samples),
    "&&&& RUNNING TensorRT\n[I] Load engine: e",
    "Tactic: 1 Time: 0.5\nFastest Tactic: 1 Time: 0.5",
    "Tactic: 1 skipped. Scratch requested: 1, available: 0\nSetting workspace to 1enables more",
    f"{STARS} Autotuning Reformat: Float(8,1) -> Half(8,1) {STARS}",
    "=============== Computing costs for a\na [b(1) -> c] got cached result: A, tactic 1, 1 ms",
    "ForeignNode {a} metadata: [ONNX Layer: a]",
    "Layer: a Host Persistent: 1 Device Persistent: 1\nEngine generation completed in 1 seconds.",
    "Parsing node: a [Conv]\na [Conv] inputs: [a -> (1, 1)[FLOAT]], [b -> (1)[FLOAT]], \n"
    "Registering tensor: a for ONNX tensor: a\na [Conv] outputs: [c -> (1)[FLOAT]], ",
    "2026-11-22T10:00:00Z a completed in 1.5 seconds.",
    "Marking a as output: b (c)",
    "Severity.ERROR [E] Error Code 1: a",
    "> \t\x1b[0m W E",
)
# What the patterns of names, tactics and descriptors could run along, again and again.
UNITS = [
    *(" ", "a", "(", "[", ")", "]", ",", ":", "-", "1", "\t", "\x1e", "層"),
    *(", ", " -> ", " ->", " (", "[a", " (a", "[Float(", " (Float[", "[Float(1", " (Float[1"),
    *("[Float(1)]", " (Float[1])", "x[Float(1)], ", "x (Float[1]), ", "x[Float(1)]]", "1,", "1:"),
    *(", Tactic: ", ", Tactic: 1", ", Tactic: 0x", ", Tactic: -", ", Tactic: a, ", "Layer("),
    *("Layer(A", "Layer(A)", "Layer(A): ", "\x1b[", "\x1b[0m", "\x1b[0;", "m\x1b"),
]
# Names of layers: in the listing, and in all that build info looks for them.
NAMES = (
    *(("a", " + a", ""), ("", "(", ""), ("", ")", ""), ("", "PWN(", ""), ("", "PWN(a), ", "")),
    *(("{ForeignNode[", "...", "]}"), ("a", " [profile 1]", ""), ("a", " ", "b")),
)
NAMED = (
    ("--- Timing Runner: ", " (A)\nFastest Tactic: 1 Time: 1\n"),
    ("Layer: ", " Host Persistent: 1 Device Persistent: 1\n"),
    ("", " Set Tactic Name: a Tactic: 1\n"),
    ("AFusion: Fusing ", " with b\n"),
)
# Files of times are read by their heads, so each case is one of its own.
PROFILES: tuple[Case, ...] = (
    *(("", ":", ""), ("a:", " ", "x"), ("", ": ", "x"), ("a: ", "1", "x"), ("", ": 1", "ms")),
    *(("a: 1", "e1", "ms"), ("", "a: 1ms ", ": 1ms"), ("", "1ms ", ""), ("", "[TRT] ", "")),
    *(("", "[08/20/2024-19:31:54", ""), ("", "[19:31:54", ""), ("", "Layer   Time (ms) ", "")),
    *(("", " ", "Layer"), ("Layer", " ", "Time"), ("Time(ms)", " ", "Avg."), (TABLE, "1 ", "x")),
    *((f"{TABLE}a 1", " ", "x"), (f"{TABLE}a ", "1", " 1 x"), (TABLE, " 1.", "x")),
    *((TABLE, "1  1 1  ", "x"), ("", "=== Profile (", ""), ("[", " ", ""), ("", "[", "")),
    *(("=== Profile (", "1", " iterations ) ===\n"), ('[{"name": "', "\\\\", '"}]')),
    ("", f"{TABLE}   a  1  1  1  1\n[I] x\n", ""),  # many of them, in one text
    ('[{"name": "', "a", '", "averageMs": 1}]'),
    ("[", '{"name": "a", "averageMs": "x"},', '{"name": "good", "averageMs": 1}]'),
)
AT_ONCE = 12  # cases in one log: more, and a quadratic one would not outweigh the others


def check(work: Callable[[str], object], *cases: Case) -> None:
    def text(size: int) -> str:
        each = size // len(cases)
        return "\n".join(a + unit * (each // len(unit) or 1) + b for a, unit, b in cases)

    budget.in_time(work, text)


def grown(line: str, apart: str = r"\W+") -> Iterator[Case]:
    """Every way in which a part of a line is repeated: it alone, and all that comes before it.
    `apart`: what parts its parts."""
    yield "", f"{line}\n", ""
    parts = [part for part in re.split(f"({apart})", line) if part]
    for at, part in enumerate(parts):
        before, after = "".join(parts[:at]), "".join(parts[at + 1 :])
        yield before, part, after
        if at and not part[-1].isalnum():
            yield "", before + part, ""


def together(cases: Iterator[Case] | Sequence[Case]) -> list[tuple[Case, ...]]:
    every = list(dict.fromkeys(cases))
    return [tuple(every[at : at + AT_ONCE]) for at in range(0, len(every), AT_ONCE)]


def read_log(text: str, facts: bool = True) -> None:
    chunks = pieces(text.encode(), CHUNK)  # as a file comes
    with suppress(ReadError):
        engines_of(chunks, facts=facts)


def read_times(text: str) -> None:
    with suppress(ReadError):
        profiles_in(text)


@pytest.mark.parametrize("cases", together([case for line in LINES for case in grown(line)]))
def test_lines_of_a_log(cases: tuple[Case, ...]) -> None:
    check(lambda lines: read_log(f"{STATE}{lines}\n{LISTING}{lines}\n"), *cases)


@pytest.mark.parametrize("case", [("", "a", " [E] failed"), ("", "[E] ", ""), ("", " ", "")])
def test_logs_without_a_listing(case: Case) -> None:
    check(lambda line: read_log(f"{line}\n"), case)


@pytest.mark.parametrize("before", [IN_NAME, IN_TENSORS])
@pytest.mark.parametrize("at", range(0, len(UNITS), AT_ONCE))
def test_what_names_and_descriptors_hold(at: int, before: str) -> None:
    cases = [(before, unit, "") for unit in UNITS[at : at + AT_ONCE]]
    check(lambda lines: read_log(f"{HEADER}{LAYER}{OLD_LAYER}{lines}\n{LAYER}", False), *cases)


PARTS = r", | -> |: "
RECORDS = [
    *(case for line in (LAYER, OLD_LAYER) for case in grown(line.strip(), f"{PARTS}|[\\W]")),
    *(case for line in (LAYER, OLD_LAYER) for case in grown(line.strip(), PARTS)),
    *((IN_TENSORS, unit, "y (Float[1])") for unit in ("x (Float[1]) -> ", "x (Float[1]), ")),
    (LAYER.strip(), "\nx (Float[1])", ""),
    (LAYER.strip(), "\x1b[0m", ""),
    *((LAYER.strip(), end, "") for end in (" ", "\nx (Float[1])")),
]
DETAILED_RECORDS = [
    *grown(DETAILED, PARTS),
    *(
        (DETAILED[: DETAILED.index(", Dim")], unit, "")
        for unit in (", Dimensions: [1], Format/Datatype: x", ", Dimensions: [1], Datatype: x }")
    ),
    (
        DETAILED[: DETAILED.index("{")],
        f"{OBJECT[:-1]}, Dimensions: [1], Format/Datatype: A }}, ",
        "]",
    ),
]


@pytest.mark.parametrize("cases", together(RECORDS))
def test_records(cases: tuple[Case, ...]) -> None:
    check(lambda lines: read_log(f"{HEADER}{LAYER}{OLD_LAYER}{lines}\n{LAYER}", False), *cases)


@pytest.mark.parametrize("case", RECORDS[-6:])
def test_a_single_record(case: Case) -> None:
    known = "Adding network input: a (Float[1]), b with dtype: float32, dimensions: (1)\n"
    first = "Layer(A): a, Tactic: 1, a (Float[1]), b (Float[1]) -> c (Float[1])\n"
    check(lambda line: read_log(f"{known}{HEADER}{first}{line}\n", False), case)


@pytest.mark.parametrize("cases", together(DETAILED_RECORDS))
def test_detailed_records(cases: tuple[Case, ...]) -> None:
    check(lambda lines: read_log(f"[V] Layers:\n{lines}\n", False), *cases)


@pytest.mark.parametrize("line", NAMED, ids=lambda line: line[0])
def test_names_of_layers(line: tuple[str, str]) -> None:
    cases = [(line[0] + before, unit, after + line[1]) for before, unit, after in NAMES]
    check(lambda lines: read_log(f"{lines}\n{LISTING}"), *cases)


def test_a_layer_of_a_long_name() -> None:
    kernels = "a Set Tactic Name: b Tactic: 1\n" * 100
    listed = f"{kernels}{HEADER}Layer(A): {{}}, Tactic: 1, x (A[1]) -> y (A[1])"
    check(lambda name: read_log(listed.format(name)), ("a", " + a", ""))


@pytest.mark.parametrize("case", PROFILES)
def test_files_of_times(case: Case) -> None:
    check(read_times, case)


# ---- memory -------------------------------------------------------------------------------------


def timings(count: int, layers: int) -> Iterator[bytes]:
    """`count` timings of `layers` layers, as a file comes."""
    for number in range(count // 100):
        name = f"stage{number % layers}.conv + relu"
        formats = f"Half({number},1) -> Half(8,1)"
        lines = [
            f"[V] [TRT] {STARS} Autotuning format combination: {formats} {STARS}",
            f"[V] [TRT] --------------- Timing Runner: {name} (CaskConvolution)",
            *(f"[V] [TRT] Tactic: {number * 100 + n} Time: {1 + n / 1e4}" for n in range(100)),
            f"[V] [TRT] Fastest Tactic: {number * 100} Time: 1.0",
            f"[V] [TRT] >>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: {number * 100}",
            "[W] [TRT] again",
        ]
        yield ("\n".join(lines) + "\n").encode()
    yield LISTING.encode()


def most_memory(count: int) -> int:
    tracemalloc.start()
    engine = engine_of(timings(count, layers=10), facts=True)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert engine.facts is not None
    assert engine.facts.tactics_tried == count
    assert engine.facts.warnings == count // 100
    # The first hundred, and three of each kind of those after them.
    assert len(engine.facts.messages) == 103
    return most


def test_memory_is_bounded_by_the_names() -> None:
    # More than the end of the log that is kept, 4 MiB.
    few, many = most_memory(120_000), most_memory(400_000)
    assert many < 1.5 * few, f"{few >> 10} KiB, then {many >> 10} KiB"
