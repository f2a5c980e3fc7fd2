"""Parses names: of layers, what was fused and added; of kernels, the GPU and what Myelin made."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

DLA: Final = "DLA"  # the type of a ForeignNode that runs on the DLA
_FOREIGN: Final = "{ForeignNode["
_ENTRY: Final = "[ONNX Layer: "
_INSIDE: Final = " | "  # before the subgraph that a node is in
# Where one entry ends; some logs lost the separator, which a web page shows as U+FFFD.
_ENTRY_END: Final = "[\x1e\x1f]|(?<=\\])\ufffd?(?=\\[ONNX Layer: )"
# Fully connected layers that were fused: `2-layer MLP: a + b -> c`.
_MLP: Final = re.compile(r"\A\d+-layer MLP: ")
# How copies between the memories of the GPU and the DLA are named, and waits for them.
_DLA_COPIES: Final = (" to nvm", " from nvm", " finish")
# Of a piece that the DLA runs (-7), which is named by its layers: `{conv1,pool1}`.
_DLA_PIECE: Final = re.compile(r"\{[^{}]*,[^{}]*\}")
_DLA_OUTPUT: Final = re.compile(r"\{.*\} output reformatter \d{1,9}\Z", re.DOTALL)
_WORD: Final = re.compile(r"PWN\(|\(|\)| \+ | \|\| |, ")
# How reformats are named: the layer, the tensor that it writes, and what the autotuner times.
COPY: Final = "Reformatting CopyNode for "
REFORMATTED: Final = "Reformatted "
# e.g. (-7) conv1 input reformatter 0
_REFORMATTER: Final = re.compile(r" (?:input|output) reformatter \d{1,6}\Z")
OPTIMIZER_REFORMAT: Final = "Optimizer Reformat"
# Names that Myelin derives go on after the suffix: `y [profile 1].1_4_myl15`.
_PROFILE: Final = re.compile(r" \[profile (\d{1,9})\](?=$|[._])")
_MYELIN: Final = re.compile(r"_myl(\d{1,9})_\d{1,9}\Z")
_LONGEST_MYELIN: Final = 24  # characters


def split_profile(name: str) -> tuple[str, str | None]:
    """Splits ` [profile k]` off a name: the rest, and k as printed (None: no such suffix)."""
    if not name.endswith("]"):
        return name, None
    head, separator, k = name[:-1].rpartition(" [profile ")
    return (head, k) if separator and k.isascii() and k.isdigit() else (name, None)


def without_profile(name: str) -> str:
    """A layer's or a tensor's name without ` [profile 1]`."""
    return split_profile(name)[0]


def profile_of(name: str) -> str:
    """The ` [profile 1]` at the end of a name; empty where there is none."""
    return name[len(split_profile(name)[0]) :]


def profile_in(name: str) -> int:
    """The number k of a ` [profile k]` at the end of a name or in a derived one; 0: none."""
    match = _PROFILE.search(name) if " [profile " in name else None
    return int(match[1]) if match else 0


def myelin_index(name: str) -> int | None:
    """I of `…_myl<I>_<k>`, a kernel or a record inside the layer at index I of a listing."""
    match = _MYELIN.search(name, max(0, len(name) - _LONGEST_MYELIN))
    return int(match[1]) if match else None


def without_myelin(name: str) -> str:
    """A record's name inside Myelin without its `_myl0_55`."""
    return name if myelin_index(name) is None else name[: name.rindex("_myl")]


def is_foreign(name: str) -> bool:
    """Whether it is a part of the network that Myelin compiled."""
    return name.startswith(_FOREIGN)


def is_dla_copy(name: str) -> bool:
    """Whether it names a copy between the GPU's memory and the DLA's, or a wait for one."""
    return name.endswith(_DLA_COPIES) or _DLA_OUTPUT.match(name) is not None


def is_reformat(name: str) -> bool:
    """Whether it names a reformat that the builder added for a layer."""
    return name.startswith(COPY) or (
        " reformatter " in name and _REFORMATTER.search(without_profile(name)) is not None
    )


def is_concat_copy(name: str) -> bool:
    """Whether it names a copy of a tensor into the output of a concatenation."""
    return name.endswith(" copy")


def waits_for_dla(name: str) -> bool:
    """Whether it names a copy whose time may hold the wait until the DLA is done."""
    return name.endswith(_DLA_COPIES[1]) or _DLA_OUTPUT.match(name) is not None


@lru_cache(maxsize=1 << 10)
def parts(name: str) -> tuple[str, ...]:
    """The parts of a fused name: `a + PWN(b, PWN(c)) || d` -> a, b, c, d.

    The parts of `{ForeignNode[a...b]}` are its two ends, those of the DLA's `{a,b}` its layers. A
    reformat and a copy for the DLA are made of no layer. Brackets of other kinds belong to names.
    """
    name = without_profile(name)
    is_added = is_reformat(name) or is_dla_copy(name)
    if is_added or name.startswith((REFORMATTED, OPTIMIZER_REFORMAT)):
        return ()
    if name.startswith(_FOREIGN) and name.endswith("]}"):
        first, _, last = name[len(_FOREIGN) : -2].partition("...")
        return (*parts(first), *parts(last))
    if _DLA_PIECE.fullmatch(name):
        return tuple(name[1:-1].split(","))
    if layers := _MLP.match(name):
        name = name[layers.end() :].replace(" -> ", " + ")
    return tuple(part for branch in branches(name) for part in branch)


def branches(name: str) -> list[list[str]]:
    """The parts of each branch that was fused beside others: `a + b || c` -> [a, b], [c]."""
    if "(" not in name:  # most names
        return [
            [word for part in branch.split(" + ") if (word := part.strip())]
            for branch in name.split(" || ")
        ]
    result: list[list[str]] = [[]]
    open_brackets: list[bool] = []  # whether a bracket is that of a PWN
    start = 0

    def cut(end: int) -> None:
        if word := name[start:end].strip():
            result[-1].append(word)

    for match in _WORD.finditer(name):
        word, inside = match[0], bool(open_brackets) and not open_brackets[-1]
        if word == "PWN(" and start == match.start():
            open_brackets.append(True)
            start = match.end()
        elif word in ("(", "PWN("):
            open_brackets.append(False)
        elif word == ")":
            if open_brackets and open_brackets.pop():
                cut(match.start())
                start = match.end()
        elif not inside and (word != ", " or open_brackets):
            cut(match.start())
            start = match.end()
            if word == " || ":
                result.append([])
    cut(len(name))
    return result


def ends(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The nodes at the two ends of `{ForeignNode[a + b...c]}`: (a, b), (c).

    Those between them are not in the name. Both are empty for a name that leaves nothing out: that
    of another layer, or of a ForeignNode that was made of one.
    """
    name = without_profile(name)
    if not name.startswith(_FOREIGN) or not name.endswith("]}"):
        return (), ()
    first, _, last = name[len(_FOREIGN) : -2].partition("...")
    return (parts(first), parts(last)) if last else ((), ())


def onnx_nodes(metadata: str) -> tuple[str, ...]:
    r"""The nodes that a record's `Metadata` names.

    `[ONNX Layer: a]` entries, joined by \x1e or \x1f; a node inside an If or Loop is followed by
    ` | subgraph (branch) | outer (If)`, which is left out here. Each node, and of PyTorch each
    operation, once.
    """
    if is_torch(metadata):
        return one_each(filter(None, dict.fromkeys(re.split(_ENTRY_END, metadata))))
    return tuple(name for name, _ in onnx_holders(metadata))


def onnx_holders(metadata: str) -> tuple[tuple[str, str], ...]:
    """Each node that a record's `Metadata` names, with the outermost node or function around it.

    `choice`, an If, of `[ONNX Layer: a | then (then_branch) | choice (If)]`; "" of a node in none.
    """
    holders = []
    for entry in filter(None, dict.fromkeys(re.split(_ENTRY_END, metadata))):
        name, *around = entry.removeprefix(_ENTRY).removesuffix("]").split(_INSIDE)
        holders.append((name, around[-1].rpartition(" (")[0] if around else ""))
    return tuple(holders)


def names_nodes_alone(metadata: str) -> bool:
    """Whether a record's `Metadata` says no more than `onnx_nodes` gives."""
    entries = re.split(_ENTRY_END, metadata)
    whole = all(e.startswith(_ENTRY) and e.endswith("]") for e in entries)
    return whole and _INSIDE not in metadata


# ---- names that PyTorch's converters give: Torch-TensorRT (Dynamo, FX, TorchScript), torch2trt ---

# A name tells the operation of PyTorch that a layer was made for.

# e.g. [ELEMENTWISE]-[aten_ops.clamp.default]-[/features/0/clamp]
# e.g. Forced Cast ITensor x from DataType.HALF to DataType.FLOAT - [aten_ops.clamp.default]-[clamp]
_OPERATION: Final = r"-\s?\[((?:aten|acc|prims)_ops\b[^\[\]]*)\]-\[([^\[\]]*)\]"
# e.g. %8 : Tensor = aten::relu(%0)
_TORCHSCRIPT: Final = r"%[\w.]{1,200} : [\w\[\]?]{1,80} = (?:aten|prim|trt)::"
# e.g. [RELU #1] torch.nn.ReLU.forward(…)
_TORCH2TRT: Final = r"\[([A-Z_]{1,80}) #\d{1,9}\] torch\."


def is_torch(name: str) -> bool:
    """Whether a converter of PyTorch gave the name."""
    if "_ops" in name and re.search(_OPERATION, name) is not None:
        return True
    if "::" in name and re.search(_TORCHSCRIPT, name) is not None:
        return True
    return " torch." in name and re.search(_TORCH2TRT, name) is not None


# Types in names by torch2trt. A layer with another beside it, such as an activation, was fused with
# it.
_MULTIPLYING: Final = {"CONVOLUTION", "DECONVOLUTION", "FULLY_CONNECTED", "MATRIX_MULTIPLY"}
# A layer of the network that had no name, and no other was fused with it.
# e.g. (5-) (Unnamed Layer* 3) [Fully Connected]
_UNNAMED: Final = r"\(Unnamed Layer\* \d{1,9}\) \[([A-Za-z][A-Za-z ]{0,40})\]"


def type_in_name(name: str, on_dla: bool) -> str:
    """The type of a layer, as far as its name tells; else empty. `on_dla`: of an engine for one."""
    if is_dla_copy(name):
        return "Copy"
    if is_concat_copy(name) or is_reformat(name):
        return "Reformat"
    if is_foreign(name) or (on_dla and name.startswith("{") and name.endswith("}")):
        return DLA if on_dla else "Myelin"
    if types := set(re.findall(_TORCH2TRT, name) if " torch." in name else ()):
        told = types if types == {"CONSTANT"} else types & _MULTIPLYING
        return told.pop().title().replace("_", "") if len(told) == 1 else ""
    if unnamed := re.fullmatch(_UNNAMED, name):
        return unnamed[1].replace(" ", "")
    return "kgen" if name.startswith("__myl_") else "PointWise" if name.startswith("PWN(") else ""


def is_cast(part: str) -> bool:
    """Whether a part of a name is a cast that the converter added."""
    return part.startswith(("Cast ITensor ", "Forced Cast ITensor "))


def torch_operation(part: str) -> tuple[str, str] | None:
    """The operation that a part names, `aten_ops.addmm.default` and `/fc/addmm_1`; None: none.

    A converter makes several layers for one operation: `/fc/addmm_1_mm`, `/fc/addmm_1_add`.
    """
    operations = re.findall(_OPERATION, part) if "_ops" in part else ()
    if not operations:
        return None
    target, name = operations[-1]
    path, slash, last = name.rpartition("/")
    _, _, called = target.partition(".")
    operator = re.escape(called.partition(".")[0])
    node = re.match(rf"_*{operator}(?:_default)?(?:_\d+)?(?![a-z])", last)
    return target, f"{path}{slash}{node[0] if node else last}"


def one_each(parts: Iterable[str]) -> tuple[str, ...]:
    """The first of the parts that name one operation of PyTorch.

    The others are casts, constants and broadcasts that the converter added. Without such names the
    parts as they are.
    """
    given = tuple(parts)
    kept: dict[tuple[str, str], str] = {}
    for part in given:
        if not is_cast(part) and (key := torch_operation(part)) is not None:
            kept.setdefault(key, part)
    return tuple(kept.values()) or given


# ---- kernels ------------------------------------------------------------------------------------

# `sm80_xmma_gemm_f16f16_…_tensor16x8x16` runs on tensor cores, and was made for (8, 0). None where
# a name does not tell.

# Types of what stands for a layer in a trace of a GPU, which names kernels and no layers.
TRACED: Final = frozenset({"Kernel", "Copy", "Memset"})

# Instructions of tensor cores (`hmma`, `wgmma`, `utcqmma`) or their tiles: `h884`, `s16816`,
# `i8816`, `tensor16x8x8`. `xmma` is the name of a library that has other kernels, too.
_TENSOR: Final = (
    r"[hiqgbdw]mma|utc[a-z]{0,8}mma|(?<![a-z0-9])[dhiqs](?:884|1688|8816|8832|16816|16832|16864)"
    r"|tensorop|tensor[0-9]{1,3}x[0-9]{1,3}|warpgroup|first_layer|nvjet|fmha"
)
# Kernels of CUDA cores: products of 32 bits, of two halves (`fp16x2`), of four bytes (DP4A), of a
# matrix with a vector.
_CUDA: Final = (
    r"(?<![a-z])(?:ffma|gemv|gemmsn|gemmk1|[sdh]gemm|[sh]cudnn)|simt|hhgemm|fp16x2|int8x4|dp4a"
)
_SM: Final = re.compile(r"(?<![a-z0-9])(?:sm_?|cutlass_|cutlass3x_sm)([1-9][0-9]{1,2})(?![0-9])")
_ARCHITECTURES: Final = {
    **{"kepler": (3, 0), "maxwell": (5, 0), "pascal": (6, 0), "volta": (7, 0), "turing": (7, 5)},
    **{"ampere": (8, 0), "ada": (8, 9), "hopper": (9, 0), "blackwell": (10, 0)},
}
_GENERATION: Final = re.compile(rf"(?<![a-z0-9])({'|'.join(_ARCHITECTURES)})(?![a-z0-9])")
_SPARSE: Final = r"sparse|sptensorop|(?<![a-z])sp(?:gemm|mma|cudnn)?(?![a-z])"
_FIRST_WITH_TENSOR_CORES: Final = (7, 0)
_NAME_LENGTH: Final = 4_096  # characters that are searched: names of kernels are shorter


@lru_cache(maxsize=1 << 12)
def on_tensor_cores(kernel: str) -> bool | None:
    """Whether a kernel of a convolution or a product runs on tensor cores; None: unknown."""
    name = kernel[:_NAME_LENGTH].casefold()
    if re.search(_TENSOR, name):
        return True
    if re.search(_CUDA, name):
        return False
    made_for = architecture(name)
    return False if made_for is not None and made_for < _FIRST_WITH_TENSOR_CORES else None


@lru_cache(maxsize=1 << 12)
def architecture(kernel: str) -> tuple[int, int] | None:
    """The compute capability that a kernel was made for: (8, 0) of `sm80_…` and of `ampere_…`."""
    name = kernel[:_NAME_LENGTH].casefold()
    if match := _SM.search(name):
        return int(match[1][:-1]), int(match[1][-1])
    word = _GENERATION.search(name)
    return _ARCHITECTURES[word[1]] if word else None


def is_winograd(kernel: str) -> bool:
    """Whether it multiplies less often than a convolution counts, by Winograd's algorithm."""
    return "winograd" in kernel.casefold()


def is_sparse(kernel: str) -> bool:
    """Whether a kernel skips the zeros of weights with structured sparsity."""
    return re.search(_SPARSE, kernel[:_NAME_LENGTH].casefold()) is not None


# ---- kernels that Myelin generates --------------------------------------------------------------

# `__myl_MaxrSubExpSumDiv_myl0_11` lists its operations in order, each by its first letters: `Maxr`,
# `Sub`, `Exp` … A long list ends in `Etc`.

_NAME: Final = r"__myl_((?:[A-Z][a-z0-9]*)+)_myl[0-9]+_[0-9]+\Z"
_FUSED: Final = r"[A-Z][a-z0-9]*"
PRODUCT, CONVOLUTION = "Fc", "Corr"
# Element by element: what is fused after a product and leaves its extents as they are.
POINTWISE: Final = frozenset(
    """
    Abs Add And Cast Ceil Clip Cos Div Eq Erf Exp Floo Gelu Grea Gtr Less Log Max Min Mod Mul Ne Neg
    Not Or Pow Reci Relu Roun Rsqr Sel Sele Sigm Sign Silu Sin Sqrt Sub Tanh Wher Xor
    """.split()  # noqa: SIM905 - as in operators
)
# No products either, but another number of elements.
OTHERS: Final = frozenset(
    """
    Bcas Broa Conc Copy Cumu Expa Fill Flat Gath Iota Maxr Mean Minr Move Pad Perm Prod Rang Redu
    Repl Res Resh Resi Reve Scat Shap Slic Spli Sque Sum Tile Topk Tran Unsq
    """.split()  # noqa: SIM905
)
# Of the others, those that may add up products.
SUMS: Final = frozenset({"Redu", "Sum"})
READ_IN_PART: Final = frozenset({"Gath", "Slic", "Spli"})


def myelin_words(name: str) -> tuple[str, ...]:
    """The operations; () of any other name."""
    match = re.fullmatch(_NAME, name) if name.startswith("__myl_") else None
    return tuple(re.findall(_FUSED, match[1])) if match else ()
