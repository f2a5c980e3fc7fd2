"""Lists what hosts and terminals write around TensorRT's messages.

The shape of such words is the same before every message of a host, whatever the time.
"""

import re
from functools import lru_cache
from typing import Final

from engine_layer_visualize.core.limits import lazy

LONGEST: Final = 1 << 9  # of what a host writes; more are words of a message
COLOR: Final = lazy(rb"\x1b\[[0-9;]*[A-Za-z]")

# ---- severities ----------------------------------------------------------------------------------

# The words of each, by its letter.
SEVERITIES: Final = {
    b"V": (b"VERBOSE", b"DEBUG"),
    b"I": (b"INFO",),
    b"W": (b"WARNING",),
    b"E": (b"ERROR", b"INTERNAL_ERROR"),
    b"F": (),
    b"X": (),  # Polygraphy's of VERBOSE
}
LETTERS: Final = {
    **{word: letter for letter, words in SEVERITIES.items() for word in words},
    **{b"UNKNOWN": b"V", b"BUG": b"E"},  # ONNX Runtime's
}
INFO: Final = b"[I]"
TRT: Final = b"[TRT]"
OWN_LOGGER: Final = b"Severity."  # what Python prints of a severity, in a program's own logger
LOGGERS: Final = (TRT, b"TensorRT", OWN_LOGGER)
# How each severity stands before a message: `[E] `, `ERROR: `, `Severity.ERROR `.
MARKS: Final = {
    letter: (
        b"[" + letter + b"] ",
        *(word + b": " for word in words[:1]),
        *(OWN_LOGGER + word + b" " for word in words),
    )
    for letter, words in SEVERITIES.items()
}
# Where these stand before a mark, the mark is a part of a message.
HARMLESS: Final = tuple(mark.rstrip() for letter in (b"V", b"I") for mark in MARKS[letter])
ERROR: Final = rb"|".join(rb"(?<!\w)" + re.escape(mark) for mark in MARKS[b"E"])
# A listing that the builder logs, and not one that is dumped of a finished engine.
BUILDER: Final = lazy(rb"\[[VX]\]|\[TRT\]|%b|Torch-TensorRT" % b"|".join(SEVERITIES[b"V"]))

# How a script heads records that it prints.
# As: Layer information:
HEADING: Final = lazy(rb"(?i:layers?\b[^\n]{0,40}):\s*\Z")

# ---- hosts -------------------------------------------------------------------------------------

_PIECES: Final = {
    b"clock": rb"\[(?:\d\d/\d\d/\d{4}-)?\d\d:\d\d:\d\d\]",
    b"time": rb"(?:\d[-:. \d]{8,40} )?",
    b"letter": b"".join(SEVERITIES),
    b"word": rb"|".join(LETTERS),
}


# Loggers that write other words than `[V] [TRT] `: such words, the mark by which they are found,
# and their pattern, whose group is the severity. Messages are read with the usual words instead.
_LOGGERS: Final = (
    # Python, up to TensorRT 7
    (b"[TensorRT] VERBOSE: ", b"[TensorRT] ", rb"\[TensorRT\] (%(word)b): "),
    (
        *(b"DEBUG: [Torch-TensorRT TorchScript Conversion Context] - ", b"[Torch-TensorRT "),
        rb"(%(word)b): \[Torch-TensorRT [^\]\n]{1,100}\] - ",
    ),
    (
        *(b"INFO:torch_tensorrt [TensorRT Conversion Context]:", b"[TensorRT Conv"),
        rb"(%(word)b):torch_tensorrt \[TensorRT Conv[^\]\n]{1,100}\]: ?",
    ),
    (b"INFO: [TRT]: ", b": [TRT]: ", rb"(%(word)b): \[TRT\]: "),  # DeepStream
    (
        b"2024-02-21 08:41:15.713781: W tensorflow/trt.cc:83] TF-TRT Warning: DefaultLogger ",
        b"DefaultLogger ",
        rb"%(time)b([IWEF]) tensorflow/[^\]\n]{1,200}\] (?:TF-TRT \w{1,20}: )?DefaultLogger ",
    ),
    (
        b"2024-03-28 13:07:04.72 [W:onnxruntime:, a.h:83 log] [2024-03-28 20:07:04 WARNING] ",
        b":onnxruntime:",
        rb"%(time)b\[[%(letter)b]:onnxruntime:[^\]\n]{1,200}\] \[[-:\d ]{8,40}(%(word)b)\] ",
    ),
    # Polygraphy with `--log-format`
    (
        *(b"[X] (12:15:24) ", b"] ("),
        rb"\[([%(letter)b])\] \(\d\d:\d\d:\d\d\) (?:\[[^]\n]{1,100}\.py:\d+\] )?",
    ),
    (b"[X] [trt/logger.py:12] ", b".py:", rb"\[([%(letter)b])\] \[[^]\n]{1,100}\.py:\d+\] "),
    # Whatever a program calls its logger, but no part of a message, which bears brackets before.
    (
        *(b"My Logger: Severity.VERBOSE ", OWN_LOGGER),
        rb"(?!Name: )[^][()<\n]{0,100}?\bSeverity\.(%(word)b):? ",
    ),
    (b"[TRT]    ", b"[TRT]   ", rb"\[TRT\] {3,4}"),  # jetson-inference writes no severity
)
OTHER_LOGGERS: Final = tuple((words, mark, form % _PIECES) for words, mark, form in _LOGGERS)
# What a logger writes of its own before a message, piece by piece.
OWN_WORDS: Final = (
    rb"%(clock)b ?|\[[%(letter)b]\] ?|\[TRT\](?: |: )?|\[TensorRT\] ?|\b(?:%(word)b): ?"
    rb"|\bSeverity\.[A-Z_]{1,20} ?|&&&& |\[Torch-TensorRT[^\]\n]{0,100}\](?: - )?"
    rb"|\[[%(letter)b]:onnxruntime:[^\]\n]{0,200}\] ?|\b[IWEF] tensorflow/[^\]\n]{1,200}\] ?"
) % _PIECES
# The same, and how lines begin that bear no logger's words: another host's may stand before them.
OWN: Final = lazy(
    OWN_WORDS + rb"|Engine Layer Information:|Layers:|Layer\(\w{1,80}\): |Name: |=== "
)
# The usual words alone, at the start of a line.
_PREFIX: Final = rb"(?:.*?%(clock)b )?(?:\[TRT\] +)?(?:\[[%(letter)b]\] )?(?:\[TRT\] +)?" % _PIECES
PREFIX: Final = lazy(_PREFIX.decode())
PREFIXED: Final = lazy(rb"(?=.)" + _PREFIX + rb"(?<=\] )|&&&& ")
# Up to TensorRT 8.0 a parser's message begins with the line of its source.
# e.g. (7) ModelImporter.cpp:202: Adding network input: x with dtype: float32, dimensions: (1, 4)
_SOURCE: Final = lazy(rb"\w{1,80}\.\w{1,8}:\d{1,6}: \Z")
_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")
_ZEROS: Final = re.compile(rb"0+")


def before_message(words: bytes) -> bytes | None:
    """The shape of what stands before a message on its line; None where that is no host's."""
    return None if len(words) > LONGEST else shape_of_prefix(_SOURCE.sub(b"", words))


def shape_of_prefix(words: bytes) -> bytes:
    """`[11/21/2026-02:40:00] [TRT] [V] ` -> `[0/0/0-0:0:0] [TRT] [V] `."""
    return _shape(words[-LONGEST:].translate(_DIGITS))


@lru_cache(maxsize=1 << 10)
def _shape(words: bytes) -> bytes:
    return _ZEROS.sub(b"0", COLOR.sub(b"", words))


def without_host(line: bytes, host: bytes) -> bytes:
    """The line without the host's words, whatever the digits (the time) in them."""
    words = line[: len(host)]
    return line[len(host) :] if words.translate(_DIGITS) == host.translate(_DIGITS) else line


def is_inside(shape: bytes | None, host: bytes) -> bool:
    """Whether words stand inside of a message: after the host's own words and others."""
    return shape is None or (shape != host and shape.startswith(host))


def is_own(shape: bytes | None, host: bytes) -> bool:
    """Whether words begin a message. A stream that two threads share may tear what is before."""
    return shape is not None and shape.endswith(host) and not is_inside(shape, host)


# ---- the colours of a terminal that a logger put around its lines -------------------------------

_ESCAPE: Final = b"\x1b"
_ENDING: Final = 64  # bytes of a line's end
_PAINTED_END: Final = lazy(rb"\x1b\[[0-9;]{0,32}[mK][ \t\r]*\Z")
_PAINTED: Final = lazy(rb"(?:" + OWN_WORDS + rb"|\x1b\[[0-9;]{0,32}[mK])*")


def is_colored(head: bytes) -> bool:
    """Whether its logger colours the lines, or a terminal ends them: a name may hold a colour."""
    if _ESCAPE not in head:
        return False
    painted: list[bool] = []
    lines = [line for line in head.split(b"\n") if line.strip()]
    if 2 * sum(_PAINTED_END.search(line[-_ENDING:]) is not None for line in lines) > len(lines):
        return True
    for line in lines:
        if _ESCAPE in line and (own := OWN.search(line, 0, LONGEST)):
            words = _PAINTED.match(line, own.start())
            painted.append(words is not None and _ESCAPE in line[: words.end()])
    return any(painted) and 2 * sum(painted) >= len(painted)
