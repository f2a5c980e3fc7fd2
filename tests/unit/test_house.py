"""The house rules, over the syntax tree of every module (and a few looks at what gets imported)."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine_layer_visualize.commands import COMMANDS
from engine_layer_visualize.dialects import DIALECTS, PROFILES
from engine_layer_visualize.errors import CODES
from engine_layer_visualize.writers import WRITERS

ROOT = Path(__file__).resolve().parents[2]
NAME = "engine_layer_visualize"
PACKAGE = ROOT / NAME
FIXTURES = ROOT / "fixtures"

# A room may import from the floors below its own, and a package from itself.
FLOORS = (
    ("errors", "knowledge", "fused_names", "trials", "options", "layout", "children", "hosts"),
    ("wrapping",),
    ("model", "source", "grammar", "kernels"),
    ("json_walk", "onnx_graph", "workspace"),
    ("tuning", "onnx_parsing", "onnx_nodes", "precisions"),
    ("facts", "style", "autotuning", "mentions", "sheets", "measures"),
    ("optimization_profiles", "words"),
    ("costs",),
    ("chronicle",),
    ("run_matching",),
    ("lines", "onnx_layers"),
    ("lineage", "layouts"),
    ("tables", "estimates"),
    ("marks",),
    ("tails",),
    ("blocks",),
    ("join", "graph", "reformats", "diagnosis", "attribution", "reasons", "repeats"),
    ("breakdown",),
    ("view", "summary"),
    ("dialects", "writers", "builders"),
    ("merge", "profiles"),
    ("reading",),
    ("commands",),
    ("cli",),
    ("__main__",),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
LISTED = ("dialects", "writers", "commands")  # packages with a tuple of their modules
PACKAGES = (*LISTED, "builders", "summary", "layout")
# Imports that go up, by (module, what it imports): methods of a value that only ask a room above,
# which is entered when they are called. Each needs its reason.
LAZY = {
    # `engine.to_pydot()` is where users look for it; the model itself stays free of drawing
    ("model.py", f"{NAME}.writers.dot"),
    ("model.py", f"{NAME}.view.whole"),
    # `engine.time` is where users look for it
    ("model.py", f"{NAME}.costs.engine_time"),
    # a notebook asks an engine to show itself
    ("model.py", f"{NAME}.writers.svg.draw"),
}
# Where the libraries that are heavy, or that mean something, may be imported.
LIBRARIES = {
    "lark": {"grammar", "dialects"},
    "pydot": {"writers", "model"},  # the model: the type of what `to_pydot` gives, no more
    "pygraphviz": {"writers"},
    "resvg_py": {"writers"},
    "fpdf": {"writers"},
    "rich": {"cli"},
    "zstandard": {"source"},
    "argparse": {"cli", "commands"},
    "subprocess": {"children", "writers", "commands"},
}
MOST_LINES = 400

MODULES = sorted(PACKAGE.rglob("*.py"))
IDS = [path.relative_to(PACKAGE).as_posix() for path in MODULES]
each_module = pytest.mark.parametrize("path", MODULES, ids=IDS)


def room_of(path: Path) -> str:
    """`…/writers/dot.py` -> `writers`; the package's own init -> `__init__`."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def named(node: ast.expr) -> str:
    """`a.b.c` of a name or an attribute, else nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := named(node.value)):
        return f"{before}.{node.attr}"
    return ""


def walk(node: ast.AST, exempt_typing: bool) -> Iterator[ast.AST]:
    """All nodes under `node`, without those under `if TYPE_CHECKING:` where that is exempt."""
    for child in ast.iter_child_nodes(node):
        if exempt_typing and isinstance(child, ast.If) and named(child.test) == "TYPE_CHECKING":
            for other in child.orelse:
                yield other
                yield from walk(other, exempt_typing)
            continue
        yield child
        yield from walk(child, exempt_typing)


def imports(path: Path, exempt_typing: bool = False) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of every module that `path` imports, `import_module(f"…")` too."""
    for node in walk(tree_of(path), exempt_typing):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            assert node.module is not None
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Call) and named(node.func).endswith("import_module"):
            words = [
                part.value
                for part in ast.walk(node.args[0])
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
            yield node.lineno, words[0].rstrip(".") if words else "?"


def rooms_imported(path: Path) -> Iterator[tuple[int, str]]:
    """(line, room) of what `path` imports of the package itself; its version is anybody's."""
    exempt = room_of(path) in ("__init__", "cli")
    for line, name in imports(path, exempt_typing=exempt):
        first, _, rest = name.partition(".")
        if first == NAME and rest != "__version__":
            room = rest.partition(".")[0]
            yield line, room if room in FLOOR else "__init__"


def lazy_imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of what is imported inside of a method: not before it is called."""
    methods = {
        line
        for kind in tree_of(path).body
        if isinstance(kind, ast.ClassDef)
        for method in kind.body
        if isinstance(method, ast.FunctionDef)
        for line in range(method.lineno, (method.end_lineno or method.lineno) + 1)
    }
    for line, name in imports(path):
        if line in methods:
            yield line, name


def calls(path: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted name of what is called)."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call):
            method = f".{node.func.attr}" if isinstance(node.func, ast.Attribute) else ""
            yield node.lineno, named(node.func) or method


def main_lines(path: Path) -> set[int]:
    """The lines under `if __name__ == "__main__":`."""
    for node in tree_of(path).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'":
            return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return set()


# ---- who may import whom -----------------------------------------------------------------------


def test_every_room_has_a_floor() -> None:
    rooms = {room_of(path) for path in MODULES} - {"__init__"}
    assert rooms == set(FLOOR), "a new room needs a floor (FLOORS), a room that went needs none"


@each_module
def test_imports_go_down_only(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":
        assert not list(rooms_imported(path)), "the public names are loaded when they are asked for"
        return
    lazy = {line for line, name in lazy_imports(path) if (path.name, name) in LAZY}
    wrong = [
        f"line {line}: {room} imports {other}"
        for line, other in rooms_imported(path)
        if line not in lazy
        and not FLOOR.get(other, len(FLOORS)) < FLOOR[room]
        and not (other == room and room in PACKAGES)
    ]
    assert not wrong


def test_imports_that_go_up_are_those_that_are_named() -> None:
    """An exception that nobody needs any more is none."""
    found = {(path.name, name) for path in MODULES for _, name in lazy_imports(path)}
    assert found >= LAZY


def test_the_model_names_pydot_for_its_type_alone() -> None:
    assert "pydot" not in {name for _, name in imports(PACKAGE / "model.py", exempt_typing=True)}


def test_kernels_use_nothing_but_errors() -> None:
    assert {room for _, room in rooms_imported(PACKAGE / "kernels.py")} <= {"errors"}


@each_module
def test_libraries_stay_in_their_rooms(path: Path) -> None:
    wrong = [
        f"line {line}: {name}"
        for line, name in imports(path)
        if (library := name.partition(".")[0]) in LIBRARIES
        and room_of(path) not in LIBRARIES[library]
    ]
    assert not wrong


def test_the_floors_are_looked_at() -> None:
    """The rules above would hold of nothing, too."""
    found = {(room_of(path), other) for path in MODULES for _, other in rooms_imported(path)}
    assert {("reading", "dialects"), ("cli", "commands"), ("blocks", "source")} <= found
    lark = {room_of(path) for path in MODULES for _, name in imports(path) if "lark" in name}
    assert lark == LIBRARIES["lark"]


# ---- who may do what ---------------------------------------------------------------------------


@each_module
def test_only_the_command_line_prints_and_exits(path: Path) -> None:
    if room_of(path) in ("cli", "__main__"):
        return
    bad = ("print", "sys.exit", "exit", "quit", "os._exit", "SystemExit", "sys.stderr.write")
    wrong = [f"line {line}: {name}" for line, name in calls(path) if name in bad]
    if room_of(path) == "builders":  # a child process of its own ends with its own exit code
        guarded = {f"line {line}: sys.exit" for line in main_lines(path)}
        # and its stderr is the log
        wrong = [text for text in wrong if text not in guarded and "sys.stderr" not in text]
    raised = [
        f"line {node.lineno}: raise SystemExit"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Raise) and node.exc is not None and named(node.exc) == "SystemExit"
    ]
    assert not wrong + raised


@each_module
def test_only_source_and_writers_open_files(path: Path) -> None:
    opens = re.compile(r"(?:.*\.)?(?:open|read_text|read_bytes|write_text|write_bytes)")
    found = [f"line {line}: {name}" for line, name in calls(path) if opens.fullmatch(name)]
    room = room_of(path)
    if room == "grammar":  # its own files, which are part of the program
        found = [text for text in found if not text.endswith("read_text")]
    if room == "cli":  # the null device, once nobody reads its output
        assert "os.open(os.devnull" in path.read_text("utf-8") or not found
        found = [text for text in found if not text.endswith("os.open")]
    # A builder's files are written by a child process that only looks like a part of this one.
    assert room in ("source", "writers", "builders") or not found


# ---- what a module looks like ------------------------------------------------------------------


@each_module
def test_door_plate(path: Path) -> None:
    plate = (ast.get_docstring(tree_of(path), clean=False) or "").split("\n")
    assert len(plate) >= 5, "no door plate"
    assert plate[0].strip()
    assert plate[1] == ""
    for line, word in zip(plate[2:5], ("takes", "gives", "never")):
        assert re.fullmatch(rf"{word}: \S.*", line), f"{line!r} should begin with `{word}: `"


@each_module
def test_module_is_small(path: Path) -> None:
    assert path.read_text("utf-8").count("\n") <= MOST_LINES


@each_module
def test_module_is_named_for_what_it_is(path: Path) -> None:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    assert not {part.strip("_") for part in parts} & {
        "utils",
        "util",
        "helpers",
        "helper",
        "common",
    }


# ---- the tuples --------------------------------------------------------------------------------


def files_of(package: str) -> dict[str, Path]:
    return {path.stem: path for path in (PACKAGE / package).glob("*.py") if path.stem != "__init__"}


def listed() -> dict[str, set[str]]:
    return {
        "dialects": {*DIALECTS, *PROFILES},
        "writers": {name for name, _, _ in WRITERS},
        "commands": set(COMMANDS),
    }


@pytest.mark.parametrize("package", LISTED)
def test_every_format_and_command_is_listed(package: str) -> None:
    """A module that is not in its tuple must be a part of one that is."""
    files, names = files_of(package), listed()[package]
    assert names <= set(files), "listed, and not there"
    used = set(names)
    while True:
        more = {
            other
            for other in set(files) - used
            if any(_mentions(files[name], f"{NAME}.{package}.{other}") for name in used)
        }
        if not more:
            break
        used |= more
    assert set(files) == used


def _mentions(path: Path, module: str) -> bool:
    """Whether `path` imports `module`, or names it in a text that a child process runs."""
    if any(name == module or name.startswith(f"{module}.") for _, name in imports(path)):
        return True
    texts = (
        node.value
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return any(f"from {module} import" in text for text in texts)


def test_no_name_is_listed_twice() -> None:
    assert len({*DIALECTS, *PROFILES}) == len(DIALECTS) + len(PROFILES)
    assert len(set(COMMANDS)) == len(COMMANDS)
    assert len({name for name, _, _ in WRITERS}) == len(WRITERS)
    formats = [format for _, formats, _ in WRITERS for format in formats]
    assert len(set(formats)) == len(formats)


@pytest.mark.parametrize("name, formats, facts", WRITERS)
def test_a_writer_says_what_it_is_listed_with(
    name: str, formats: tuple[str, ...], facts: bool
) -> None:
    writer = importlib.import_module(f"{NAME}.writers.{name}")
    assert (formats, facts) == (writer.FORMATS, writer.FACTS)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_has_fixtures(dialect: str) -> None:
    folder = FIXTURES / dialect
    assert list(folder.glob("*.expected.json")), f"no fixture in {folder}"


def profile_files(folder: str) -> list[Path]:
    return sorted((FIXTURES / folder).glob("*.profile*"))


GOOD_PROFILES = [path for dialect in DIALECTS for path in profile_files(dialect)]


def sniffed(path: Path) -> list[str]:
    """The formats that take `path` for theirs. The first of PROFILES would read it."""
    text = path.read_text("utf-8", "backslashreplace")
    modules = {name: importlib.import_module(f"{NAME}.dialects.{name}") for name in PROFILES}
    return [name for name, module in modules.items() if module.sniff(text)]


@pytest.mark.parametrize("path", GOOD_PROFILES, ids=lambda path: path.name)
def test_a_profile_is_sniffed_by_one_format(path: Path) -> None:
    assert len(sniffed(path)) == 1


@pytest.mark.parametrize("path", profile_files("broken"), ids=lambda path: path.name)
def test_a_broken_profile_is_sniffed_by_one_format_at_most(path: Path) -> None:
    assert len(sniffed(path)) <= 1


@pytest.mark.parametrize("format", PROFILES)
def test_every_profile_format_has_a_fixture(format: str) -> None:
    assert [path.name for path in GOOD_PROFILES if sniffed(path) == [format]]


# ---- the codes ---------------------------------------------------------------------------------


def codes_in(path: Path) -> set[str]:
    return {
        node.value
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"ELV\d{3}", node.value)
    }


def test_every_code_is_in_the_table_and_in_use() -> None:
    used = {code for path in MODULES if path.stem != "errors" for code in codes_in(path)}
    assert used == set(CODES)


def test_every_code_in_a_text_is_in_the_table() -> None:
    texts = [path.read_text("utf-8") for path in MODULES]
    mentioned = {code for text in texts for code in re.findall(r"\bELV\d{3}\b", text)}
    assert mentioned == set(CODES)


def test_codes_are_numbered_once() -> None:
    table = (PACKAGE / "errors.py").read_text("utf-8")
    assert len(re.findall(r'^    "ELV\d{3}": ', table, re.MULTILINE)) == len(CODES)
    assert all(severity in ("error", "warning") for severity, _ in CODES.values())


# ---- what gets imported ------------------------------------------------------------------------


def modules_after(code: str, environment: dict[str, str], *options: str) -> set[str]:
    """Names in sys.modules of a fresh interpreter that ran `code` in the checkout."""
    done = subprocess.run(
        [sys.executable, *options, "-c", f"import sys\n{code}\nprint(*sys.modules, sep='\\n')"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split("\n"))


def test_importing_the_package_imports_nothing_heavy(environment: dict[str, str]) -> None:
    # -S: the folders of installed packages, which may import what they like at the start, are out.
    found = modules_after(f"import {NAME}", environment, "-S")
    assert NAME in found
    assert not [name for name in found if name.startswith(f"{NAME}.")]
    heavy = {"lark", "pydot", "pyparsing", "pygraphviz", "rich", "zstandard", "argparse", "fpdf"}
    heavy |= {"dataclasses", "inspect", "json", "pathlib", "subprocess", "tempfile", "logging"}
    assert not found & heavy


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_a_word_about_itself_imports_no_parser(flag: str, environment: dict[str, str]) -> None:
    code = f"from {NAME}.cli import main\ntry: main([{flag!r}])\nexcept SystemExit: pass"
    found = modules_after(code, environment)
    assert f"{NAME}.cli" in found
    assert not found & {"lark", "pydot", "pygraphviz", "rich"}


def test_version_parses_no_flags(environment: dict[str, str]) -> None:
    code = f"from {NAME}.cli import main; main(['--version'])"
    assert "argparse" not in modules_after(code, environment)


def test_a_log_without_a_listing_imports_no_parser(environment: dict[str, str]) -> None:
    log = FIXTURES / "broken" / "info-level.log"
    code = f"from {NAME}.cli import main; assert main(['--log_file', {str(log)!r}]) == 3"
    found = modules_after(code, environment)
    assert f"{NAME}.blocks" in found
    assert not found & {"lark", "pydot", "pygraphviz", "rich"}


@pytest.mark.parametrize("format", ["dot", "json"])
def test_no_drawing_library_is_imported_to_write_text(
    format: str, environment: dict[str, str], tmp_path: Path
) -> None:
    log = FIXTURES / "classic" / "8.0-centernet.log"
    words = ["--log_file", str(log), "--format", format, "--output_dir", str(tmp_path)]
    found = modules_after(f"from {NAME}.cli import main; assert main({words!r}) == 0", environment)
    assert "lark" in found
    assert not found & {"pydot", "pyparsing", "pygraphviz", "rich"}
