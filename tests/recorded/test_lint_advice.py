"""Advice on reformats and on the model keeps its conditions, in every recorded log."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_logs import LOGS, build_of

from engine_layer_visualize.analysis import origin, reformat_reasons
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.origin import ONNX, UNKNOWN
from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.linting import seen
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.subject import Subject

WHOLE = {"F02", "F03"}  # not about what writes a part of a tensor


def found(path: Path) -> list[tuple[Costs, Finding]]:
    """What each rule sees by itself: a cause may have layers of several."""
    costs = [Costs(engine) for engine in build_of(path).engines]
    each = [own.of_profile(number) for own in costs for number in own.profiles]
    return [(own, one) for own in each for one in seen(Subject(own))]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.name))
def test_advice_fits_what_the_network_was_made_from(path: Path) -> None:
    for own, one in found(path):
        frontend = origin.frontend_of(own)
        told = f"{one.code}: {one.message}; {one.advice}"
        assert one.message.strip() and one.advice.strip(), told
        if frontend not in (ONNX, UNKNOWN):
            assert "ONNX" not in told and ".onnx" not in one.advice
            assert one.code not in ("F02", "F03") or "IOFormats" not in one.advice
        if "the ONNX model" in one.advice:
            assert frontend is ONNX, told
        assert one.code[0] not in "FU" or "leave it" not in one.advice, told


def strided(costs: Costs, reason: Reason) -> bool:
    """Whether all writers of an output's parts were timed as such: with longer strides."""
    layers, names = costs.engine.layers, {side.tensor for side in reason.targets}
    written = [edge.source for edge in costs.engine.graph.edges if edge.tensor in names]
    computing = {*written, *(side.layer for side in reason.sources)} - {reason.layer, None}
    facts = [layers[index].facts for index in computing if index is not None]
    return len(facts) > 1 and all(
        own is not None
        and any(
            (tried.formats or "").endswith("long-strided") for tried in own.candidates.combinations
        )
        for own in facts
    )


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.name))
def test_findings_on_reformats_are_about_reformats(path: Path) -> None:
    for own, one in found(path):
        reasons = reformat_reasons.of(own)
        about = [reasons[index] for index in one.layers if index in reasons]
        if one.code in WHOLE:
            parts = [each for each in about if each.in_part]
            assert about, one.message
            assert all(each.cause == "quantiser" or strided(own, each) for each in parts)
            assert not {"concat", "network", "cast"}.intersection(each.cause for each in about)
