"""Logs to look at: invented networks in the builder's syntax, and names that mean harm.

takes: sizes
gives: the text of logs and of profiles
never: holds a line of a real log
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

_V = "[V] [TRT] "
HEADER = f"{_V}Engine Layer Information:\n"

# What a name may hold, and the page has to show as text.
HOSTILE = (
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "<!--<script>",
    "a\u2028b\u2029c",
    "bell\x07 escape\x1b[31m nul\x01",
    "left \u202eright\u202c mark\u200f",
    "quote\" apostrophe' back\\slash &amp; &lt;",
    "]]>${window.pwned=1}{{constructor}}",
    "émoji 😀 漢字",
)


def layer(kind: str, name: str, reads: Iterable[str], writes: Iterable[str], tactic: int = 0) -> str:
    left, right = ", ".join(reads), ", ".join(writes)
    return f"{_V}Layer({kind}): {name}, Tactic: {tactic}, {left} -> {right}\n"


def tensor(name: str, dtype: str = "Half", dims: str = "8,384,1024") -> str:
    return f"{name}[{dtype}({dims})]"


def hostile() -> str:
    """A chain whose names are those of HOSTILE, in layers and in tensors."""
    return HEADER + "".join(
        layer("CaskConvolution", name, [tensor(f"t{n}{name}")], [tensor(f"t{n + 1}{after}")])
        for n, (name, after) in enumerate(zip(HOSTILE, (*HOSTILE[1:], "end")))
    )


def transformer(blocks: int, profiles: int = 1) -> Iterator[tuple[str, float]]:
    """(line, milliseconds) of an encoder; 26 layers a block, all of it once a profile."""
    for profile in range(profiles):
        end = f" [profile {profile}]" if profile else ""
        yield from _encoder(blocks, end, 1 + profile)


def _encoder(blocks: int, end: str, slow: float) -> Iterator[tuple[str, float]]:
    made = 0

    def one(kind: str, name: str, reads: str, write: str, ms: float) -> tuple[str, float]:
        nonlocal made
        made += 1
        ins = [tensor(read + end) for read in reads.split()]
        return layer(kind, name + end, ins, [tensor(write + end)], made), ms * slow

    yield (
        layer(
            "Gather",
            f"/embeddings/word/Gather{end}",
            [tensor(f"ids{end}", "Int32", "8,384")],
            [tensor(f"x0{end}")],
        ),
        0.02 * slow,
    )
    for n in range(blocks):
        b, x = f"/encoder/layer.{n}", f"x{n}"
        a = f"{b}/attention"
        yield one("Normalization", f"{a}/LayerNormalization", x, f"n{n}", 0.018)
        for which in "qkv":
            yield one("Reformat", f"Reformatting CopyNode for {a}/{which}", f"n{n}", f"r{which}{n}", 0.004)
            yield one("CaskGemmMatrixMultiply", f"{a}/{which}/MatMul", f"r{which}{n}", f"m{which}{n}", 0.06)
            yield one("PointWiseV2", f"PWN({a}/{which}/Add)", f"m{which}{n}", f"b{which}{n}", 0.01)
            yield one("Shuffle", f"{a}/{which}/Reshape + {a}/{which}/Transpose", f"b{which}{n}", f"t{which}{n}", 0.012)
        yield one("CaskGemmMatrixMultiply", f"{a}/MatMul", f"tq{n} tk{n}", f"s{n}", 0.08)
        yield one("PointWiseV2", f"PWN({a}/Div, {a}/Add)", f"s{n}", f"d{n}", 0.014)
        yield one("CudaSoftMax", f"{a}/Softmax", f"d{n}", f"p{n}", 0.05)
        yield one("CaskGemmMatrixMultiply", f"{a}/MatMul_1", f"p{n} tv{n}", f"c{n}", 0.08)
        yield one("Shuffle", f"{a}/Transpose + {a}/Reshape", f"c{n}", f"e{n}", 0.012)
        yield one("CaskGemmMatrixMultiply", f"{a}/output/MatMul", f"e{n}", f"o{n}", 0.06)
        yield one("PointWiseV2", f"PWN({a}/output/Add)", f"o{n} {x}", f"y{n}", 0.014)
        yield one("Normalization", f"{b}/LayerNormalization", f"y{n}", f"z{n}", 0.018)
        yield one("CaskGemmMatrixMultiply", f"{b}/intermediate/MatMul", f"z{n}", f"f{n}", 0.21 + 0.1 * (n == 7))
        yield one("PointWiseV2", f"PWN({b}/intermediate/Gelu)", f"f{n}", f"g{n}", 0.03)
        yield one("CaskGemmMatrixMultiply", f"{b}/output/MatMul", f"g{n}", f"h{n}", 0.2)
        yield one("Reformat", f"Reformatting CopyNode for {b}/output", f"h{n}", f"i{n}", 0.004)
        yield one("PointWiseV2", f"PWN({b}/output/Add)", f"i{n} y{n}", f"x{n + 1}", 0.014)
    yield one("CaskGemmMatrixMultiply", "/pooler/MatMul", f"x{blocks}", "pooled", 0.03)


def log(lines: Iterable[tuple[str, float]]) -> str:
    return HEADER + "".join(line for line, _ in lines)


def profile(lines: Iterable[tuple[str, float]]) -> str:
    """trtexec's JSON for these layers."""
    rows: list[dict[str, object]] = [{"count": 100}]
    for line, ms in lines:
        name = line.partition("): ")[2].partition(", Tactic: ")[0]
        rows.append({"name": name, "timeMs": ms * 100, "averageMs": ms, "percentage": 0.0})
    return json.dumps(rows)
