"""Lists what hosts and terminals write around TensorRT's messages.

The shape of such words is the same before every message of a host, whatever the time.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from engine_layer_visualize.core.numbers import lazy

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
}
LETTERS: Final = {word: letter for letter, words in SEVERITIES.items() for word in words}
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
BUILDER: Final = lazy(rb"\[V\]|\[TRT\]|%b|Torch-TensorRT" % b"|".join(SEVERITIES[b"V"]))

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


class Host(NamedTuple):
    """`example`: what it writes before a message.

    A host that writes other words than `[V] [TRT] ` has a `mark`, by which it is found, and a
    pattern of its `words`, whose group is the severity; messages are then read as if the usual
    words stood there.
    """

    name: str
    example: bytes
    mark: bytes = b""
    words: bytes = b""


def _other(name: str, mark: bytes, words: bytes, example: bytes) -> Host:
    return Host(name, example, mark, words % _PIECES)


HOSTS: Final = (
    Host("trtexec", b"[03/24/2023-12:57:38] [V] [TRT] "),
    Host("trtexec, up to 7", b"[12:15:24] [V] [TRT] "),
    Host("Python, from 8", b"[07/07/2026-06:12:18] [TRT] [V] "),
    Host("Polygraphy", b"[V] "),
    _other(
        *("Python, up to 7", b"[TensorRT] ", rb"\[TensorRT\] (%(word)b): "),
        b"[TensorRT] VERBOSE: ",
    ),
    _other(
        *("Torch-TensorRT", b"[Torch-TensorRT "),
        rb"(%(word)b): \[Torch-TensorRT [^\]\n]{1,100}\] - ",
        b"DEBUG: [Torch-TensorRT TorchScript Conversion Context] - ",
    ),
    _other(
        *("Torch-TensorRT, Python", b"[TensorRT Conv"),
        rb"(%(word)b):torch_tensorrt \[TensorRT Conv[^\]\n]{1,100}\]: ?",
        b"INFO:torch_tensorrt [TensorRT Conversion Context]:",
    ),
    _other("DeepStream", b": [TRT]: ", rb"(%(word)b): \[TRT\]: ", b"INFO: [TRT]: "),
    _other(
        *("TF-TRT", b"DefaultLogger "),
        rb"%(time)b([IWEF]) tensorflow/[^\]\n]{1,200}\] (?:TF-TRT \w{1,20}: )?DefaultLogger ",
        b"2024-02-21 08:41:15.713781: W tensorflow/trt.cc:83] TF-TRT Warning: DefaultLogger ",
    ),
    _other(
        *("ONNX Runtime", b":onnxruntime:"),
        rb"%(time)b\[[%(letter)b]:onnxruntime:[^\]\n]{1,200}\] \[[-:\d ]{8,40}(%(word)b)\] ",
        b"2024-03-28 13:07:04.72 [W:onnxruntime:, a.h:83 log] [2024-03-28 20:07:04 WARNING] ",
    ),
    # Whatever a program calls its logger, but no part of a message, which bears brackets before.
    _other(
        *("a logger of one's own", OWN_LOGGER),
        rb"(?!Name: )[^][()<\n]{0,100}?\bSeverity\.(%(word)b):? ",
        b"My Logger: Severity.VERBOSE ",
    ),
    _other("jetson-inference", b"[TRT]   ", rb"\[TRT\] {3,4}", b"[TRT]    "),
)
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


_OWN_LEAD: Final = lazy(rf"(?m)^(?:{OWN_WORDS.decode()})+")
_FEW: Final = 64


def without_logger(text: str) -> str:
    """The lines without their loggers' words, where nearly all of the first bear them."""
    lines = [line for line in text[: 1 << 14].split("\n")[:_FEW] if line.strip()]
    led = sum(_OWN_LEAD.match(line) is not None for line in lines)
    return _OWN_LEAD.sub("", text) if lines and led * 8 >= len(lines) * 7 else text


def before_message(data: bytes, place: int) -> bytes | None:
    """The shape of what stands before `place` on its line; None where that is no host's."""
    start = max(0, place - LONGEST)
    line = data.rfind(b"\n", start, place) + 1
    return None if start and not line else shape_of_prefix(_SOURCE.sub(b"", data[line:place]))


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


# ---- the colours of a terminal that a logger put around its lines, and no others -----------------

_ESCAPE: Final = b"\x1b"
_COLOR: Final = rb"\x1b\[[0-9;]{0,32}[mK]"
_COLORS: Final = lazy(rb"(?:" + _COLOR + rb")+")
_COLORS_AT_END: Final = lazy(rb"(?:" + _COLOR + rb")+[ \t\r]*\Z")
# What a line holds between its colours is not empty here, or a run of colours could be split in
# every way; a line of colours alone has no such part.
_PAINTED_LINE: Final = lazy(rb"\n(?:%b)+(?:([^\x1b\n]+)(?:%b)+)?(?=\n|\Z)" % (_COLOR, _COLOR))
_PAINTED_WORDS: Final = lazy(
    rb"\n(?:%b)+((?:%b)+)(?:%b)+([^\x1b\n]*)(?=\n|\Z)" % (_COLOR, OWN_WORDS, _COLOR)
)
_OFF: Final = lazy(rb"\x1b\[0?m")
_WORDS: Final = lazy(rb"(?:" + OWN_WORDS + rb"|" + _COLOR + rb")*")


def _message(line: bytes, begin: int) -> int:
    """Where the message begins, behind its logger's words, which begin at `begin`.

    A colour right behind them is theirs if one stands before, or if the line ends in one.
    """
    words = _WORDS.match(line, begin)
    end = begin if words is None else words.end()
    last = _at_end(line[:end])
    if last is None or _ESCAPE in line[: last.start()] or _at_end(line):
        return end
    return last.start()


def is_colored(head: bytes) -> bool:
    """Whether its logger colours the lines: a name may hold a colour as well."""
    if _ESCAPE not in head:
        return False
    painted = plain = 0
    for line in head.split(b"\n"):
        if _ESCAPE in line and (words := OWN.search(line, 0, LONGEST)):
            is_painted = _ESCAPE in line[: _message(line, words.start())]
            painted, plain = painted + is_painted, plain + (not is_painted)
    return painted > 0 and painted >= plain


def uncolored(data: bytes) -> bytes:
    """The lines without their colours; nearly all are of the two forms that a pattern finds."""
    if _ESCAPE not in data:
        return data
    data = _PAINTED_WORDS.sub(rb"\n\1\2", _PAINTED_LINE.sub(rb"\n\1", b"\n" + data))[1:]
    if _ESCAPE not in data:
        return data
    lines = data.split(b"\n")
    return b"\n".join([_colorless(line) if _ESCAPE in line else line for line in lines])


def _colorless(line: bytes) -> bytes:
    """Takes away the colours around a line, and around what its logger wrote before the message."""
    words = OWN.search(line, 0, LONGEST)
    if words is not None:
        begin = _message(line, words.start())
        if _ESCAPE in line[:begin]:
            line = _COLORS.sub(b"", line[:begin]) + line[begin:]
        elif begin > words.start():  # what follows is a message's, or a name's
            return line
        return unended(line)
    start, ended = _COLORS.match(line), unended(line)
    if start is None:
        return ended
    if ended is line:  # its start alone is painted
        return _OFF.sub(b"", line[start.end() : LONGEST], count=1) + line[LONGEST:]
    return ended[start.end() :]


def unended(line: bytes) -> bytes:
    """Takes away the colours at the end."""
    end = _at_end(line)
    return line if end is None else line[: end.start()]


def _at_end(line: bytes) -> re.Match[bytes] | None:
    """The colours at the end; None where there are none."""
    return _COLORS_AT_END.search(line, max(0, len(line) - LONGEST))
