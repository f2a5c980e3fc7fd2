"""Names in JSON: exactly what was read, lone surrogates included."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine_layer_visualize.api.draw import render
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.model import Join, Timing
from escaping.poison import POISON, kernel, tensor


def test_the_drawing_s_data(poisoned: Engine) -> None:
    text = render(poisoned, "json").decode("utf-8")
    found = json.loads(text)
    assert [layer["name"] for layer in found["layers"]] == list(POISON)
    assert [layer["type"] for layer in found["layers"]] == list(POISON)
    assert [layer["kernel"] for layer in found["layers"]] == [kernel(n) for n in range(len(POISON))]
    assert found["inputs"] == [tensor(0)]
    assert found["outputs"] == [tensor(len(POISON))]
    for number, layer in enumerate(found["layers"]):
        assert [one["name"] for one in layer["inputs"]] == [tensor(number)]
        assert layer["attributes"][POISON[number]] == POISON[number]


def test_traces_of_other_tools(poisoned: Engine) -> None:
    time = Timing(0.5)
    layers = tuple(replace(layer, time=time) for layer in poisoned.layers)
    number = len(layers)
    timed = replace(poisoned, layers=layers, profile=Join("p", number, number, number, (), ()))
    events = json.loads(render(timed, "trace").decode("utf-8"))["traceEvents"]
    assert [one["name"] for one in events if one.get("cat") == "layer"] == list(POISON)


def test_the_list_names_every_layer_as_it_is(
    program: Callable[..., Any], poison_file: Path
) -> None:
    done = program("layers", "--format", "json", "--log_file", poison_file)
    assert done.returncode == 0
    (engine,) = json.loads(done.stdout)["engines"]
    assert [layer["name"] for layer in engine["layers"]] == list(POISON)


def test_the_summary_names_every_type_as_it_is(
    program: Callable[..., Any], poison_file: Path
) -> None:
    done = program("summary", "--format", "json", "--log_file", poison_file, "--top", "1000")
    assert done.returncode == 0
    (engine,) = json.loads(done.stdout)["engines"]
    shares = {row["type"] for row in engine["types"]}
    assert shares == set(POISON)
