"""The command line as scripts of users know it: flags, lines, files, exit codes."""

import json
import os
import pkgutil
import shlex
from pathlib import Path

import pytest
from paths import CENTERNET, ROOT, TIMES
from program import Capture, Patch, Printed, Program

import engine_layer_visualize as elv
from engine_layer_visualize.commands import cli
from engine_layer_visualize.core import limits

CLASSIC = ROOT / "fixtures" / "classic"
BROKEN = ROOT / "fixtures" / "broken"

GOOD = "Engine Layer Information:\nLayer(Conv): a, Tactic: 1, x[Float(1)] -> y[Float(1)]\n"


pytestmark = pytest.mark.usefixtures("folder")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def run(*arguments: str | Path) -> int:
    return cli.main([str(argument) for argument in arguments])


# ---- flags -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dash", ["_", "-"])
@pytest.mark.parametrize("equals", [" ", "="], ids=["two words", "one word"])
def test_every_flag_in_both_forms(folder: Path, capsys: Capture, dash: str, equals: str) -> None:
    values = {"log_file": CENTERNET, "profile_file": TIMES, "output_dir": "a_b-c=d", "engine": 0}
    flags = [f"--{name.replace('_', dash)}{equals}{value}" for name, value in values.items()]
    assert run(*" ".join(flags).split(), "--format", "json", "--strict", "--verbose") == 0
    assert names(folder / "a_b-c=d") == ["EngineLayers_0.json"], "a value is left as it is"
    assert capsys.readouterr().err == ""


WRONG_WORDS = """
--logfile build.log: no flag --logfile; did you mean --log_file?
-log_file build.log: no flag -log_file; did you mean --log_file?
record m.onnx --log_file x: record has no flag --log_file; these have it: draw
--log_file x --top 3: draw has no flag --top; these have it: summary, compare
summary --log_file x --query y: summary has no flag --query; these have it: draw, layers
-fsgv build.log: argument -f/--format: no format 'sgv'
--log_file x --format SVG: argument -f/--format: no format 'SVG'; did you mean svg?
--log_file x --format ,: argument -f/--format: no format ''
--log_file x --format svg,xlsx: argument -f/--format: no format 'xlsx'; there are dot, json
summary --log_file x --format md: argument -f/--format: no format 'md'; there are text
--log_file x --theme drak: argument --theme: no value 'drak'; did you mean dark?
summary --log_file x --sections memry: argument --sections: no section 'memry'; did
--log_file x --engine two: argument --engine: a whole number is wanted, not 'two'
--log_file: argument --log_file: expected one argument
--log_file -- build.log: argument --log_file: expected one argument
absent.log: no such file: absent.log; see --help
build.log format svg: no such file: format; did you mean --format?
--log_file x -- --zzz: no such file: --zzz; see --help
draw draw --log_file x: no such file: draw; see --help
sumary --log_file build.log: no command sumary; did you mean summary?
diff a.log b.log: no command diff; did you mean compare?
open build.log: no command open; did you mean serve --open?
--log_file x summary --top 3: the command summary must be the first word
- -: stdin is read once, and - stands twice; see --help
record: the following arguments are required: MODEL
help sumary: no command help; did you mean --help?
cut build.log --onnx x --layer 1 --slowest 2: argument --slowest: not allowed with argument --layer
cut build.log --onnx x: one of the arguments --layer --slowest is required
lint build.log --select F99: argument --select: no rule 'F99'; `explain`
lint build.log --ignore reformat-at-input: argument --ignore: no rule 'reformat-at-input'; `explain`
lint build.log --select '': argument --select: no rule ''; `explain`
gate -p build.log build.log: argument -p/--profile_file: build.log: times belong to the log before
gate build.log: a log is missing: write BASE NEW, or --save FILE LOG
gate --save base.json: a log is missing: write BASE NEW, or --save FILE LOG
gate --save b --baseline build.log build.log: argument --baseline: not allowed with argument --save
gate build.log build.log build.log: argument --log_file: build.log: there is build.log already
gate --times build.log build.log build.log: argument --times: build.log: times belong to the log
gate build.log build.log --max_slowdown 3: argument --max_slowdown: 3 is 3 times the baseline; write
gate build.log build.log --max_memory nan: argument --max_memory: a fraction such as 3% or 0.03 is
gate build.log build.log '--max_slowdown 3%': --max_slowdown 3% is no flag and no value
gate build.log build.log --name a-->b: argument --name: the name of a gate has letters
gate build.log build.log --unsure maybe: argument --unsure: no value 'maybe'
""".strip().split("\n")
WRONG_WORDS += [": no log is given: write its name", "lint: no log is given: write its name"]


@pytest.mark.parametrize("case", WRONG_WORDS, ids=str)
def test_what_is_wrong_with_a_word_is_named(folder: Path, here: Program, case: str) -> None:
    """On one line below one line of usage, for every command."""
    words, _, said = case.partition(": ")
    (folder / "build.log").write_text(GOOD, "utf-8")
    told = here(*shlex.split(words), code=2)
    assert told.stdout == ""
    usage, error, rest = told.stderr.split("\n")
    assert usage.startswith("usage: engine-layer-visualize ") and usage.endswith(" [flags]")
    assert error.startswith(f"engine_layer_visualize: error: {said}")
    assert rest == ""
    assert names(folder) == ["build.log"]


def test_a_wrong_name_of_two_lines_is_told_on_one(here: Program) -> None:
    assert here("a\nb", code=2).stderr.count("\n") == 2


def test_version_is_printed_and_nothing_drawn(folder: Path, printed: Printed) -> None:
    for words in ((), ("--log_file", CENTERNET)):
        assert printed("--version", *words) == f"engine_layer_visualize {elv.__version__}\n"
    assert names(folder) == []


# ---- lines and files ---------------------------------------------------------------------------


def test_quiet_prints_errors_alone(folder: Path, here: Program) -> None:
    for log in (CENTERNET, BROKEN / "no-header.log"):  # a warning is no error
        said = here("--log_file", log, "--quiet", "--force", code=0)
        assert (said.stdout, said.stderr) == ("", "")
    said = here("--log_file", BROKEN / "unreadable-among-good.log", "--quiet", "--force", code=1)
    assert said.stdout == ""
    assert said.stderr.count(": error[") == 3
    assert names(folder) == ["EngineLayers_0.dot"]


def test_many_problems_of_one_kind(here: Program) -> None:
    bad = "Layer(Conv): a, Tactic: 1, zzz\n"
    Path("build.log").write_text(GOOD + bad * 50, "utf-8")
    short = here("--log_file", "build.log", code=1).stderr
    whole = here("--log_file", "build.log", "--verbose", code=1).stderr
    assert whole.count(": error[ELV102]: ") == 50
    shown = short.count(": error[ELV102]: ")
    assert 0 < shown < 50
    assert f"ELV102: {50 - shown} more" in short
    assert "--verbose" in short


def test_a_problem_shows_its_place(here: Program) -> None:
    Path("build.log").write_text(GOOD + "Layer(Conv): a, Tactic: 1, zzz\n", "utf-8")
    assert here("--log_file", "build.log", code=1).stderr.split("\n") == [
        "build.log:3:28: error[ELV102]: tensor without a descriptor",
        "  Layer(Conv): a, Tactic: 1, zzz",
        "                             ^ expected a tensor such as `270[Int8(1,64)]`",
        "",
    ]


def test_nothing_to_draw_says_what_to_do(folder: Path, here: Program) -> None:
    said = here("--log_file", BROKEN / "empty.log", "--output_dir", "made", code=3)
    assert said.stdout == ""
    first, hint = said.stderr.split("\n")[:2]
    assert first.startswith(f"{BROKEN / 'empty'}.log:")
    assert hint.startswith("  ") and hint.strip()
    assert names(folder) == [], "not even the folder"


# ---- profiles ----------------------------------------------------------------------------------


def test_engine_limits_the_candidates_of_a_profile(folder: Path) -> None:
    """Else the first one takes it."""
    log, times = BROKEN / "profile-tie.log", BROKEN / "profile-tie.profile.json"
    assert run(log, times, "--format", "json", "--engine", "1") == 0
    drawn = json.loads((folder / "EngineLayers_1.json").read_text("utf-8"))
    assert drawn["profile"]["matched"] > 0 and drawn["problems"] == []


# ---- the library -------------------------------------------------------------------------------


def test_a_text_is_no_path() -> None:
    text = CENTERNET.read_text("utf-8")
    with pytest.raises(elv.ReadError, match="looks like the text of one") as caught:
        elv.read(text)
    (problem,) = elv.read(CENTERNET, profiles=[text]).problems
    assert problem == caught.value.problem and problem.code == "ELV401" and len(str(problem)) < 200


@pytest.mark.skipif(os.name != "posix", reason="names as POSIX has them")
def test_a_file_may_be_called_by_two_lines(folder: Path) -> None:
    (folder / "a\nb.log").write_text(GOOD)
    assert len(elv.read("a\nb.log").engines) == 1


def test_iter_engines_gives_one_after_the_other() -> None:
    engines = elv.iter_engines(CLASSIC / "8.5-host-prefixes.log")
    assert iter(engines) is engines
    first = next(engines)
    assert first.index == 0 and first.facts is not None
    assert [engine.index for engine in engines] == list(range(1, 8))


def test_draw_writes_a_format_that_no_suffix_tells(folder: Path) -> None:
    (engine,) = elv.read(CENTERNET).engines
    elv.draw(engine, folder / "data", "json")
    assert json.loads((folder / "data").read_text("utf-8"))["schema"] == 1
    with pytest.raises(ValueError, match="tiff"):
        elv.draw(engine, "engine.tiff")
    assert names(folder) == ["data"]


def test_public_names_are_not_those_of_modules() -> None:
    """A module of a function's name would take its place once it is imported."""
    assert not {module.name for module in pkgutil.iter_modules(elv.__path__)} & set(elv.__all__)
    assert set(elv.__all__) <= set(dir(elv))


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        elv.no_such_name  # noqa: B018


def test_many_layers_of_an_inspector_s_json(here: Program, monkeypatch: Patch) -> None:
    """Those past the limit end the reading, as in a log (`faults/test_inputs.py`)."""
    monkeypatch.setattr(limits, "LAYERS", 2)
    log = ROOT / "fixtures" / "inspector_json" / "trtexec-pretty.json"
    assert "2 layers" in here("--log_file", log, code=1).stdout


def test_a_second_listing_past_the_limit(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(limits, "LAYERS", 1)
    record = "Layer(A): a, Tactic: 1, x[Int8(1)] -> y[Int8(1)]\n"
    log = tmp_path / "build.log"
    log.write_text(f"[V] [TRT] Engine Layer Information:\n{record}" * 2, "utf-8")
    assert [problem.code for problem in elv.read(log).problems] == ["ELV112"]


# ---- commands called from Python: their files are those of the command line ----------------------


def test_anonymise_writes_what_the_command_writes(tmp_path: Path) -> None:
    for _ in range(2):  # a module of that name would hide the function at its second call
        written = elv.anonymise([CENTERNET, TIMES], tmp_path / "python")
    assert run("anonymise", CENTERNET, TIMES, "-o", tmp_path / "command") == 0
    assert [path.name for path in written] == ["anonymised_0.log", "anonymised_1.json"]
    for path in written:
        assert path.parent == tmp_path / "python"
        assert path.read_bytes() == (tmp_path / "command" / path.name).read_bytes()


def test_what_may_not_be_replaced_is_an_error(tmp_path: Path) -> None:
    mine = tmp_path / "mine.log"
    mine.write_text("my own", "utf-8")
    with pytest.raises(elv.ReadError, match="ELV505"):
        elv.anonymise(CENTERNET, mine)
    assert mine.read_text("utf-8") == "my own"
    assert elv.anonymise(CENTERNET, mine, force=True) == [mine]


def test_snapshot_writes_what_the_command_writes(tmp_path: Path) -> None:
    (engine,) = elv.read(CENTERNET, TIMES).engines
    path = elv.snapshot(engine, tmp_path / "python.json")
    assert run("gate", "--save", tmp_path / "command.json", CENTERNET, "-p", TIMES) == 0
    assert path == tmp_path / "python.json"
    rows = json.loads(TIMES.read_text("utf-8"))
    again = [{**row, "averageMs": 1.001 * row["averageMs"]} for row in rows if "name" in row]
    (tmp_path / "again.json").write_text(json.dumps([rows[0], *again]))
    (new,) = elv.read(CENTERNET, tmp_path / "again.json").engines
    assert elv.gate(path, new).verdict == "pass"
    assert path.read_bytes() == (tmp_path / "command.json").read_bytes()


@pytest.mark.slow
def test_collect_writes_a_dataset(tmp_path: Path) -> None:
    """What is no reason to raise is a warning."""
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "empty.log").write_text("")
    dataset = tmp_path / "ds"
    with pytest.warns(UserWarning, match=r"empty\.log.*ELV402"):
        logs = [CENTERNET, tmp_path / "empty.log"]
        assert elv.collect(logs, dataset, jobs=1) == [dataset]
    files = dataset.glob("layers/*.parquet")
    assert sum(parquet.read_metadata(path).num_rows for path in files) == 54


def test_wrong_arguments_are_values(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="jobs: a number from 1 on"):
        elv.collect(CENTERNET, tmp_path / "ds", jobs=0)
    with pytest.raises(ValueError, match="builder: no value 'nvcc'"):
        elv.record("model.onnx", builder="nvcc")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="either layer or slowest is wanted"):
        elv.cut(CENTERNET, "model.onnx", layer=0, slowest=3)
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="ELV401"):
        elv.anonymise(tmp_path / "absent.log", tmp_path / "out.log")
    with pytest.raises(elv.ReadError):
        elv.record(tmp_path / "absent.onnx", tmp_path)
