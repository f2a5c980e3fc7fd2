"""Advice names no flag that the log's version lacks or that its command line has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from recorded_logs import LOGS, build_of

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.linting import header, of_profiles
from engine_layer_visualize.linting.subject import Subject

FLAG = re.compile(r"(?<!polygraphy surgeon sanitize )--[A-Za-z]\w+")
COMMAND = re.compile(r"RUNNING TensorRT\S* .*?# (.*)")


def advice(engine: Engine) -> Iterator[str]:
    """What is told of an engine."""
    for costs, findings in of_profiles(Costs(engine)):
        yield from (finding.advice for finding in findings)
        yield from header.of(Subject(costs))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.name))
def test_advice_names_flags_that_can_be_added(path: Path) -> None:
    given = " ".join(COMMAND.findall(path.read_text("utf-8", errors="replace")))
    for engine in build_of(path).engines:
        for text in advice(engine):
            for flag in FLAG.findall(text):
                assert trtexec.has_flag(engine, flag), f"{engine.tensorrt} lacks it: {text}"
                assert not re.search(rf"{flag}\b", given), f"it is given: {text}"


def test_flags_come_and_go_with_versions() -> None:
    flags = ("--fp16", "--memPoolSize", "--workspace", "--exportProfile", "--nothing")
    known = {
        version: [flag for flag in flags if trtexec.has_flag(engine, flag)]
        for version in ("7.1.3", "8.2.1", "8.5.1", "10.16.1", "11.0.0", None)
        for engine in [_of(version)]
    }
    assert known == {
        "7.1.3": ["--fp16", "--workspace"],
        "8.2.1": ["--fp16", "--workspace", "--exportProfile"],
        "8.5.1": ["--fp16", "--memPoolSize", "--workspace", "--exportProfile"],
        "10.16.1": ["--fp16", "--memPoolSize", "--exportProfile"],
        "11.0.0": ["--memPoolSize", "--exportProfile"],
        None: ["--fp16", "--memPoolSize", "--workspace", "--exportProfile"],
    }


def _of(version: str | None) -> Engine:
    from dataclasses import replace

    from factories import chain

    return replace(chain("conv"), tensorrt=version)
