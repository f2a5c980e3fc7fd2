"""Text of logs, written as TensorRT and trtexec print them: lines, builds, runs.

Numbers are the caller's, so that a test knows where each one must be found again.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from pathlib import Path

V, I, W, E = "[TRT] [V] ", "[TRT] [I] ", "[TRT] [W] ", "[TRT] [E] "  # noqa: E741
_TRTEXEC = {letter: f"[{letter}] [TRT] " for letter in "VIWE"}  # which writes the severity first
TV = _TRTEXEC["V"]
HEADER = f"{TV}Engine Layer Information:\n"
RUNNING = "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=a.onnx\n"
_STARS = "*" * 15


ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")  # that have a mark


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def file_of(folder: Path, data: str | bytes, name: str = "build.log") -> Path:
    """A file in a folder, which holds the data."""
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def pieces(data: bytes, size: int) -> list[bytes]:
    """`data` in pieces of one size, as a stream might bring it."""
    return [data[at : at + size] for at in range(0, len(data), size)]


def cut(data: bytes, places: Sequence[int]) -> list[bytes]:
    """`data` cut at `places`, thousandths of its length."""
    at = [0, *sorted(len(data) * place // 1000 for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(at)]


# ---- records of a listing ------------------------------------------------------------------------


def classic(name: str, source: str, target: str, kind: str = "Conv", tactic: str = "0x7") -> str:
    """A record of one input and one output."""
    return f"Layer({kind}): {name}, Tactic: {tactic}, {source} (Half[1,8]) -> {target} (Half[1,8])"


def detailed(
    name: str, source: str, target: str, kind: str = "Conv", more: str = "", form: str = "Half",
    dims: str = "1,8", written: str = "", gives: str = "",
) -> str:  # fmt: skip
    """The same record at DETAILED verbosity; `more`: its further keys; `written`, `gives`: other
    dims and another form of the output."""

    def one(tensor: str, dims: str, form: str) -> str:
        return f"[ {{ Name: {tensor}, Dimensions: [{dims}], Format/Datatype: {form} }}]"

    output = one(target, written or dims, gives or form)
    sides = f"Inputs: {one(source, dims, form)}, Outputs: {output}"
    return f"Name: {name}, LayerType: {kind}, {sides}{more}"


def convolution(maps: int, kernel: int = 1) -> str:
    """The further keys of a convolution at DETAILED verbosity."""
    size, pad = (f"[{one},{one}]" for one in (kernel, kernel // 2))
    return (
        f", ParameterType: Convolution, Kernel: {size}, PaddingMode: kEXPLICIT_ROUND_DOWN, "
        f"PrePadding: {pad}, PostPadding: {pad}, Stride: [1,1], Dilation: [1,1], "
        f"OutMaps: {maps}, Groups: 1, TacticName: k, StreamId: 0, Metadata: "
    )


def listing_of(*names: str, kind: str = "CaskConvolution", tensor: str = "Half[1,8]") -> str:
    """A listing of layers, one behind the other: the first reads t0, and each writes the next."""
    return HEADER + "".join(
        f"Layer({kind}): {name}, Tactic: 0x1, t{n} ({tensor}) -> t{n + 1} ({tensor})\n"
        for n, name in enumerate(names)
    )


# ---- lines of the ONNX parser --------------------------------------------------------------------


def parsed_node(
    words: str, reads: Sequence[Sequence[str]], gives: Sequence[Sequence[str]]
) -> list[str]:
    """What is printed of a node, whose name and operator are `words`.

    Of each tensor there are its name, its dims, and what TensorRT calls it, if that is another.
    """
    name = words.rpartition(" [")[0]
    inputs, outputs = (
        "".join(f"[{one} -> ({dims.replace(',', ', ')})[FLOAT]], " for one, dims, *_ in side)
        for side in (reads, gives)
    )
    return [
        f"Parsing node: {words}",
        *(f"Searching for input: {one}" for one, *_ in reads),
        f"{words} inputs: {inputs}",
        f"Registering layer: {name} for ONNX node: {name}",
        *(
            f"Registering tensor: {[one, *own][-1]} for ONNX tensor: {one}"
            for one, _, *own in gives
        ),
        f"{words} outputs: {outputs}",
    ]


# ---- sections of trtexec -------------------------------------------------------------------------


# 204.8 TFLOPS in Half, 1,000 GB/s.
DEVICE = {
    "Selected Device": "A",
    "Compute Capability": "8.0",
    "SMs": "100",
    "Compute Clock Rate": "1 GHz",
    "Memory Bus Width": "4000 bits (ECC enabled)",
    "Memory Clock Rate": "1 GHz",
}
A100 = {
    **{"Selected Device": "NVIDIA A100-PCIE-40GB", "Compute Capability": "8.0", "SMs": "108"},
    **{"Compute Clock Rate": "1.41 GHz", "Memory Bus Width": "5120 bits (ECC enabled)"},
    "Memory Clock Rate": "1.215 GHz",
}


def device(known: Mapping[str, str | None]) -> str:
    """What trtexec prints of a GPU; None: no such line."""
    rows = "".join(f"[I] {key}: {told}\n" for key, told in known.items() if told)
    return f"[I] === Device Information ===\n{rows}"


def measured(**ms: float | str) -> str:
    """trtexec's summary; `GPU_Compute_Time=1`: all numbers of a row are 1 ms. A text is the row."""
    lines = []
    for name, value in ms.items():
        each = ", ".join(f"{one} = {value} ms" for one in ("min", "max", "mean", "median"))
        row = value if isinstance(value, str) else each
        lines.append(f"[I] {name.replace('_', ' ')}: {row}\n")
    return f"[I] === Performance summary ===\n{''.join(lines)}"


# ---- messages of autotuning ----------------------------------------------------------------------


def costs(name: str, *formats: str) -> str:
    """What begins a layer's timings, and its combinations of formats."""
    return f"{TV}=============== Computing costs for {name}\n" + "".join(map(combination, formats))


def combination(formats: str) -> str:
    return f"{TV}{_STARS} Autotuning format combination: {formats} {_STARS}\n"


def timed(name: str, runner: str, *times: tuple[int, float], between: str = "") -> str:
    """One runner with one combination of formats, as TensorRT 10 prints it. `times`: tactic, ms."""
    head = f"{name} ({runner}[0x80000009])"
    lines = "".join(f"{TV}Tactic: {tactic:#018x} Time: {ms}\n" for tactic, ms in times)
    best, ms = min(times, key=lambda one: one[1], default=(0xD15EA5ED, float("inf")))
    return (
        f"{TV}--------------- Timing Runner: {head}\n{lines}{between}"
        f"{TV}{head} profiling completed in 0.5 seconds."
        f" Fastest Tactic: {best:#018x} Time: {ms}\n"
    )


def chose(runner: str, tactic: int) -> str:
    return f"{TV}>>>>>>>>>>>>>>> Chose Runner Type: {runner} Tactic: {tactic:#018x}\n"


def choices(name: str, runner: str, *several: tuple[str, float], tactic: int = 7) -> str:
    """The tactic is chosen for each of several formats, in so many ms."""
    tried = (combination(formats) + timed(name, runner, (tactic, ms)) for formats, ms in several)
    return "".join(one + chose(runner, tactic) for one in tried)


def cached(name: str, formats: str, runner: str, tactic: int, ms: float) -> str:
    return f"{TV}{name} [{formats}] got cached result: {runner}, tactic {tactic:#018x}, {ms} ms\n"


def exported(*rows: tuple[str, float], runs: int = 10) -> str:
    """The JSON of `trtexec --exportProfile`. `rows`: layer, ms on average."""
    whole = sum(ms for _, ms in rows)
    layers = [
        {"name": name, "timeMs": ms * runs, "averageMs": ms, "percentage": 100 * ms / whole}
        for name, ms in rows
    ]
    return json.dumps([{"count": runs}, *layers])


# ---- a build or a run, message by message -------------------------------------------------------


@dataclass(frozen=True)
class Numbers:
    """What one build or run says; every value is told apart from all others by `seed`."""

    seed: int
    attempts: int = 1
    layers: tuple[str, ...] = field(default=())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"conv_{self.seed}_{n}" for n in range(3))

    def tactic_ms(self, layer: int, attempt: int = 0) -> float:
        return 1 + self.seed + layer / 10 + attempt / 100

    @property
    def activation(self) -> int:
        return 1_000_000 + self.seed

    @property
    def warning(self) -> str:
        return f"a warning of {self.seed}"

    @property
    def gpu_ms(self) -> float:
        return 100 + self.seed + 0.25

    def generation_s(self, attempt: int = 0) -> float:
        return 10 + self.seed + attempt / 10


def definition(n: Numbers) -> Iterator[str]:
    yield f"{V}Adding network input: x{n.seed} with dtype: float32, dimensions: (1, 4, 8, 8)"
    yield f"{V}Marking y{n.seed} as output: y{n.seed}"


def attempt(
    n: Numbers, number: int = 0, cached: bool = False, several: bool = False
) -> Iterator[str]:
    """One attempt of the builder: passes, timings, memory, time; `several`: the last is kept."""
    if not number:
        yield f"{V}Original: 3 layers"
    if several:
        yield f"{V}Building graph using backend strategy {9 - number}"
    yield f"{W}{n.warning}"
    for layer, name in enumerate(n.names):
        if cached and layer:
            continue
        only = "Float(256,64,8,1) -> Float(256,64,8,1)", n.tactic_ms(layer, number)
        told = costs(name) + choices(name, "CaskConvolution", only, tactic=layer + 1)
        yield from told.replace(TV, V).splitlines()
    yield f"{V}Formats and tactics selection completed in 0.5 seconds."
    yield f"{I}Total Activation Memory: {n.activation} bytes"
    yield f"{I}Engine generation completed in {n.generation_s(number)} seconds."
    if several:
        verb = "Chose this engine with" if number else "Use"
        how = f"{'since its' if number else 'with'} estimated inference time ({9 - number}.5)"
        yield f"{V}{verb} backend strategy {9 - number} {how}"


def listing(n: Numbers) -> Iterator[str]:
    yield f"{V}Engine Layer Information:"
    tensors = [f"x{n.seed}", f"t{n.seed}_0", f"t{n.seed}_1", f"y{n.seed}"]
    for layer, (name, *ends) in enumerate(zip(n.names, tensors, tensors[1:])):
        sides = " -> ".join(f"{tensor} (Float[1,4,8,8])" for tensor in ends)
        yield f"Layer(CaskConvolution): {name}, Tactic: {layer + 1:#018x}, {sides}"


def options(*, save: str = "", load: str = "", precision: str = "FP32") -> Iterator[str]:
    yield "[I] === Model Options ==="
    yield f"[I] Format: {'*' if load else 'ONNX'}"
    yield "[I] === Build Options ==="
    yield f"[I] Precision: {precision}"
    yield f"[I] Save engine: {save}"
    yield f"[I] Load engine: {load}"
    yield "[I] === System Options ==="
    yield "[I] Device: 0"
    yield "[I] "
    yield "[I] === Device Information ==="
    yield "[I] Selected Device: A Device"
    yield "[I] SMs: 16"
    yield "[I] "
    yield "[I] TensorRT version: 8.6.1"


def performance(n: Numbers) -> Iterator[str]:
    rows: dict[str, float | str] = {"Throughput": f"{1000 / n.gpu_ms:.4f} qps", "Latency": n.gpu_ms}
    rows |= {"GPU_Compute_Time": n.gpu_ms, "Total_Host_Walltime": "3 s"}
    yield "[I] "
    yield from measured(**rows).splitlines()
    yield f"[W] * {n.warning}"
    yield "[I] "


# ---- whole parts -----------------------------------------------------------------------------


def python_build(n: Numbers, *, attempts: int = 1, cached: bool = False) -> list[str]:
    """A build by a Python program."""
    lines = [f"{V}Loaded {n.seed + 1} timing cache entries."] if cached else []
    lines += definition(n)
    for number in range(attempts):
        lines += attempt(n, number, cached, several=attempts > 1)
    return [*lines, *listing(n)]


def failed_build(n: Numbers) -> list[str]:
    """A build that ends in an error, without a listing."""
    lines = [*definition(n), *attempt(n)][:-3]
    return [*lines, f"{E}10: Could not find any implementation for node {n.names[0]}."]


def _trtexec(flags: str, lines: Iterable[str], ended: bool) -> list[str]:
    """The lines of a Python program's logger as trtexec prints them, in one run of it."""
    command = f"TensorRT.trtexec [TensorRT v8601] # trtexec {flags}"
    whole = [f"&&&& RUNNING {command}", *lines, *([f"&&&& PASSED {command}"] if ended else [])]
    for letter, own in _TRTEXEC.items():
        whole = [re.sub(rf"^\[TRT\] \[{letter}\] ", own, line) for line in whole]
    return whole


def trtexec_build(n: Numbers, file: str, *, ended: bool = True) -> list[str]:
    """`trtexec --onnx=… --saveEngine=FILE`."""
    told = (options(save=file, precision="FP32+FP16"), definition(n), attempt(n), listing(n))
    lines = chain(*told, performance(n))
    return _trtexec(f"--onnx=m.onnx --saveEngine={file}", lines, ended)


def trtexec_load(n: Numbers, file: str, *, ended: bool = True) -> list[str]:
    """`trtexec --loadEngine=FILE --int8`."""
    told = options(load=file, precision="FP32+INT8")
    lines = (*told, f"{I}Loaded engine size: 4 MiB", *performance(n))
    return _trtexec(f"--loadEngine={file} --int8", lines, ended)


def log(parts: Sequence[Sequence[str]]) -> str:
    return text(*(line for part in parts for line in part))
