"""Reads the names of kernels that Myelin generates.

`__myl_MaxrSubExpSumDiv_myl0_11` lists its operations in order, each by its first letters: `Maxr`,
`Sub`, `Exp` … A long list ends in `Etc`.
"""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile(r"__myl_((?:[A-Z][a-z0-9]*)+)_myl[0-9]+_[0-9]+\Z")
_WORD: Final = re.compile(r"[A-Z][a-z0-9]*")
PRODUCT, CONVOLUTION = "Fc", "Corr"
# Element by element: what is fused after a product and leaves its extents as they are.
POINTWISE: Final = frozenset(
    """
    Abs Add And Cast Ceil Clip Cos Div Eq Erf Exp Floo Gelu Grea Gtr Less Log Max Min Mod Mul Ne
    Neg Not Or Pow Reci Relu Roun Rsqr Sel Sele Sigm Sign Silu Sin Sqrt Sub Tanh Wher Xor
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


def words(name: str) -> tuple[str, ...]:
    """The operations; () of any other name."""
    match = _NAME.fullmatch(name) if name.startswith("__myl_") else None
    return tuple(_WORD.findall(match[1])) if match else ()
