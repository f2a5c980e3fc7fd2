"""Reads the words that stay when names are replaced: those of TensorRT, ONNX, CUDA and trtexec.

They stand in `words.txt`. Only these reach the output; names of a network that use the same words
keep them.
"""

from __future__ import annotations

import re
from pkgutil import get_data
from typing import Final

from engine_layer_visualize.trt.myelin_kernels import CONVOLUTION, OTHERS, POINTWISE
from engine_layer_visualize.trt.operators import OPERATORS


def lines_of(file: str) -> list[str]:
    """Reads the lines of a file of this package, without comments."""
    data = get_data(__package__, file)  # a package may lie in a zip file
    assert data is not None
    return [line for line in data.decode().splitlines() if line and not line.startswith("#")]


def _words(*texts: str) -> frozenset[bytes]:
    return frozenset(word.encode() for text in texts for word in re.findall("[A-Za-z]+", text))


def _lists() -> dict[str, str]:
    """Reads the lists by their headings."""
    lists: dict[str, str] = {}
    heading = ""
    for line in lines_of("words.txt"):
        if line.startswith("["):
            heading = line.strip("[]")
        else:
            lists[heading] = f"{lists.get(heading, '')} {line}"
    return lists


_LISTS: Final = _lists()
_OPERATOR_WORDS: Final = _words(" ".join(OPERATORS))
PIECES: Final = _words(_LISTS["pieces"], *POINTWISE, *OTHERS, CONVOLUTION) | _OPERATOR_WORDS
NAMES: Final = _words(_LISTS["names"]) | _OPERATOR_WORDS
ATEN: Final = _words(_LISTS["aten"])
LAYER_TYPES: Final = _words(_LISTS["layer types"])
PROSE: Final = _words(_LISTS["prose"])
DEVICES: Final = _words(_LISTS["devices"])
LOGGERS: Final = _words(_LISTS["loggers"])
_KEYS: Final = _words(_LISTS["records"])
# A `ConvActPool` has the keys of both its operators, each with a prefix: `ConvKernel`.
_PREFIXED: Final = frozenset(start + key for start in (b"Conv", b"Pooling") for key in _KEYS)
RECORDS: Final = _KEYS | _PREFIXED
PATH_FLAGS, NAME_FLAGS, FLAGS = (
    frozenset(_LISTS[heading].encode().split()) for heading in ("path flags", "name flags", "flags")
)

_PIECE: Final = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def is_of_pieces(word: bytes) -> bool:
    """Returns whether a word is made of TensorRT's words alone, as `CaskGemmConvolution` is."""
    pieces = _PIECE.findall(word)
    return PIECES.issuperset(pieces) and b"".join(pieces) == word


# NVIDIA's kernels; those of plugins bear their authors' names.
KERNEL: Final = re.compile(
    rb"(?:sm\d{2,3}|maxwell|pascal|volta|turing|ampere|hopper|blackwell)_\w+(?:<[\w, :()]*>)?"
)
