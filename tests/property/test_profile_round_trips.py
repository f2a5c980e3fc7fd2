"""Profiles as every version prints them, read back row by row."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
import strategies
from factories import engine_of, profiles_in
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import TABLES, Record, Written, engines, print_log, print_profile_json, print_table

from engine_layer_visualize.api.read import Log
from engine_layer_visualize.assembly import profiles as profile_matching
from engine_layer_visualize.core.model import Layer, Profile, ProfileRow, Timing
from engine_layer_visualize.core.problems import Place

Rows = tuple[ProfileRow, ...]


def one(text: str) -> Profile:
    (profile,), problems = profiles_in(text)
    assert problems == []
    return profile._replace(rows=without_lines(profile))


def without_lines(profile: Profile) -> Rows:
    return tuple(row._replace(line=None) for row in profile.rows)


def without_medians(rows: Sequence[ProfileRow]) -> Rows:
    return tuple(row._replace(time=row.time._replace(median_ms=None)) for row in rows)


def of_runs(rows: Sequence[ProfileRow], count: int) -> Rows:
    return tuple(row._replace(time=row.time._replace(n=count or None)) for row in rows)


@given(strategies.profile_rows, st.integers(0, 10**6), st.booleans(), st.booleans())
def test_exported_json_is_read_as_it_was(rows: Rows, count: int, medians: bool, raw: bool) -> None:
    profile = one(print_profile_json(rows, count, medians=medians, raw=raw))
    assert profile.rows == of_runs(rows if medians else without_medians(rows), count)


@given(strategies.profile_rows)
@example((ProfileRow("ph", Timing(0.0, 0.0, 0.0, 0.0)),))  # a key of a trace's events
def test_json_without_averages_has_them_from_the_count(rows: Rows) -> None:
    text = print_profile_json(rows, 4).replace('"averageMs"', '"unknownMs"')
    assert [r.time.average_ms for r in one(text).rows] == [(r.time.total_ms or 0) / 4 for r in rows]


@pytest.mark.parametrize("shape", sorted(TABLES))
@given(
    rows=strategies.table_rows,
    count=st.integers(1, 10**6),
    prefix=st.sampled_from(["", "[I] ", "[08/20/2024-19:31:54] [I] ", "[12:15:24] [I] "]),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_tables_come_back(shape: str, rows: Rows, count: int, prefix: str, newline: str) -> None:
    profile = one(print_table(rows, shape, count, prefix, newline))
    assert profile.rows == of_runs(without_medians(rows) if shape == "8.2" else rows, count)


@pytest.mark.parametrize("shape", sorted(TABLES))
@given(names=st.lists(strategies.real_names, min_size=1, max_size=5))
@settings(max_examples=20)
def test_a_table_without_its_first_line(shape: str, names: list[str]) -> None:
    rows = tuple(ProfileRow(name, Timing(0.25, 0.5, 12.5, 10.0)) for name in names)
    profile = one(print_table(rows, shape).partition("\n")[2])
    assert profile.rows == (without_medians(rows) if shape == "8.2" else rows)


@pytest.mark.parametrize("shape", sorted(TABLES))
def test_a_layer_called_total(shape: str) -> None:
    rows = tuple(ProfileRow("Total", Timing(n / 4, n / 8, n / 2, 50.0)) for n in (1, 2))
    assert [row.time.average_ms for row in one(print_table(rows, shape)).rows] == [0.25, 0.5]


@pytest.mark.parametrize("shape", sorted(TABLES))
@given(tables=st.lists(strategies.table_rows, min_size=2, max_size=3))
@settings(max_examples=15)
def test_several_tables_of_one_file(shape: str, tables: list[Rows]) -> None:
    profiles, problems = profiles_in("".join(print_table(rows, shape) for rows in tables))
    assert problems == []
    assert [*map(without_lines, profiles)] == [
        of_runs(without_medians(rows) if shape == "8.2" else rows, 961) for rows in tables
    ]


def _are_of_one_run(rows: Rows) -> bool:
    """Whether no name is there twice, and none begins as other programs' lines do."""
    names = {row.name.strip() for row in rows}
    return len(names) == len(rows) and not any(sign in name for name in names for sign in "|\t>:[")


@given(strategies.text_rows.filter(_are_of_one_run))
def test_the_old_text_is_read_as_it_was(rows: Rows) -> None:
    profile = one(strategies.print_profile_text(rows))
    # Times that are whole ticks of the GPU's clock are taken as of one run.
    assert [(row.name, row.time._replace(n=None)) for row in profile.rows] == [
        (row.name, Timing(row.time.average_ms)) for row in rows
    ]


@pytest.mark.parametrize("printer", ["text", *sorted(TABLES)])
@pytest.mark.parametrize("mark", ["\x1e", "\u2028"])
def test_a_name_keeps_the_separators_at_its_ends(printer: str, mark: str) -> None:
    """They are blank to Python, but part of a name to TensorRT."""
    rows = tuple(
        ProfileRow(name, Timing(0.25, 0.5, 12.5, 10.0)) for name in (f"{mark}a", f"b{mark}", "c")
    )
    text = strategies.print_profile_text(rows) if printer == "text" else print_table(rows, printer)
    assert [row.name for row in one(text).rows] == [row.name for row in rows]


@pytest.mark.parametrize("shape", sorted(TABLES))
@given(written=engines(strategies.real_names, max_size=4))
@settings(max_examples=20)
def test_a_table_is_of_the_engine_before_it(shape: str, written: Written) -> None:
    rows = tuple(
        ProfileRow(record.name, Timing(0.25 * number, 0.5, 12.5, 10.0))
        for number, record in enumerate(written.listing, 1)
    )
    data = (print_log([written]).text + print_table(rows, shape)).encode()
    found = engine_of(data)
    assert found.profile is not None
    assert found.profile.matched == found.profile.rows == len(rows)
    assert [layer.time and layer.time.average_ms for layer in found.layers] == [
        row.time.average_ms for row in rows
    ]


@given(engines(strategies.hostile_names, max_size=4))
@settings(max_examples=40)
def test_a_profile_file_finds_every_layer_by_its_name(engine: Written) -> None:
    rows = [ProfileRow(record.name, Timing(1.0, 1.0, 1.0, 1.0)) for record in engine.listing]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "times"
        path.write_text(print_profile_json(rows[::-1]), encoding="utf-8")
        log = Log("build.log", [path], chunks=[print_log([engine]).data])
        (found,) = log.engines()
    assert found.profile is not None
    assert (found.profile.matched, found.profile.unmatched_rows) == (len(rows), ())
    assert found.profile.untimed_layers == ()


# ---- which profile is of which engine ------------------------------------------------------------


_few = st.sampled_from(
    (
        *("a", "b", "c", "a_myl0_1", "k_myl1_0", "k_myl1_1", "k_myl2_0 [profile 1]"),
        *("b_myl007_3", "k_myl99_0", "k_myl1", "Total", "{ForeignNode[a...b]}"),
    )
)
_engines = st.lists(
    st.tuples(_few, st.sampled_from(["NoOp", "Myelin"])), min_size=1, max_size=8
).map(lambda pairs: strategies.layers([Record(type, name, "0", (), ()) for name, type in pairs]))


def _rows(row_names: st.SearchStrategy[str]) -> st.SearchStrategy[list[ProfileRow]]:
    row = st.tuples(row_names, strategies.timings).map(lambda pair: ProfileRow(*pair))
    return st.lists(row, max_size=12)


def _profile(rows: Sequence[ProfileRow]) -> Profile:
    return Profile(Place("p.json", 1), tuple(rows))


@given(_engines, _rows(_few))
def test_every_row_and_layer_is_accounted_for(engine: list[Layer], rows: list[ProfileRow]) -> None:
    timed, found = profile_matching.join(engine, _profile(rows))
    assert [layer._replace(time=None) for layer in timed] == engine
    with_time = [layer for layer in timed if layer.time is not None]
    assert (found.matched, found.layers, found.rows) == (len(with_time), len(engine), len(rows))
    assert found.untimed_layers == tuple(layer.name for layer in timed if layer.time is None)
    used = sum(layer.time.parts for layer in timed if layer.time is not None)
    assert used + len(found.unmatched_rows) == len(rows)
    assert not Counter(found.unmatched_rows) - Counter(row.name for row in rows)
    # Rows of one name may differ in time, so the left over ones' sum is bounded, not known.
    total = sum(layer.time.average_ms or 0.0 for layer in timed if layer.time is not None)
    assert total <= sum(row.time.average_ms or 0.0 for row in rows) + 1e-6
    if not found.unmatched_rows:
        assert total == pytest.approx(sum(row.time.average_ms or 0.0 for row in rows))
    score = profile_matching.score(engine, _profile(rows))
    assert score.exact + score.kernels == used
    assert bool(score) == (found.matched > 0)
    # The nth row of a name is of the nth layer, in whatever order names come.
    for name in {layer.name for layer in engine}:
        mine = [layer for layer in timed if layer.name == name]
        theirs = [row.time for row in rows if row.name == name]
        count = min(len(mine), len(theirs))
        assert [layer.time for layer in mine[:count]] == theirs[:count]
        for layer in mine[count:]:  # kernels may still time these, if they are of Myelin
            assert layer.time is None or layer.type == "Myelin"


@given(_engines, _rows(_few))
def test_kernels_are_summed_into_their_layer(engine: list[Layer], rows: list[ProfileRow]) -> None:
    timed, _ = profile_matching.join(engine, _profile(rows))
    left = Counter(layer.name for layer in engine)
    exact: Counter[str] = Counter()
    kernels: dict[int, list[ProfileRow]] = {}
    for row in rows:
        if exact[row.name] < left[row.name]:
            exact[row.name] += 1
            continue
        bare = row.name.removesuffix(" [profile 1]")
        _, found, tail = bare.rpartition("_myl")
        parts = tail.split("_")
        if found and len(parts) == 2 and all(part.isdigit() for part in parts):
            kernels.setdefault(int(parts[0]), []).append(row)
    given: Counter[str] = Counter()
    for layer in timed:
        given[layer.name] += 1
        if given[layer.name] <= exact[layer.name] or layer.type != "Myelin":
            continue
        mine = kernels.get(layer.index, [])
        if not mine:
            assert layer.time is None
            continue
        assert layer.time is not None
        assert layer.time.parts == len(mine)
        assert layer.time.average_ms == pytest.approx(sum(row.time.average_ms or 0 for row in mine))
        assert layer.time.median_ms == (mine[0].time.median_ms if len(mine) == 1 else None)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_profiles_for_one_engine_the_better_one_is_taken(order: tuple[int, int]) -> None:
    few, many = profile_matching.Score(1, 0), profile_matching.Score(5, 0)
    scores = [[(few, many)[n]] for n in order]
    profiles = [_profile([ProfileRow(str(n), Timing(0.5))]) for n in order]
    paired, problems = profile_matching.pair(scores, profiles, [0])
    assert paired == {0: profiles[order.index(1)]}
    assert [problem.code for problem in problems] == ["ELV206"]
