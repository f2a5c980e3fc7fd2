"""Finds the flags of trtexec under which an engine was built and measured."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.onnx_product import Shape
from engine_layer_visualize.trt import data_types

STRONGLY_TYPED: Final = "--stronglyTyped"
_PRECISIONS: Final = ("fp16", "bf16", "int8", "fp8", "int4")
_OF_TYPES: Final = {
    "Half": "fp16", "BFloat16": "bf16", "Int8": "int8", "FP8": "fp8", "Int4": "int4",
}  # fmt: skip
# e.g. (8-) Duration: 3s (+ 200ms warm up)
_DURATION: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s \(\+ (\d{1,9})ms warm up\)")
# e.g. (8.4-) Memory Pools: workspace: 1024 MiB, dlaSRAM: default
_POOL: Final = re.compile(r"(\w{1,30}): (\d{1,12}(?:\.\d{1,12})?) MiB")
# e.g. (8-) Tactic sources: cublas [OFF], cudnn [ON],
_SOURCE: Final = re.compile(r"(\w{1,60}) \[(ON|OFF)\]")
# e.g. (8-) Input build shape: x=1x3x8x8+2x3x8x8+4x3x8x8
_EXTENTS: Final = re.compile(r"\d{1,12}(?:x\d{1,12}){0,7}|")
# Without a number: of all optimisation profiles.
_BUILD_SHAPE: Final = re.compile(r"Input build shape(?: ?\(profile (\d{1,9})\))?")
_ENABLED: Final = {
    ("Build", "DirectIO mode"): "--directIO",
    ("Inference", "CUDA Graph"): "--useCudaGraph",
    ("Inference", "Spin-wait"): "--useSpinWait",
}


class Range(NamedTuple):
    """The shapes of an input: least, best and greatest of the build, and that of the runs."""

    least: Shape
    best: Shape
    most: Shape
    run: Shape


def flags(engine: Engine) -> tuple[list[str], str]:
    """The flags; and, where the log has no options of trtexec, what was taken instead of them."""
    options = _options(engine)
    allowed = options.get(("Build", "Precision"), "")
    note = ""
    if engine.facts is not None and engine.facts.precisions:
        words = {precision.casefold() for precision in engine.facts.precisions}
    else:
        tensors = (tensor for la in engine.layers for tensor in (*la.inputs, *la.outputs))
        words = {_OF_TYPES.get(data_types.canonical(tensor.dtype) or "", "") for tensor in tensors}
        note = "The log names no precisions: those of the engine's tensors are allowed."
    found = [f"--{precision}" for precision in _PRECISIONS if precision in words]
    if "strongly typed" in allowed.casefold():
        found, note = [STRONGLY_TYPED], ""
    for mode in ("obey", "prefer"):
        if f"({mode} precision constraints)" in allowed:
            found.append(f"--precisionConstraints={mode}")
    return [*found, *_others(options)], note


def ranges(engine: Engine, profile: int) -> dict[str, Range]:
    """The shapes of the network's inputs that vary, as this optimisation profile has them.

    They are told by the listing, else by the options of trtexec.
    """
    built: dict[str, tuple[Shape, Shape, Shape]] = {}
    run: dict[str, Shape] = {}
    for option in engine.facts.options if engine.facts is not None else ():
        name, _, words = option.value.rpartition("=")
        shapes = [shape for part in words.split("+") if (shape := _shape(part)) is not None]
        match = _BUILD_SHAPE.match(option.key) if option.section == "Build" else None
        if match and int(match[1] or profile) == profile and len(shapes) == 3:
            built[name] = shapes[0], shapes[1], shapes[2]
        if (
            option.section == "Inference"
            and option.key.startswith("Input inference shape")
            and shapes
        ):
            run[name] = shapes[0]
    for told in engine.ranges:
        if profile < len(told.profiles):
            built[told.name] = told.profiles[profile]
    return {name: Range(*three, _within(run.get(name), *three)) for name, three in built.items()}


def _within(run: Shape | None, least: Shape, best: Shape, most: Shape) -> Shape:
    """The shape of the runs, which may be of another optimisation profile."""
    if run is None or not len(run) == len(least) == len(most):
        return best
    fits = all(low <= extent <= high for low, extent, high in zip(least, run, most))
    return run if fits else best


def _options(engine: Engine) -> Mapping[tuple[str, str], str]:
    facts = engine.facts.options if engine.facts is not None else ()
    return {(option.section, option.key.strip()): option.value for option in facts}


def _others(options: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """What is not as trtexec has it by default."""
    for key, flag in _ENABLED.items():
        if options.get(key) == "Enabled":
            yield flag
    sparsity = options.get(("Build", "Sparsity"), "")
    if sparsity.startswith(("Enable", "Force")):
        yield f"--sparsity={'enable' if sparsity.startswith('Enable') else 'force'}"
    if level := _number(options.get(("Build", "BuilderOptimizationLevel"))):
        yield f"--builderOptimizationLevel={level}"
    if space := _POOL.fullmatch(f"workspace: {options.get(('Build', 'Workspace'), '')}"):
        yield f"--workspace={space[2]}"  # until TensorRT 8.3
    for pool in _POOL.finditer(options.get(("Build", "Memory Pools"), "")):
        yield f"--memPoolSize={pool[1]}:{pool[2]}"
    sources = _SOURCE.findall(options.get(("Build", "Tactic sources"), ""))
    if sources:
        words = (f"{'+' if state == 'ON' else '-'}{name.upper()}" for name, state in sources)
        yield f"--tacticSources={','.join(words)}"
    core = options.get(("System", "DLACore"), "")
    if core[:1].isdigit():
        yield f"--useDLACore={core[0]}"
        if "fallback" in core.casefold() or _is_on(options, "Allow GPU fallback for DLA"):
            yield "--allowGPUFallback"
    if options.get(("Inference", "Data transfers")) == "Disabled":
        yield "--noDataTransfers"
    if (count := _number(options.get(("Inference", "Iterations")))) not in ("", "10"):
        yield f"--iterations={count}"
    if match := _DURATION.fullmatch(options.get(("Inference", "Duration"), "")):
        yield from (f"--duration={match[1]}",) if match[1] != "3" else ()
        yield from (f"--warmUp={match[2]}",) if match[2] != "200" else ()


def _is_on(options: Mapping[tuple[str, str], str], key: str) -> bool:
    return options.get(("Build", key)) == "Enabled"


def _number(text: str | None) -> str:
    return text if text is not None and text.isascii() and text.isdigit() else ""


def _shape(text: str) -> Shape | None:
    if not text or _EXTENTS.fullmatch(text) is None:
        return None
    return tuple(map(int, text.split("x")))
