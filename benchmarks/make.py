"""Makes logs and profiles to measure with: invented networks, in the builder's syntax.

Sizes, a style (TensorRT 8.2 or 10) and a seed in; files out: VERBOSE logs of any length, listings
of any number of layers, profile JSON. The same seed gives the same bytes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

OLD, NEW = "8.2", "10"
# So many different stretches of autotuning are written again and again: half a gigabyte of
# different ones would take minutes, and no reader can tell.
_STRETCHES: Final = 24
_STRETCH: Final = 1 << 20
_KERNELS: Final = 480  # different ones a build tries; 330, 269 and 263 in three real logs
_DAY: Final = "[11/20/2026-18:04:09]"
_V: Final = f"{_DAY} [V] [TRT] "
_I: Final = f"{_DAY} [I] [TRT] "

_Write: TypeAlias = Callable[[bytes], int]


@dataclass(frozen=True, slots=True)
class Tensor:
    name: str
    dtype: str
    dims: str

    def printed(self, style: str) -> str:
        if style == OLD:
            return f"{self.name}[{self.dtype}({self.dims})]"
        return f"{self.name} ({self.dtype}[{self.dims}])"


@dataclass(frozen=True, slots=True)
class Layer:
    type: str
    name: str
    tactic: int
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]

    def printed(self, style: str) -> str:
        left = ", ".join(tensor.printed(style) for tensor in self.inputs)
        right = ", ".join(tensor.printed(style) for tensor in self.outputs)
        tactic = _tactic(self.tactic, style)
        return f"Layer({self.type}): {self.name}, Tactic: {tactic}, {left} -> {right}\n"


def _tactic(number: int, style: str) -> str:
    return str(number) if style == OLD else f"0x{number % (1 << 64):016x}"


# ---------------------------------------------------------------- networks


def kernels(seed: int = 1, count: int = _KERNELS) -> list[tuple[str, int]]:
    """(kernel, tactic) pairs, each tactic with one kernel."""
    random = Random(seed)
    found: dict[int, str] = {}
    while len(found) < count:
        tile = f"{random.choice((32, 64, 128, 256))}x{random.choice((32, 64, 128))}"
        dtype = random.choice(("f16f16_f16f16_f16", "f32f32_tf32f32_f32", "i8i8_i8i32_f32"))
        if random.random() < 0.25:
            name = f"harbor_h16816_{tile}_ldg8_relu_stages_64x{random.randint(2, 6)}_nhwc_tn_v2"
        else:
            name = (
                f"sm97_quay_fprop_implicit_gemm_{random.choice(('', 'indexed_'))}{dtype}"
                f"_nhwckrsc_nhwc_tilesize{tile}x{random.choice((16, 32, 64))}"
                f"_stage{random.randint(1, 6)}_warpsize{random.randint(1, 4)}x2x1_g1"
                f"_tensor16x8x{random.choice((8, 16, 32))}{random.choice(('', '_aligna4_alignc4'))}"
            )
        found[random.getrandbits(64) - (1 << 63)] = name
    return [(name, tactic) for tactic, name in found.items()]


def network(count: int, seed: int = 1) -> Iterator[Layer]:
    """`count` layers from `frames` to `scores`: residual units with reformats and constants."""
    return islice(_endless(count, seed), count)


def _endless(count: int, seed: int) -> Iterator[Layer]:
    random = Random(seed)
    tactics = [tactic for _, tactic in kernels()]
    x = Tensor("frames", "Float", "1,3,512,512")
    unit = made = 0

    def layer(kind: str, name: str, tactic: int, *inputs: Tensor, dtype: str = "Half") -> Layer:
        nonlocal made
        made += 1
        wide = 64 << unit % 4
        output = "scores" if made == count else f"/stage{unit % 5}/unit{unit}/out_{made}"
        written = Tensor(output, dtype, f"1,{wide}:8,{512 >> unit % 5},{512 >> unit % 5}")
        return Layer(kind, name, tactic, inputs, (written,))

    while True:
        stem = f"stage{unit % 5}.unit{unit}"
        tried = [random.choice(tactics) for _ in range(3)]
        relu = made * 3 + 7
        a = layer(
            "CaskConvolution", f"{stem}.conv1.weight + Conv_{relu} + Relu_{relu + 1}", tried[0], x
        )
        yield a
        b = layer(
            "CaskConvolution",
            f"{stem}.conv2.weight + QuantizeLinear_{relu + 2}_quantize_scale_node + Conv_{relu + 4}"
            f" + Relu_{relu + 5}",
            tried[1],
            *a.outputs,
        )
        yield b
        name = f"{stem}.conv3.weight + Conv_{relu + 6} + Add_{relu + 7} + Relu_{relu + 8}"
        c = layer("CaskConvolution", name, tried[2], *b.outputs, x)
        yield c
        d = layer("Reformat", f"Reformatting CopyNode for Output Tensor 0 to {name}", 0, *c.outputs)
        yield d
        e = layer("PointWiseV2", f"PWN(Sigmoid_{relu + 9}, Mul_{relu + 10})", 7, *d.outputs)
        yield e
        k = layer("Constant", f"(Unnamed Layer* {relu}) [Constant]", 0, dtype="Float")
        yield k
        f = layer("ElementWise", f"Mul_{relu + 11}", 1, *e.outputs, *k.outputs)
        yield f
        g = layer("TiledPooling", f"{stem}/pool/MaxPool_{relu + 12}", 6488321, *f.outputs)
        yield g
        x = g.outputs[0]
        unit += 1


# ---------------------------------------------------------------- logs


def listing(layers: Iterator[Layer], style: str) -> Iterator[str]:
    """The classic listing, header first."""
    yield f"{_V}Engine Layer Information:\n"
    for layer in layers:
        yield layer.printed(style)


def listing_log(path: Path, layers: Iterator[Layer], style: str = NEW) -> Path:
    """A log that is little more than its listing."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(chain(_banner(style), _ends(), listing(layers, style), _after()))
    return path


def detailed(layers: Iterator[Layer]) -> Iterator[str]:
    """The same layers as a detailed listing prints them."""

    def objects(tensors: tuple[Tensor, ...]) -> str:
        told = ", ".join(
            f"{{ Name: {t.name}, Location: Device, Dimensions: [{_plain(t)}], "
            f"Format/Datatype: {t.dtype} }}"
            for t in tensors
        )
        return f"[ {told}]" if told else "[]"

    yield f"{_V}Layers:\n"
    for layer in layers:
        yield (
            f"Name: {layer.name}, LayerType: {layer.type}, Inputs: {objects(layer.inputs)}, "
            f"Outputs: {objects(layer.outputs)}, ParameterType: Convolution, Kernel: [3,3], "
            f"Groups: 1, TacticName: , TacticValue: {_tactic(layer.tactic, NEW)}, StreamId: 0, "
            f"Metadata: [ONNX Layer: {layer.name}]\n"
        )
    yield "\nBindings:\nframes\nscores\n"


def detailed_log(path: Path, layers: Iterator[Layer]) -> Path:
    path.write_text("".join(chain(_ends(), detailed(layers))), "utf-8")
    return path


def inspector(path: Path, layers: Iterator[Layer]) -> Path:
    """The same layers as `--exportLayerInfo` writes them."""

    def objects(tensors: tuple[Tensor, ...]) -> list[dict[str, object]]:
        return [
            {
                "Name": t.name,
                "Location": "Device",
                "Dimensions": [int(extent) for extent in _plain(t).split(",")],
                "Format/Datatype": t.dtype,
            }
            for t in tensors
        ]

    records = [
        {
            "Name": layer.name,
            "LayerType": layer.type,
            "Inputs": objects(layer.inputs),
            "Outputs": objects(layer.outputs),
            "TacticValue": _tactic(layer.tactic, NEW),
            "Metadata": f"[ONNX Layer: {layer.name}]",
        }
        for layer in layers
    ]
    path.write_text(json.dumps({"Layers": records, "Bindings": ["frames", "scores"]}), "utf-8")
    return path


def engines_log(path: Path, engines: int, layers: int) -> Path:
    """Many builds, one after the other."""
    with path.open("w", encoding="utf-8") as file:
        for seed in range(engines):
            file.writelines(_ends())
            file.writelines(listing(network(layers, seed), NEW))
            file.write(f"{_I}Engine generation completed in 4.2 seconds.\n")
    return path


def _plain(tensor: Tensor) -> str:
    """`1,64:8,7` -> `1,64,7`: only classic listings print the vector."""
    return ",".join(extent.partition(":")[0] for extent in tensor.dims.split(","))


def log(
    path: Path,
    size: int,
    *,
    layers: int = 400,
    style: str = OLD,
    kernel_lines: bool = True,
    unnamed: int = 0,
    builds: int = 2,
    seed: int = 1,
    stretch: int = _STRETCH,
) -> Path:
    """A log of `size` bytes of so many builds, each with a listing of `layers`.

    `kernel_lines`: whether `Tactic Name: ` lines are in it (22 % of the lines, 15 % in style NEW).
    `unnamed`: so many kernels have no such line, some of which layers run; with 0, the first
    megabytes name every kernel, which flatters a reader that stops looking then. A name that ends
    in `.gz` gets one gzip member. `stretch`: bytes of timings that are made at once: a log has one
    at least.
    """
    texts = []
    for build in range(builds):
        before = "".join(
            chain(_banner(style), *(_parsed(x) for x in network(layers, build)), _ends())
        )
        after = "".join(
            chain(_reformats(layers, build), _memory(layers, build, style), _totals())
        ) + "".join(chain(listing(network(layers, build), style), _after()))
        texts.append((before.encode(), after.encode()))
    stretches = [
        "".join(_autotuning(style, kernel_lines, unnamed, seed * 1000 + number, stretch)).encode()
        for number in range(_STRETCHES)
    ]
    random = Random(seed)
    with path.open("wb") as file:
        out = _Gzip(file.write) if path.suffix == ".gz" else _Plain(file.write)
        for number, (head, tail) in enumerate(texts, 1):
            out.write(head)
            while out.count < size * number // builds - len(tail):
                out.write(random.choice(stretches))
            out.write(tail)
        out.close()
    return path


def _banner(style: str) -> Iterator[str]:
    banner = "v8205" if style == OLD else "v100300"
    yield f"&&&& RUNNING TensorRT.trtexec [TensorRT {banner}] # trtexec --onnx=harbor.onnx\n"
    for line in ("=== Model Options ===", "Format: ONNX", "Model: harbor.onnx", "Output:"):
        yield f"{_DAY} [I] {line}\n"
    yield f"{_V}Adding network input: frames with dtype: float32, dimensions: (1, 3, 512, 512)\n"


def _parsed(layer: Layer) -> Iterator[str]:
    """What the ONNX parser says of a node."""
    name = layer.name.rpartition(" + ")[2]
    yield f"{_V}Parsing node: {name} [{layer.type}]\n"
    for tensor in layer.inputs:
        yield f"{_V}Searching for input: {tensor.name}\n"
    shown = ", ".join(f"[{t.name} -> (1, 64, 128, 128)[FLOAT]]" for t in layer.inputs)
    yield f"{_V}{name} [{layer.type}] inputs: {shown}, \n"
    yield f"{_V}Registering layer: {name} for ONNX node: {name}\n"
    for tensor in layer.outputs:
        yield f"{_V}Registering tensor: {tensor.name} for ONNX tensor: {tensor.name}\n"
        yield f"{_V}{name} [{layer.type}] outputs: [{tensor.name} -> (1, 64, 128, 128)[FLOAT]], \n"


def _ends() -> Iterator[str]:
    yield f"{_V}Marking scores_0 as output: scores\n"


def _formats(random: Random) -> str:
    wide, side = 64 << random.randrange(5), 16 << random.randrange(5)
    plane = side * side
    return random.choice(
        (
            f"Float({wide * plane},{plane},{side},1)",
            f"Float({wide * plane},1,{side * wide},{wide})",
            f"Half({wide * plane},{plane},{side},1)",
            f"Half({wide * plane // 8},1:8,{side * wide // 8},{wide // 8})",
            f"Int8({wide * plane // 32},{plane}:32,{side},1)",
        )
    )


def _autotuning(
    style: str, kernel_lines: bool, unnamed: int, seed: int, stretch: int
) -> Iterator[str]:
    random = Random(seed)
    length = 0
    known = kernels()[unnamed:]
    while length < stretch:
        text = "".join(_costs(style, kernel_lines, known, random))
        length += len(text)
        yield text


def _costs(
    style: str, kernel_lines: bool, known: list[tuple[str, int]], random: Random
) -> Iterator[str]:
    """One layer's autotuning, then that of the reformats around it."""
    number = random.randrange(4000)
    name = f"stage{number % 5}.unit{number // 20}.conv.weight + Conv_{number} + Relu_{number + 1}"
    runner = "CaskConvolution"
    if random.random() < 0.15:  # their letters are rare in the others, which a search may use
        name, runner = random.choice(
            (
                (f"PWN(Sigmoid_{number}, Mul_{number + 1})", "PointWiseV2"),
                (f"stage{number % 5}/pool/MaxPool_{number}", "CaskPooling"),
                (f"(Unnamed Layer* {number}) [ElementWise]", "ElementWise"),
            )
        )
    mark = "" if style == OLD else "[0x80000009]"
    stars = "*" * 15
    yield f"{_V}=============== Computing costs for {name if style == NEW else ''}\n"
    for _ in range(3):
        pair = f"{_formats(random)} -> {_formats(random)}"
        yield f"{_V}{stars} Autotuning format combination: {pair} {stars}\n"
        yield f"{_V}--------------- Timing Runner: {name} (CudaDepthwiseConvolution{mark})\n"
        yield f"{_V}CudaDepthwiseConvolution has no valid tactics for this config, skipping\n"
        yield f"{_V}--------------- Timing Runner: {name} ({runner}{mark})\n"
        best = ""
        for kernel, tactic in random.sample(known, random.randint(6, 18)):
            chosen = _tactic(tactic, style)
            took = f"Tactic: {chosen} Time: {random.uniform(0.004, 0.9):.6f}"
            if style == OLD:
                if kernel_lines:
                    yield f"{_V}{name} Set Tactic Name: {kernel} Tactic: {chosen}\n"
                yield f"{_V}{took}\n"
            elif kernel_lines:
                yield f"{_V}Tactic Name: {kernel} {took}\n"
            else:
                yield f"{_V}{took}\n"
            best = best or took
        if style == OLD:
            yield f"{_V}Fastest {best}\n"
        else:
            timed = f"{name} ({runner}{mark})"
            yield f"{_V}{timed} profiling completed in 0.143 seconds. Fastest {best}\n"
        best = best.partition(" Time")[0]
        yield f"{_V}>>>>>>>>>>>>>>> Chose Runner Type: {runner} {best}\n"
    yield f"{_V}=============== Computing reformatting costs\n"
    for number in range(30 if style == OLD else 78):
        pair = f"{_formats(random)} -> {_formats(random)}"
        yield f"{_V}{stars} Autotuning Reformat: {pair} {stars}\n"
        if number % 3 == 0:
            optimizer = f"Optimizer Reformat(<in> -> {name}) (Reformat)"
            yield f"{_V}--------------- Timing Runner: {optimizer}\n"
            best = f"Tactic: {_tactic(1002, style)} Time: {random.uniform(0.004, 0.9):.6f}"
            yield f"{_V}{best}\n"
            yield f"{_V}Tactic: {_tactic(0, style)} Time: {random.uniform(0.004, 0.9):.6f}\n"
            yield f"{_V}Fastest {best}\n"


def _reformats(layers: int, seed: int) -> Iterator[str]:
    for layer in network(layers, seed):
        if layer.type == "Reformat":
            name = layer.name.replace("Reformatting CopyNode for ", "Reformatted ")
            yield (
                f"{_V}Adding reformat layer: {name} ({layer.inputs[0].name})"
                " from Half(524288,1:8,1024,8) to Float(4194304,16384,128,1)\n"
            )


def _memory(layers: int, seed: int, style: str) -> Iterator[str]:
    unit = "" if style == OLD else " bytes"
    for layer in network(layers, seed):
        yield (
            f"{_V}Layer: {layer.name} Host Persistent: 2400{unit} Device Persistent: 9728{unit}"
            f" Scratch Memory: 0{unit}\n"
        )


def _totals() -> Iterator[str]:
    yield f"{_I}Total Host Persistent Memory: 166192\n"
    yield f"{_I}Total Device Persistent Memory: 19865600\n"
    yield f"{_V}Total Activation Memory: 207360000\n"


def _after() -> Iterator[str]:
    yield f"{_I}[MemUsageChange] TensorRT-managed allocation in building engine: CPU +6, GPU +14\n"
    for number in range(40):
        yield f"{_DAY} [I] Starting inference, round {number}\n"


class _Plain:
    def __init__(self, write: _Write) -> None:
        self._write = write
        self.count = 0

    def write(self, data: bytes) -> None:
        self._write(data)
        self.count += len(data)

    def close(self) -> None:
        pass


class _Gzip:
    """One member; what was packed once is not packed again."""

    def __init__(self, write: _Write) -> None:
        self._write = write
        self._packed: dict[int, bytes] = {}
        self._sum = 0
        self.count = 0
        write(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff")

    def write(self, data: bytes) -> None:
        packed = self._packed.get(id(data))
        if packed is None:
            packer = zlib.compressobj(6, zlib.DEFLATED, -15)
            packed = packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)
            self._packed[id(data)] = packed
        self._write(packed)
        self._sum = zlib.crc32(data, self._sum)
        self.count += len(data)

    def close(self) -> None:
        self._write(b"\x03\x00")  # a last block without a byte
        self._write(self._sum.to_bytes(4, "little"))
        self._write((self.count % (1 << 32)).to_bytes(4, "little"))


# ---------------------------------------------------------------- extremes


def wide(tensors: int, layers: int) -> Iterator[Layer]:
    """Every layer reads `tensors` tensors."""
    for number in range(layers):
        read = tuple(Tensor(f"slice_{number}_{k}", "Half", "1,8,64,64") for k in range(tensors))
        yield Layer("Concat", f"Concat_{number}", 0, read, (Tensor(f"c{number}", "Half", "1,8"),))


def long_names(length: int, layers: int) -> Iterator[Layer]:
    """A chain whose layers have names of `length` bytes."""
    for number in range(layers):
        name = " + ".join(f"Mul_{number}_{k}" for k in range(length // 12 + 1))[:length]
        read, written = Tensor(f"t{number}", "Half", "1,8"), Tensor(f"t{number + 1}", "Half", "1,8")
        yield Layer("PointWiseV2", name, 1, (read,), (written,))


def many_readers(readers: int) -> Iterator[Layer]:
    """One tensor that `readers` layers read."""
    shared = Tensor("shared", "Half", "1,64,128,128")
    yield Layer("CaskConvolution", "Conv_0", 5, (Tensor("frames", "Float", "1,3"),), (shared,))
    for number in range(readers):
        written = Tensor(f"part_{number}", "Half", "1,1,128,128")
        yield Layer("Slice", f"Slice_{number}", 0, (shared,), (written,))


def profile(path: Path, layers: Iterator[Layer], rows: int = 0) -> Path:
    """The profile of `layers`; with `rows`, filled up to that many with rows of other layers."""
    random = Random(len(path.name))
    names = [layer.name for layer in layers]
    names += [f"elsewhere_{number}" for number in range(rows - len(names))]
    share = 100 / max(len(names), 1)
    body: list[dict[str, object]] = [{"count": 961}]
    for name in names:
        average = random.uniform(0.002, 0.4)
        body.append(
            {
                "name": name,
                "timeMs": round(average * 961, 4),
                "averageMs": round(average, 6),
                "medianMs": round(average * 0.99, 6),
                "percentage": round(share, 4),
            }
        )
    path.write_text("[\n  " + "\n, ".join(map(json.dumps, body)) + "\n]\n", "utf-8")
    return path


def nsight(log: Path, report: Path, rows: int) -> None:
    """A log, and the kernels of its layers as `nsys stats` writes them."""
    layers = list(network(1_000))
    listing_log(log, iter(layers))
    with report.open("w") as file:
        file.write("NVTX Range,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Kernel Name\n")
        for row in range(rows):
            name = layers[row % len(layers)].name
            file.write(f'"TensorRT:{name}",1,{row % 4},9,9,{row % 997}000,"kernel<{row % 7}>"\n')
