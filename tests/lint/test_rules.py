"""Each rule fires where it should, is silent in a near miss, and has a page."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from anonymised import text_of
from factories import engine_of, layer, linked
from logtext import HEADER
from paths import CENTERNET, FIXTURES, TIMES
from program import Patch

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import kinds, peaks, trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import read
from engine_layer_visualize.core.model import Join, Layer, Timing
from engine_layer_visualize.linting import findings_of, header, lever, network
from engine_layer_visualize.linting.causes import CAUSES, retired
from engine_layer_visualize.linting.rules import SEVERITIES, all_rules
from engine_layer_visualize.linting.subject import Subject
from fuzz import budget
from lint.cases import FOLDER, Case, cases

CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code} {case.why}")
def test_a_rule_finds_what_its_cases_say(case: Case, tmp_path: Path) -> None:
    found = case.found(tmp_path)
    if case.layers is None:
        assert not found
        return
    assert found
    assert {index for one in found for index in one.layers} == case.layers
    if case.told:
        assert [(one.layers, one.ms) for one in found] == [
            (told.layers, told.ms if told.ms is None else pytest.approx(told.ms, abs=1e-9))
            for told in case.told
        ]
        for one, told in zip(found, case.told):
            assert told.words in one.message and told.advice in one.advice
    engine = case.engine(tmp_path)
    lines = case.log.count("\n") + 1
    for one in found:
        assert one.code == case.code
        assert one.message and one.advice and one.evidence
        assert all(fact.line is None or 1 <= fact.line <= lines for fact in one.evidence)
        assert (one.ms is None) == (one.ms_kind is None)
        if one.ms is not None and one.layers:
            times = [engine.layers[index] for index in one.layers]
            whole = sum(
                (la.time.average_ms if la.time is not None else la.facts and la.facts.build_ms) or 0
                for la in times
            )
            assert 0 <= one.ms <= whole * (1 + 1e-9)


@pytest.mark.parametrize("code", all_rules())
def test_a_rule_has_a_positive_and_a_near_miss(code: str) -> None:
    own = [case for case in CASES if case.code == code]
    assert any(case.layers is not None for case in own), f"{FOLDER}/{code.lower()}.txt: no `fires`"
    assert any(case.layers is None for case in own), f"{FOLDER}/{code.lower()}.txt: no `silent`"


# The parts of a page, in their order.
PARTS = (
    *("Found", "Why it costs", "What to do", "When to leave it", "Example", "Versions", "Severity"),
    "Sources",
)


@pytest.mark.parametrize("code", all_rules())
def test_a_rule_s_docstring_is_its_page(code: str) -> None:
    rule = all_rules()[code].rule
    assert code[0] in "PFTUHR" and code[1:].isdigit() and len(code) == 3
    assert rule.severity in SEVERITIES
    assert rule.summary.endswith(".") and rule.sources
    page = all_rules()[code].page
    assert tuple(re.findall(r"^\*\*(.+?)\*\*:", page, re.MULTILINE)) == PARTS


def test_codes_and_names_are_unique() -> None:
    names = {entry.rule.name: code for code, entry in all_rules().items()}
    assert len(names) == len(all_rules())
    assert retired().keys().isdisjoint(all_rules())
    assert names.keys().isdisjoint(one.name for one in retired().values())
    seen = [code for cause in CAUSES for code in cause.rules]
    assert sorted(seen) == sorted(all_rules()), "each rule sees one cause"
    assert len({cause.key for cause in CAUSES}) == len(CAUSES)


def test_what_a_layer_computes_is_decided_once(monkeypatch: Patch) -> None:
    asked: Counter[int] = Counter()
    decide = kinds.operation_of

    def counted(layer: Layer) -> kinds.Operation | None:
        asked[layer.index] += 1
        return decide(layer)

    monkeypatch.setattr(kinds, "operation_of", counted)
    (engine,) = read.read(CENTERNET, TIMES, facts=True).engines
    peak = peaks.parse("fp16=65,int8=130,fp32=8,bw=320")
    findings_of(Subject(Costs(engine, peak=peak)))
    assert asked == {layer.index: 1 for layer in engine.layers}


# ---- under other names ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code} {case.why}")
def test_an_anonymised_log_has_the_same_findings(case: Case, tmp_path: Path) -> None:
    log, times = text_of(case.log, case.profile)
    before, after = case.found(tmp_path), case._replace(log=log, profile=times).found(tmp_path)
    assert [one.layers for one in after] == [one.layers for one in before], log


@pytest.mark.slow
def test_layers_behind_a_product_with_many_outputs_take_linear_time() -> None:
    def prepared(size: int) -> Callable[[], object]:
        outputs = ", ".join(f"t{at}[Half(1,8,4,4)]" for at in range(size))
        log = HEADER + f"Layer(CaskConvolution): conv, Tactic: 0x1, x[Half(1,8,4,4)] -> {outputs}\n"
        log += f"Layer(Concat): all, Tactic: 0x1, {outputs} -> y[Half(1,8,4,4)]\n"
        for at in range(size):
            log += f"Layer(PointWiseV2): PWN(p{at}), Tactic: 0x1, t0[Half(1)] -> p{at}[Half(1)]\n"
        subject = Subject(Costs(engine_of(log)))
        assert subject.only_reader(subject.layers[0]) is None
        return lambda: [subject.only_reader(w) for a in subject.layers for w in subject.writers(a)]

    budget.linear(prepared, 500, 4_000)


# ---- engines that were told wrongly once; each has its right value -------------------------------


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("07-cast-that-only-changes-the-format", "F04"),  # Half on both sides, linear → HWC8
        ("07b-cast-of-an-integer-input", "F02"),  # Int32 → Half, which the operator needs
        # [1,64,1,1] beside [1,64,32,48], behind its product.
        ("11-addition-of-a-broadcast-tensor", "U01"),
        ("11b-no-addition-and-a-constant", "U01"),  # Relu, Mul, Round, Clip, Div with a constant
    ],
)
def test_nothing_is_promised_where_it_has_to_stay(name: str, code: str) -> None:
    log = FIXTURES / f"cases/{name}.layers.json"
    (engine,) = elv.read(log, profiles=[FIXTURES / f"cases/{name}.profile.json"]).engines
    assert code not in [each.code for each in findings_of(Subject(Costs(engine)))]


def test_the_start_up_in_a_single_run_is_no_cost(tmp_path: Path) -> None:
    times = enumerate((780.0, 4.0, 4.0))
    layers = [layer(n, f"l{n}", [f"t{n}"], [f"t{n + 1}"], time=Timing(ms, n=1)) for n, ms in times]
    engine = linked(*layers)._replace(profile=Join("p.json", 3, 3, 3, (), ()))
    subject = Subject(Costs(engine))
    assert "has the start-up of the only run" in " ".join(header.of(subject))
    assert not list(lever.costly(subject, ()))


def test_foreign_nodes_of_a_detailed_listing_are_opened_by_a_profiler() -> None:
    (engine,) = elv.read(FIXTURES / "cases/05-myelin-fp16.layers.json").engines
    said = "profile the ForeignNodes with `nsys profile`: it shows their kernels"
    assert network.how_to_open(Subject(Costs(engine))) == said


def test_a_flag_of_old_versions_is_called_so_where_the_version_is_unknown() -> None:
    (unknown,) = elv.read(FIXTURES / "cases/05-myelin-fp16.layers.json").engines
    allow = "allow FP16 (trtexec: --fp16), and check the accuracy"
    until = "allow FP16 (trtexec up to 10.16: --fp16), and check the accuracy"
    assert trtexec.without_given(allow, unknown) == until
    assert trtexec.without_given(allow, unknown._replace(tensorrt="8.6.1")) == allow
    assert "(" not in trtexec.without_given(allow, unknown._replace(tensorrt="RTX 1.7.1"))
    assert "(" not in trtexec.without_given(allow, unknown, builds=False)


def test_a_command_has_the_shapes_of_the_engine_s_own() -> None:
    (engine,) = elv.read(FIXTURES / "cases/05-myelin-fp16.layers.json").engines

    def flag(command: str) -> str:
        return trtexec.shapes_flag(engine._replace(facts=elv.EngineFacts(command=command)))

    assert flag("trtexec --loadEngine=a --shapes=x:4x3,y:1") == "--shapes=x:4x3,y:1"
    assert flag("trtexec --minShapes=x:1 --optShapes=x:4 --maxShapes=x:8") == "--shapes=x:4"
    assert flag("trtexec --loadEngine=a") == ""
