"""Makes texts, types and attributes as messages of ONNX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from engine_layer_visualize.core.model import Tensor
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.exchange.layer_facts import Fact, as_text
from engine_layer_visualize.io.extras import install
from engine_layer_visualize.trt.data_types import canonical

_TYPES: Final = {
    **{"Float": "FLOAT", "Half": "FLOAT16", "BFloat16": "BFLOAT16", "Double": "DOUBLE"},
    **{"FP8": "FLOAT8E4M3FN", "FP4": "FLOAT4E2M1", "E8M0": "FLOAT8E8M0", "Bool": "BOOL"},
    **{name: name.upper() for name in ("Int4", "Int8", "Int32", "Int64")},
    **{name: name.upper() for name in ("UInt8", "UInt32", "UInt64")},
}
_INT64_END: Final = 1 << 63  # of an integer


def library(format: str) -> Any:
    """The package onnx. Raises ReadError (ELV502)."""
    try:
        import onnx
    except ImportError:
        words = f"--format {format} needs the package onnx: {install('onnx')}"
        raise ReadError(Problem(Place(format), "ELV502", words)) from None
    return onnx


def text(words: str) -> str:
    """What protobuf takes: UTF-8 has no lone surrogates."""
    return words.encode("utf-8", "backslashreplace").decode()


def value_info(onnx: Any, name: str, tensor: Tensor | None) -> Any:
    """The type of a tensor.

    An extent that is not known is a parameter of its own. One that is symbolic is the same wherever
    the log has the same number.
    """
    info = onnx.ValueInfoProto(name=text(name))
    kind = info.type.tensor_type
    kind.elem_type = onnx.TensorProto.UNDEFINED
    kind.shape.SetInParent()  # readers want one, even where nothing is known
    if tensor is None:
        add_metadata(info, {"unknown": "type and extents, as no layer reads it"})
        return info
    known = _TYPES.get(canonical(tensor.dtype) or "")
    if known is not None:
        kind.elem_type = getattr(onnx.TensorProto, known)
    for axis, extent in enumerate(tensor.shape):
        dim = kind.shape.dim.add()
        if extent >= 0:
            dim.dim_value = min(extent, _INT64_END - 1)
        else:
            dim.dim_param = text(f"{name}[{axis}]") if extent == -1 else f"symbol {-extent}"
    add_metadata(
        info, {"format": tensor.format, "strides": tensor.strides, "dims": _packed(tensor)}
    )
    return info


def _packed(tensor: Tensor) -> str | None:
    """The dims as printed, where they have a part that the extents lack (`64:8`)."""
    return tensor.dims if ":" in tensor.dims else None


def add_attributes(onnx: Any, node: Any, values: Mapping[str, Fact]) -> None:
    """Gives a node attributes, and the same as metadata, which has all digits of a number."""
    for key, value in values.items():
        if isinstance(value, int) and value >= _INT64_END:
            value = str(value)
        if isinstance(value, str):
            value = text(value)
        elif isinstance(value, list):
            value = [text(item) for item in value]
        node.attribute.append(onnx.helper.make_attribute(text(key), value))
    add_metadata(node, values)


def add_metadata(message: Any, values: Mapping[str, Fact | None]) -> None:
    """Gives a message those texts that have a value."""
    for key, value in values.items():
        if value is not None and value != []:
            message.metadata_props.add(key=text(key), value=text(as_text(value)))


def add_opsets(model: Any, domains: Iterable[tuple[str, int]]) -> None:
    """The operator sets that a model, or a function, uses."""
    for domain, version in domains:
        model.opset_import.add(domain=domain, version=version)
