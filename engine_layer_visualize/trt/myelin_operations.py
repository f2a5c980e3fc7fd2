"""The operations that the names of Myelin's kernels list, by their first letters.

`__myl_MaxrSubExpSumDiv_myl0_11` is a kernel of five operations.
"""

from __future__ import annotations

from typing import Final, Literal

MULTIPLIED: Final[dict[str, Literal["product", "convolution"]]] = {
    "Fc": "product",
    "Corr": "convolution",
}
# Element by element: what is fused after a product and leaves its extents as they are.
POINTWISE: Final = frozenset(
    """
    Abs Add And Cast Ceil Clip Cos Div Eq Erf Exp Floo Gelu Grea Less Log Max Min Mod Mul Ne Neg
    Not Or Pow Reci Relu Roun Rsqr Sel Sele Sigm Sign Silu Sin Sqrt Sub Tanh Wher Xor
    """.split()  # noqa: SIM905 - as in operators.py
)
# No products either, but another number of elements.
OTHERS: Final = frozenset(
    """
    Bcas Broa Conc Copy Cumu Expa Fill Flat Gath Iota Maxr Mean Minr Move Pad Perm Prod Rang Redu
    Repl Res Resh Resi Reve Scat Shap Slic Spli Sque Sum Tile Topk Tran Unsq
    """.split()  # noqa: SIM905
)
READ_IN_PART: Final = frozenset({"Gath", "Slic", "Spli"})
OPERATIONS: Final = POINTWISE.union(MULTIPLIED, OTHERS)
