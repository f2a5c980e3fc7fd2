"""The keys of all JSON documents, with their paths, over all fixtures, and in `docs/schemas/`.

`pytest --update-golden` rewrites the lists: look at what git says of that. A key that goes, or that
changes its name, breaks the scripts of users.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import model_files
import pytest
import schema_tables
from gate.made_runs import FP16, INT8, ITERATIONS, printed
from jsonschema import Draft202012Validator
from logtext import file_of
from paths import FIXTURES, TIMES
from program import Capture
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from engine_layer_visualize.commands import cli
from engine_layer_visualize.core.build_info import PieceTime
from engine_layer_visualize.facts.field import plain

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).resolve().parent
COMMANDS = {
    "engine_json": ["draw"],
    "layers_json": ["layers"],
    "summary_json": ["summary"],
    "lint_json": ["lint"],
    "comparison_json": ["compare"],
    "brief_json": ["summary"],
    "brief_comparison_json": ["compare"],
    "gate_json": ["gate"],
    "snapshot_json": ["gate"],
}
OTHER = FP16  # what all are compared with
GRAPH = FIXTURES / "facts" / "10.5-graph-in-one-box.log"
TWO_RUNS = ["--times", str(ITERATIONS), "--times", str(ITERATIONS.with_name("8.2.times.json"))]
# Lists that are empty in all fixtures.
UNSAID = re.compile(
    r".*\.(?:pieces|given)\[\].*|.*\.overhead\.b\[\]|.*\.(?:runs|profiles)\[\]\.off\[\]|engines\[\]\.foreign_nodes\[\]\.steps\[\].*"
    r"|.*\.uniform\..*"
)
# Objects whose keys are words of the log, not of the schema.
FREE = re.compile(
    r".*\.(?:attributes|numbers|lines|percentiles|operators|tflops)|.*engine\.facts\.memory"
)


def logs() -> list[Path]:
    files = (path for path in FIXTURES.glob("*/*") if path.suffix in (".log", ".json"))
    of_logs = (p for p in files if not p.name.endswith((".expected.json", ".profile.json")))
    return [*sorted(of_logs), TIMES]  # times alone


def keys(value: Any, path: str = "") -> Iterator[str]:
    """`layers`, `layers[]`, `layers[].name` …: every place in a document."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            if FREE.fullmatch(path):
                yield f"{path}.*"
            else:
                yield from keys(inner, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner, f"{path}[]")


def model(folder: Path) -> Path:
    """The model of a log, with a node that no layer names."""
    made = model_files.of_log(GRAPH)
    made.graph.node.add(op_type="Identity", name="left", input=["y"], output=["same"])
    return file_of(folder, made.SerializeToString(), "model.onnx")


def of_batch_8(folder: Path) -> Path:
    """The log that all are compared with, of another batch."""
    text = OTHER.read_text("utf-8")
    return file_of(folder, text.replace("(1, 3, 128, 128)", "(8, 3, 128, 128)"), "batch8.log")


def documents(schema: str, folder: Path, capsys: Capture) -> Iterator[Any]:
    """The schema's documents of every fixture that gives one."""
    for log in logs():
        words = [*COMMANDS[schema], "--log_file", str(log)]
        format = "brief" if schema.startswith("brief") else "json"
        base = folder / f"{log.parent.name}-{log.name}.json"
        snapshot = ["--save", str(base), "--times", str(ITERATIONS)]
        words += snapshot if schema == "snapshot_json" else ["--format", format]
        if log == GRAPH:
            words += ["--onnx", str(model(folder))]
        for times in sorted(log.parent.glob(f"{log.stem}.*profile*")):
            words += ["--profile_file", str(times)]
        if schema in ("comparison_json", "brief_comparison_json"):
            words += [*words[len(COMMANDS[schema]) :], "--log_file", str(OTHER)]
            if log == OTHER:
                words += ["--log_file", str(of_batch_8(folder)), "--log_file", str(INT8)]
        if schema == "gate_json":  # of two networks, and of one
            at = len(COMMANDS[schema])
            words[at:at] = ["--baseline", str(OTHER if log != OTHER else INT8), *TWO_RUNS]
            for number in (1, 2):  # further runs
                words += ["--times", str(file_of(folder, printed(number), f"{number}.json"))]
        out = folder / log.parent.name / log.name
        words += ["--output_dir", str(out)] if schema == "engine_json" else []
        if cli.main(words) not in (0, 1, 5, 6, 7):
            capsys.readouterr()
            continue
        said = capsys.readouterr().out
        if schema != "engine_json":
            yield json.loads(base.read_text("utf-8") if schema == "snapshot_json" else said)
        else:
            yield from (json.loads(path.read_text("utf-8")) for path in out.iterdir())


@pytest.mark.parametrize("name", schema_tables.NAMES)
def test_keys(name: str, tmp_path: Path, capsys: Capture, request: pytest.FixtureRequest) -> None:
    """The schema allows every document, and the documents have the keys that are kept."""
    allowed, found, seen = validator(name), set[str](), 0
    for document in documents(f"{name}_json", tmp_path, capsys):
        allowed.validate(document)
        found.update(keys(document))
        seen += 1
    assert seen > 20
    golden = FOLDER / f"{name}_json.keys"
    text = "".join(f"{path}\n" for path in sorted(found - {""}))
    if request.config.getoption("--update-golden"):
        golden.write_text(text, "utf-8")
    assert golden.is_file(), f"{golden.name} is missing; pytest --update-golden writes it"
    assert text.split("\n") == golden.read_text("utf-8").split("\n")


def test_every_schema_has_documents() -> None:
    assert {f"{name}_json" for name in schema_tables.NAMES} == {*COMMANDS}


# ---- the schemas -------------------------------------------------------------------------------


def objects(schema: Any) -> Iterator[Any]:
    """Every part of a schema that describes an object with known keys."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict) and "type" in schema:
            yield schema
        for inner in schema.values():
            yield from objects(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from objects(inner)


@pytest.mark.parametrize("name", schema_tables.NAMES)
def test_the_schema_describes_the_keys_of_the_documents(name: str) -> None:
    schema = schema_tables.read(name)
    Draft202012Validator.check_schema(schema)
    golden = set((FOLDER / f"{name}_json.keys").read_text("utf-8").split())
    described = {place.path for place in schema_tables.places(name)} - {""}
    assert {path for path in described if not UNSAID.fullmatch(path)} == golden
    for one in objects(schema):
        assert one["additionalProperties"] is False, one["required"]
        assert set(one["properties"]) - {"strides"} == set(one["required"])


def validator(name: str) -> Draft202012Validator:
    schemas = [schema_tables.read(one) for one in schema_tables.NAMES]
    found = [(one["$id"], DRAFT202012.create_resource(one)) for one in schemas]
    registry = Registry[Any]().with_resources(found)
    return Draft202012Validator(schema_tables.read(name), registry=registry)


def test_keys_of_what_no_fixture_says() -> None:
    assert plain(PieceTime("a", 1.0, 1)) == {"name": "a", "ms": 1.0, "line": 1}
