"""The program beside a real builder: networks are built here, and what was put in must come out.

Logs of the builder are made as the tests run, and kept nowhere.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import builder
import invariance
import pytest
import raw_records
from builder import TWIN, VERBOSITIES, Told
from exchange import onnx_files
from factories import engines_of
from invariance import TRANSFORMS, changed_tellings, crlf, differences
from logtext import pieces
from networks import DOUBLE_NAMES, NAMES, NETWORKS, ONNX_NODES, Network
from outcomes import Truth, is_as_put_in, reaches, truth
from program import Program
from raw_records import Record, bare
from readers import sides

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.kinds import optimization_profiles
from engine_layer_visualize.api.read import Log

pytestmark = builder.needed()


GOOD = [name for name, network in NETWORKS.items() if not network.fails]
FAILING = [name for name, network in NETWORKS.items() if network.fails]


@dataclass(frozen=True)
class Case:
    """One network built at one verbosity: what was put in, what was logged, what was read."""

    network: Network
    verbosity: str
    told: Told
    path: Path

    @cached_property
    def log(self) -> str:
        return self.told.log()

    @property
    def detailed(self) -> bool:
        return self.verbosity == "DETAILED"

    @cached_property
    def build(self) -> elv.Build:
        return elv.read(self.path)

    @property
    def engine(self) -> elv.Engine:
        (engine,) = self.build.engines
        return engine

    @cached_property
    def raw(self) -> list[Record]:
        return raw_records.records(self.log)

    @property
    def suffixes(self) -> list[str]:
        """What the names of each optimisation profile end in."""
        return ["", *(f" [profile {number}]" for number in range(1, self.network.profiles))]

    def mentioned(self, names: Iterator[str] | list[str]) -> list[str]:
        """Those of the names that a record of the listing reads or writes."""
        seen = {bare(t[0]) for record in self.raw for t in (*record.reads, *record.writes)}
        return [name for name in names if name in seen]


class Builds:
    """Every network is built once, at both verbosities in one process, when a test wants it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._cases: dict[tuple[str, str], Case] = {}

    def told(self, *builds: tuple[str, str]) -> Told:
        """One process for all of these."""
        return builder.build(builds, self._folder)

    def case(self, name: str, verbosity: str) -> Case:
        key = name, verbosity
        if key not in self._cases:
            told = self.told(*((name, verbosity) for verbosity in VERBOSITIES))
            assert told.built == (True, True), told.errors
            for number, verbosity in enumerate(VERBOSITIES):
                part = told.of(number)
                path = self._folder / f"{name}-{verbosity}.log"
                path.write_bytes(part.log().encode())
                self._cases[name, verbosity] = Case(NETWORKS[name], verbosity, part, path)
        return self._cases[key]


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Builds:
    return Builds(tmp_path_factory.mktemp("live"))


@pytest.fixture(params=VERBOSITIES)
def verbosity(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=GOOD)
def case(request: pytest.FixtureRequest, builds: Builds, verbosity: str) -> Case:
    return builds.case(str(request.param), verbosity)


# ---- what was put in comes out -----------------------------------------------------------------


def test_one_engine_and_nothing_to_complain_of(case: Case) -> None:
    engine = case.engine
    assert case.build.problems == ()
    assert engine.index == 0
    assert engine.dialect == ("detailed" if case.detailed else "classic")
    assert [layer.name for layer in engine.layers if layer.raw is not None] == []
    assert engine.layers


def test_inputs_and_outputs(case: Case) -> None:
    inputs, outputs = list(case.engine.inputs), list(case.engine.outputs)
    if case.detailed:
        assert inputs == list(case.network.inputs)
        assert outputs == list(case.network.outputs)
        return
    # The listing alone tells: a shape tensor stands in none, and every profile has its own.
    assert case.mentioned([*case.network.outputs]) == list(case.network.outputs)
    wanted = case.mentioned([*case.network.inputs])
    assert sorted(inputs) == sorted(name + suffix for name in wanted for suffix in case.suffixes)
    named = [name + suffix for name in case.network.outputs for suffix in case.suffixes]
    assert sorted(outputs) == sorted(named)


def test_types_and_shapes_of_inputs_and_outputs(case: Case) -> None:
    network, layers = case.network, case.engine.layers
    for put, key in ((network.inputs, "inputs"), (network.outputs, "outputs")):
        for name in case.mentioned([*put]):
            dtype, dims = put[name]
            tensors = [t for layer in layers for t in getattr(layer, key) if bare(t.name) == name]
            assert {tensor.dtype for tensor in tensors} == {dtype}
            if not case.detailed:
                assert {tensor.shape for tensor in tensors} == {dims}
                continue
            # Inside Myelin a tensor may be viewed in another shape, and written in parts.
            if -1 in dims:
                assert all(-1 in tensor.shape for tensor in tensors)
                continue
            elements = [tensor.elements or 0 for tensor in tensors]
            assert max(elements) <= prod(dims) <= sum(elements)


def test_every_output_is_reached_from_what_it_needs(case: Case) -> None:
    for suffix in case.suffixes:
        for output, needs in case.network.needs.items():
            for source in case.mentioned([*case.network.inputs]):
                reached = reaches(case.engine, source + suffix, output + suffix)
                if source in needs:
                    assert reached, f"{output}{suffix} is not reached from {source}{suffix}"
                elif case.network.apart and case.detailed:
                    assert not reached, f"{output}{suffix} is reached from {source}{suffix}"
                elif reached:  # the builder put them into one kernel; records say so by themselves
                    assert raw_records.reaches(case.raw, source + suffix, output + suffix)


def test_every_record_is_a_layer_and_every_tensor_one_of_its(case: Case) -> None:
    engine = case.engine
    assert [(layer.place.line, layer.type, layer.name) for layer in engine.layers] == [
        (record.line, record.type, record.name) for record in case.raw
    ]
    assert [layer.index for layer in engine.layers] == list(range(len(case.raw)))
    assert [layer.position for layer in engine.layers] == list(range(len(case.raw)))
    assert all(layer.listed for layer in engine.layers)
    for layer, record in zip(engine.layers, case.raw):
        assert sides(layer) == (record.reads, record.writes), record.name
    # Counted once more, by as little as can be said of a record.
    assert case.log.count("LayerType: " if case.detailed else "\nLayer(") == len(case.raw)
    (header,) = raw_records.HEADERS[case.verbosity].finditer(case.log)
    source = engine.source
    assert source.first_line == case.log.count("\n", 0, header.start()) + 1
    assert source.last_line == case.raw[-1].line
    assert source.file == str(case.path)


def test_every_edge_has_two_ends_in_the_records(case: Case) -> None:
    engine, raw = case.engine, case.raw
    reads = [{name for name, _, _ in record.reads} for record in raw]
    writes = [{name for name, _, _ in record.writes} for record in raw]
    edges = engine.graph.edges
    for edge in edges:
        assert edge.source is None or edge.tensor in writes[edge.source]
        assert edge.target is None or edge.tensor in reads[edge.target]
        assert edge.source is not None or edge.target is not None
    assert len(set(edges)) == len(edges)
    assert {(e.target, e.tensor) for e in edges if e.target is not None} == {
        (index, name) for index, names in enumerate(reads) for name in names
    }, "every read has an edge"
    assert {(e.source, e.tensor) for e in edges if e.source is not None} >= {
        (index, name)
        for index, names in enumerate(writes)
        for name in names
        if not any(name in others for others in reads) or name in engine.outputs
    }, "every write that nothing reads, and every output, has an edge"


def test_nothing_is_unresolved(case: Case) -> None:
    graph = case.engine.graph
    assert graph.unresolved == ()
    written = {name for record in case.raw for name, _, _ in record.writes}
    read = {name for record in case.raw for name, _, _ in record.reads}
    put_in = {name + suffix for name in case.network.inputs for suffix in case.suffixes}
    assert set(graph.constants) == read - written - put_in
    assert all(name.startswith(("__mye", "__myln")) for name in graph.constants)
    put_out = {name + suffix for name in case.network.outputs for suffix in case.suffixes}
    assert set(graph.unused) == (written - read - put_out if case.detailed else set())


def test_as_onnx_it_has_the_same_edges(case: Case) -> None:
    made = onnx_files.exported(case.engine)
    assert len(made.graph.node) == len(case.engine.layers)
    between = case.engine.graph.between
    assert onnx_files.edges(made) == {(one.source, one.target) for one in between}


def test_jumps_of_control_flow_are_edges(case: Case) -> None:
    engine = case.engine
    called: dict[int | None, str] = {layer.index: layer.name for layer in engine.layers}
    jumps = {(called[jump.source], called[jump.target]) for jump in engine.graph.jumps}
    names = {record.name for record in case.raw}
    assert jumps == {(r.name, to) for r in case.raw for to in r.jumps if to in names}


def test_every_optimisation_profile_has_its_layers(case: Case) -> None:
    layers = case.engine.layers
    profiles = optimization_profiles(layers)
    count = case.network.profiles
    if count == 1:
        assert profiles == ()
        return
    assert sorted(set(profiles)) == list(range(count))
    assert list(profiles) == sorted(profiles), "they stand one after the other"
    assert len({profiles.count(number) for number in range(count)}) == 1, "copies of one graph"
    for edge in case.engine.graph.between:
        assert edge.source is not None
        assert edge.target is not None
        assert profiles[edge.source] == profiles[edge.target], "no edge goes from copy to copy"
    for number, suffix in enumerate(case.suffixes):
        for name in (*case.network.inputs, *case.network.outputs):
            ends = ((la.index, end.name) for la in layers for end in (*la.inputs, *la.outputs))
            users = {profiles[index] for index, end in ends if end == name + suffix}
            assert users == {number}


@pytest.mark.parametrize("name", GOOD)
def test_both_verbosities_tell_the_same_inputs_and_outputs(builds: Builds, name: str) -> None:
    classic, detailed = (builds.case(name, verbosity) for verbosity in VERBOSITIES)
    silent = set(detailed.engine.inputs) - set(detailed.mentioned([*detailed.network.inputs]))
    assert {bare(n) for n in classic.engine.inputs} == set(detailed.engine.inputs) - silent
    assert {bare(n) for n in classic.engine.outputs} == set(detailed.engine.outputs)
    tail = {mode: raw_records.io(detailed.log, mode) for mode in ("Input", "Output")}
    assert list(detailed.engine.inputs) == list(tail["Input"])
    assert list(detailed.engine.outputs) == list(tail["Output"])


# ---- single networks ---------------------------------------------------------------------------


def test_arms_of_an_if_meet(builds: Builds) -> None:
    engine = builds.case("conditional", "DETAILED").engine
    jumps = [layer for layer in engine.layers if layer.type == "cjmp"]
    assert jumps, "the network has an If"
    either = ("JumpTargetThen", "JumpTargetElse")
    arms = {jump.target for jump in engine.graph.jumps if jump.tensor in either}
    assert len(arms) == 2
    joins = [
        {e.source for e in engine.graph.between if (e.target, e.tensor) == (reader, tensor)}
        for reader, tensor in {(e.target, e.tensor) for e in engine.graph.between}
    ]
    assert arms in joins, "both arms write what one layer reads"


def test_int8_of_a_quantised_network_is_seen(builds: Builds) -> None:
    layers = builds.case("quantized", "DETAILED").engine.layers
    convs = [layer for layer in layers if layer.type == "correlation"]
    assert [layer.inputs[0].dtype for layer in convs] == ["Int8", "Int8"]


def test_channels_that_the_builder_appends_are_not_the_model_s(tmp_path: Path) -> None:
    """It pads 50 channels to 52 between two convolutions in Int8."""
    (engine,) = builder.engines([("channels:50", "DETAILED")], tmp_path).values()
    assert any(tensor.shape[1] == 52 for layer in engine.layers for tensor in layer.inputs)
    assert "H01" not in [one.code for one in elv.findings(engine)]


def test_onnx_names_and_metadata(builds: Builds) -> None:
    case = builds.case("from_onnx", "DETAILED")
    metadata = [dict(layer.attributes).get("Metadata") for layer in case.engine.layers]
    assert all(isinstance(text, str) for text in metadata), "every record has some, if empty"
    lines = case.log.split("\n")
    for layer, text in zip(case.engine.layers, metadata):
        raw = lines[layer.place.line - 1]
        assert text == raw[raw.rindex("Metadata:") + len("Metadata:") :].strip(" ")
    said = "".join(text for text in metadata if isinstance(text, str))
    fused = {"/head/Flatten"}  # a view, no kernel
    assert [n for n in ONNX_NODES if f"[ONNX Layer: {n}]" not in said and n not in fused] == []
    assert any(layer.name.startswith(ONNX_NODES[0]) for layer in case.engine.layers)


def test_kernels_and_tactics(case: Case) -> None:
    lines = case.log.split("\n")
    for layer in case.engine.layers:
        line = lines[layer.place.line - 1]
        if not case.detailed:
            assert layer.tactic is not None
            assert f", Tactic: {layer.tactic}, " in line
        elif "TacticName: " in line:
            assert f"TacticName: {layer.kernel or ''}, " in line


# ---- the log as it comes -----------------------------------------------------------------------


@pytest.mark.parametrize("ends", [bytes, crlf], ids=["LF", "CRLF"])
def test_any_host_is_alike(builds: Builds, verbosity: str, ends: Callable[[bytes], bytes]) -> None:
    """In the words of any host, in colour, and without a word before its messages."""

    def tell(log: bytes, severe: bool) -> Any:
        return invariance.told([log], severe)

    printed = builds.case("attention", verbosity).told
    log, bare = ends(printed.log().encode()), ends(printed.log("").encode())
    assert changed_tellings(log, tell, TRANSFORMS.keys() - {"gzip"}) == {}
    assert list(differences(tell(log, False), tell(bare, False))) == []


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_however_it_is_cut(builds: Builds, verbosity: str, size: int) -> None:
    case = builds.case("conditional", verbosity)
    data = case.log.encode()
    log = Log(str(case.path), chunks=pieces(data, size))
    assert list(log.engines()) == list(case.build.engines)


def test_two_builds_are_two_engines(builds: Builds) -> None:
    wanted = [("residuals", "DETAILED"), ("attention", "LAYER_NAMES_ONLY"), ("half", "DETAILED")]
    told = builds.told(wanted[0], ("without_outputs", "DETAILED"), *wanted[1:])
    assert told.built == (True, False, True, True)
    log = Log("x", chunks=[told.log().encode()])
    engines = list(log.engines())
    assert [p for p in log.problems if p.severity == "error"] == []
    assert [engine.index for engine in engines] == [0, 1, 2]
    for engine, (name, verbosity) in zip(engines, wanted):
        alone = builds.case(name, verbosity).engine
        assert engine.inputs == alone.inputs
        assert engine.outputs == alone.outputs
        assert engine.dialect == alone.dialect
        assert [(layer.type, layer.inputs, layer.outputs) for layer in engine.layers] == [
            (layer.type, layer.inputs, layer.outputs) for layer in alone.layers
        ]


def test_one_network_built_twice_is_two_engines(builds: Builds) -> None:
    told = builds.told(("half", "LAYER_NAMES_ONLY"), ("half", "DETAILED"))
    engines = engines_of(told.log())
    assert [engine.dialect for engine in engines] == ["classic", "detailed"]
    assert engines[0].inputs == engines[1].inputs
    assert engines[0].outputs == engines[1].outputs
    assert [engine.also for engine in engines] == [(), ()]


@pytest.mark.parametrize("name", FAILING)
def test_a_build_that_fails(builds: Builds, name: str, verbosity: str) -> None:
    told = builds.told((name, verbosity))
    assert told.built == (False,)
    log = told.log()
    with pytest.raises(elv.ReadError) as caught:
        engines_of(log)
    problem = caught.value.problem
    assert problem.code == "ELV404"
    last = told.errors[-1]
    # As far as it is shown; a long one is cut.
    assert problem.message.rstrip("…").removeprefix("the build failed: ") in last
    assert last[:150] in problem.message
    assert last.split("\n")[-1] in log.split("\n")[problem.place.line - 1]
    assert caught.value.hint


# ---- names -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def named_builds(builds: Builds) -> dict[tuple[str, str], Told]:
    """All names in one process, at both verbosities; and the tame one beside them."""
    numbers = range(len(NAMES) + len(DOUBLE_NAMES))
    networks = (f"text:{TWIN}", *(f"name:{number}" for number in numbers))
    wanted = [(network, verbosity) for network in networks for verbosity in VERBOSITIES]
    told = builds.told(*wanted)
    assert all(told.built), told.errors
    return {build: told.of(number) for number, build in enumerate(wanted)}


def read_named(
    named_builds: dict[tuple[str, str], Told], number: int, verbosity: str
) -> tuple[elv.Engine, list[elv.Problem], Truth]:
    told, twin = named_builds[f"name:{number}", verbosity], named_builds[f"text:{TWIN}", verbosity]
    log = Log("x", chunks=[told.log().encode()])
    (engine,) = log.engines()
    text = (*NAMES, *DOUBLE_NAMES)[number]
    return engine, log.problems, truth(told, twin, text, builder.network(f"name:{number}"))


@pytest.mark.parametrize("number", range(len(NAMES)), ids=[ascii(n)[:40] for n in NAMES])
def test_any_name(named_builds: dict[tuple[str, str], Told], number: int, verbosity: str) -> None:
    """It is read as it was given."""
    engine, problems, wanted = read_named(named_builds, number, verbosity)
    assert problems == []
    assert frozenset(engine.inputs) == wanted.inputs
    assert frozenset(engine.outputs) == wanted.outputs
    assert is_as_put_in(engine, wanted)
    assert engine.graph.unresolved == ()


@pytest.mark.parametrize(
    "number", range(len(NAMES), len(NAMES) + len(DOUBLE_NAMES)), ids=DOUBLE_NAMES
)
def test_a_name_with_two_readings_is_read_right_or_warned_of(
    named_builds: dict[tuple[str, str], Told], number: int, verbosity: str
) -> None:
    engine, problems, wanted = read_named(named_builds, number, verbosity)
    if verbosity == "DETAILED":
        assert problems == []
        assert is_as_put_in(engine, wanted)
    else:
        assert is_as_put_in(engine, wanted) or [p.code for p in problems] == ["ELV107"]
        assert [p for p in problems if p.severity == "error"] == []


# ---- TensorRT's own logger ---------------------------------------------------------------------


def test_a_builder_s_pipe(builds: Builds, program: Program, tmp_path: Path, verbosity: str) -> None:
    case = builds.case("residuals", verbosity)
    with subprocess.Popen(
        builder.command([("residuals", verbosity)], None), stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        done = program("--log_file", "-", "--format", "json,dot", stdin=child.stdout, cwd=tmp_path)
    assert child.returncode == 0
    assert (done.returncode, done.stderr) == (0, "")
    between = len(case.engine.graph.between)
    layers = f"{len(case.raw)} layer{'s' * (len(case.raw) != 1)}"
    edges = f"{between} edge{'s' * (between != 1)}"
    lines = [f"EngineLayers_0.{format}  {layers}, {edges}" for format in ("json", "dot")]
    assert done.stdout.split("\n") == [*lines, ""]
    drawn = json.loads((tmp_path / "EngineLayers_0.json").read_text("utf-8"))
    assert drawn["inputs"] == list(case.network.inputs)
    assert drawn["outputs"] == list(case.network.outputs)
    assert [layer["name"] for layer in drawn["layers"]] == [record.name for record in case.raw]
    assert drawn["problems"] == []


def test_a_failing_builder_piped_into_the_program(program: Program, tmp_path: Path) -> None:
    command = builder.command([(FAILING[0], "DETAILED")], None)
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        done = program("--log_file", "-", stdin=child.stdout, cwd=tmp_path)
    assert child.returncode == 0
    assert (done.returncode, done.stdout) == (3, "")
    assert ": error[ELV404]: the build failed: " in done.stderr
    assert "at least one output" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_builders_in_several_threads(verbosity: str) -> None:
    """Their messages tear each other; a record that came through whole is a layer all the same."""
    builds = [(name, verbosity) for name in ("residuals", "attention", "three_profiles")]
    command = builder.command(builds, None, threads=3)
    done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    engines = engines_of(done.stdout)
    assert engines
    raw = raw_records.records(done.stdout.decode("utf-8", "replace"))
    assert raw
    lines = {layer.place.line for engine in engines for layer in engine.layers}
    again = [listing for engine in engines for listing in engine.also]  # of an engine that is drawn
    for record in raw:
        shown = any(listing.first_line <= record.line <= listing.last_line for listing in again)
        assert shown or record.line in lines


def test_a_torn_header_is_read_or_told(builds: Builds, verbosity: str) -> None:
    """As a stream that two threads share tears it: the end of one message's time before it."""
    told = builds.told(("half", verbosity), ("half", verbosity))
    log = told.log()
    header = list(raw_records.HEADERS[verbosity].finditer(log))[1]
    words = header[0].rpartition("] ")[2]
    log = f"{log[: header.start()]}52[] [TRT] [V] 11{words}{log[header.end() :]}"
    read = Log("x", chunks=[log.encode()])
    engines = list(read.engines())
    first, second = (raw_records.records(part.log()) for part in (told.of(0), told.of(1)))
    assert len(engines) == 2 or read.problems, "an engine is missing, and nobody is told"
    assert [[layer.name for layer in engine.layers] for engine in engines] == [
        [record.name for record in records] for records in (first, second)
    ]
