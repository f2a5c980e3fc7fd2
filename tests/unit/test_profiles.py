"""Which times an engine gets where there are several."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from logtext import file_of
from paths import FIXTURES

import engine_layer_visualize as elv

WITH_TABLE = FIXTURES / "classic" / "8.2-trtexec-table.log"


def written(file: Path, names: Iterable[str]) -> Path:
    rows = [{"name": name, "averageMs": 0.5} for name in names]
    file.write_text(json.dumps([{"count": 1}, *rows]), "utf-8")
    return file


def listing(*layers: str) -> str:
    """`TYPE NAME` for each layer; each reads what the one before it writes."""
    lines = []
    for at, layer in enumerate(layers):
        kind, name = layer.split(" ", 1)
        line = f"Layer({kind}): {name}, Tactic: 0x1, t{at} (Half[1,8]) -> t{at + 1} (Half[1,8])"
        lines.append(f"[V] [TRT] {line}\n")
    return "[V] [TRT] Engine Layer Information:\n" + "".join(lines)


def timed(engine: elv.Engine) -> list[str]:
    return [layer.name for layer in engine.layers if layer.time is not None]


def test_the_log_s_table_stays_where_it_knows_more_than_a_file(tmp_path: Path) -> None:
    (own,) = elv.read(WITH_TABLE).engines  # one row of the table is of the runtime
    known = timed(own)
    file = written(tmp_path / "other.json", [*known[:-1], "pine", "fir"])
    build = elv.read(WITH_TABLE, file)
    assert build.engines[0].layers == own.layers and build.engines[0].profile == own.profile
    (problem,) = (one for one in build.problems if one.place.line == 1)
    assert (problem.code, problem.place.file) == ("ELV206", str(file))
    assert f"table has times for {len(known)}" in problem.message
    forced = elv.read(WITH_TABLE, file, force=True)
    assert timed(forced.engines[0]) == known[:-1]
    table, rest = forced.problems
    assert (table.code, table.place.file, rest.code) == ("ELV206", str(WITH_TABLE), "ELV203")
    assert table.message.startswith(f"times are from other.json, for {len(known) - 1} of ")
    as_good = elv.read(WITH_TABLE, written(file, known))
    assert not as_good.problems and as_good.engines[0].total_ms == len(known) / 2


@pytest.mark.parametrize(
    ("times", "runs"),
    [
        (("0.116288", "0.019232"), 1),  # ticks of 32 ns, as CUDA's events have
        (("0.116288", "0.019233"), None),
        (("0.5", "0.008"), None),  # a person's numbers
    ],
)
def test_times_in_ticks_of_the_gpu_are_of_one_run(
    tmp_path: Path, times: tuple[str, ...], runs: int | None
) -> None:
    file = tmp_path / "times.txt"
    file.write_text("".join(f"l{at}: {ms}ms\n" for at, ms in enumerate(times)), "utf-8")
    log = tmp_path / "build.log"
    log.write_text(listing("Scale l0", "Scale l1"), "utf-8")
    (engine,) = elv.read(log, file).engines
    assert [layer.time and layer.time.n for layer in engine.layers] == [runs, runs]


@pytest.mark.parametrize(
    ("names", "is_used"),
    [
        (("oak", "elm"), True),
        (("oak",), False),  # of four layers that run, whatever a profile may leave out
        (("oak", "bark", "knot", "bole"), False),
        (("oak [profile 1]", "elm [profile 1]", "ash [profile 1]"), True),
    ],
)
def test_half_of_the_layers_must_have_times(
    tmp_path: Path, names: tuple[str, ...], is_used: bool
) -> None:
    """A file without the rows of no-ops and constants is whole, and so is one of one optimisation
    profile; a part, or another network's, is not taken for the engine's times."""
    trees = ("CaskConvolution oak", "CaskConvolution elm", "Reduce ash", "Reformat yew")
    idle = ("NoOp bark", "NoOp knot", "Constant bole", "NoOp burl", "Constant gall")
    copies = [f"{one} [profile {k}]" for k in (1, 2) for one in trees]
    log = file_of(tmp_path, listing(*trees, *idle, *(copies if "1" in names[0] else ())))
    file = written(tmp_path / "times.json", names)
    build = elv.read(log, file)
    assert [problem.code for problem in build.problems] == ([] if is_used else ["ELV209"])
    assert timed(build.engines[0]) == [name for name in names if is_used]
    forced = elv.read(log, file, force=True)
    assert not forced.problems and len(timed(forced.engines[0])) == len(names)
