"""`record`: with a trtexec that a test makes, and with a real builder where one is installed."""

import json
import os
import re
import shlex
import sys
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import onnx
import pytest
from logtext import file_of
from model_files import Sketch
from program import Patch, Printed, Program, demand, ran

import engine_layer_visualize as elv
from engine_layer_visualize import read
from engine_layer_visualize.api.draw import render

LOG = """&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec
[07/07/2026-06:12:18] [V] [TRT] Adding network input: x with dtype: float32, dimensions: (1, 8)
[07/07/2026-06:12:18] [V] [TRT] Marking z as output: z
[07/07/2026-06:12:19] [V] [TRT] Engine Layer Information:
Layer(Conv): a, Tactic: 0x0000000000000007, x (Float[1,8]) -> y (Half[1,8])
Layer(Conv): b, Tactic: 0x0000000000000000, y (Half[1,8]) -> z (Float[1,8])
[07/07/2026-06:12:20] [I] Engine built in 1 sec.
"""
PROFILE = """[ { "count" : 10 }
, { "name" : "a", "timeMs" : 1.0, "averageMs" : 0.1, "medianMs" : 0.1, "percentage" : 25 }
, { "name" : "b", "timeMs" : 3.0, "averageMs" : 0.3, "medianMs" : 0.3, "percentage" : 75 } ]
"""
NAMES = ("build.log", "layers.json", "profile.json", "model.engine")
FAILED = """[07/07/2026-06:12:18] [I] [TRT] ----------------
[07/07/2026-06:12:18] [E] [TRT] ModelImporter.cpp:771: While parsing node number 3
[07/07/2026-06:12:18] [E] Failed to parse onnx file
[07/07/2026-06:12:18] [E] [TRT] 4: [network.cpp::validate] Error Code 4: no {shape} & no <type>
&&&& FAILED TensorRT.trtexec [TensorRT v8601] # trtexec
"""

MODEL = b"a model"  # the made builder does not read it

# Prints, writes and ends as `told.json` beside it says, and notes how it was called.
TRTEXEC = """\
import json, sys, time
from pathlib import Path

here = Path(__file__).parent
told = json.loads((here / "told.json").read_text("utf-8"))
(here / "argv.json").write_text(json.dumps(sys.argv[1:]), "utf-8")
for flag, text in told["files"].items():
    for word in sys.argv[1:]:
        if word.startswith(f"--{flag}="):
            Path(word.partition("=")[2]).write_text(text, "utf-8")
sys.stdout.buffer.write(told["log"].encode())
sys.stdout.flush()
time.sleep(told.get("seconds", 0))
sys.stderr.buffer.write(told["stderr"].encode())
sys.exit(told["code"])
"""


@dataclass
class Trtexec:
    """The made one: what it is to do, and how it was called."""

    folder: Path

    def tell(
        self, log: str = LOG, code: int = 0, stderr: str = "", seconds: float = 0, **files: str
    ) -> None:
        """`files`: texts by the flags that name them (`exportProfile`); `seconds` of silence."""
        told = {"log": log, "code": code, "stderr": stderr, "files": files, "seconds": seconds}
        (self.folder / "told.json").write_text(json.dumps(told), "utf-8")

    def make_all(self, log: str = LOG, code: int = 0, engine: str = "plan") -> None:
        """Every file that it can write."""
        layers = '{"Layers": ["a"]}'
        self.tell(log, code, exportLayerInfo=layers, exportProfile=PROFILE, saveEngine=engine)

    @property
    def argv(self) -> list[str]:
        argv: list[str] = json.loads((self.folder / "argv.json").read_text("utf-8"))
        return argv

    @property
    def was_called(self) -> bool:
        return (self.folder / "argv.json").exists()

    def flag(self, name: str) -> str | None:
        """The value of `--name=…`; None where it is not given."""
        found = [word.partition("=")[2] for word in self.argv if word.startswith(f"--{name}=")]
        assert len(found) < 2
        return found[0] if found else None


@pytest.fixture
def trtexec(tmp_path: Path, monkeypatch: Patch) -> Trtexec:
    """Alone on the PATH, and the process in an empty folder that holds a model."""
    if os.name == "nt":
        pytest.skip("a script without a suffix is no program here")
    folder, work = tmp_path / "bin", tmp_path / "work"
    folder.mkdir()
    work.mkdir()
    script = file_of(folder, f"#!{sys.executable}\n{TRTEXEC}", "trtexec")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.chdir(work)
    (work / "model.onnx").write_bytes(MODEL)
    made = Trtexec(folder)
    made.tell()
    return made


TOOK = "builder: trtexec\n"  # on stderr


def built(log: str = "build.log") -> str:
    """What the builder printed: the log without the lines that `record` puts before it."""
    lines = Path(log).read_bytes().decode().split("\n")
    own = [line for line in lines if line.startswith("[engine_layer_visualize] ")]
    assert lines[: len(own)] == own
    return "\n".join(lines[len(own) :])


def held() -> dict[str, str]:
    return {path.name: path.read_text("utf-8", "replace") for path in Path().iterdir()}


@pytest.fixture
def record(here: Program) -> Program:
    """Runs `record …` in this process."""
    return partial(here, "record")


# ---- a build that succeeds ---------------------------------------------------------------------


def test_the_log_is_kept_as_it_was_printed(trtexec: Trtexec, record: Program) -> None:
    """With what came on stderr; its errors are none where the build succeeds."""
    log = LOG + "names hold \x1e, \x1f, \x85, \u2028, \ufeff, \r and no end"
    log, driver = f"[E] [TRT] a tactic was skipped\n{log}", "[W] a warning of the driver\n"
    trtexec.tell(log, stderr=driver)
    done = record("model.onnx")
    assert (done.returncode, done.stderr) == (0, TOOK)
    assert built() == log + driver


def test_the_log_says_what_made_it(trtexec: Trtexec, record: Program) -> None:
    words = ("--fp16", "--shapes", "x:1x8")
    assert record("./model.onnx", *words).returncode == 0
    head = Path("build.log").read_text("utf-8").split("\n")[:3]
    told = [f"engine_layer_visualize {elv.__version__}", "builder: trtexec"]
    told += ["record model.onnx --builder trtexec --fp16 --shapes=x:1x8"]
    assert head == [f"[engine_layer_visualize] {line}" for line in told]


def test_what_the_log_says_of_itself_changes_no_engine(trtexec: Trtexec, record: Program) -> None:
    record("model.onnx")
    Path("bare.log").write_text(built(), "utf-8")
    (own,), (bare,) = (read(log, facts=True).engines for log in ("build.log", "bare.log"))
    assert [layer.place.line - 3 for layer in own.layers] == [x.place.line for x in bare.layers]
    assert own.graph == bare.graph
    assert own.tensorrt == bare.tensorrt == "8.6.1"


def test_files_and_the_command_that_draws(trtexec: Trtexec, record: Program) -> None:
    trtexec.make_all()
    done = record("model.onnx", "--output_dir", "out")
    assert (done.returncode, done.stderr) == (0, TOOK)
    *files, command = done.stdout.splitlines()
    assert files == [f"out/{name}" for name in NAMES]
    assert all(Path(file).is_file() for file in files)
    assert command == (
        "python -m engine_layer_visualize --log_file out/build.log --profile_file out/profile.json"
    )
    assert not list(Path().rglob("EngineLayers*"))


def test_python_records_the_same_files(trtexec: Trtexec, record: Program) -> None:
    trtexec.make_all()
    record("model.onnx", "--fp16", "--output_dir", "command")
    written = elv.record("model.onnx", "python", fp16=True)
    assert written == [Path("python", name) for name in NAMES]
    for name in NAMES:
        assert Path("python", name).read_bytes() == Path("command", name).read_bytes()


def test_the_printed_command_draws(trtexec: Trtexec, record: Program, printed: Printed) -> None:
    """Also in folders whose names a shell would take apart."""
    trtexec.tell(exportProfile=PROFILE)
    folder = "a folder & 'more' $HOME"
    command = shlex.split(record("model.onnx", "--output_dir", folder).stdout.splitlines()[-1])
    drawn = "EngineLayers_0.dot  2 layers, 1 edge, 2 of 2 timed, 0.400 ms"
    assert printed(*command[3:]) == drawn + "\n"


def test_how_trtexec_is_called(trtexec: Trtexec, record: Program) -> None:
    record("model.onnx", "--output_dir", "out")
    assert "--verbose" in trtexec.argv
    assert trtexec.flag("onnx") == str(Path("model.onnx").absolute())
    assert trtexec.flag("profilingVerbosity") == "detailed"
    exports = ("exportLayerInfo", "exportProfile", "saveEngine")
    for flag, name in zip(exports, NAMES[1:], strict=True):
        path = Path(trtexec.flag(flag) or "")
        # It gets its name when all of the build is complete.
        assert (path.name, path.parent.parent) == (name, Path("out"))
        assert path.parent.name.startswith(".record.")


@pytest.mark.parametrize("asked", [[], ["fp16"], ["bf16", "fp8"], ["fp16", "int8"]])
def test_precisions_are_handed_on(trtexec: Trtexec, record: Program, asked: list[str]) -> None:
    flags = [f"--{name}" for name in asked]
    assert record("model.onnx", *flags).returncode == 0
    known = {"--fp16", "--bf16", "--fp8", "--int8"}
    assert sorted(known.intersection(trtexec.argv)) == sorted(flags)


# ---- shapes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], [None] * 3),
        (["in:0:1x3"], ["in:0:1x3"] * 3),
        (["in:0:1x3:4x3:8x3"], ["in:0:1x3", "in:0:4x3", "in:0:8x3"]),
        (["a b/c[0] é:2x2"], ["a b/c[0] é:2x2"] * 3),
        (["serving:1:2:1x3"], ["serving:1:2:1x3"] * 3),
        (["x:1x3", "y:2"], ["x:1x3,y:2"] * 3),
        (["x:1x3,y:2"], ["x:1x3,y:2"] * 3),
        (["x:1x3:2x3:3x3,y:1:2:3"], ["x:1x3,y:1", "x:2x3,y:2", "x:3x3,y:3"]),
    ],
    ids=str,
)
def test_shapes_are_handed_on(
    trtexec: Trtexec, record: Program, given: list[str], expected: list[str | None]
) -> None:
    words = [word for text in given for word in ("--shapes", text)]
    assert record("model.onnx", *words).returncode == 0
    found = [trtexec.flag(flag) for flag in ("minShapes", "optShapes", "maxShapes")]
    assert found == expected


@pytest.mark.parametrize(
    "text",
    [
        *("x", "x:", ":1x3", "x:1xa", "x:1x", "x:x3", "x:1.5x3", "1x3", "", ",", "x:1x3,", "x:1,3"),
        *("x:-1x3", "x: ", "x:1 x 3 of 4", "x:1x3:-1x3:8x3", "x:-1x3:4x3"),
    ],
)
def test_what_is_no_shape(trtexec: Trtexec, record: Program, text: str) -> None:
    done = record("model.onnx", "--shapes", text)
    assert done.returncode in (2, 3)
    assert done.stderr.startswith("--shapes ")
    assert ": error[ELV603]" in done.stderr.split("\n")[0]
    assert ":1:1" not in done.stderr
    assert "1x3" in done.stderr  # an example
    assert not trtexec.was_called
    assert not Path("build.log").exists()


# ---- a build that fails ------------------------------------------------------------------------


def test_a_failed_build_keeps_its_log_and_says_why(trtexec: Trtexec, record: Program) -> None:
    trtexec.tell(LOG + FAILED, code=1, exportProfile=PROFILE)
    done = record("model.onnx", "--output_dir", "out")
    assert (done.returncode, done.stdout) == (3, "")
    assert not list(Path().rglob("EngineLayers*"))
    assert built("out/build.failed.log") == LOG + FAILED
    _, first, *rest = done.stderr.splitlines()
    assert first.startswith("out/build.failed.log:")
    assert "error[ELV602]: the build failed: " in first
    assert first.endswith("4: [network.cpp::validate] Error Code 4: no {shape} & no <type>")
    assert any("out/build.failed.log" in line for line in rest)


def test_a_build_that_ends_without_a_word(trtexec: Trtexec, record: Program) -> None:
    trtexec.tell("[V] [TRT] Original: 5 layers\n", code=7)
    done = record("model.onnx")
    assert "the build failed: trtexec ended with exit code 7\n" in done.stderr


def test_nothing_of_an_error_reaches_the_terminal_raw(trtexec: Trtexec, record: Program) -> None:
    trtexec.tell("[E] \x1b]0;owned\x07 red \x1b[31m\u202e\n", code=1)
    done = record("model.onnx", code=3)
    assert "owned" in done.stderr
    assert not {"\x1b", "\x07", "\u202e"} & set(done.stderr)


def test_a_model_that_is_not_there_is_told(trtexec: Trtexec, record: Program) -> None:
    Path("profile.json").write_text(PROFILE, "utf-8")
    Path("folder.onnx").mkdir()
    before = {*Path().iterdir()}
    for name, code in (("absent.onnx", 2), ("folder.onnx", 3)):
        done = record(name)
        assert (done.returncode, done.stdout) == (code, "")
        assert done.stderr.startswith(f"{name}:1:1: error[ELV401]")
    with pytest.raises(FileNotFoundError):
        elv.record("absent.onnx")
    assert not trtexec.was_called
    assert {*Path().iterdir()} == before


def test_what_cannot_be_written_is_told_before_the_build(trtexec: Trtexec, record: Program) -> None:
    """Of a log it is the file that is named, not its folder."""
    Path("file").write_text("a file", "utf-8")
    Path("out/build.log").mkdir(parents=True)
    done = record("model.onnx", "--output_dir", "file", code=4)
    assert "error[ELV501]" in done.stderr
    done = record("model.onnx", "--output_dir", "out", code=4)
    assert done.stderr == "out/build.log: error[ELV501]: cannot be written: is a directory\n"
    assert not trtexec.was_called


# ---- files of an earlier build -----------------------------------------------------------------


def test_stale_files_are_not_of_this_build(trtexec: Trtexec, record: Program) -> None:
    trtexec.make_all()
    assert len(record("model.onnx").stdout.splitlines()) == 5
    trtexec.tell()
    command = "python -m engine_layer_visualize --log_file build.log"
    assert record("model.onnx").stdout == f"build.log\n{command}\n"
    assert Path("profile.json").read_text("utf-8") == PROFILE, "they may be somebody's own"


@pytest.mark.parametrize("name", [*NAMES, "a model; 'of' mine $(x).onnx"])
def test_a_model_stays_whatever_it_is_called(trtexec: Trtexec, record: Program, name: str) -> None:
    """Also like a file of the build."""
    Path(name).write_bytes(MODEL)
    done = record(name)
    assert Path(name).read_bytes() == MODEL
    if name in NAMES:
        assert done.returncode == 2
        assert f"{name}: error[ELV604]: the build would write over the model" in done.stderr
        assert not trtexec.was_called
    else:
        assert done.returncode == 0
        assert trtexec.flag("onnx") == str(Path(name).absolute())


@pytest.mark.parametrize("name", [*NAMES, "build.failed.log"])
def test_what_is_of_no_earlier_build_stays(trtexec: Trtexec, record: Program, name: str) -> None:
    Path(name).write_text("mine", "utf-8")
    trtexec.make_all()
    before = held()
    done = record("model.onnx")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith(f"{name}: error[ELV505]: this was there before, and ")
    assert "--force" in done.stderr
    assert held() == before and not trtexec.was_called
    assert record("model.onnx", "--force").returncode == 0
    assert {*held()} == {*NAMES, "model.onnx", name}
    assert (Path(name).read_text("utf-8") == "mine") == (name == "build.failed.log")


@pytest.mark.parametrize("code", [0, 1])
def test_the_next_build_replaces_the_files(trtexec: Trtexec, record: Program, code: int) -> None:
    Path("notes.json").write_text("mine", "utf-8")
    for times in (50, 2, 1):
        trtexec.make_all(LOG * times, code=code)
        assert record("model.onnx").returncode == 3 * code
        assert built("build.failed.log" if code else "build.log") == LOG * times
    assert {*held()} == {"model.onnx", "notes.json", *(["build.failed.log"] if code else NAMES)}
    assert (held()["notes.json"], Path("model.onnx").read_bytes()) == ("mine", MODEL)


def test_the_build_of_another_model_stays(trtexec: Trtexec, record: Program) -> None:
    trtexec.make_all()
    assert record("model.onnx").returncode == 0
    Path("other model.onnx").write_bytes(MODEL)
    before = held()
    done = record("other model.onnx")
    assert (done.returncode, held()) == (4, before)
    assert "build.log: error[ELV505]: this is of another model, model.onnx;" in done.stderr
    assert record("other model.onnx", "--force").returncode == 0
    assert "this is of another model, 'other model.onnx';" in record("model.onnx").stderr


@pytest.mark.parametrize("name", NAMES[1:])
def test_what_came_after_the_log_stays(trtexec: Trtexec, record: Program, name: str) -> None:
    trtexec.make_all()
    assert record("model.onnx").returncode == 0
    Path(name).write_text("mine", "utf-8")
    done = record("model.onnx", code=4)
    why = "this was there before, and build.log is not the log"
    assert f"{name}: error[ELV505]: {why}" in done.stderr
    assert Path(name).read_text("utf-8") == "mine"


@pytest.mark.parametrize("words", [(), ("--force",)])
def test_a_failure_keeps_the_log(trtexec: Trtexec, record: Program, words: tuple[str, ...]) -> None:
    """That of the engine that is there."""
    trtexec.make_all()
    assert record("model.onnx").returncode == 0
    before = held()
    for _ in range(2):
        trtexec.make_all(FAILED, code=1, engine="half")
        done = record("model.onnx", *words, code=3)
        assert "build.failed.log:8:1: error[ELV602]" in done.stderr
        assert "the whole log is kept in build.failed.log\n" in done.stderr
        assert built("build.failed.log") == FAILED
        assert {**held(), "build.failed.log": ""} == {**before, "build.failed.log": ""}


def test_what_came_meanwhile_stays(trtexec: Trtexec, record: Program, monkeypatch: Patch) -> None:
    """And the build, which may have taken hours, is kept beside it."""
    trtexec.make_all()
    script = trtexec.folder / "trtexec"
    script.write_text(script.read_text() .replace(
        "sys.exit(", "Path('build.log').write_text('mine')\nsys.exit("
    ))  # fmt: skip
    done = record("model.onnx", code=4)
    assert "build.log: error[ELV505]" in done.stderr
    (kept,) = Path().glob("record.*")
    assert f"the build is kept in {kept}\n" in done.stderr
    assert {path.name for path in kept.iterdir()} == {*NAMES}
    assert Path("build.log").read_text() == "mine" and not Path("model.engine").exists()


# ---- no builder --------------------------------------------------------------------------------


@pytest.fixture
def package_folder(folder: Path, monkeypatch: Patch) -> Path:
    """The working directory, where modules are found first; it holds a model."""
    Path("model.onnx").write_bytes(MODEL)
    monkeypatch.syspath_prepend(str(folder))
    return folder


@pytest.mark.parametrize(
    ("builder", "words"),
    [
        ("auto", "trtexec|tensorrt|tensorrt_rtx|pip install tensorrt-rtx, |pip install tensorrt\n"),
        ("trtexec", "trtexec|PATH"),
        ("tensorrt", "pip install tensorrt\n"),
        ("tensorrt_rtx", "pip install tensorrt-rtx\n"),
    ],
)
def test_a_missing_builder_is_told_with_a_hint(
    record: Program, folder: Path, monkeypatch: Patch, builder: str, words: str
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    for module in ("tensorrt", "tensorrt_rtx"):
        monkeypatch.setitem(sys.modules, module, None)
    Path("model.onnx").write_bytes(MODEL)
    done = record("model.onnx", "--builder", builder, "--output_dir", "out")
    assert (done.returncode, done.stdout) == (3, "")
    assert "error[ELV601]" in done.stderr
    assert [word for word in words.split("|") if word not in done.stderr] == []
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import libnvinfer", "ModuleNotFoundError: No module named 'libnvinfer'"),
        ("raise RuntimeError('one\\n two')", "RuntimeError: one two"),
    ],
)
def test_a_failing_package(record: Program, package_folder: Path, code: str, reason: str) -> None:
    (package_folder / "tensorrt.py").write_text(code)
    done = record("model.onnx", "--builder", "tensorrt", code=3)
    assert f"error[ELV602]: the build failed: {reason}\n" in done.stderr
    assert "Traceback" in Path("build.failed.log").read_text("utf-8")


@pytest.mark.parametrize(
    ("module", "version", "read_as", "words"),
    [
        ("tensorrt", "10.16.1.11", "10.16.1", "TensorRT 10.16.1"),
        ("tensorrt_rtx", "1.7.1.116", "RTX 1.7.1", "TensorRT-RTX 1.7.1"),
    ],
)
def test_the_log_has_the_version_of_the_package(
    module: str, version: str, read_as: str, words: str, record: Program, package_folder: Path
) -> None:
    """Which does not print it. The versions of TensorRT-RTX are no versions of TensorRT."""
    code = "print(open('printed.log').read()); raise OSError"
    (package_folder / f"{module}.py").write_text(code)
    about = package_folder / f"{module}-{version}.dist-info"
    about.mkdir()
    text = f"Metadata-Version: 2.1\nName: {module}\nVersion: {version}\n"
    (about / "METADATA").write_text(text)
    (about / "top_level.txt").write_text(f"{module}\n")
    (package_folder / "printed.log").write_text(LOG.partition("\n")[2], "utf-8")
    assert record("model.onnx", "--builder", module).returncode == 3
    (engine,) = read("build.failed.log").engines
    assert (engine.tensorrt, len(engine.layers)) == (read_as, 2)
    assert f"  {words}. 2 layers" in str(elv.summary(engine))
    assert f"{words} · " in render(engine, "svg").decode()


# ---- a real builder ----------------------------------------------------------------------------


real_builder = pytest.mark.usefixtures("rtx")
RTX = ("record", "model.onnx", "--builder", "tensorrt_rtx")


@pytest.fixture(scope="module")
def rtx() -> None:
    """Asked in a process of its own: a library that cannot be loaded may end it."""
    if find_spec("tensorrt_rtx") is None:
        demand("tensorrt_rtx is not installed: pip install -e '.[live]'")
    done = ran([sys.executable, "-c", "import tensorrt_rtx"])
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no word"])[-1]
        demand(f"tensorrt_rtx cannot be imported: {why}")


def says_its_version(stderr: str) -> bool:
    return re.fullmatch(r"builder: tensorrt_rtx \d+\.\d[\d.]*\n", stderr) is not None


def save_model(path: Path, rows: int | str = 2, name: str = "pond") -> None:
    """pond -> MatMul, Relu, Add (of pond's shape), Sigmoid -> tide; float32."""
    sketch = Sketch()
    sketch.node("MatMul", [name, sketch.weight("w", 4, 4)], "m", "/reed/MatMul")
    sketch.node("Relu", ["m"], "r", "/reed/Relu")
    sketch.node("Add", ["r", name], "s", "/reed/Add")
    sketch.node("Sigmoid", ["s"], "tide", "/reed/Sigmoid")
    path.write_bytes(sketch.model({name: ("FLOAT", (rows, 4))}, {"tide": (rows, 4)}))


@real_builder
def test_a_real_build_is_recorded_and_read(program: Program, tmp_path: Path) -> None:
    save_model(tmp_path / "model.onnx")
    done = program(*RTX, "--output_dir", "out", cwd=tmp_path)
    assert done.returncode == 0 and says_its_version(done.stderr)
    *files, command = done.stdout.splitlines()
    assert "out/build.log" in files
    assert all((tmp_path / file).stat().st_size > 0 for file in files)
    build = read(tmp_path / "out" / "build.log")
    assert build.problems == ()
    (engine,) = build.engines
    assert (engine.dialect, engine.inputs, engine.outputs) == ("detailed", ("pond",), ("tide",))
    assert all(layer.raw is None for layer in engine.layers)
    nodes = {node for layer in engine.layers for node in layer.onnx_nodes}
    assert {"/reed/MatMul", "/reed/Relu", "/reed/Sigmoid"} <= nodes
    assert command.startswith("python -m engine_layer_visualize --log_file out/build.log")
    drawn = program(*shlex.split(command)[3:], cwd=tmp_path)
    assert (drawn.returncode, drawn.stderr) == (0, "")
    assert drawn.stdout.startswith("EngineLayers_0.dot  ")
    assert (tmp_path / "EngineLayers_0.dot").is_file()


@real_builder
def test_weights_beside_the_model(here: Program, tmp_path: Path) -> None:
    """As a model of more than 2 GB has them; they are found from another folder."""
    model = tmp_path / "models" / "model.onnx"
    model.parent.mkdir()
    save_model(model)
    made = onnx.load(model)
    onnx.save(made, model, save_as_external_data=True, location="weights.bin", size_threshold=0)
    assert (model.parent / "weights.bin").stat().st_size >= 64
    done = here("record", "models/model.onnx", "--builder", "tensorrt_rtx", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(read(tmp_path / "build.log").engines) == 1


@real_builder
def test_names_that_are_no_utf_8(program: Program, tmp_path: Path) -> None:
    """The bindings cannot hand such a message to a logger in Python."""
    save_model(tmp_path / "model.onnx")
    data = (tmp_path / "model.onnx").read_bytes()
    (tmp_path / "model.onnx").write_bytes(data.replace(b"/reed/", b"/r\xff\xfed/"))
    done = program(*RTX, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (engine,) = read(tmp_path / "build.log").engines
    assert any("/r" in node for layer in engine.layers for node in layer.onnx_nodes)


@real_builder
def test_a_dynamic_shape_needs_shapes(here: Program, tmp_path: Path) -> None:
    name = "pond:0"
    save_model(tmp_path / "model.onnx", "rows", name)
    for words in ((), ("--shapes", "lake:2x4")):  # the second is of an input that is not there
        failed = here(*RTX, *words, cwd=tmp_path)
        assert (failed.returncode, failed.stdout) == (3, "")
        place, told, own_words = failed.stderr.splitlines()[1].partition("the build failed: ")
        assert place.startswith("build.failed.log:") and "error[ELV602]: " in place and told
        assert own_words.startswith(f"an input's shape is open: {name} ?x4; give it, as --shapes")
        assert own_words in (tmp_path / "build.failed.log").read_text("utf-8")
        assert not (tmp_path / "model.engine").exists()
    assert own_words.endswith(f" {name}:1x4")
    for shape in ("2x4", "1x4:2x4:8x4"):
        done = here(*RTX, "--shapes", f"{name}:{shape}", cwd=tmp_path)
        assert done.returncode == 0 and says_its_version(done.stderr)
        (engine,) = read(tmp_path / "build.log").engines
        assert (engine.inputs, engine.outputs) == ((name,), ("tide",))


@real_builder
@pytest.mark.parametrize("shape", ["2x4:1x4:8x4", "2", "2x4x4"])
def test_shapes_that_cannot_be(here: Program, tmp_path: Path, shape: str) -> None:
    """A range that runs backwards, and other ranks: refused in words, never with a traceback."""
    save_model(tmp_path / "model.onnx", "rows")
    done = here(*RTX, "--shapes", f"pond:{shape}", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert "error[ELV60" in done.stderr
    log = tmp_path / "build.failed.log"
    assert not log.exists() or "Traceback" not in log.read_text("utf-8")


@real_builder
@pytest.mark.parametrize("precision", ["fp16", "fp8"])
def test_a_precision_is_set_or_refused(here: Program, tmp_path: Path, precision: str) -> None:
    save_model(tmp_path / "model.onnx")
    done = here(*RTX, f"--{precision}", cwd=tmp_path)
    if done.returncode:
        assert done.returncode == 2
        assert f"error: --{precision}: tensorrt_rtx has no such flag" in done.stderr
    else:
        assert len(read(tmp_path / "build.log").engines) == 1
