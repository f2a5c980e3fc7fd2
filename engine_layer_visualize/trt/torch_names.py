"""Reads layer names that PyTorch's converters give.

They are Torch-TensorRT (Dynamo, FX, TorchScript) and torch2trt. A name tells the operation of
PyTorch that a layer was made for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

# e.g. [ELEMENTWISE]-[aten_ops.clamp.default]-[/features/0/clamp]
# e.g. Forced Cast ITensor x from DataType.HALF to DataType.FLOAT - [aten_ops.clamp.default]-[clamp]
_OPERATION: Final = re.compile(r"-\s?\[((?:aten|acc|prims)_ops\b[^\[\]]*)\]-\[([^\[\]]*)\]")
# e.g. %8 : Tensor = aten::relu(%0)
_TORCHSCRIPT: Final = re.compile(r"%[\w.]{1,200} : [\w\[\]?]{1,80} = (?:aten|prim|trt)::")
# e.g. [RELU #1] torch.nn.ReLU.forward(…)
_TORCH2TRT: Final = re.compile(r"\[([A-Z_]{1,80}) #\d{1,9}\] torch\.")
_CASTS: Final = ("Cast ITensor ", "Forced Cast ITensor ")


def is_torch(name: str) -> bool:
    """Whether a converter of PyTorch gave the name."""
    if "_ops" in name and _OPERATION.search(name) is not None:
        return True
    if "::" in name and _TORCHSCRIPT.search(name) is not None:
        return True
    return " torch." in name and _TORCH2TRT.search(name) is not None


def types_of_torch2trt(name: str) -> tuple[str, ...]:
    """TensorRT's types of the layers that torch2trt gave this name to, such as `CONVOLUTION`."""
    return tuple(_TORCH2TRT.findall(name)) if " torch." in name else ()


def is_cast(part: str) -> bool:
    """Whether a part of a name is a cast that the converter added."""
    return part.startswith(_CASTS)


def operation(part: str) -> tuple[str, str] | None:
    """The operation that a part names, `aten_ops.addmm.default` and `/fc/addmm_1`; None: none.

    A converter makes several layers for one operation: `/fc/addmm_1_mm`, `/fc/addmm_1_add`.
    """
    operations = _OPERATION.findall(part) if "_ops" in part else ()
    if not operations:
        return None
    target, name = operations[-1]
    path, slash, last = name.rpartition("/")
    _, _, called = target.partition(".")
    node = re.match(
        rf"_*{re.escape(called.partition('.')[0])}(?:_default)?(?:_\d+)?(?![a-z])", last
    )
    return target, f"{path}{slash}{node[0] if node else last}"


def one_each(parts: Iterable[str]) -> tuple[str, ...]:
    """The first of the parts that name one operation of PyTorch.

    The others are casts, constants and broadcasts that the converter added. Without such names the
    parts as they are.
    """
    given = tuple(parts)
    kept: dict[tuple[str, str], str] = {}
    for part in given:
        if not is_cast(part) and (key := operation(part)) is not None:
            kept.setdefault(key, part)
    return tuple(kept.values()) or given
