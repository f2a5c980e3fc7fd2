"""What `lint` says of engines that were told wrongly once; each has its right value."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from factories import layer, linked
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Join, Timing
from engine_layer_visualize.linting import findings_of, header, lever
from engine_layer_visualize.linting.network import how_to_open
from engine_layer_visualize.linting.subject import Subject


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("07-cast-that-only-changes-the-format", "F12"),  # Half on both sides, linear → HWC8
        ("07b-cast-of-an-integer-input", "F12"),  # Int32 → Half, which the operator needs
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
    layers = tuple(
        layer(n, f"l{n}", [f"t{n}"], [f"t{n + 1}"], time=Timing(ms, n=1))
        for n, ms in enumerate((780.0, 4.0, 4.0))
    )
    engine = replace(linked(*layers), profile=Join("p.json", 3, 3, 3, (), ()))
    subject = Subject(Costs(engine))
    assert "has the start-up of the only run" in " ".join(header.of(subject))
    assert not list(lever.costly(subject, ()))


def test_foreign_nodes_of_a_detailed_listing_are_opened_by_a_profiler() -> None:
    (engine,) = elv.read(FIXTURES / "cases/05-myelin-fp16.layers.json").engines
    assert (
        how_to_open(Subject(Costs(engine)))
        == "profile the ForeignNodes with `nsys profile`: it shows their kernels"
    )


def test_a_flag_of_old_versions_is_called_so_where_the_version_is_unknown() -> None:
    (unknown,) = elv.read(FIXTURES / "cases/05-myelin-fp16.layers.json").engines
    allow = "allow FP16 (trtexec: --fp16), and check the accuracy"
    until = "allow FP16 (trtexec up to 10.16: --fp16), and check the accuracy"
    assert trtexec.without_given(allow, unknown) == until
    assert trtexec.without_given(allow, replace(unknown, tensorrt="8.6.1")) == allow
    assert "(" not in trtexec.without_given(allow, replace(unknown, tensorrt="RTX 1.7.1"))


def test_a_command_has_the_shapes_of_the_engine_s_own() -> None:
    (engine,) = elv.read(FIXTURES / "cases/05-myelin-fp16.layers.json").engines

    def flag(command: str) -> str:
        return trtexec.shapes_flag(replace(engine, facts=EngineFacts(command=command)))

    assert flag("trtexec --loadEngine=a --shapes=x:4x3,y:1") == "--shapes=x:4x3,y:1"
    assert flag("trtexec --minShapes=x:1 --optShapes=x:4 --maxShapes=x:8") == "--shapes=x:4"
    assert flag("trtexec --loadEngine=a") == ""
