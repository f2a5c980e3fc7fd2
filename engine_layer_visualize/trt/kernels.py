"""Reads kernels' names: tensor cores, the GPU that one was made for, what Myelin generated."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

# `sm80_xmma_gemm_f16f16_…_tensor16x8x16` runs on tensor cores, and was made for (8, 0). None where
# a name does not tell.

# Types of what stands for a layer in a trace of a GPU, which names kernels and no layers.
TRACED: Final = frozenset({"Kernel", "Copy", "Memset"})

# Instructions of tensor cores (`hmma`, `wgmma`, `utcqmma`) or their tiles: `h884`, `s16816`,
# `i8816`, `tensor16x8x8`. `xmma` is the name of a library that has other kernels, too.
_TENSOR: Final = re.compile(
    r"[hiqgbdw]mma|utc[a-z]{0,8}mma|(?<![a-z0-9])[dhiqs](?:884|1688|8816|8832|16816|16832|16864)"
    r"|tensorop|tensor[0-9]{1,3}x[0-9]{1,3}|warpgroup|first_layer|nvjet|fmha"
)
# Kernels of CUDA cores: products of 32 bits, of two halves (`fp16x2`), of four bytes (DP4A), of a
# matrix with a vector.
_CUDA: Final = re.compile(
    r"(?<![a-z])(?:ffma|gemv|gemmsn|gemmk1|[sdh]gemm|[sh]cudnn)|simt|hhgemm|fp16x2|int8x4|dp4a"
)
_SM: Final = re.compile(r"(?<![a-z0-9])(?:sm_?|cutlass_|cutlass3x_sm)([1-9][0-9]{1,2})(?![0-9])")
_ARCHITECTURES: Final = {
    **{"kepler": (3, 0), "maxwell": (5, 0), "pascal": (6, 0), "volta": (7, 0), "turing": (7, 5)},
    **{"ampere": (8, 0), "ada": (8, 9), "hopper": (9, 0), "blackwell": (10, 0)},
}
_WORD: Final = re.compile(rf"(?<![a-z0-9])({'|'.join(_ARCHITECTURES)})(?![a-z0-9])")
_SPARSE: Final = re.compile(r"sparse|sptensorop|(?<![a-z])sp(?:gemm|mma|cudnn)?(?![a-z])")
_FIRST_WITH_TENSOR_CORES: Final = (7, 0)
_NAME_LENGTH: Final = 4_096  # characters that are searched: names of kernels are shorter


@lru_cache(maxsize=1 << 12)
def on_tensor_cores(kernel: str) -> bool | None:
    """Whether a kernel of a convolution or a product runs on tensor cores; None: unknown."""
    name = kernel[:_NAME_LENGTH].casefold()
    if _TENSOR.search(name):
        return True
    if _CUDA.search(name):
        return False
    made_for = architecture(name)
    return False if made_for is not None and made_for < _FIRST_WITH_TENSOR_CORES else None


@lru_cache(maxsize=1 << 12)
def architecture(kernel: str) -> tuple[int, int] | None:
    """The compute capability that a kernel was made for: (8, 0) of `sm80_…` and of `ampere_…`."""
    name = kernel[:_NAME_LENGTH].casefold()
    if match := _SM.search(name):
        return int(match[1][:-1]), int(match[1][-1])
    word = _WORD.search(name)
    return _ARCHITECTURES[word[1]] if word else None


def is_winograd(kernel: str) -> bool:
    """Whether it multiplies less often than a convolution counts, by Winograd's algorithm."""
    return "winograd" in kernel.casefold()


def is_sparse(kernel: str) -> bool:
    """Whether a kernel skips the zeros of weights with structured sparsity."""
    return _SPARSE.search(kernel[:_NAME_LENGTH].casefold()) is not None


# ---- kernels that Myelin generates --------------------------------------------------------------

# `__myl_MaxrSubExpSumDiv_myl0_11` lists its operations in order, each by its first letters: `Maxr`,
# `Sub`, `Exp` … A long list ends in `Etc`.

_NAME: Final = re.compile(r"__myl_((?:[A-Z][a-z0-9]*)+)_myl[0-9]+_[0-9]+\Z")
_OPERATION: Final = re.compile(r"[A-Z][a-z0-9]*")
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
    match = _NAME.fullmatch(name) if name.startswith("__myl_") else None
    return tuple(_OPERATION.findall(match[1])) if match else ()
