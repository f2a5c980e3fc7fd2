"""Makes tables of the rows of a section, and says why there are no times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.core.build_info import Option
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.words import Words
from engine_layer_visualize.documents import blocks as page

# ---- makes tables of the rows of a section, column by column ------------------------------------

Cell: TypeAlias = Callable[[page.Data], Words]
Column: TypeAlias = tuple[str, Cell]


def grid(rows: Iterable[page.Data], columns: Sequence[Column | None]) -> page.Grid:
    """A table with a row for each of the section. A column that is None is left out."""
    kept = [column for column in columns if column is not None]
    cells = tuple(tuple(cell(row) for _, cell in kept) for row in rows)
    return page.Grid(tuple(head for head, _ in kept), cells)


def identity(layer: Layer) -> dict[str, JsonValue]:
    """The keys that say which layer a row is of."""
    return {"index": layer.index, "line": layer.place.line, "name": layer.name}


# ---- cells of the value at a key -----------------------------------------------------------------


def ms(key: str) -> Cell:
    """A time."""
    return lambda row: page.ms(row[key])


def part(key: str) -> Cell:
    """A share."""
    return lambda row: page.part(row[key])


def word(key: str) -> Cell:
    """Any value."""
    return lambda row: page.word(row[key])


def cells_layer(kind: str = "") -> Cell:
    """The layer that the row is of; `kind` is the key of what it is."""
    return lambda row: page.of_layer(row, kind)


# ---- says why a log has no times of layers or of the engine, and what to run --------------------


ELSEWHERE: Final = "For the end-to-end latency, log a run of trtexec: it prints a summary."
_RUN: Final = f"No times: run {trtexec.PROFILING} and add `--profile_file prof.json`"
_OF_TORCH: Final = (
    "No times: Torch-TensorRT writes them where it profiles an engine, as "
    "`…_engine_execution_profile.trace`: add that file with `--profile_file`."
)
_UNTIMED: Final = f"{_RUN}; the whole VERBOSE log of the build gives estimates instead."
_UNMEASURED: Final = f"{trtexec.PROFILING} measures the layers: add `--profile_file prof.json`."
UNTIMED: Final = trtexec.known_to(None, _UNTIMED)
_EXPORTED: Final = (
    "trtexec wrote the times of the layers to another file (`--exportProfile`): add it with "
    "`--profile_file`."
)
_BUILT_ONLY: Final = (
    "No end-to-end latency: this trtexec built the engine and did not run it ({flag}). "
    "`trtexec --loadEngine=…` runs it and prints a summary."
)
_PROFILED: Final = (
    "No end-to-end latency: trtexec measures none while it profiles the layers. "
    "With `--separateProfileRun` it measures both."
)
_CUT: Final = "No end-to-end latency: trtexec's performance summary is not in this log."


def no_latency(options: Iterable[Option], has_table: bool = False) -> str:
    """The advice for an engine without trtexec's performance summary.

    `has_table` says that the log has the times of its layers, so that trtexec ran it.
    """
    values = {option.key: option.value for option in options}
    for key, flag in (("Skip inference", "--skipInference"), ("Build only", "--buildOnly")):
        if values.get(key) == "Enabled":
            return _BUILT_ONLY.format(flag=flag)
    profiled = values.get("Profile") == "Enabled" or values.get("Export profile to JSON file")
    if profiled and values.get("Separate profiling") == "Disabled":
        return _PROFILED
    ran = has_table or "Separate profiling" in values or "Build only" in values
    return _CUT if ran else ELSEWHERE


def no_times(engine: page.Data) -> str:
    """The advice for an engine that no profile times. `engine`: as the first section has it."""
    options = page.rows_of(engine["options"])
    if any(
        option["key"] == "Export profile to JSON file" and option["value"] for option in options
    ):
        return _EXPORTED
    if engine["frontend"] == "torch" and engine["times"] != "estimated":
        return _OF_TORCH
    is_verbose = bool(engine["passes"])  # it has been asked for estimates
    words = f"{_RUN}." if is_verbose else _UNTIMED
    if engine["times"] == "estimated":
        words = _UNMEASURED
    words = trtexec.known_to(engine["tensorrt"], words)
    words = trtexec.with_flags(words, str(engine["plugins"]))
    # Without shapes trtexec takes the least that are allowed, and 1 for what is open.
    return words.replace("=… ", "=… --shapes=… ", 1) if engine["shapes_vary"] else words
