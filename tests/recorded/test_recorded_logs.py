"""Real logs, where they are: every record is read, and the numbers that are known hold."""

import re
from collections import Counter
from pathlib import Path

import pytest
from factories import engine_of
from logtext import pieces
from paths import RECORDED, recorded
from readers import Reading, read_log, read_record, record_lines, sides
from recorded_logs import engines_of

from engine_layer_visualize.analysis.kinds import optimization_profiles
from engine_layer_visualize.api.engine import Build, Engine
from engine_layer_visualize.api.read import Log, read
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.reading.profiles import read as read_profile

LOGS = sorted(RECORDED.glob("*.log"))
PROFILES = sorted(RECORDED.glob("*.profile.json"))

CLASSIC = [log for log in LOGS if re.search(rb"Layer\(\w+\): ", log.read_bytes())]
every_classic_log = pytest.mark.parametrize("log", CLASSIC, ids=lambda path: path.name[:3])
every_log = pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name[:3])
every_profile = pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.name[:3])


def build(number: str, *profiles: Path) -> Build:
    return read(recorded(number, ".log"), profiles)


def text_of(log: Path) -> str:
    return log.read_bytes().decode("utf-8", "backslashreplace")


def layers_of(log: Path) -> list[Layer]:
    return [layer for engine in engines_of(log) for layer in engine.layers]


def classic_lines(engine: Engine) -> list[int]:
    """Where the classic listing has the layers; the graph may come from a detailed one."""
    listed, classic = filter(lambda one: one.listed, engine.layers), engine.dialect == "classic"
    lines = [layer.place.line if classic else layer.also_line for layer in listed]
    return [line for line in lines if line is not None]


@every_log
def test_its_listings_are_its_engines_and_every_record_is_a_layer(log: Path) -> None:
    listings = [[number for number, _ in listing] for listing in read_log(text_of(log))]
    found = [lines for engine in engines_of(log) if (lines := classic_lines(engine))]
    assert found == listings
    assert [layer.place.line for layer in layers_of(log) if layer.raw is not None] == []


@every_classic_log
def test_names_and_tactics_are_those_of_the_classic_line(log: Path) -> None:
    lines = dict(record_lines(text_of(log)))
    for engine in engines_of(log):
        layers = [layer for layer in engine.layers if layer.listed]
        if not classic_lines(engine):
            continue
        for number, layer in zip(classic_lines(engine), layers):
            reading = read_record(lines[number])
            assert reading is not None
            assert layer.name == reading.name
            if layer.tactic is not None:
                assert int(layer.tactic, 0) % 2**64 == int(reading.tactic, 0) % 2**64


@every_classic_log
def test_the_independent_reader_agrees(log: Path) -> None:
    """Layer by layer, on the classic listings alone."""
    lines = record_lines(text_of(log))
    listing = "".join(f"{line}\n" for _, line in lines)
    data = f"Engine Layer Information:\n{listing}".encode()
    engine = engine_of(data)
    assert len(engine.layers) == len(lines)
    for layer, (_, line) in zip(engine.layers, lines):
        reading = read_record(line)
        assert reading is not None
        assert Reading(layer.type, layer.name, layer.tactic or "", *sides(layer)) == reading


@every_log
def test_pieces_give_the_same_engines(log: Path) -> None:
    data = log.read_bytes()
    found: list[list[Engine] | str] = []
    for chunks in ([data], pieces(data, 1000)):
        try:
            found.append(list(Log("a.log", chunks=chunks).engines()))
        except ReadError as error:
            found.append(error.problem.code)
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "path", sorted(RECORDED.glob("*.*")), ids=lambda path: f"{path.name[:3]}{path.suffix}"
)
def test_any_file_is_read_or_refused(path: Path) -> None:
    """As a log and as a profile, whatever it is."""
    try:
        engines = read(path).engines
    except ReadError as error:
        assert error.problem.code.startswith("ELV")
    else:
        assert all(engine.layers for engine in engines)
    try:
        profiles, _ = read_profile(path)
    except ReadError as error:
        assert error.problem.code.startswith("ELV")
    else:
        assert all(profile.rows for profile in profiles)


@every_profile
def test_every_row_of_a_profile(path: Path) -> None:
    rows = path.read_text("utf-8").count('"averageMs"')
    (profile,), problems = read_profile(path)
    assert len(profile.rows) == rows > 0
    assert all(row.time.n for row in profile.rows)
    assert problems == []


@every_log
def test_every_layer_has_the_kernel_that_the_log_names_with_it(log: Path) -> None:
    """Every layer whose name and tactic one line of the log names together has that kernel."""
    named: dict[tuple[str, int], set[str]] = {}
    runner = ""
    pattern = re.compile(
        r"Timing Runner: (?P<runner>.*) \(\S*\)"
        r"|(?P<layer>.*) Set Tactic Name: (?P<old>\S+) Tactic: (?P<old_tactic>\S+)"
        r"|Tactic Name: (?P<new>\S+) Tactic: (?P<new_tactic>\S+)"
    )
    for line in text_of(log).split("\n"):
        match = pattern.search(line)
        if match is None:
            continue
        if match["runner"] is not None:
            runner = match["runner"]
        elif runner and (match["old"] is None or match["layer"].endswith(runner)):
            tactic = match["old_tactic"] or match["new_tactic"]
            key = (runner, int(tactic, 0) % 2**64)
            named.setdefault(key, set()).add(match["old"] or match["new"])
    wanted = found = 0
    for layer in layers_of(log):
        if layer.tactic is None:
            continue
        kernels = named.get((layer.name, int(layer.tactic, 0) % 2**64))
        if kernels is not None and len(kernels) == 1:
            wanted += 1
            found += layer.kernel in kernels
    assert found == wanted


def test_some_kernels_are_found() -> None:
    counts = {log.name[:3]: sum(one.kernel is not None for one in layers_of(log)) for log in LOGS}
    assert sum(counts.values()) > 100
    assert counts["143"] > 20


# ---- numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "profile", "layers", "edges"),
    [
        ("000", "000", 54, 69),
        ("143", "", 94, 94),  # by the table that the log itself holds
        *(("131", "133", 25, 24), ("128", "130", 7, None), ("134", "135", 3, None)),
    ],
)
def test_engines_are_timed_whole(number: str, profile: str, layers: int, edges: int | None) -> None:
    """By the file of times, where one is given, though the log holds a table."""
    files = [recorded(profile, ".profile.json")] if profile else []
    (engine,) = build(number, *files).engines
    assert len(engine.layers) == layers
    assert edges is None or len(engine.graph.between) == edges
    found = engine.profile
    assert found is not None
    assert not files or found.file == str(files[0])
    assert (found.matched, found.layers) == (layers, layers)
    assert found.unmatched_rows == found.untimed_layers == ()
    assert number != "000" or (found.rows, f"{engine.time.total_ms:.3f}") == (54, "2.596")


def test_a_tensor_of_several_writers_reaches_its_readers() -> None:
    (engine,) = build("143").engines
    found = [edge for edge in engine.graph.edges if edge.tensor == "input.164"]
    assert {(edge.source, edge.target) for edge in found} == {(7, 16), (15, 16)}


def test_014_has_two_optimisation_profiles() -> None:
    """In two classic listings, and in a detailed one."""
    engines = build("014").engines
    found = [(one.dialect, len(one.layers)) for one in engines]
    assert found == [("classic", 16), ("classic", 16), ("detailed", 26)]
    for engine in engines:
        of = optimization_profiles(engine.layers)
        assert Counter(of) == {0: len(of) // 2, 1: len(of) // 2}
        if engine.dialect == "classic":
            second = [layer.name.endswith(" [profile 1]") for layer in engine.layers]
            assert [number == 1 for number in of] == second
        between = [(edge.source, edge.target) for edge in engine.graph.between]
        assert between
        for source, target in between:
            assert source is not None and target is not None
            assert of[source] == of[target], "an edge between the copies"
    assert (engines[2].inputs, engines[2].outputs) == (("x",), ("y", "z"))


def test_032_times_the_kernels_of_027() -> None:
    (engine,) = build("027", recorded("032", ".log")).engines
    times = {layer.index: layer.time for layer in engine.layers if layer.time is not None}
    several = {index: time.parts for index, time in times.items() if time.parts > 1}
    assert several == {8: 2, 11: 2, 16: 2}
    for index in (8, 11, 16):
        assert engine.layers[index].type == "Myelin"
        assert times[index].median_ms is None and (times[index].average_ms or 0.0) > 0
    assert engine.profile is not None
    assert engine.profile.unmatched_rows == ()
    assert engine.profile.rows == sum(time.parts for time in times.values())
