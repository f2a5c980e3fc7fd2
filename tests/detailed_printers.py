"""Engines as detailed listings and as inspector JSON: strategies, and printers of their values.

The printers are the tests' own: they ask the program nothing.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from hypothesis import strategies as st
from strategies import PREFIXES, Lines, Printed, names, types, with_strays

from engine_layer_visualize.core.model import JsonValue, Layer, Tensor

# How a version of TensorRT prints a tensor.
PLAIN, LOCATED, RTX = "Format/Datatype", "Location, Format/Datatype", "Strides"
FORMS: Final = (PLAIN, LOCATED, RTX)

# Words of `Format/Datatype`, and the data type that they tell.
WORDS: Final[dict[str, str | None]] = {
    "Float": "Float",
    "Half": "Half",
    "Int8": "Int8",
    "Half, Accumulation: Float": "Half",
    "Row major linear FP32": "Float",
    "Row major linear FP16 format": "Half",
    "Channel major FP16 format where channel % 8 == 0": "Half",
    "Thirty-two wide channel vectorized row major Int8 format": "Int8",
    "Four wide channel vectorized row major Int8 format": "Int8",
    "Two wide channel vectorized row major FP16 format": "Half",
    "Row major Int32 format": "Int32",
    "Row major linear INT64 format": "Int64",
    "Row major linear BOOL format": "Bool",
    "Row major linear BF16 format": "BFloat16",
    "Row major linear FP8 format": "FP8",
    "Row major linear FP4 format": "FP4",
    "Row major linear INT4 format": "Int4",
    "Row major linear UINT8 format": "UInt8",
    "N/A due to dynamic shapes": None,
    "Unknown format": None,
}
# Words of `Format`, beside which the data type stands by itself.
LAYOUTS: Final = (
    "(Linear) Row major linear format",
    "(NHWC) Channel major format",
    "(NC32HW32) Thirty-two wide channel vectorized row major format",
    "(Arbitrary) Format with stride order = [1,2,0]",
    "(Arbitrary) Format with stride order = [0,3,1,2], vectorized",
)
DTYPES: Final = (
    *("Float", "Half", "Int8", "Int32", "Int64", "Bool", "BFloat16", "FP8", "FP4", "Int4"),
    *("UInt8", "E8M0"),
)


@dataclass(frozen=True, slots=True)
class Detailed:
    """What one record says. `constants`: None where its version has no such key."""

    type: str
    name: str
    tactic: str | None
    kernel: str | None
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    attributes: tuple[tuple[str, JsonValue], ...] = ()
    constants: tuple[Tensor, ...] | None = None


@dataclass(frozen=True, slots=True)
class Io:
    """One line of `I/O Tensors:`."""

    name: str
    output: bool
    dims: str = "1,-1"
    profiles: int = 1


@dataclass(frozen=True, slots=True)
class Inspected:
    """An engine as one version prints it in detail. It has `bindings` or `io`, or neither."""

    form: str
    records: tuple[Detailed, ...]
    bindings: tuple[str, ...] = ()
    io: tuple[Io, ...] = ()


def detailed_of(found: Sequence[Layer]) -> tuple[Detailed, ...]:
    """What was read, as what was printed; `Constants` stay among the attributes."""
    assert all(layer.raw is None for layer in found), "an opaque layer"
    return tuple(
        Detailed(la.type, la.name, la.tactic, la.kernel, la.inputs, la.outputs, la.attributes)
        for la in found
    )


# ---- what the rule decides ---------------------------------------------------------------------

_KEYS: Final = re.compile(r", Dimensions: \[[-0-9,]*\], (?:Format/Datatype|Strides|Datatype): ")
_KEY: Final = re.compile(r", [A-Za-z]\w*:(?: |$)")
_HOSTS: Final = re.compile(
    r"(?:.*?\[(?:\d\d/\d\d/\d{4}-)?\d\d:\d\d:\d\d\] )|\[[VIWEF]\] |\[TRT\] |&&&& "
    r"|[> \t]*(?:```|~~~)"
)


def ends_at_its_type(name: str) -> bool:
    """Whether `, LayerType: WORD, Inputs: [` ends a record's name for the first time."""
    match = re.search(r", LayerType: \w+, Inputs: \[", f"{name}, LayerType: T, Inputs: []")
    return match is not None and match.start() == len(name)


def ends_at_its_keys(name: str, form: str) -> bool:
    """Whether a tensor's key sequence stands behind its name for the first time.

    Where no location is printed, one at a name's end is taken for it.
    """
    location = ", Location: Device" if form == LOCATED else ""
    keys = "Strides" if form == RTX else "Format/Datatype"
    match = _KEYS.search(f"{name}{location}, Dimensions: [1], {keys}: ")
    if match is None or match.start() != len(name) + len(location):
        return False
    return form == LOCATED or re.search(r", Location: \w+$", name) is None


def stands_alone(name: str) -> bool:
    """Whether a line of its own holds this name and nothing else (below `Bindings:`)."""
    words = ("Layers:", "Layer Information:", "=== Profile (", "Bindings:", "I/O Tensors:")
    return (
        name.strip() == name != ""
        and not any(word in name for word in (*words, "Engine Metadata:"))
        and _HOSTS.match(name) is None
        and re.search(r"\x1b\[[0-9;]*[A-Za-z]$", name) is None
    )


def is_a_value(text: str) -> bool:
    """Whether a value is printed whole: no key begins in it, nothing at its ends is trimmed."""
    return (
        _KEY.search(f", {text}") is None
        and _KEY.search(text) is None
        and text.strip() == text
        and "\n" not in text
        and re.search(r"\x1b\[[0-9;]*[A-Za-z]$", text) is None
    )


# ---- strategies --------------------------------------------------------------------------------

_FRAMES: Final = (
    *("}], ", "}]", " }]", "}, { ", "{ Name: ", "{ Name: x }, { Name: ", "[ ", "[]", "], "),
    *(", Dimensions: [1,2]", ", Dimensions: ", ", Location: Device", ", Location: Deep Sea"),
    *(", Format/Datatype: Half }], ", ", Format/Datatype: Half }", ", Datatype: Half, Format: x }"),
    *(", Strides: [1], StrideOrder: [0], ", ", Outputs: []", ", Outputs: [ c", ", Inputs: []"),
    *("Name: ", ", LayerType", ", LayerType: ", ", LayerType: Conv", ", Inputs: ", "Inputs: ["),
    *("Layers:", "Bindings:", "I/O Tensors:", "Engine Metadata:", ", TacticName: ", "TacticValue:"),
    *(", Constants: [], ", ", Metadata: ", '"a": "b"', "{}", "\\u001e", "\\", '\\"'),
)
frame_names: Final = st.lists(
    st.one_of(st.sampled_from(_FRAMES), st.sampled_from(["a", "conv", " ", ","]), names), max_size=5
).map("".join)
hostile_names: Final = st.one_of(names, frame_names)

dims: Final = st.lists(st.one_of(st.integers(-1, 4096), st.just(1)), max_size=5).map(
    lambda extents: ",".join(map(str, extents))
)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(extent) for extent in text.split(",") if extent)


def _with_words(name: str, words: str, dims: str) -> Tensor:
    return Tensor(name, WORDS[words], dims, _numbers(dims), words)


def _with_strides(name: str, dtype: str, words: str, extents: Sequence[tuple[int, int]]) -> Tensor:
    shape = tuple(extent for extent, _ in extents)
    strides = ",".join(str(stride) for _, stride in extents)
    return Tensor(name, dtype, ",".join(map(str, shape)), shape, words, strides)


def tensors(form: str, tensor_names: st.SearchStrategy[str]) -> st.SearchStrategy[Tensor]:
    if form == RTX:
        extents = st.tuples(st.integers(-1, 4096), st.integers(-1, 10**9))
        words, several = st.sampled_from(LAYOUTS), st.lists(extents, max_size=4)
        return st.builds(_with_strides, tensor_names, st.sampled_from(DTYPES), words, several)
    return st.builds(_with_words, tensor_names, st.sampled_from(sorted(WORDS)), dims)


_VALUES: Final = (
    *("Convolution", "kEXPLICIT_ROUND_DOWN", "RELU", "NONE", "0", "-1", "0.1", "REFORMAT"),
    "<EXIT>",
    *("[5,5]", "[]", "[1,-1]", '{"Type": "Float", "Count": 800}', '{"Type": "Half", "Count": 0}'),
    *('"nbDims=4 1 16 [3] 5"', "true", "null", "a: b", "x,y", "}], Outputs:[", "{ Name: x }"),
    '["auto const a = pwgen::iMul(arg0, arg1);", "return pwgen::iPlus(a, 1.0f);"]',
)
_ENTRIES: Final = (
    *("[ONNX Layer: /conv1/Conv]", "[ONNX Layer: a, StreamId: 7]", "[ONNX Layer: b: [c]]"),
    *("[ONNX Layer: n | tb (then_branch) | If_0 (If)]", "[ONNX Layer: {x}], Outputs: []"),
)
metadata: Final = st.builds(
    lambda entries, joint: joint.join(entries),
    st.lists(
        st.one_of(
            st.sampled_from(_ENTRIES),
            names.filter(lambda name: "\n" not in name).map(lambda name: f"[ONNX Layer: {name}]"),
        ),
        max_size=4,
    ),
    st.sampled_from(["\x1e", "\x1f"]),
)
_KEYS_OF_RECORDS: Final = (
    *("ParameterType", "Kernel", "Stride", "Weights", "Bias", "HasBias", "Origin", "Operations"),
    *("dimensions", "weights", "Alpha", "StreamId", "EventId", "Some_New_Key9", "Reshape"),
)


def _attributes(values: dict[str, str], metadata: str | None) -> tuple[tuple[str, JsonValue], ...]:
    pairs: list[tuple[str, JsonValue]] = list(values.items())
    return (*pairs, ("Metadata", metadata)) if metadata is not None else tuple(pairs)


text_attributes: Final = st.builds(
    _attributes,
    st.dictionaries(
        st.sampled_from(_KEYS_OF_RECORDS),
        st.one_of(st.sampled_from(_VALUES), st.just(""), names.filter(is_a_value)),
        max_size=5,
    ),
    st.none() | metadata.filter(lambda text: text.strip(" \t\r") == text),
)
json_values: Final[st.SearchStrategy[JsonValue]] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64) | st.floats(-1e6, 1e6) | hostile_names,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=4,
)
json_attributes: Final = st.builds(
    lambda values: tuple(values.items()),
    st.dictionaries(st.sampled_from((*_KEYS_OF_RECORDS, "Metadata")), json_values, max_size=5),
)
_TACTICS: Final = st.none() | st.integers(0, 2**64 - 1).map(lambda number: f"0x{number:016x}")
kernels: Final = st.none() | st.one_of(
    st.sampled_from(
        (
            "ampere_scudnn_128x64_relu_small_nn_v1",
            "__myl_MulAdd_0x0a1b2c3d4e5f60718293a4b5c6d7e8f9",
            "sm80_xmma_fprop_f16f16_f16f16_t1r1s1, split-k [2]",
        )
    ),
    names.filter(is_a_value),
).filter(bool)


Names: TypeAlias = st.SearchStrategy[str]
Keys: TypeAlias = st.SearchStrategy[tuple[tuple[str, JsonValue], ...]]


def records(
    form: str, record_names: Names, tensor_names: Names, attributes: Keys
) -> st.SearchStrategy[Detailed]:
    some = st.lists(tensors(form, tensor_names), max_size=2).map(tuple)
    constants = some if form == RTX else st.none()
    more = (_TACTICS, kernels, some, some, attributes, constants)
    return st.builds(Detailed, types, record_names, *more)


def _engines(
    form: str, record_names: Names, tensor_names: Names, attributes: Keys, binding_names: Names
) -> st.SearchStrategy[Inspected]:
    listed = st.lists(
        records(form, record_names, tensor_names, attributes), min_size=1, max_size=3
    ).map(tuple)
    io = st.builds(Io, binding_names, st.booleans(), dims, st.integers(0, 2))
    key, ends = ("io", io) if form == RTX else ("bindings", binding_names)
    tail = {key: st.lists(ends, max_size=3).map(tuple)}
    return st.builds(Inspected, st.just(form), listed, **tail)


def listed_as(form: str) -> st.SearchStrategy[Inspected]:
    """Those whose detailed listing the documented rule decides."""
    whole = hostile_names.filter(lambda name: "\n" not in name)
    layers = whole.filter(ends_at_its_type)
    ends = whole.filter(lambda name: ends_at_its_keys(name, form))
    return _engines(form, layers, ends, text_attributes, whole.filter(stands_alone))


listed: Final = st.one_of(*map(listed_as, FORMS))
# JSON escapes its names: any text will do.
_texts: Final = st.one_of(hostile_names, st.text(max_size=8))
inspected: Final = st.one_of(*(_engines(f, _texts, _texts, json_attributes, _texts) for f in FORMS))


# ---- the detailed listing ----------------------------------------------------------------------


def _printed(value: JsonValue) -> str:
    """A value of JSON as a listing prints it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key}: {_printed(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[ " + ", ".join(map(_printed, value)) + "]"
    return json.dumps(value, separators=(",", ":")) if isinstance(value, list) else str(value)


def print_detailed(record: Detailed, form: str, *, empty_kernel: bool = True) -> str:
    """`empty_kernel`: a record without one says so, `TacticName: `."""
    keys = json_record(record, form)
    keys.pop("TacticName", None)
    last: dict[str, JsonValue] = {k: keys.pop(k) for k in ("TacticValue", "Metadata") if k in keys}
    if record.kernel is not None or empty_kernel:
        keys["TacticName"] = record.kernel or ""
    keys.update(last)
    return ", ".join(f"{key}: {_printed(value)}" for key, value in keys.items())


def _io_line(io: Io) -> str:
    shapes = "" if io.output else "".join(f"{m}Shape: [{io.dims}], " for m in ("Min", "Opt", "Max"))
    profile = f"{{ {shapes}Format: Row major linear FP16 format (kLINEAR) }}"
    profiles = f"[ {', '.join([profile] * io.profiles)}]" if io.profiles else "[]"
    return (
        f" Name: {io.name}, IOMode: {'Output' if io.output else 'Input'}, DataType: Half, "
        f"Dimensions: [{io.dims}], Location: Device, IsShapeInferenceIO: false, "
        f"ProfileInfo: {profiles}"
    )


def print_tail(engine: Inspected) -> list[str]:
    if engine.form == RTX:
        return [
            *("", "I/O Tensors:", *map(_io_line, engine.io)),
            *("", "Engine Metadata:", " Multi-Device: Disabled"),
        ]
    return ["", "Bindings:", *engine.bindings]


# What stands before the first record. The builder's own are builds, the others dumps.
HEADERS: Final[dict[str, tuple[str, ...]]] = {
    **{
        f"builder, {host}": (f"{prefix}Layers:",)
        for host, prefix in PREFIXES.items()
        if re.search(r"\[V\]|\[TRT\]|VERBOSE|DEBUG|Torch-TensorRT", prefix)
    },
    "dump": ("[08/20/2024-19:31:54] [I] Layer Information:", "[08/20/2024-19:31:54] [I] Layers:"),
    "dump, torn": ("[I] Layer Information:", "[W] [TRT] another record", "[I] Layers:"),
    "inspector": ("Layers:",),
    "nothing": (),
}


@dataclass(frozen=True)
class Around(Lines):
    """What of a log is not its engine."""

    header: tuple[str, ...] = ("[V] Layers:",)
    every_line: str = ""  # a host's words before each line of the records
    tail: bool = True
    empty_kernel: bool = True


_STRAYS: Final = (
    *("", "  ", "plugin: enqueue called", "[#####    ] 50%", "Name: a word of another program"),
    *("x, LayerType: y", "{ Name: x }", "[V] Total Activation Memory: 8192"),
)
arounds: Final = with_strays(
    Around,
    _STRAYS,
    header=st.sampled_from(sorted(HEADERS.values())),
    every_line=st.sampled_from(["", "", *sorted(PREFIXES.values())]),
    tail=st.booleans(),
    empty_kernel=st.booleans(),
)


def print_listing(engine: Inspected, around: Around) -> Printed:
    lines = [*around.before, *around.header]
    printed = Printed(headers=[len(lines)] if around.header else [], lines=[[]])
    for number, record in enumerate(engine.records):
        lines += around.stray(number)
        text = print_detailed(record, engine.form, empty_kernel=around.empty_kernel)
        lines.append(around.every_line + text)
        printed.lines[0].append(len(lines))
    if around.tail:
        lines += print_tail(engine)
    lines.append("[03/24/2023-12:57:38] [V] [TRT] done")
    printed.text = around.text(lines)
    return printed


# ---- the inspector's JSON ----------------------------------------------------------------------


def _tensor_value(tensor: Tensor, form: str) -> dict[str, JsonValue]:
    value: dict[str, JsonValue] = {"Name": tensor.name}
    if form == LOCATED:
        value["Location"] = "Device"
    value["Dimensions"] = list(tensor.shape)
    if form == RTX:
        value["Strides"] = list(_numbers(tensor.strides or ""))
        value["StrideOrder"] = list(reversed(range(len(tensor.shape))))
        value["Datatype"], value["Format"] = tensor.dtype, tensor.format
    else:
        value["Format/Datatype"] = tensor.format
    return value


def json_record(record: Detailed, form: str) -> dict[str, JsonValue]:
    value: dict[str, JsonValue] = {"Name": record.name, "LayerType": record.type}
    value["Inputs"] = [_tensor_value(tensor, form) for tensor in record.inputs]
    if record.constants is not None:
        value["Constants"] = [_tensor_value(tensor, form) for tensor in record.constants]
    value["Outputs"] = [_tensor_value(tensor, form) for tensor in record.outputs]
    value.update(record.attributes)
    if record.kernel is not None or form == RTX:
        value["TacticName"] = record.kernel or ""
    if record.tactic is not None:
        value["TacticValue"] = record.tactic
    return value


def read_back(record: Detailed, form: str, *, listed: bool) -> Detailed:
    """What is read of it: constants are an attribute, in a listing as text, if there are some."""
    alone = replace(record, constants=None)
    if record.constants is None or (listed and not record.constants):
        return alone
    tensors: JsonValue = [_tensor_value(tensor, form) for tensor in record.constants]
    constants = ("Constants", _printed(tensors) if listed else tensors)
    return replace(alone, attributes=(constants, *record.attributes))


def json_engine(engine: Inspected) -> dict[str, JsonValue]:
    value: dict[str, JsonValue] = {"Layers": [json_record(r, engine.form) for r in engine.records]}
    if engine.form == RTX:
        value["I/O Tensors"] = [
            {"Name": io.name, "IOMode": "Output" if io.output else "Input", "DataType": "Half"}
            for io in engine.io
        ]
        value["Engine Metadata"] = {"Multi-Device": "Disabled"}
    else:
        value["Bindings"] = list(engine.bindings)
    return value


def _pretty(value: dict[str, JsonValue]) -> str:
    """As trtexec writes it: one key a line, a list of numbers on one line."""
    layers = value["Layers"]
    assert isinstance(layers, list)
    texts = []
    for layer in layers:
        assert isinstance(layer, dict)
        rows = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in layer.items())
        texts.append(f"{{\n{rows}\n}}")
    others = {key: one for key, one in value.items() if key != "Layers"}
    rest = "".join(f",\n{json.dumps(k)}: {json.dumps(v)}" for k, v in others.items())
    return '{"Layers": [' + ",".join(texts) + "]" + rest + "}\n"


_ESCAPE: Final = re.compile(r"\\(?:u00([01][0-9a-f])|(.))")


def unescaped(text: str) -> str:
    """JSON with its control characters as they are; a newline stays escaped, it is one of ours."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[0], text)


JSON_STYLES: Final[dict[str, Callable[[dict[str, JsonValue]], str]]] = {
    "pretty": _pretty,
    "compact": lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False),
    "four blanks": lambda value: json.dumps(value, indent=4),
    "raw control characters": lambda value: unescaped(_pretty(value)),
    "raw and compact": lambda value: unescaped(json.dumps(value, separators=(",", ":"))),
    "CRLF": lambda value: _pretty(value).replace("\n", "\r\n"),
    "blank before": lambda value: "\n\n  " + json.dumps(value, indent=1),
}


def print_json(engine: Inspected, style: str = "pretty") -> str:
    return JSON_STYLES[style](json_engine(engine))
