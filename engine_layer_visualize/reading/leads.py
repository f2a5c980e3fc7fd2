"""Takes off what a program wrote around its messages, where they bear no logger's words.

Times and severities are a program's signs, whatever stands between them. Behind the last one, and
in lines without any, it is what nearly all lines have in common, up to a mark that ends it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from engine_layer_visualize.core.numbers import lazy, nearly_all
from engine_layer_visualize.reading.envelopes import TIME
from engine_layer_visualize.reading.hosts import COLOR, OWN_WORDS, shape_of_prefix

_LOOKED_AT: Final = 64  # lines
_LONGEST: Final = 200  # bytes in which signs are looked for
_SIGN: Final = lazy(
    rb"(?<![\d:.])\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[-+]\d\d:?\d\d)?(?![:\d])"
    rb"|\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|VERBOSE)\b|\blevel=\w{1,9}"
    rb"|(?<=Z )\d\d[OE](?=[ +])|\A[IWEF]\d{4}(?= )|\[ *\d{1,9}\.\d{3,9}\]"
    rb"|(?i:\[(?:debug|info|notice|warn|warning|error) *\])"
)
# What ends the words of a program behind its last sign, and without one.
_ENDS: Final = lazy(rb"\A[\] |:]+|[\]>:|] |\t|\| ?|\w:(?=[^ :0])|[=,](?=[\"'])|- ")
_ENDS_ALONE: Final = lazy(rb"\A[\w./-]+ *\| |\A\[pod/[\w./-]+\] |\t|\A(?:> ?)+|\A0: ?|\A[^\s:]+:0:")
_BLANKS: Final = re.compile(rb" +")
_LOGGER: Final = re.compile(rb"(?!\w+:\w)(?:" + OWN_WORDS + rb")")
# What a structured logger writes behind a message.
# As: [trt] build=7
_BEHIND: Final = lazy(
    rb"(?: +\[[\w.]{1,80}\])?(?: +\w{1,40}=(?:\"[^\"]{0,200}\"|[^\s\"]\S{0,199}))+\s*\Z"
)


def lead(head: bytes) -> Callable[[bytes], bytes] | None:
    """What takes the words off lines, and colours; None where nothing stands before them."""
    most = 4 * _LOOKED_AT
    begin = b"\n".join(head.split(b"\n", most)[:most])
    lines = [line for line in COLOR.sub(b"", begin).split(b"\n") if line.strip()][:_LOOKED_AT]
    if len(lines) < 2 or not _most(_LOGGER.match(line) is None for line in lines):
        return None
    ((signs, lines_of_it),) = Counter(len(_signs(line)) for line in lines).most_common(1)
    signs = signs if lines_of_it * 2 > len(lines) else 0
    told = [(line, _signs(line)[:signs]) for line in lines]
    rests = [_shape(line[ends[-1] if ends else 0 :]) for line, ends in told if len(ends) == signs]
    common = _common(rests, _ENDS if signs else _ENDS_ALONE)
    is_colored, is_more = COLOR.search(head) is not None, _most(map(_behind, lines))
    is_painted = is_colored and _most(map(COLOR.match, filter(None, begin.split(b"\n"))))
    if not (nearly_all(len(rests), len(lines)) and (signs or common or is_more or is_painted)):
        return None
    words = re.compile(_pattern(common))

    def bare(line: bytes) -> bytes:
        line = COLOR.sub(b"", line) if is_colored else line
        ends = _signs(line)[:signs]
        rest = words.match(line, ends[-1] if ends else 0) if len(ends) == signs else None
        if rest is None:
            return line
        line = line[rest.end() :]
        more = _behind(line) if is_more else None
        return line if more is None else line[: more.start()]

    return lambda data: b"\n".join(map(bare, data.split(b"\n")))


def _most(known: Iterable[object]) -> bool:
    """Whether nearly all are."""
    every = [bool(one) for one in known]
    return nearly_all(sum(every), len(every))


def _signs(line: bytes) -> list[int]:
    """Where the signs of a program end in a line."""
    return [match.end() for match in _SIGN.finditer(line[:_LONGEST])]


def _behind(line: bytes) -> re.Match[bytes] | None:
    """What a structured logger wrote behind a message."""
    return _BEHIND.search(line, max(0, len(line) - _LONGEST))


def _shape(words: bytes) -> bytes:
    """Whatever the numbers and the blanks: `  77 a.cc:49] ` -> ` 0 a.cc:0] `."""
    return _BLANKS.sub(b" ", shape_of_prefix(TIME.sub(b"", words)[:_LONGEST]))


def _common(rests: Sequence[bytes], ends: re.Pattern[bytes]) -> bytes:
    """The longest start up to a mark that nearly all have; empty where there is none."""
    some = sorted(rests)[len(rests) // 2] if rests else b""
    starts = (some[: match.end()] for match in reversed([*ends.finditer(some)]))
    return next((start for start in starts if _most(r.startswith(start) for r in rests)), b"")


def _pattern(shape: bytes) -> bytes:
    words = shape.rstrip(b" ")
    pattern = re.escape(words).replace(b"0", rb"\d+").replace(rb"\ ", b" +")
    return pattern + b" *" * (words != shape)


_OWN_LEAD: Final = lazy(rf"(?m)^(?:{OWN_WORDS.decode()})+")
_FEW: Final = 64


def without_logger(text: str) -> str:
    """The lines without their loggers' words, where nearly all of the first bear them."""
    lines = [line for line in text[: 1 << 14].split("\n")[:_FEW] if line.strip()]
    led = sum(_OWN_LEAD.match(line) is not None for line in lines)
    return _OWN_LEAD.sub("", text) if lines and nearly_all(led, len(lines)) else text
