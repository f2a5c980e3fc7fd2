"""Tells which flags of trtexec a version has, how it ran and measured, and at which shapes."""

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final

from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.core.build_info import EngineFacts, Performance
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Engine, Layer
from engine_layer_visualize.trt import versions

# e.g. ` (trtexec: --inputIOFormats=fp16:chw, in MiB)`
_IN_BRACKETS: Final = lazy(r" \(trtexec[^()]{0,80}?: (--\w+)(?:=([^(),]{1,400}))?([^()]{0,400})\)")
_SWITCH: Final = lazy(r" (--\w+)(?![\w=])")
PROFILING: Final = "`trtexec --loadEngine=… --exportProfile=prof.json --separateProfileRun`"
# The first version whose listings print tactics in hexadecimal digits.
_HEXADECIMAL: Final = (8, 4)
# Families of kernels that listings up to 7 have as types; from 8 on they are `CaskConvolution`, …
_UP_TO_7: Final = lazy("PoolingTiled|FusedConvActDirect|cudnn_|[a-z]cudnn")
_VERBOSITY: Final = frozenset(("profilingverbosity", "nvtxverbosity"))  # keys without blanks
_PLUGINS: Final = ("--plugins", "--staticPlugins", "--dynamicPlugins")
_NOT_CAPTURED: Final = lazy(
    r"CUDA graph capture on the stream has failed|--useCudaGraph flag has been ignored",
    re.IGNORECASE,
)
# Flags, each with the row of trtexec's options that tells of it, and the flag against it.
_OF_RUN: Final = {
    "--useSpinWait": ("Spin-wait", "--noSpinWait"),
    "--separateProfileRun": ("Separate profiling", ""),
}
_LAUNCH_MS: Final = 0.0015  # of a kernel in a graph, by the time to enqueue; in a stream it is 2 µs


def version_of(engine: Engine) -> tuple[int, ...] | None:
    """TensorRT's, such as (8, 5, 1); None where the log does not say, and of TensorRT-RTX."""
    return versions.numbers(engine.tensorrt or "")


def is_before(engine: Engine, first: tuple[int, ...]) -> bool | None:
    """Whether TensorRT is older than this version; None: unknown."""
    if engine.tensorrt is not None:
        known = version_of(engine)
        return None if known is None else known < first
    if first >= versions.OLDEST and any(_UP_TO_7.match(la.type) for la in engine.layers):
        return True
    old = any((la.tactic or "").removeprefix("-").isdecimal() for la in engine.layers)
    return True if old and first >= _HEXADECIMAL else None


def has_flag(engine: Engine, flag: str) -> bool:
    """Whether trtexec of its version of TensorRT has a flag, as far as is known.

    Args:
        engine: of which the version is asked; of an unknown one all that some version has are
            assumed.
        flag: such as `--fp16`; one that no version has is False.
    """
    first = versions.numbers(versions.ends_of_flag(flag)[0])
    if versions.is_rtx(engine.tensorrt) or (first and is_before(engine, first)):
        return False
    return versions.has_flag(version_of(engine), flag)


def given_flags(engine: Engine) -> dict[str, str]:
    """The flags of the command that built the engine, with their values; empty: it is not known."""
    return dict(word.partition("=")[::2] for word in (engine.known.command or "").split())


def can_add(engine: Engine, flag: str) -> bool:
    """Whether a flag would change the run: its version has it, and the command line has it not."""
    return has_flag(engine, flag) and flag not in given_flags(engine)


def plugin_flags(engine: Engine) -> str:
    """The flags by which trtexec finds the plugins of an engine, as it was built with them.

    Where another program built it, which library has them is not known: `--staticPlugins=…`. Empty
    where it has none, or those that trtexec finds by itself: TensorRT's own.
    """
    facts = engine.known
    if facts.command or facts.options:
        words = (facts.command or "").split()
        return " ".join(word for word in words if word.partition("=")[0] in _PLUGINS)
    if not any(layer.type.startswith("Plugin") for layer in engine.layers):
        return ""
    is_new = version_of(engine) and has_flag(engine, "--staticPlugins")
    return "--staticPlugins=…" if is_new else "--plugins=…"


def shapes_flag(engine: Engine) -> str:
    """The flag for the shapes or the batch of a run: as its command has it, else `--shapes=…`.

    Empty where no input is known to vary. Without it trtexec takes the least shapes, or 1.
    """
    given = given_flags(engine)
    if value := given.get("--batch"):
        return f"--batch={value}"
    if value := given.get("--shapes") or given.get("--optShapes"):
        return f"--shapes={value}"
    if shapes := of_run(engine.known):
        told = ",".join(f"{name}:{'x'.join(map(str, dims))}" for name, dims in shapes.items())
        return f"--shapes={told}"
    return "--shapes=…" if inputs_vary(engine) else ""


def without_given(advice: str, engine: Engine, builds: bool = True) -> str:
    """Returns advice without flags that cannot be added.

    What stands in brackets, such as `(trtexec: --fp16)`, goes where the version has no such flag or
    the command line has it already; of a flag with a value the value is left. `builds`: whether
    trtexec can build the network.
    """

    def shown(match: re.Match[str]) -> str:
        flag, value, rest = match.groups()
        if builds and can_add(engine, flag):
            until = versions.ends_of_flag(flag)[1]
            if not until or engine.tensorrt or is_before(engine, _HEXADECIMAL):
                return match[0]
            return match[0].replace("(trtexec", f"(trtexec up to {until}", 1)
        value = value and (value if builds else value.rpartition(":")[2])  # no part of a flag
        return f" (value: {value}{rest})" if value and has_flag(engine, flag) else ""

    return _IN_BRACKETS.sub(shown, advice)


def known_to(engine: Engine, command: str) -> str:
    """Returns a command, or a sentence with one, without switches that the version lacks.

    `PROFILING` becomes another way to times where the version is too old for it.

    Args:
        engine: of which the version is asked.
        command: with switches of trtexec such as ` --separateProfileRun`, which have no value.
    """
    if versions.is_rtx(engine.tensorrt) or is_before(engine, versions.OLDEST):
        command = command.replace(PROFILING, "run a program with an `IProfiler`")
    if engine.tensorrt is None:
        return command.replace(PROFILING, f"{PROFILING} (TensorRT 8 and later)")
    return _SWITCH.sub(lambda match: match[0] if has_flag(engine, match[1]) else "", command)


def workspace_flag(engine: Engine) -> str:
    """The one for the size of the workspace in MiB: from 8.4.1 on trtexec has --memPoolSize."""
    return "--workspace=" if is_before(engine, (8, 4, 1)) else "--memPoolSize=workspace:"


def is_detailed(engine: Engine) -> bool:
    """Whether the engine was built with details: an option or its records show it."""
    for option in engine.known.options:
        key = option.key.replace(" ", "").casefold()
        if key in _VERBOSITY and option.value.strip().casefold() in ("2", "detailed"):
            return True
    listings = (engine.source, *engine.also)
    return any(listing.dialect != "classic" and listing.state != "names" for listing in listings)


# ---- how it ran and measured an engine -----------------------------------------------------------


def option(facts: EngineFacts, key: str, section: str = "") -> str:
    """The value of an option that trtexec printed; empty where the log has none."""
    values = (o.value for o in facts.options if o.key == key and section in ("", o.section))
    return next(filter(None, values), "")


def part_of_computing(facts: EngineFacts, name: str) -> float | None:
    """The mean of a row of trtexec's summary as a part of the mean of the time on the GPU.

    It is None where one of both means is unknown or 0.
    """
    performance = facts.performance or Performance()
    mean = next((row.mean for row in performance.measures if row.name == name), None)
    computing = performance.gpu_compute and performance.gpu_compute.mean
    return mean / computing if mean and computing else None


def has_cuda_graph(engine: Engine, layers: Iterable[Layer]) -> bool:
    """Whether trtexec measured these layers captured in a CUDA graph.

    Where its options are not in the log, the time to enqueue tells.
    """
    facts = engine.known
    if any(_NOT_CAPTURED.search(message.text) for message in facts.messages):
        return False
    if told := option(facts, "CUDA Graph", "Inference"):
        return told == "Enabled"
    rows = (facts.performance or Performance()).measures
    took = next((row.median for row in rows if row.name == "Enqueue Time" and row.median), None)
    kernels = sum(map(runs_kernel, layers)) if engine.source.complete else 0
    is_quick = took is not None and took < _LAUNCH_MS * kernels
    return is_quick or _by_default(engine, "--noCudaGraph")


def would_change(engine: Engine, flag: str) -> bool:
    """Whether one of these flags would change the run: it is not on, and the version has it."""
    key, without = _OF_RUN[flag]
    is_on = option(engine.known, key, "Inference") == "Enabled" or _by_default(engine, without)
    return can_add(engine, flag) and not is_on


def _by_default(engine: Engine, without: str) -> bool:
    """Whether trtexec does it unasked, from TensorRT 11 on; `without`: the flag against it."""
    is_new = (version_of(engine) or ()) >= (11,) and bool(engine.known.command)
    return is_new and (not without or can_add(engine, without))


# ---- the shapes of inputs ------------------------------------------------------------------------


Shape = tuple[int, ...]
Shapes = Mapping[str, Shape]  # by the input's name

_OF_BUILD: Final = "Input build shape"
_DIMS: Final = r"\d{1,9}(?:x\d{1,9})*"
# `x:0=4x1x28x28` of trtexec's options; of a build the least, the best and the largest.
_RUN: Final = lazy(rf"(?:\A|,)([^=]*)=({_DIMS})(?=,|\Z)")
_BUILT: Final = lazy(rf"(?:\A|,)([^=]*)={_DIMS}\+({_DIMS})\+{_DIMS}(?=,|\Z)")


def inputs_vary(engine: Engine) -> bool:
    """Whether the shape of an input varies, by the log or by the listing."""
    facts = engine.known
    if engine.ranges or any("-1" in (bound.dims or "") for bound in facts.inputs):
        return True
    # trtexec prints the least, the best and the largest shape, or one that does not vary.
    given = [option.value for option in facts.options if option.key.startswith(_OF_BUILD)]
    if any(len({*value.partition("=")[2].split("+")}) > 1 for value in given):
        return True
    shapes = {tensor.shape for la in engine.layers for tensor in chain(la.inputs, la.outputs)}
    return min(map(min, filter(None, shapes)), default=0) < 0


def of_run(facts: EngineFacts) -> Shapes | None:
    """The shapes that trtexec gave the inputs; None where it does not say, or is not understood."""
    return _asked(facts, "Input inference shape", _RUN)


def of_build(facts: EngineFacts) -> Shapes | None:
    """The shapes that the builder was to take for the best, of a single optimisation profile."""
    return _asked(facts, _OF_BUILD, _BUILT)


def _asked(facts: EngineFacts, key: str, wanted: re.Pattern[str]) -> Shapes | None:
    """The shapes of trtexec's options, each of which has one input or several."""
    shapes: dict[str, Shape] = {}
    for option in facts.options:
        if not option.key.strip().startswith(key) or "=" not in option.value:
            continue
        found = wanted.findall(option.value.strip())
        if len(found) != option.value.count("="):
            return None
        for name, dims in found:
            shape = tuple(map(int, dims.split("x")))
            if shapes.setdefault(name, shape) != shape:
                return None
    return shapes or None
