"""Logs for the page: invented networks in the builder's syntax, and hostile names.

Sizes go in; the text of logs and profiles comes out. No line is of a real log.
"""

from collections.abc import Iterable, Iterator

import logtext
from logtext import HEADER, exported

_V = "[V] [TRT] "

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


def layer(kind: str, name: str, reads: Iterable[str], writes: Iterable[str]) -> str:
    left, right = ", ".join(reads), ", ".join(writes)
    return f"{_V}Layer({kind}): {name}, Tactic: 0, {left} -> {right}\n"


def tensor(name: str, dtype: str = "Half", dims: str = "8,384,1024") -> str:
    return f"{name}[{dtype}({dims})]"


def hostile() -> str:
    """A chain whose names are those of HOSTILE, in layers and in tensors."""
    return HEADER + "".join(
        layer("CaskConvolution", name, [tensor(f"t{n}{name}")], [tensor(f"t{n + 1}{after}")])
        for n, (name, after) in enumerate(zip(HOSTILE, (*HOSTILE[1:], "end")))
    )


def findings() -> Iterator[tuple[str, float]]:
    """(line, milliseconds) of layers with the HOSTILE names in FP32, and of one in FP16."""
    dims = "1,64,56,56"
    image = tensor("t0", "Half", dims)
    yield layer("Reformat", "in", [image], [tensor("t1", "Float", dims)]), 0.04
    for n, name in enumerate(HOSTILE, 1):
        reads, writes = tensor(f"t{n}", "Float", dims), tensor(f"t{n + 1}", "Float", dims)
        yield layer("CaskConvolution", name, [reads], [writes]), 0.1
    yield layer("CaskConvolution", "half", [image], [tensor("y", "Half", dims)]), 0.2


def short(number: int) -> Iterator[tuple[str, float]]:
    """(line, milliseconds) of a chain whose layers take little more than their launch."""
    for n in range(number):
        reads, writes = tensor(f"t{n}", dims="1,64"), tensor(f"t{n + 1}", dims="1,64")
        yield layer("PointWiseV2", f"PWN(step{n})", [reads], [writes]), 0.003


def roofline(device: bool = True) -> str:
    """Convolutions with the HOSTILE names, in FP16 and the last in INT8, and a pooling."""
    dtypes = ["Half"] * (len(HOSTILE) - 1) + ["Int8"]
    listed = [_record(name, 16 << n % 6, dtypes[n]) for n, name in enumerate(HOSTILE)]
    listed.append(_record("pool", 64, "Half").replace("Convolution", "Pooling"))
    known = logtext.device({**logtext.A100, "Selected Device": "A"}) if device else ""
    return f"{known}{_V}Layers:\n{''.join(listed)}"


def _record(name: str, channels: int, dtype: str) -> str:
    """One of a detailed listing."""
    ends = f"x{channels}", f"y{channels}"
    keys = logtext.convolution(channels, kernel=3)
    dims = f"1,{channels},56,56"
    return f"{_V}{logtext.detailed(name, *ends, 'CaskConvolution', keys, dtype, dims)}\n"


def roofline_times() -> str:
    """trtexec's JSON for `roofline`."""
    names = (*HOSTILE, "pool")
    return exported(*((name, 0.02 * n + 0.02) for n, name in enumerate(names)), runs=100)


# Of one block: type, name, what it reads, what it writes, milliseconds. @ is the attention, # the
# block's number, & the block.
_GEMM = "CaskGemmMatrixMultiply"
_BRANCH = (
    ("Reformat", "Reformatting CopyNode for @/{w}", "n#", "r{w}#", 0.004),
    (_GEMM, "@/{w}/MatMul", "r{w}#", "m{w}#", 0.06),
    ("PointWiseV2", "PWN(@/{w}/Add)", "m{w}#", "b{w}#", 0.01),
    ("Shuffle", "@/{w}/Reshape + @/{w}/Transpose", "b{w}#", "t{w}#", 0.012),
)
_BLOCK = (
    ("Normalization", "@/LayerNormalization", "x#", "n#", 0.018),
    *(
        (kind, name.format(w=w), read.format(w=w), write.format(w=w), ms)
        for w in "qkv"
        for kind, name, read, write, ms in _BRANCH
    ),
    (_GEMM, "@/MatMul", "tq# tk#", "s#", 0.08),
    ("PointWiseV2", "PWN(@/Div, @/Add)", "s#", "d#", 0.014),
    ("CudaSoftMax", "@/Softmax", "d#", "p#", 0.05),
    (_GEMM, "@/MatMul_1", "p# tv#", "c#", 0.08),
    ("Shuffle", "@/Transpose + @/Reshape", "c#", "e#", 0.012),
    (_GEMM, "@/output/MatMul", "e#", "o#", 0.06),
    ("PointWiseV2", "PWN(@/output/Add)", "o# x#", "y#", 0.014),
    ("Normalization", "&/LayerNormalization", "y#", "z#", 0.018),
    (_GEMM, "&/intermediate/MatMul", "z#", "f#", 0.21),
    ("PointWiseV2", "PWN(&/intermediate/Gelu)", "f#", "g#", 0.03),
    (_GEMM, "&/output/MatMul", "g#", "h#", 0.2),
    ("Reformat", "Reformatting CopyNode for &/output", "h#", "i#", 0.004),
    ("PointWiseV2", "PWN(&/output/Add)", "i# y#", "X#", 0.014),
)


def transformer(blocks: int, profiles: int = 1) -> Iterator[tuple[str, float]]:
    """(line, milliseconds) of an encoder: 26 layers a block and two more, once a profile."""
    for profile in range(profiles):
        end = f" [profile {profile}]" if profile else ""
        for kind, name, reads, write, ms in _encoder(blocks):
            ins = [tensor(read + end) for read in reads.split()]
            yield layer(kind, name + end, ins, [tensor(write + end)]), ms * (1 + profile)


def masked(blocks: int) -> str:
    """The same once, where each block reads one mask: lines over the whole drawing."""
    mask = tensor("mask", dims="8,1,384")
    lines = (line for line, _ in transformer(blocks))
    return HEADER + "".join(
        line.replace(" -> ", f", {mask} -> ") if "/Div" in line else line for line in lines
    )


def _encoder(blocks: int) -> Iterator[tuple[str, str, str, str, float]]:
    yield "Gather", "/embeddings/word/Gather", "ids", "x0", 0.02
    for n in range(blocks):
        marks = {"@": "&/attention", "&": f"/encoder/layer.{n}", "X#": f"x{n + 1}", "#": str(n)}
        for kind, name, reads, write, ms in _BLOCK:
            for mark, text in marks.items():
                name, reads, write = (x.replace(mark, text) for x in (name, reads, write))
            slow = 2 if n == 7 and "intermediate" in name else 1  # something to find
            yield kind, name, reads, write, ms * slow
    yield _GEMM, "/pooler/MatMul", f"x{blocks}", "pooled", 0.03


def log(lines: Iterable[tuple[str, float]]) -> str:
    return HEADER + "".join(line for line, _ in lines)


def profile(lines: Iterable[tuple[str, float]]) -> str:
    """trtexec's JSON for these layers."""
    rows = ((line.partition("): ")[2].partition(", Tactic: ")[0], ms) for line, ms in lines)
    return exported(*rows, runs=100)
