"""A log says the same however it reached its file: every fixture, in all that may stand around."""

from pathlib import Path
from typing import Any

import pytest
import strategies
from anonymised import Renaming, text_of
from factories import engines_of
from hypothesis import given
from hypothesis import strategies as st
from invariance import TRANSFORMS, changed_tellings, differences, told
from logtext import ENCODINGS, pieces
from paths import FIXTURES
from strategies import Chunks, Layout, Written, chunked, engines, layouts, print_log, real_names

from engine_layer_visualize.core.model import Engine

# What is no text has no lines that anything could stand around.
NO_TEXT = ("empty.log", "picture.log", "utf16-no-bom.log")
LOGS = sorted(path for path in FIXTURES.glob("**/*.log") if path.name not in NO_TEXT)
CHUNK = 1 << 12


def as_utf8(path: Path) -> bytes:
    data = path.read_bytes()
    return data.decode("utf-16").encode() if data.startswith(b"\xff\xfe") else data


def test_there_are_logs() -> None:
    assert len(LOGS) > 40


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.stem))
def test_a_fixture_says_the_same(path: Path, tmp_path: Path) -> None:
    def tell(data: bytes, severe: bool) -> Any:
        if data.startswith(b"\x1f\x8b"):
            (tmp_path / "x.log").write_bytes(data)
            return told(tmp_path / "x.log", severe)
        return told(pieces(data, CHUNK), severe)

    assert changed_tellings(as_utf8(path), tell, list(TRANSFORMS)) == {}


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.stem))
def test_a_file_says_what_a_pipe_says(path: Path) -> None:
    data = path.read_bytes()
    assert list(differences(told(path), told(pieces(data, CHUNK)))) == []


def test_most_can_be_done_to_most() -> None:
    """Else a mistake in a transform would go unseen."""
    texts = [as_utf8(path) for path in LOGS]
    done = {n: sum(way(one) not in (None, one) for one in texts) for n, way in TRANSFORMS.items()}
    few = {name for name, count in done.items() if count * 2 < len(LOGS)}
    assert few == {"as trtexec"}  # most are its logs


# ---- a stream is the same log, however it is cut and encoded -------------------------------------


_several = st.lists(engines(max_size=3), min_size=1, max_size=2)
_logs = st.builds(lambda written, layout: print_log(written, layout).text, _several, layouts)


@given(_logs, chunked)
def test_any_cut_and_any_encoding_give_the_same_engines(text: str, chunks: Chunks) -> None:
    wanted = engines_of([text.encode()])
    assert engines_of(chunks(text.encode())) == wanted
    for encoding in ENCODINGS:
        assert engines_of(chunks(f"\ufeff{text}".encode(encoding))) == wanted


def test_a_tactic_of_many_kernels() -> None:
    """Which kernel a layer gets does not hang on where the stream was cut, nor on hash seeds."""
    lines = [f"[V] conv_{n} Set Tactic Name: kernel_{n} Tactic: 77" for n in range(300)]
    lines.append("Engine Layer Information:")
    lines += [
        f"Layer(Conv): {name}, Tactic: 77, x[Float(1)] -> y[Float(1)]"
        for name in ("conv_0", "conv_150", "conv_299", "a layer of the timing cache")
    ]
    pieces = [f"{line}\n".encode() for line in lines]
    by_line = [layer.kernel for layer in engines_of(pieces)[0].layers]
    assert by_line[:3] == ["kernel_0", "kernel_150", "kernel_299"]
    assert [layer.kernel for layer in engines_of([b"".join(pieces)])[0].layers] == by_line


# ---- a network of any names says the same under other names --------------------------------------


def said(engine: Engine) -> Any:
    """What the listing says, without places in its lines."""
    return [
        [
            *(layer.place.line, layer.type, layer.name, layer.tactic),
            [[t.name, t.dtype, t.dims] for t in (*layer.inputs, *layer.outputs)],
        ]
        for layer in engine.layers
    ] + [[[e.source, e.target, e.tensor] for e in engine.graph.edges]]


@given(st.lists(engines(real_names), min_size=1, max_size=2), layouts)
def test_layers_and_edges_stay(written: list[Written], layout: Layout) -> None:
    log = print_log(written, layout).data
    (other,) = text_of(log)
    before, after = engines_of(log), engines_of(other)
    assert len(before) == len(after)
    renaming = Renaming()
    for one, two in zip(before, after):
        assert list(renaming.differences(said(one), said(two))) == []


@given(engines())
def test_hostile_names_change_nothing_else(written: Written) -> None:
    log = print_log([written]).data
    (other,) = text_of(log)
    (before,), (after,) = engines_of(log), engines_of(other)
    assert list(Renaming().differences(said(before), said(after))) == []
    assert text_of(other) == [other]
    assert other.count("\n") == log.count(b"\n")


@given(engines(real_names), strategies.profile_rows)
def test_names_of_a_profile_become_those_of_the_log(written: Written, rows: Any) -> None:
    log = print_log([written]).text
    names = [record.name for record in written.listing]
    # As many as there are of both.
    rows = tuple(type(row)(name, row.time) for row, name in zip(rows, names))
    profile = strategies.print_profile_json(rows)
    other_log, other_profile = text_of(log, profile)
    (engine,) = engines_of(other_log)
    for row, layer in zip(rows, engine.layers):
        assert f'"{layer.name}"'.replace("\x1e", "\\u001e") in other_profile, row
