"""The words of the formats: WORDS, and the same as a dictionary for libFuzzer."""

from __future__ import annotations

from typing import Final

_TEXTS: Final = (
    "Engine Layer Information:\n", "Layer(Conv): ", "Layer(", "): ", ", Tactic: 0x1, ",
    ", Tactic: ", ", Tactic: -7, ", ", Tactic: 0x0000000000000000, ", " -> ", " ->", ", ",
    "x[Float(1,2)]", "x (Half[1,2])", " (Half[1,-1])", "[Int8(-17,8:4)]", "(Int32[])",
    "[V] [TRT] ", "[11/21/2026-02:40:00] [V] ", "[TensorRT] VERBOSE: ", "\x1b[0m", "> ",
    "Layers:\n", "Bindings:\n", "I/O Tensors:\n", "Name: ", ", LayerType: ", ", Inputs: [ ",
    "{ Name: ", ", Dimensions: [1,2]", ", Format/Datatype: Half", " }", "}], Outputs: [ ",
    ", Location: Device", ", Strides: [2,1]", ", Datatype: Half", ", Format: Row major",
    ", TacticName: ", ", TacticValue: 0x1", ", StreamId: 0", ", Metadata: ", "[ONNX Layer: ",
    "\x1e", "\x1f", "\u2028", "\u202e", "\r\n", "\n\n", "\t", "```\n", '"', "\\", "\\u0000",
    "{ForeignNode[a...b]}", "a + b", "a || b", "PWN(a, b)", " [profile 1]", "_myl0_1",
    "Adding network input: ", " with dtype: float32, dimensions: (1, 2)", "Marking ",
    " as output: ", "Adding reformat layer: ", "Reformatted Input Tensor 0 to ", " from ",
    "Set Tactic Name: k Tactic: 1", "--------------- Timing Runner: ", "Tactic: 1 Time: 2",
    "Fastest Tactic: 1 Time: 2", "=============== Computing costs for ", "(CaskConvolution",
    "*************** Autotuning format combination: ", "Float(8,1)", " ***************\n",
    "*************** Autotuning Reformat: ", "[E] ", "ERROR: ", "Error Code 1: ", "Fusing ",
    " with ", "Removing ", "Layer: ", " Host Persistent: 1 ", "Device Persistent: ",
    "TensorRT version: 8.6.1", "[TensorRT v8601]", "=== Performance summary ===\n",
    "=== Model Options ===\n", "Engine generation completed in 1.5 seconds.",
    "[MemUsageChange] Init CUDA: CPU +1, GPU +2, now: CPU 3, GPU 4 (MiB)\n",
    "=== Profile (3 iterations ) ===\n", "   Layer   Time (ms)   Avg. Time (ms)   Time %\n",
    "Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer\n", "Total", "   1.0   1.0   100.0",
    ": 0.1ms\n", "nan", "inf", "1e999", "-1", "0.0", "99999999999999999999", '{"Layers": [',
    '], "Bindings": [', '{"Name": "', '"Inputs": [', '"Outputs": [', "}]", '"Dimensions": [1]',
    '"Format/Datatype": "', '"LayerType": "', '"I/O Tensors": [', '[{"count": 1}', '{"name": "',
    '"averageMs": ', '"timeMs": ', '"medianMs": ', "null", '"percentage": ', '{"traceEvents": [',
    '"ph": "X"', '"dur": ', "\\ud800", "true", "NaN", "</script>", "]]>", "&amp;", "<b>", "=1+1",
    "|", "é", "層", "😀", "\ufeff",
)  # fmt: skip
_BYTES: Final = (
    *(b"\xff\xfe", b"\x1f\x8b\x08", b"\xfd7zXZ\x00", b"(\xb5/\xfd", b"\xff", b"\x00", b"\xc3"),
)
WORDS: Final = (*(text.encode() for text in _TEXTS), *_BYTES)


def dictionary() -> str:
    """One word a line, spelled byte by byte."""
    spelled = ("".join(f"\\x{byte:02x}" for byte in word) for word in WORDS)
    return "".join(f'"{word}"\n' for word in spelled)
