"""The rules of the architecture, over the syntax tree of every module and by what gets imported."""

import ast
import json
import os
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import grimp
import pytest
from paths import CENTERNET, FIXTURES, ROOT
from program import ran
from rendered import page_data

from engine_layer_visualize.api.draw import COMPARISONS, DRAWINGS, GATES, LINTS, REPORTS
from engine_layer_visualize.commands import arguments, flags
from engine_layer_visualize.commands.arguments import COMMANDS, DEFAULT
from engine_layer_visualize.core.problems import explanations
from engine_layer_visualize.facts.engine import ENGINE
from engine_layer_visualize.facts.field import Field, of_place
from engine_layer_visualize.facts.layer import LAYER, TENSOR
from engine_layer_visualize.reading import detailed, profiles

NAME = "engine_layer_visualize"
PACKAGE = ROOT / NAME
EVERY = [one for some in (DRAWINGS, REPORTS, LINTS, COMPARISONS, GATES) for one in some.values()]
DIALECTS = ("classic", "detailed", "inspector_json")

# Where the libraries that are heavy, or that mean something, may be imported.
LIBRARIES = {
    "lark": ("reading.grammars", "reading.classic", "reading.detailed"),
    "pydot": ("drawing.dot", "api.engine"),  # the second: the type of what `to_pydot` gives
    "resvg_py": ("drawing.png",),
    "rich": ("commands.cli",),
    "zstandard": ("io",),
    "argparse": ("commands",),
    "subprocess": ("io", "drawing", "commands", "page"),
}
# What writes files whose format needs a file of its own, or reads what it ships.
WRITING = ("documents", "drawing", "export", "page")
BUILDERS = ("builders",)  # whose files a child process writes

MODULES = sorted(PACKAGE.rglob("*.py"))


def folder_of(path: Path) -> str:
    """`…/drawing/dot.py` -> `drawing`; the package's own init -> `__init__`."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def named(node: ast.expr) -> str:
    """`a.b.c` of a name or an attribute, else nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := named(node.value)):
        return f"{before}.{node.attr}"
    return ""


@cache
def calls(path: Path) -> list[tuple[int, str]]:
    """(line, dotted name of what is called or raised)."""
    found = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call):
            name = named(node.func) or f".{getattr(node.func, 'attr', '')}".rstrip(".")
            found.append((node.lineno, name))
        elif isinstance(node, ast.Raise) and node.exc is not None:
            found.append((node.lineno, named(node.exc)))
    return found


# ---- who may import whom -----------------------------------------------------------------------


def test_imports_keep_the_contracts(tmp_path: Path) -> None:
    words = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
    words += ["--config", str(ROOT / "setup.cfg"), "--cache-dir", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = ran(words, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stdout


def test_libraries_stay_in_their_folders() -> None:
    graph = grimp.build_graph(NAME, include_external_packages=True, cache_dir=None)
    for library, homes in LIBRARIES.items():
        modules = graph.find_modules_that_directly_import(library)
        assert modules, f"nobody imports {library}"
        homes = tuple(f"{NAME}.{home}" for home in homes)
        assert all(name.startswith(homes) for name in modules), (library, modules)


# ---- who may do what ---------------------------------------------------------------------------


def test_only_the_command_line_prints_and_exits() -> None:
    bad = ("print", "sys.exit", "exit", "quit", "os._exit", "SystemExit", "sys.stderr.write")
    wrong = [
        (path, line, name)
        for path in MODULES
        if path.stem not in ("cli", "__main__")
        for line, name in calls(path)
        # The stderr of a builder's child process is the log.
        if name in bad and not (path.stem == "builders" and "stderr" in name)
    ]
    assert not wrong


def test_only_io_writers_of_files_and_builders_open_files() -> None:
    opens = re.compile(r"(?:.*\.)?(?:open|read_text|read_bytes|write_text|write_bytes)")
    allowed = {
        *(("grammars", "read_text"), ("peaks", "read_text"), ("cli", "os.open")),
        ("serve", "webbrowser.open"),
    }
    wrong = [
        (path, line, name)
        for path in MODULES
        # A builder's files are written by a child process that only looks like a part of this one.
        if folder_of(path) not in ("io", *WRITING) and path.stem not in BUILDERS
        for line, name in calls(path)
        if opens.fullmatch(name)
        if not any(path.stem == stem and name.endswith(end) for stem, end in allowed)
    ]
    assert not wrong


# ---- what a module looks like ------------------------------------------------------------------


def test_modules_say_what_they_do_are_small_and_named_for_it() -> None:
    vague = {"utils", "util", "helpers", "helper", "common"}
    for path in MODULES:
        words = (ast.get_docstring(tree_of(path), clean=False) or "").split("\n")
        assert words[0].strip() and words[0].rstrip().endswith((".", ":")), path
        assert len(words) == 1 or words[1] == "", path
        assert path.read_text("utf-8").count("\n") <= 400, path
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        assert not {part.strip("_") for part in parts} & vague, path


# ---- the tuples --------------------------------------------------------------------------------


def test_an_output_format_has_what_its_entry_promises() -> None:
    for entry in EVERY:
        promised = []
        if entry in DRAWINGS.values() and ":" not in entry.module:
            promised = ["render", *(["start", "piece", "end"] if entry.holds == "log" else [])]
        found = entry.load()
        assert not [name for name in promised if not callable(getattr(found, name))], entry
        assert promised or callable(found), entry


def test_every_output_format_is_listed() -> None:
    folder = PACKAGE
    inner = (path for path in folder.rglob("*.py") if path.parent != folder)
    rendering = (p for p in inner if re.search(r"^(def |)render\b", p.read_text("utf-8"), re.M))
    found = {".".join(path.relative_to(folder).with_suffix("").parts) for path in rendering}
    known = {entry.module for entry in EVERY if ":" not in entry.module}
    assert found - {"api.draw"} == known


def test_one_format_takes_a_file_that_is_a_listing() -> None:
    for path in sorted((FIXTURES / "inspector_json").glob("*.json")):
        is_listing = ".expected." not in path.name and ".profile" not in path.name
        assert detailed.is_inspector_json(path.read_bytes()) == is_listing
    for path in sorted((FIXTURES / "classic").iterdir()):
        assert not detailed.is_inspector_json(path.read_bytes())


def test_every_dialect_has_fixtures() -> None:
    for dialect in DIALECTS:
        assert list((FIXTURES / dialect).glob("*.expected.json")), dialect


def profile_files(folder: str) -> list[Path]:
    return sorted((FIXTURES / folder).glob("*.profile*"))


def sniffed(path: Path) -> list[str]:
    """The formats that take `path` for theirs; trtexec's takes all JSON that no other one takes."""
    head = path.read_bytes()
    found = [name for name, format in profiles.FORMATS.items() if format.sniff(head)]
    return found[:1] if found[1:] == ["trtexec_json"] else found


def test_a_profile_is_sniffed_by_one_format_and_every_format_has_a_fixture() -> None:
    good = {path: sniffed(path) for dialect in DIALECTS for path in profile_files(dialect)}
    assert all(len(found) == 1 for found in good.values()), good
    # A trace of kernels times no listing.
    assert {found for (found,) in good.values()} == profiles.FORMATS.keys() - {"gpu_trace"}
    assert all(len(sniffed(path)) <= 1 for path in profile_files("broken"))


# ---- the codes ---------------------------------------------------------------------------------


def test_every_code_is_in_use_and_once_in_the_table() -> None:
    text = "".join(path.read_text("utf-8") for path in MODULES)
    table = (PACKAGE / "core" / "explanations.md").read_text("utf-8")
    codes = re.findall(r"^## (ELV\d{3})", table, re.MULTILINE)
    assert codes == list(explanations())
    assert set(re.findall(r"\bELV\d{3}\b", text)) == set(codes)
    assert set(re.findall(r'"(ELV\d{3})"', text)) == set(codes), "not in comments alone"


# ---- what gets imported ------------------------------------------------------------------------


def modules_after(code: str, environment: dict[str, str], *options: str) -> set[str]:
    """Names in sys.modules of a fresh interpreter that ran `code` in the checkout."""
    program = f"import sys\n{code}\nprint(*sys.modules, sep='\\n')"
    done = ran([sys.executable, *options, "-c", program], cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split("\n"))


def test_importing_the_package_imports_nothing_heavy(environment: dict[str, str]) -> None:
    # -S: the folders of installed packages, which may import what they like at the start, are out.
    found = modules_after(f"import {NAME}", environment, "-S")
    assert NAME in found
    assert not [name for name in found if name.startswith(f"{NAME}.")]
    heavy = {"lark", "pydot", "pyparsing", "pygraphviz", "rich", "zstandard", "argparse"}
    heavy |= {"dataclasses", "inspect", "json", "pathlib", "subprocess", "tempfile", "logging"}
    assert not found & heavy


PARSERS = {"lark", "pydot", "pyparsing", "pygraphviz", "rich"}


@pytest.mark.parametrize(
    ("words", "code", "left_out"),
    [
        pytest.param(["--version"], 0, {*PARSERS, "argparse"}, id="version"),
        pytest.param(["--help"], 0, {*PARSERS, "shtab"}, id="help"),
        pytest.param([FIXTURES / "broken" / "info-level.log"], 3, PARSERS, id="no listing"),
        pytest.param([CENTERNET, "--format", "dot,json"], 0, PARSERS, id="text is written"),
    ],
)
def test_a_library_is_imported_where_it_is_needed(
    words: list[object], code: int, left_out: set[str], environment: dict[str, str], tmp_path: Path
) -> None:
    words = [*map(str, words)]
    program = f"import os; os.chdir({str(tmp_path)!r})\nfrom {NAME}.commands.cli import main\n"
    found = modules_after(f"{program}assert main({words!r}) == {code}", environment)
    assert not found & left_out


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_imported_when_it_is_called(command: str, environment: dict[str, str]) -> None:
    words = [] if command == DEFAULT else [command]
    words += ["--port", "none"] if words == ["serve"] else []  # else it would serve
    code = f"from {NAME}.commands.cli import main\n"
    code += f"for words in ({words!r}, [{command!r}, '--help']):\n"
    found = modules_after(f"{code} main(words)", environment)
    assert {name for name in COMMANDS if f"{NAME}.commands.{name}" in found} == {command}


def test_every_command_is_listed() -> None:
    texts = {path.stem: path.read_text("utf-8") for path in (PACKAGE / "commands").glob("*.py")}
    assert {name for name, text in texts.items() if "\ndef run(" in text} == set(COMMANDS)
    assert all("\nclass Options(" in texts[name] for name in COMMANDS)


def test_commands_are_given_frozen_options() -> None:
    for name in COMMANDS:
        options = arguments.command(name).Options
        assert issubclass(options, flags.Options)
        with pytest.raises(AttributeError, match="frozen"):
            options().quiet = True
    readers = {"arguments", "flags", "words"}
    assert readers == {one.stem for one in MODULES if "import argparse" in one.read_text("utf-8")}


def test_lark_is_imported_for_a_record_of_several_tokens(environment: dict[str, str]) -> None:
    log = FIXTURES / "broken" / "two-readings.log"
    code = f"import {NAME}; {NAME}.read({str(log)!r})"
    assert "lark" in modules_after(code, environment)


# ---- keys of fields are unique, and a further field stands everywhere without another change -----


LOG = FIXTURES / "facts" / "8.6-runs.log"
# A program of its own: outputs choose their fields when they are imported.
ONE_MORE = """
import sys
import engine_layer_visualize as elv
from engine_layer_visualize.facts import layer
from engine_layer_visualize.facts.field import DATA, Field, Objects
doc = "how many letters its name has"
value = lambda subject, one: len(one.name)
layer.LAYER = (*layer.LAYER, Field("facts.letters", "letters", doc, value=value))
from engine_layer_visualize.facts import engine as known
count = lambda subject, one: len(one.layers)
counted = Field("facts.counted", "", doc, DATA, int, value=count)
known.ENGINE = (*known.ENGINE, counted)
known.HEAD = Objects(known.ENGINE, known.MAY_BE_NULL)  # as the module makes it of the table
build = elv.read(sys.argv[1])
engine = build.engines[0]
for format in ("json", "svg", "html", "trace"):
    elv.draw(engine, f"{sys.argv[2]}/engine.{format}", format=format)
table = build.tables["layers"]
print([row["counted"] for row in build.tables["engines"].rows()][0])
print([row["letters"] for row in table.rows() if row["engine"] == 0], table.columns[-1].doc)
"""


def test_keys_and_labels_are_told_once() -> None:
    every: tuple[tuple[Field[Any], ...], ...] = (LAYER, TENSOR, ENGINE)
    for fields in every:
        assert max(Counter(field.key for field in fields).values()) == 1
        assert max(Counter(field.name for field in of_place(fields, "table")).values()) == 1
    docs = [field.doc for fields in every for field in fields]
    assert all(docs) and not [doc for doc in docs if doc.endswith(".")]


def test_a_further_field_stands_everywhere(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ONE_MORE, str(LOG), str(tmp_path)]
    ended = ran(command, cwd=ROOT)
    assert ended.returncode == 0, ended.stderr
    document = json.loads((tmp_path / "engine.json").read_text("utf-8"))
    letters = [layer["facts"]["letters"] for layer in document["layers"]]
    assert letters == [len(layer["name"]) for layer in document["layers"]]
    count = document["engine"]["facts"]["counted"]
    assert count == len(letters)
    told = [str(one) for one in letters]
    assert ended.stdout == f"{count}\n{told} how many letters its name has\n"
    assert f"letters: {letters[0]}" in (tmp_path / "engine.svg").read_text("utf-8")
    [data] = page_data((tmp_path / "engine.html").read_text("utf-8"), "engine-data")
    assert "letters" in data["strings"]
    assert '"letters"' in (tmp_path / "engine.trace").read_text("utf-8")
