"""What facts cost: eight times the text about eight times as much, and memory by the names."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest
from factories import engines_of
from logtext import pieces

from engine_layer_visualize.io.source import CHUNK
from engine_layer_visualize.pipeline import Log
from fuzz import budget

pytestmark = pytest.mark.slow

LISTING = (
    "[V] [TRT] Engine Layer Information:\nLayer(A): a, Tactic: 1, x (Float[1]) -> y (Float[1])\n"
)
RUNNER = "[V] [TRT] --------------- Timing Runner: a (Cask)\n"
STARS = "*" * 15

# What is repeated in one line, or line by line. Each runs along something that facts search for.
CASES: dict[str, tuple[str, str, str]] = {
    "runs with a warning each": (LISTING, "&&&& RUNNING a\n[W] x\n", ""),
    "runs of an engine": (
        2 * LISTING,
        "[I] === Model Options ===\n[I] === Build Options ===\n[I] Load engine: e\n",
        "",
    ),
    "runners in a line": ("", "--- Timing Runner: ", "\n"),
    "runners": ("", RUNNER, ""),
    "runner of many brackets": ("--- Timing Runner: a", " (a)", "\n"),
    "tactics in a line": (RUNNER, "Tactic: ", "\n"),
    "times in a line": (RUNNER, "Tactic: 1 Time: 2 ", "\n"),
    "fastest in a line": (RUNNER, "Fastest Tactic: ", "\n"),
    "fastest, no time": (RUNNER, "Fastest Tactic: 1\n", ""),
    "times": (RUNNER, "Tactic: 1 Time: 0.5\n", "Fastest Tactic: 1 Time: 0.5\n"),
    "other tactics": (RUNNER, "Tactic: a Time: b\nFastest ", ""),
    "blanks after a time": (f"{RUNNER}Tactic: 1 Time: 0.5", " ", "x\n"),
    "digits of a time": (f"{RUNNER}Tactic: 1 Time: ", "1", "\n"),
    "a tactic's digits": (f"{RUNNER}Tactic: ", "1", " Time: 1\n"),
    "skipped": (RUNNER, "Tactic: 1 skipped. Scratch requested: 1, available: 0 ", "\n"),
    "short of memory in a line": (
        RUNNER,
        "Skipping tactic 0 due to oom error on requested size of 1 ",
        "\n",
    ),
    "short of memory": (
        RUNNER,
        "Skipping tactic 0 due to oom error on requested size of 1\n",
        "Fastest Tactic: 1 Time: 0.5\n",
    ),
    "a size's digits": (
        f"{RUNNER}Skipping tactic 0 due to oom error on requested size of ",
        "1",
        "x\n",
    ),
    "letters of a request": (RUNNER, "q", "\n"),
    "advice in a line": (RUNNER, "Setting workspace to 1enables more tactics ", "\n"),
    "advice": (
        f"{RUNNER}Tactic: 1 skipped. Scratch requested: 1\n",
        "Setting workspace to 1enables more tactics\n",
        "",
    ),
    "dots behind a size": (f"{RUNNER}Tactic: 1 skipped. Scratch requested: 1", ".", "x\n"),
    "no valid tactics": (RUNNER, "a has no valid tactics ", "\n"),
    "no valid tactics for": (RUNNER, "Skipping a: No valid tactics for ", "\n"),
    "a runner without valid tactics": (RUNNER, "a", " has no valid tactics\n"),
    "chosen in a line": (RUNNER, "Chose Runner Type: ", "\n"),
    "chosen": (f"{RUNNER}Fastest Tactic: 1 Time: 1\n", "Chose Runner Type: a Tactic: 1\n", ""),
    "formats in a line": (f"{RUNNER}{STARS} ", "Autotuning Reformat: ", f" {STARS}\n"),
    "formats": (RUNNER, f"{STARS} Autotuning Reformat: a -> b {STARS}\n", ""),
    "costs in a line": ("", "=============== Computing costs for ", "\n"),
    "costs": ("", "=============== Computing costs for a\n", ""),
    "cached in a line": ("=== Computing costs for a\n", "a [b] got cached result: ", "\n"),
    "cached": ("=== Computing costs for a\n", "a [b] got cached result: A, tactic 1, 1 ms\n", ""),
    "a cached result's brackets": (
        "=== Computing \n",
        " [",
        "] got cached result: A, tactic 1, 1 ms",
    ),
    "a cached result's formats": (
        "=== Computing costs for a\na [",
        "(",
        ") -> b] got cached result: A, tactic 1, 1 ms\n",
    ),
    "foreign nodes in a line": ("=== Computing \n", "ForeignNode {", "\n"),
    "metadata": ("=== Computing \nForeignNode {a} metadata: ", "[ONNX Layer: a]", "\n"),
    "memory in a line": ("", "Layer: ", " Host Persistent: 1 Device Persistent: 1\n"),
    "memory": ("", "Layer: a Host Persistent: 1 Device Persistent: 1\n", ""),
    "memory, again and again": ("Layer: a", " Host Persistent: 1 Device Persistent: 1", " x\n"),
    "memory, digits": ("Layer: a Host Persistent: ", "1", "\n"),
    "weights": ("Layer: a", " Weights: 1", " HostPersistent: 1 DevicePersistent: 1\n"),
    "fusions in a line": ("", "A: Fusing a with b ", "\n"),
    "fusions": ("", "A: Fusing a with b\n", ""),
    "a fusion's rule": ("", "a", ": Fusing a with b\n"),
    "a fusion of many": ("A: Fusing a", " + a", " with b\n"),
    "removed": ("", "] Removing a\n", ""),
    "passes in a line": ("", "After a: 1 layers ", "\n"),
    "a pass's name": ("After ", "a ", ": 1 layers\n"),
    "registered in a line": ("", "Registering layer: a for ONNX node: ", "\n"),
    "builds": ("", "Original: 1 layers\n", ""),
    "builds in a line": ("", "Original: 1 layers ", "\n"),
    "runs": ("", "&&&& RUNNING TensorRT\n", ""),
    "nodes and runs": ("", "Parsing node: a\n&&&& RUNNING\n", ""),
    "nodes": ("", "Parsing node: a\n", ""),
    "tensors of a node": ("Parsing node: a [B]\na [B] inputs: ", "[a -> (1)[FLOAT]], ", "\n"),
    "arrows in a node's list": ("Parsing node: a [B]\na [B] inputs: [a", " -> (", "1)[A]], \n"),
    "dims in a node's list": ("Parsing node: a [B]\na [B] inputs: [a -> (", "1, ", "1)[A]], \n"),
    "tensors of a product": (
        "Parsing node: a [Gemm]\na [Gemm] inputs: ",
        "[a -> (1, 1)[FLOAT]], ",
        "\n",
    ),
    "extents of a product": (
        "Parsing node: a [Conv]\na [Conv] inputs: [a -> (",
        "1, ",
        "1)[FLOAT]], \n",
    ),
    "products": (
        "",
        "Parsing node: a [Conv]\na [Conv] inputs: [a -> (1)[A]], [b -> (1)[A]], \n"
        "a [Conv] outputs: [c -> (1)[A]], \n",
        "",
    ),
    "lists in a line": ("Parsing node: a [B]\n", "a [B] inputs: ", "\n"),
    "inputs of a node": ("Parsing node: a [B]\n", "Searching for input: a\n", ""),
    "different inputs of a node": ("Parsing node: a [If]\n", "Registering tensor: a\n", ""),
    "names of a tensor": (
        "Parsing node: a [B]\nRegistering tensor: a",
        " for ONNX tensor: a",
        "\n",
    ),
    "nodes in nodes": ("", "Parsing node: a [If]\n", ""),
    "nodes in nodes, closed": (
        "",
        "Parsing node: a [If]\nParsing node: b [C]\nb [C] outputs: [b -> ()[A]], \n",
        "a [If] outputs: [a -> ()[A]], \n",
    ),
    "initializers": ("", "Importing initializer: a\n", ""),
    "colours": ("Parsing node: a [B]\nSearching for input: a", "\x1b[0m", "\n"),
    "attempts": (
        "",
        "Layer: a Host Persistent: 1 Device Persistent: 1\nEngine generation completed in 1\n",
        "",
    ),
    "sections": ("", "=== Build Options ===\n", ""),
    "options": ("[I] === Build Options ===\n", "[I] a: b\n", ""),
    "measures": ("[I] === Performance summary ===\n", "[I] a: min = 1 ms\n", ""),
    "percentiles": (
        "[I] === Performance summary ===\n[I] a: min = 1 ms",
        ", percentile(9%) = 1 ms",
        "\n",
    ),
    "phases in a line": ("", "a completed in 1 ", "\n"),
    "a phase's name": ("", "a ", "completed in 1 seconds.\n"),
    "warnings": ("", "[W] a\n", ""),
    "warnings in a line": ("", "[W] ", "\n"),
    "letters": ("", "W", "\n"),
    "kernels": ("", "a Set Tactic Name: b Tactic: 1\n", ""),
    "a kernel's layer": ("", "a ", "a Set Tactic Name: b Tactic: 1\n"),
    "bindings": ("", "Created output binding for a with dimensions 1x1\n", ""),
    "caches": ("", " timing cache", "\n"),
}
# Names of layers: in the listing, and in all that facts look for them.
NAMES: dict[str, tuple[str, str, str]] = {
    "sum": ("a", " + a", ""),
    "brackets": ("", "(", ""),
    "closing brackets": ("", ")", ""),
    "PWN": ("", "PWN(", ""),
    "closed PWN": ("", "PWN(a), ", ""),
    "foreign": ("{ForeignNode[", "...", "]}"),
    "profiles": ("a", " [profile 1]", ""),
    "blanks": ("a", " ", "b"),
}


def read(text: str) -> None:
    data = text.encode()
    chunks = pieces(data, CHUNK)  # as a file comes
    engines_of(chunks, facts=True)


def check(before: str, unit: str, after: str, around: tuple[str, str] = ("", "")) -> None:
    def text(size: int) -> str:
        return around[0] + before + unit * (size // len(unit) or 1) + after + around[1]

    budget.in_time(read, text)


@pytest.mark.parametrize("case", sorted(CASES))
def test_more_lines_cost_in_proportion(case: str) -> None:
    check(*CASES[case], around=("", LISTING))


@pytest.mark.parametrize("case", sorted(NAMES))
@pytest.mark.parametrize("line", ["Timing Runner", "memory", "kernel", "fusion"])
def test_longer_names_cost_in_proportion(case: str, line: str) -> None:
    before, unit, after = NAMES[case]
    lines = {
        "Timing Runner": ("--- Timing Runner: ", " (A)\nFastest Tactic: 1 Time: 1\n"),
        "memory": ("Layer: ", " Host Persistent: 1 Device Persistent: 1\n"),
        "kernel": ("", " Set Tactic Name: a Tactic: 1\n"),
        "fusion": ("AFusion: Fusing ", " with b\n"),
    }
    start, end = lines[line]
    check(start + before, unit, after + end, around=("", LISTING))


def test_a_layer_of_a_long_name() -> None:
    check(
        "[V] [TRT] Engine Layer Information:\nLayer(A): a",
        " + a",
        ", Tactic: 1, x (Float[1]) -> y (Float[1])\n",
        around=("a Set Tactic Name: b Tactic: 1\n" * 100, ""),
    )


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
    (engine,) = Log("build.log", chunks=timings(count, layers=10), facts=True).engines()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert engine.facts is not None
    assert sum(one.tried for one in engine.facts.runners) == count
    assert engine.facts.warnings == count // 100
    # The first hundred, and three of each kind of those after them.
    assert len(engine.facts.messages) == 103
    return most


def test_memory_is_bounded_by_the_names() -> None:
    few, many = most_memory(50_000), most_memory(400_000)
    assert many < 1.5 * few, f"{few >> 10} KiB, then {many >> 10} KiB"
