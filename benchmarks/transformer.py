"""A large invented transformer: blocks of 52 layers, once for each optimisation profile.

Numbers of blocks and profiles and a seed in; layers in listing order out, and a profile whose times
depend on what each layer does. The same seed gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.make import Layer, Tensor

HEADS: Final = 8
BLOCK: Final = 52  # layers
AROUND: Final = 4  # layers before and after the blocks
_MS: Final = {"Gemm": 0.031, "MatMul": 0.012, "Softmax": 0.006, "Reformat": 0.003, "NoOp": 0.0}


def transformer(blocks: int = 48, profiles: int = 2) -> Iterator[Layer]:
    """`(blocks * BLOCK + AROUND) * profiles` layers: 5,000 as it stands."""
    for k in range(profiles):
        yield from _one(blocks, f" [profile {k}]" if k else "")


def _one(blocks: int, suffix: str) -> Iterator[Layer]:
    def tensor(name: str, dims: str, dtype: str = "Half") -> Tensor:
        return Tensor(f"{name}{suffix}", dtype, dims)

    def layer(kind: str, name: str, written: Tensor, *read: Tensor) -> Layer:
        return Layer(kind, f"{name}{suffix}", 0x2F, tuple(read), (written,))

    wide, tall, part = "1,384,1024", "1,384,4096", "1,384,128"
    tokens, mask = tensor("tokens", "1,384", "Int32"), tensor("mask", "1,1,1,384", "Float")
    x = tensor("/embed/Gather_output_0", wide)
    yield layer("Gather", "/embed/Gather", x, tokens)
    bias = tensor("/mask/Mul_output_0", "1,1,1,384")
    yield layer("PointWiseV2", "PWN(/mask/Sub, /mask/Mul)", bias, mask)
    for i in range(blocks):
        b = f"/blocks.{i}"
        skip = x

        def out(name: str, dims: str, dtype: str = "Half", b: str = b) -> Tensor:
            return tensor(f"{b}/{name}_output_0", dims, dtype)

        normed = out("norm1/Mul", wide)
        yield layer("LayerNorm", f"{b}/norm1/ReduceMean + {b}/norm1/Mul", normed, x)
        qkv = out("attn/qkv/Add", "1,384,3072")
        yield layer("Gemm", f"{b}/attn/qkv/MatMul + {b}/attn/qkv/Add", qkv, normed)
        split = out("attn/Reshape", "3,8,384,128")
        yield layer("NoOp", f"{b}/attn/Reshape", split, qkv)
        joined = out("attn/Concat", wide)
        for h in range(HEADS):
            cut = out(f"attn/Slice_{h}", "3,1,384,128")
            yield layer("Slice", f"{b}/attn/Slice_{h}", cut, split)
            scores = out(f"attn/MatMul_{2 * h}", "1,384,384")
            yield layer("MatMul", f"{b}/attn/MatMul_{2 * h}", scores, cut)
            soft = out(f"attn/Softmax_{h}", "1,384,384")
            name = f"{b}/attn/Add_{h} + {b}/attn/Softmax_{h}"
            yield layer("Softmax", name, soft, scores, bias)
            # Each writes its part of what the next one reads: the concat is gone.
            written = Tensor(joined.name, "Half", part)
            yield layer("MatMul", f"{b}/attn/MatMul_{2 * h + 1}", written, soft, cut)
        tail = [
            ("Gemm", "attn/proj/MatMul", wide), ("PointWiseV2", "Add", wide),
            ("LayerNorm", "norm2/Mul", wide), ("Reformat", "norm2/Cast", wide),
            ("Gemm", "mlp/fc1/MatMul", tall), ("PointWiseV2", "mlp/gelu/Erf", tall),
            ("Reformat", "mlp/gelu/Cast", tall), ("Gemm", "mlp/fc2/MatMul", wide),
            ("PointWiseV2", "Add_1", wide),
        ]  # fmt: skip
        last = joined
        for kind, name, dims in tail:
            int8 = name in ("norm2/Cast", "mlp/gelu/Cast")
            written = out(name, dims, "Int8" if int8 else "Half")
            read = [last]
            if kind == "PointWiseV2" and name.startswith("Add"):
                read.append(skip)
                skip = written
            said = f"PWN({b}/{name})" if kind == "PointWiseV2" else f"{b}/{name}"
            yield layer(kind, said, written, *read)
            last = written
        for k in range(BLOCK - 3 - 4 * HEADS - len(tail)):
            written = out(f"out/Mul_{k}", wide)
            yield layer("PointWiseV2", f"PWN({b}/out/Mul_{k})", written, last)
            last = written
        x = last
    normed = tensor("/norm/Mul_output_0", wide)
    yield layer("LayerNorm", "/norm/ReduceMean + /norm/Mul", normed, x)
    yield layer("Gemm", "/head/MatMul", tensor("logits", "1,384,32000", "Float"), normed)


def times(path: Path, layers: Iterable[Layer], seed: int = 1) -> Path:
    """A profile of `layers`, as trtexec exports it."""
    random = Random(seed)
    body: list[dict[str, object]] = [{"count": 200}]
    for layer in layers:
        average = _MS.get(layer.type, 0.004) * random.uniform(0.9, 1.15)
        if "fc" in layer.name or "/head/" in layer.name:
            average *= 4 if "mlp" in layer.name else 30
        body.append({"name": layer.name, "averageMs": round(average, 6)})
    path.write_text("[\n  " + "\n, ".join(map(json.dumps, body)) + "\n]\n", "utf-8")
    return path
