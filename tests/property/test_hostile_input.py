"""No input raises anything but ReadError, and what is drawn can be written."""

import json
import tempfile
from pathlib import Path

import pytest
import strategies
from factories import profiles_in
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from paths import FIXTURES
from strategies import HOSTILE_PIECES, engines, layouts, print_log, print_profile_json, text_rows

from engine_layer_visualize.api.draw import draw
from engine_layer_visualize.core.problems import ReadError
from fuzz.promises import engines as engines_of
from fuzz.promises import sound
from fuzz.shaken import damaged
from fuzz.words import WORDS

LOGS = [path.read_bytes() for path in sorted(FIXTURES.glob("*/*.log*"))]
ENGINE_LINE = b"Layer(Conv): conv, Tactic: 0x0f, x (Float[1]) -> y (Float[1])\n"
DIGITS = "9" * 5000
LONG = (DIGITS, f"-{DIGITS}", "[" * 300, *HOSTILE_PIECES)
PIECES = [*WORDS, *map(str.encode, LONG)]


def read_times(data: bytes) -> int:
    """How many rows a profile file has; -1 where a ReadError says why there are none."""
    try:
        profiles, problems = profiles_in(data)
    except ReadError as error:
        assert sound([error.problem])
        return -1
    assert sound(problems)
    return sum(len(profile.rows) for profile in profiles)


@given(st.sampled_from(LOGS), st.sampled_from(LOGS), st.integers(0, 1000), st.integers(0, 1000))
@settings(max_examples=50)
def test_spliced_logs_are_read(log: bytes, other: bytes, end: int, start: int) -> None:
    data = log[: len(log) * end // 1000] + other[len(other) * start // 1000 :]
    assert len(engines_of([data])) <= data.count(b"\n") + 1


_several = st.lists(engines(max_size=2), min_size=1, max_size=2)
_logs = st.builds(lambda written, layout: print_log(written, layout).data, _several, layouts)


@given(damaged(_logs, PIECES))
@settings(max_examples=60)
def test_damaged_engines(data: bytes) -> None:
    """They are read, with hostile names."""
    assert len(engines_of([data])) <= data.count(b"\n") + 1


@given(st.binary(max_size=400))
def test_random_bytes_make_no_engine_and_harm_none(data: bytes) -> None:
    assume(b"Layer(" not in data and b"Name: " not in data)  # these begin a record
    assert engines_of([data]) == []
    found = engines_of([b"Engine Layer Information:\n", ENGINE_LINE, data])
    assert found[0].layers[0].name == "conv"


@given(st.lists(st.sampled_from([*HOSTILE_PIECES, "\n"]), max_size=12).map("".join))
def test_random_pieces_inside_a_listing(text: str) -> None:
    assume("=== Profile (" not in text)
    data = b"Engine Layer Information:\n" + text.encode() + b"\n" + ENGINE_LINE
    names = [layer.name for engine in engines_of([data]) for layer in engine.layers]
    assert any(name.endswith("conv") for name in names)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\n\n"])
def test_a_record_after_the_title_of_a_table_is_a_record(newline: str) -> None:
    """Two processes may write into one log."""
    title = "Engine Layer Information:\n=== Profile (3 iterations ) ===" + newline
    (engine,) = engines_of([title.encode() + ENGINE_LINE])
    assert [layer.name for layer in engine.layers] == ["conv"]


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.sampled_from([10**400, -(10**400), "name", "\ud800", "0.1"])
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "count", "averageMs", "timeMs", "medianMs", "percentage", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


_printed = st.one_of(
    text_rows.map(strategies.print_profile_text),
    strategies.table_rows.map(lambda rows: strategies.print_table(rows, "8.2")),
    strategies.table_rows.map(lambda rows: strategies.print_table(rows, "8.5")),
    strategies.table_rows.map(lambda rows: strategies.print_table(rows, "9.2", prefix="")),
    text_rows.map(print_profile_json),
)
TIMES = {
    "hostile names, damaged": damaged(_printed.map(str.encode), PIECES),
    "any bytes": st.binary(max_size=300),
    "any JSON": st.one_of(_json, st.lists(_json, max_size=4)).map(lambda v: json.dumps(v).encode()),
}


@pytest.mark.parametrize("kind", TIMES)
@given(data=st.data())
@settings(max_examples=100)
def test_times_are_read_or_refused(kind: str, data: st.DataObject) -> None:
    text = data.draw(TIMES[kind])
    assert read_times(text) <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        f'[{{"count": 1}}, {{"name": "a", "averageMs": {DIGITS}}}]',
        f'[{{"count": {DIGITS}}}, {{"name": "a", "averageMs": 1}}]',
        f'[{{"count": {"9" * 400}}}, {{"name": "a", "timeMs": 1}}]',
        f'[{{"name": "a", "averageMs": {DIGITS}.5}}]',
        f"[{DIGITS}]",
        "[" * 100_000,
        '{"a":' * 100_000,
        f"=== Profile ({DIGITS} iterations ) ===\n   Layer   Time (ms)   Avg. Time (ms)   Time %\n"
        "   a    1.00   1.0000   100.0\n",
        "=== Profile (1 iterations ) ===",
        "=== Profile (",
        f"   Layer   Time (ms)   Avg. Time (ms)   Time %\n   a   {DIGITS}   1.0   1.0\n",
        f"a: {DIGITS}ms\n",
        "a: 1e999ms\n",
        ": 1ms\n",
    ],
    ids=lambda text: str(text)[:24],
)
def test_odd_profiles_are_read_or_refused(text: str) -> None:
    assert -1 <= read_times(text.encode()) <= 1


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("", f"Layer(A): a, Tactic: 1, x[Float({DIGITS})] -> y[Float(-{DIGITS})]"),
        ("", "Layer(A): a, Tactic: 1, x (Float[1,,2]) -> y (Float[1])"),
        ("", "Layer(A): a, Tactic: 1, x (Float[1]) -> y (Float[1,])"),
        ("", "Layer(A): a, Tactic: 1, x[Float(-)] -> y[Float(1:)]"),
        ("", "Layer(A): a, Tactic: 1, x[Float(1-2)] -> y[Float(:8)]"),
        ("", f"Layer(A): a, Tactic: {DIGITS}, x[Float(1)] -> y[Float(1)]"),
        ("", f"Layer(A): a, Tactic: 0x{DIGITS}, x[Float(1)] -> y[Float(1)]"),
        ("", f"Layer(A): a, Tactic: 1, x[Float(1:{DIGITS})] -> y[Float(1)]"),
        ("", "Layer(A): a, Tactic: 1, x[Float(1)] -> y[Float(1)]" + "\x1b[0m" * 5000),
        (f"[I] TensorRT version: {DIGITS}\n", "Layer(A): a, Tactic: 1, x[Float(1)] -> "),
        (f"[TensorRT v{DIGITS}] TensorRT v\n", "Layer(A): a, Tactic: 1, x[Float(1)] -> "),
        (f"A Set Tactic Name: k Tactic: {DIGITS}\n", "Layer(A): A, Tactic: 1, x[Float(1)] -> "),
        ("Adding reformat layer: \n", "Layer(A): A, Tactic: 1, x[Float(1)] -> "),
        (
            "Marking  as output: \nAdding network input:  with dtype: \n",
            "Layer(A): A, Tactic: 1,  -> ",
        ),
    ],
    ids=lambda text: str(text)[:30],
)
def test_an_odd_line_is_one_layer(before: str, line: str) -> None:
    (engine,) = engines_of([f"{before}Engine Layer Information:\n{line}\n".encode()])
    (layer,) = engine.layers
    assert layer.type == "A"


@pytest.mark.parametrize("format", ["json", "dot"])
@given(
    data=damaged(engines(max_size=3).map(lambda written: print_log([written]).data), PIECES),
    rows=st.one_of(
        text_rows.map(print_profile_json), st.just('[{"name":"\\ud800","averageMs":1}]')
    ),
)
@settings(max_examples=25)
def test_what_is_read_can_be_written(data: bytes, rows: str, format: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        times, out = Path(folder) / "times", Path(folder) / f"engine.{format}"
        times.write_text(rows, encoding="utf-8")
        for engine in engines_of([data], [times]):
            draw(engine, out, format)
            drawn = out.read_bytes().decode("utf-8")  # strict: it is whole UTF-8
            if format == "json":
                assert len(json.loads(drawn)["layers"]) == len(engine.layers)
            else:
                assert drawn.rstrip().endswith("}")
