"""Queries: what `--query` finds, what is said of those that cannot be read, and `layers`.

tests/viewer/test_viewer.py holds the page to the same cases.
"""

import csv
import io
import json
import re
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from factories import chain, layer, linked
from logtext import HEADER, chose, classic, costs, exported, file_of, listing_of, text, timed
from paths import CENTERNET, ROOT, TIMES
from program import Ended, Printed, Program
from queries import CASES, ERRORS, engine
from rendered import drawing, plain

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Edge
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.facts.query import COMPARED, FIELDS, parse
from engine_layer_visualize.facts.search import Searched
from engine_layer_visualize.facts.subgraph import Stub, View, part
from engine_layer_visualize.linting.subject import Subject


@pytest.fixture(scope="module")
def searched() -> Searched:
    return Searched(Subject(Costs(engine())))


@pytest.mark.parametrize(("query", "found"), CASES)
def test_a_query_finds(query: str, found: list[int], searched: Searched) -> None:
    assert sorted(searched.find(parse(query))) == found


@pytest.mark.parametrize(("query", "column", "message"), ERRORS)
def test_a_query_that_cannot_be_read_says_where(query: str, column: int, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        parse(query)
    problem = caught.value.problem
    assert (problem.code, problem.place.column) == ("ELV410", column)
    assert problem.message.startswith(message)
    assert problem.excerpt[: problem.caret] == query[: column - 1]
    assert problem.expected


@pytest.mark.parametrize(
    ("regex", "why"),
    [
        ("(", "missing ), unterminated subpattern at position 0"),
        ("a**", "multiple repeat at position 2"),
        ("(" * 9000 + ")" * 9000, "maximum recursion depth exceeded"),
        ("a{99999999999}", "the repetition number is too large"),
        ("(?a)(?u)x", "ASCII and UNICODE flags are incompatible"),
    ],
)
def test_what_python_cannot_compile_is_an_error(regex: str, why: str) -> None:
    with pytest.raises(ReadError) as caught:
        parse(f"a /{regex}/")
    problem = caught.value.problem
    assert (problem.code, problem.place.column) == ("ELV410", 3)
    assert problem.message.startswith(f"not a regular expression: {why}")


def test_signs_of_later_pythons_are_read_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse("/[[a]_/")


def test_every_field_has_an_example_and_a_case() -> None:
    for name, field in FIELDS.items():
        assert parse(field.example).any_of[0][0].field == name
        assert any(query.lower().lstrip("-").startswith(name) for query, _ in CASES)


def test_the_docs_name_no_other_field() -> None:
    """In queries, which stand where queries and searches are told of."""
    found = set()
    for path in (*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"):
        section = ""
        for line in path.read_text("utf-8").splitlines():
            section = line if line.startswith("#") else section
            if not re.search("quer|search|queries", f"{section} {line}", re.IGNORECASE):
                continue
            for query in re.findall(r'`([^`]+)`|--query "(.+)"', line):
                names = re.findall(r"(?:^|\s)-?([a-z]+)(?=:|[<>]=?)", "".join(query))
                found |= {(path.name, name) for name in names}
    known = {"compare.md": COMPARED}
    assert [name for page, name in found if name not in known.get(page, FIELDS)] == []
    assert {("reading-the-picture.md", "type"), ("compare.md", "change")} <= found


def test_a_text_is_searched_as_it_is_shown() -> None:
    of = linked(layer(0, "a\x1b[31m", [], ["t"]), layer(1, "b", ["t"], []))
    assert Searched(Subject(Costs(of))).find(parse(r"\x1b[31m")) == {0}


def test_part_takes_queries_and_patterns() -> None:
    of = engine()
    assert [layer.index for layer in part(of, query="type:conv -relu").layers] == [2, 3]
    found = part(of, query=re.compile("^Conv_1$"))  # capitals count, as its flags say
    assert [layer.index for layer in found.layers] == [2]
    assert "--query /^Conv_1$/" in found.words
    with pytest.raises(ReadError, match=r"/\^conv_1\$/ leaves no layer to show$"):
        part(of, query=re.compile("^conv_1$"))


def test_the_line_points_at_what_is_wrong(folder: Path, here: Program, printed: Printed) -> None:
    Path("a.log").write_text(listing_of("Conv_1", "end"))
    told = here("--log_file", "a.log", "--query", "end tpye:pool", code=2).stderr.splitlines()
    assert told[0].startswith("--query:1:5: error[ELV410]: no field 'tpye'; did you mean type? ")
    assert told[1] == "  end tpye:pool"
    assert told[2].startswith("      ^ expected a field")
    assert [path.name for path in folder.iterdir()] == ["a.log"]
    told = here("--log_file", "a.log", "--query", "Conv_1.*", code=3).stderr.splitlines()
    assert told[0].endswith("no layer to show")
    shown = printed("--log_file", "a.log", "--query", "/conv_1.*/")
    assert "1 of 2 layers shown (--query /conv_1.*/)" in shown


@pytest.mark.usefixtures("folder")
def test_a_query_reads_what_it_needs(printed: Printed) -> None:
    """Estimates stand in messages that drawing as dot does not read by itself."""
    runner = "CaskConvolution"
    tuned = "".join(
        costs(name, "Half(1) -> Half(1)") + timed(name, runner, (1, ms)) + chose(runner, 1)
        for name, ms in (("slow", 0.5), ("fast", 0.1))
    )
    Path("a.log").write_text(tuned + listing_of("slow", "fast"))
    printed("--log_file", "a.log", "--query", "time>50%")
    assert "slow" in Path("EngineLayers_0.dot").read_text()
    assert "1 of 2 layers shown" in Path("EngineLayers_0.dot").read_text()


# ---- what of an engine is shown: the words that choose it, and what is said of the rest ----------


def indices(view: View) -> list[int]:
    return [layer.index for layer in view.layers]


def test_cut_lines_end_in_stubs() -> None:
    flow = ("a", ["x"], "t"), ("b", ["t"], "u"), ("c", ["t", "u"], "v"), ("d", ["v", "t"], "y")
    of = linked(*(layer(n, name, reads, [gives]) for n, (name, reads, gives) in enumerate(flow)))
    found = part(of, query="/^[bc]$/")
    assert indices(found) == [1, 2]
    assert found.edges == (Edge(1, 2, "u"),)
    assert set(found.stubs) == {Stub("t", True, (1, 2), (0,)), Stub("v", False, (2,), (3,))}
    assert (found.outside, found.cut) == (2, 3)
    assert (found.inputs, found.outputs) == ((), ())
    assert found.words == "2 of 4 layers shown (--query /^[bc]$/), 2 outside, 3 edges cut"
    shown = drawing(found)
    pairs = ("layer_1 layer_2", "stub_0 layer_1", "stub_0 layer_2", "layer_2 stub_1")
    assert shown.pairs == {tuple(pair.split()) for pair in pairs}
    assert "from layer 0, not shown" in shown.nodes["stub_0"]["label"]
    assert "to layer 3, not shown" in shown.nodes["stub_1"]["label"]
    assert "layer 3: d" in plain(shown.nodes["stub_1"]["tooltip"])
    assert "goes on outside this picture" in shown.title
    assert "2 outside, 3 edges cut" in shown.title


def test_a_layer_is_meant_by_name_by_a_part_of_it_or_by_index() -> None:
    of = chain("Conv_1", "Conv_10", "7", "Pool")
    for word, index in (("Conv_1", 0), ("v_10", 1), ("7", 2), ("3", 3), ("pOo", 3)):
        assert indices(part(of, around=word, radius=0)) == [index]
    assert indices(part(of, around=1, radius=0)) == [1]


def test_a_reformat_does_not_make_a_name_ambiguous() -> None:
    of = linked(layer(0, "copy for Pool", [], ["a"], type="Reformat"), layer(1, "Pool", ["a"], []))
    assert indices(part(of, around="Poo", radius=0)) == [1]
    assert indices(part(of, around="copy", radius=0)) == [0]


@pytest.mark.parametrize(
    ("word", "told"),
    [
        (
            "Conv",
            "engine 0: `Conv` is in the names of 7 layers: 0 `Conv_0`, 1 `Conv_1`, 2 `Conv_2`, "
            "3 `Conv_3`, 4 `Conv_4` and 2 more; give an index",
        ),
        ("same", "`same` is the name of 2 layers: 7 `same`, 8 `same`; give an index"),
        ("Cnov_3", "no layer is called `Cnov_3`; layers are numbered 0 to 8"),
        ("zzzzz", "no layer is called `zzzzz`; layers are numbered 0 to 8"),
        ("99", "there is no layer 99; layers are numbered 0 to 8"),
    ],
)
def test_a_layer_that_is_not_clear_gets_its_candidates(word: str, told: str) -> None:
    of = chain(*(f"Conv_{i}" for i in range(7)), "same", "same")
    with pytest.raises(ReadError) as caught:
        part(of, around=word)
    assert caught.value.problem.code == "ELV407"
    assert told in caught.value.problem.message


# ---- the command line --------------------------------------------------------------------------


def test_the_line_says_what_is_not_shown(folder: Path, printed: Printed) -> None:
    words = ["--around=MaxPool_12", "--radius", "1", "--format", "dot, json,dot"]
    lines = printed("--log_file", CENTERNET, *words).splitlines()
    outside = "3 of 54 layers shown (--around MaxPool_12 --radius 1), 51 outside, 3 edges cut"
    files = [f"EngineLayers_0.{format}  54 layers, 69 edges" for format in ("dot", "json")]
    assert lines == [f"{files[0]}; {outside}", files[1]]
    assert len(json.loads((folder / "EngineLayers_0.json").read_bytes())["layers"]) == 54


def test_an_engine_without_it_does_not_stop_the_others(folder: Path, here: Program) -> None:
    Path("two.log").write_text("".join(map(listing_of, "abc")))
    told = here("--log_file", "two.log", "--around", "b", code=1)
    assert told.stdout == "EngineLayers_1.dot  1 layer, 0 edges\n"
    assert told.stderr.count("error[ELV407]") == 2
    assert sorted(path.name for path in folder.iterdir()) == ["EngineLayers_1.dot", "two.log"]


# ---- the command layers: which layers are listed, and in which order ---------------------------


SMALL = f"""{HEADER}Layer(Reformat): in, Tactic: 0, x[Float(1,8)] -> a[Half(1,8)]
Layer(Convolution): c, Tactic: 1, a[Half(1,8)] -> b[Half(1,8)]
Layer(Convolution): b, Tactic: 2, b[Half(1,8)] -> y[Half(1,8)]
"""


@pytest.fixture
def run(ended: Ended) -> Ended:
    return partial(ended, "layers")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return file_of(tmp_path, SMALL, "small.log")


def rows(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out)))


def only(out: str) -> dict[str, Any]:
    (engine,) = json.loads(out)["engines"]
    return dict(engine)


def listed(out: str) -> list[int]:
    return [layer["index"] for layer in only(out)["layers"]]


def test_all_layers_are_rows_by_index(run: Ended) -> None:
    code, out, err = run(CENTERNET, TIMES, "-f", "csv")
    assert (code, err) == (0, "")
    assert out.startswith("engine,index,name,type,operators,precision,kernel,ms,share,")
    assert [row["index"] for row in rows(out)] == [str(index) for index in range(54)]


def test_the_slowest_are_first(run: Ended) -> None:
    """Averages: 0.396674, 0.230931, 0.111894, 0.0901253, 0.0891342; 35.3957 % together."""
    out = run(CENTERNET, TIMES, "--sort", "time", "--limit", "5", "-f", "json")[1]
    found = only(out)
    assert listed(out) == [43, 44, 41, 1, 46]
    assert (found["index"], found["shown"], found["found"], found["of"]) == (0, 5, 54, 54)
    assert found["ms"] == pytest.approx(0.9187585)
    assert found["share"] == pytest.approx(0.353957, abs=5e-6)
    first = found["layers"][0]
    assert (first["index"], first["type"], first["ms"]) == (43, "CaskDeconvolution", 0.396674)


def test_a_row_is_a_line_however_long_names_are(run: Ended) -> None:
    for words in (("--width", "85"), ("--width", "100"), ("--width", "140")):
        out = run(CENTERNET, TIMES, *words)[1]
        numbered = [line.split()[0] for line in out.split("\n")[5:-3]]
        assert numbered == [str(index) for index in range(54)]
    whole = run(CENTERNET, TIMES, "--full", "--limit", "2", "--width", "140")[1]
    assert "conv1.weight + QuantizeLinear_7_quantize_scale_node + Conv_9 + Relu_11" in whole


def test_layers_without_a_time_are_last(run: Ended, small: Path, tmp_path: Path) -> None:
    times = file_of(tmp_path, exported(("b", 0.3), ("in", 0.1)), "times.json")
    for sort, order in (("time", [2, 0, 1]), ("name", [2, 1, 0]), ("index", [0, 1, 2])):
        out = run(small, times, "--sort", sort, "-f", "json")[1]
        assert listed(out) == order
    assert only(out)["ms"] == pytest.approx(0.4)
    assert only(run(small, "-f", "json")[1])["ms"] is None


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("prec:int4", "no layer for prec:int4; prec: Half (2), Float (1)"),
        ("type:foo", "no layer for type:foo; type: Convolution (2), Reformat (1)"),
        ("type:conv prec:fp32", "no layer for type:conv prec:fp32; prec of type:conv: Half (2)"),
        ("time>1%", "no layer for time>1%; time: unknown"),
        ("bytes>1GB", "no layer for bytes>1GB; bytes: 32 B to 48 B"),
        ("#7", "no layer for #7; index: 0 to 2"),
        ("/^z/", "no layer for /^z/; type: Convolution (2), Reformat (1)"),
    ],
)
def test_nothing_found_names_the_values(run: Ended, small: Path, query: str, said: str) -> None:
    code, out, err = run(small, "--query", query, "-f", "json")
    assert code == 0
    assert err.startswith(f"engine 0 of small.log: {said}")
    found = only(out)
    assert (found["layers"], found["shown"], found["found"], found["of"]) == ([], 0, 0, 3)
    assert run(small, "--query", query)[1].rstrip().endswith("\n  0 of 3 layers")
    assert rows(run(small, "--query", query, "-f", "csv")[1]) == []


def test_each_alternative_says_why(run: Ended, small: Path) -> None:
    assert run(small, "--query", "type:foo | prec:int8")[2].count("no layer for ") == 2
    code, out, err = run(small, "--query", "type:foo | prec:half", "-f", "json")
    assert (code, listed(out), err) == (0, [1, 2], "")


def test_many_long_values_are_shortened(run: Ended, tmp_path: Path) -> None:
    log = listing_of(*(f"{'n' * 300}\x1b[31m{number}" for number in range(40)))
    err = run(file_of(tmp_path, log), "--query", "name:zzz")[2]
    assert err.endswith(" and 28 more\n")
    assert len(err) < 1_200 and "\x1b" not in err


def test_nothing_to_list_is_no_list(run: Ended, tmp_path: Path) -> None:
    code, out, _ = run(file_of(tmp_path, "no log\n"), "-f", "csv")
    assert (code, out) == (3, "")


def test_optimisation_profiles_are_told_apart(run: Ended, tmp_path: Path) -> None:
    second = classic("c [profile 1]", "x [profile 1]", "y [profile 1]")
    log = file_of(tmp_path, HEADER + text(classic("c", "x", "y"), second))
    times = file_of(tmp_path, exported(("c", 0.3), ("c [profile 1]", 0.1)), "times.json")
    both = only(run(log, times, "-f", "json")[1])
    assert (both["shown"], both["ms"], both["share"]) == (2, None, None)  # one of them runs
    one = run(log, times, "--optimization-profile", "1", "-f", "json")[1]
    assert (listed(one), only(one)["ms"]) == ([1], pytest.approx(0.1))
