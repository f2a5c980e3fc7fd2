"""Removes what other programs put around a log's lines: CR, prefixes, colours, envelopes.

What is left are the lines as TensorRT's own loggers print them.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final

from engine_layer_visualize.core.limits import lazy, nearly_all
from engine_layer_visualize.io.source import JSON, Span, begun, decode, line_end, line_start
from engine_layer_visualize.reading import envelopes, hosts

_HEAD: Final = 1 << 20  # bytes by which it is decided how a log is wrapped
_MOST_WRAPPINGS: Final = 8  # around one another
_SHOWN: Final = 24  # bytes by which the start of a message is found in its line
_DAY: Final = rb"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?= +0)"
_MARKS: Final = (*hosts.LOGGERS, b"[V]", b"[I]", b"VERBOSE", b"Layer", b"Name: ")
_LOOKED_AT: Final = 64  # lines by which it is decided what stands before all of them
_MOST_HOSTS: Final = 4  # `stdout F ` and `stderr F ` are two


@lru_cache(maxsize=2)
def _lines(data: bytes) -> list[bytes]:
    """Cached, as `margin` is called for many lines of one span."""
    return data.split(b"\n") if data else []


def margin(span: Span, line: int) -> int:
    """How many characters were taken off the start of a line; 0 for one of another span."""
    number, lines = line - span.line, _lines(span.wrapped)
    if not 0 <= number < len(lines):
        return 0
    wrapped, bare = lines[number].rstrip(), _lines(span.buffer)[number].rstrip()
    if (place := wrapped.find(bare[:_SHOWN])) >= 0:
        return len(decode(wrapped[:place]))
    place = wrapped.rfind(bare[-_SHOWN:])  # its first words are others, such as a logger's
    return max(0, len(decode(wrapped[:place])) - len(decode(bare[:-_SHOWN]))) if place >= 0 else 0


def unwrapped(spans: Iterator[Span]) -> Iterator[Span]:
    """The lines without what was put around them; the log's beginning decides what that is.

    One wrapping may hold another: each is looked for in what the one before it left. The spans of a
    wrapped log have no offset: the file holds other bytes.
    """
    for depth in range(_MOST_WRAPPINGS):
        head, spans = begun(spans, _HEAD)
        head = head[: head.rfind(b"\n") + 1] or head
        if not depth and envelopes.is_notebook(head):
            spans = envelopes.printed_by_notebook(spans)
        elif step := _step(head, depth):
            spans = step(spans)
        else:
            break
    del head  # it is large
    yield from spans


def _step(head: bytes, depth: int) -> envelopes.Step | None:
    """What takes the outermost wrapping away; None where there is none. `head`: whole lines."""
    if (step := envelopes.pieces(head)) is not None:
        return step
    step = envelopes.json_lines(head)
    if step is not None or JSON.match(head) is not None:  # its texts may hold all else
        return step
    if b"\r" in head and _is_crlf(head):
        return partial(_lines_by, lambda data: data.replace(b"\r\n", b"\n"))
    if hosts.is_colored(head):
        return partial(_lines_by, partial(hosts.COLOR.sub, b""))
    lines = [*filter(None, head.split(b"\n", _LOOKED_AT)[:_LOOKED_AT])]
    if len(lines) > 4 and _most(line[-1] in b" \t" for line in lines):
        return partial(_lines_by, _unpadded)
    logger = _logger(head)
    others = head  # before lines that begin with a logger's words there is no host's
    if logger is not None:
        others = b"\n".join(line for line in head.split(b"\n") if not logger.match(b"\n" + line))
    step = _without_host(others)
    if step is None and logger is None and _is_led(head):
        step = _without_lead(head)
    step = step or envelopes.rejoined(head)
    if step is None and logger is not None:
        return partial(_lines_by, partial(_usually, logger, *_most_often(logger, head)))
    if step is None and depth:
        step = envelopes.quotes(head)
    return step or _without_lead(head)


def _is_crlf(head: bytes) -> bool:
    """Whether lines end in CR LF. Those with a logger's words decide: a name may hold a CR."""
    word = re.compile(hosts.OWN_WORDS)
    lines = head.split(b"\n")[:-1]
    lines = [line for line in lines if word.search(line, 0, hosts.LONGEST)] or lines
    return sum(line.endswith(b"\r") for line in lines) * 2 > len(lines)


def _lines_by(bare: Callable[[bytes], bytes], spans: Iterator[Span]) -> Iterator[Span]:
    """The spans as they were printed, each of as many lines."""
    for span in spans:
        data = bare(span.data)
        yield Span(span.line, data, 0, len(data), None, span.wrapped or span.data)


def _unpadded(data: bytes) -> bytes:
    """The lines without the blanks behind them, which consoles copy."""
    return b"\n".join(line.rstrip(b" \t") for line in data.split(b"\n"))


def _bare(words: re.Pattern[bytes], data: bytes) -> bytes:
    """The lines without words, which match behind a newline: all are searched at once."""
    return words.sub(b"\n", b"\n" + data)[1:]


# ---- what stands before every line -------------------------------------------------------------


def _without_host(head: bytes) -> envelopes.Step | None:
    """What takes away another host's words than the logger's; None where none stand there."""
    if not any(mark in head for mark in _MARKS):  # a hundred times as fast as the pattern
        return None
    shapes: list[bytes] = []
    for words in sorted((words for words, _ in _before(head).most_common()[:_MOST_HOSTS]), key=len):
        if not any(words.startswith(other) for other in shapes):  # else: and words of a message
            shapes.append(words)
    lines = sum(map(bool, head.split(b"\n"))) if shapes else 0
    while shapes:
        host = re.compile(rb"\n(?:" + rb"|".join(map(_pattern, shapes)) + rb")")
        if nearly_all(sum(1 for _ in host.finditer(b"\n" + head)), lines):
            is_quoted = all(words.endswith((b'"', b"'")) for words in shapes)
            return envelopes.quoted(host) if is_quoted else partial(_lines_by, partial(_bare, host))
        # Their last word may be a logger's own, which stands before messages alone.
        shapes = [cut for words in shapes[:1] if (cut := _shorter(words))]
    return None


def _before(head: bytes) -> Counter[bytes]:
    """How often each shape of words stands before a logger's own, but for blanks alone."""
    shapes: Counter[bytes] = Counter()
    begin = looked = 0
    while looked < _LOOKED_AT and (match := hosts.OWN.search(head, begin)):
        start, begin = line_start(head, match.start()), line_end(head, match.start())
        if match.start() - start < hosts.LONGEST:
            words = head[start : match.start()]
            # Brackets that are not closed are a logger's, of a line that two threads tore. Blanks
            # alone may be the start of what follows a newline in a name.
            # The words of a listing tell nothing of lines of other severities.
            is_lead = (
                _LOGGER.match(match[0]) is None and _levels(words) and words[-1:] not in b"'\""
            )
            if words.strip() and words.count(b"[") <= words.count(b"]") and not is_lead:
                shapes[hosts.shape_of_prefix(words)] += 1
            looked += 1
    return shapes


def _shorter(words: bytes) -> bytes:
    """Takes away the last word: `build | My Logger: ` -> `build | My `; empty for one word."""
    rest = words.rstrip(b" ").rpartition(b" ")[0].rstrip(b" ")
    return rest + b" " if b" " in words.strip() else b""


def _logger(head: bytes) -> re.Pattern[bytes] | None:
    """Matches the words of those loggers that write most of the lines with their mark."""
    loggers = []
    for _, mark, words in hosts.OTHER_LOGGERS:
        # Its words are sought first: others may have its mark in each of their lines.
        own = len(re.findall(rb"\n(?:%b)" % words, b"\n" + head)) if mark in head else 0
        if own and own * 2 >= sum(mark in line for line in head.split(b"\n")):
            loggers.append(words)
    return re.compile(rb"\n(?:" + rb"|".join(loggers) + rb")") if loggers else None


def _most_often(logger: re.Pattern[bytes], head: bytes) -> tuple[bytes, bytes]:
    """The words that a logger writes before most lines, and the usual ones; empty: they vary."""
    words = Counter(match[0] for match in logger.finditer(b"\n" + head) if match.lastindex)
    often, times = words.most_common(1)[0] if words else (b"", 0)
    return (often, logger.sub(_usual, often)) if times * 2 > words.total() else (b"", b"")


def _usually(logger: re.Pattern[bytes], often: bytes, usual: bytes, data: bytes) -> bytes:
    """The lines with the usual words. Those that stand before most lines are replaced at once."""
    data = b"\n" + data
    return logger.sub(_usual, data.replace(often, usual) if often else data)[1:]


def _usual(match: re.Match[bytes]) -> bytes:
    """`[TensorRT] VERBOSE: ` -> `[V] [TRT] `."""
    level = next((group for group in match.groups() if group is not None), None)
    if level is None:  # jetson-inference writes none
        return b"\n" + hosts.TRT + b" "
    return b"\n[" + hosts.LETTERS.get(level, level) + b"] " + hosts.TRT + b" "


def _pattern(shape: bytes) -> bytes:
    """Matches words of a shape such as `Mar 0 0:0:0 host trtexec[0]: `.

    An empty line may lack the blanks at its end.
    """
    words = shape.rstrip(b" ")
    parts = [re.escape(part) for part in re.sub(_DAY, b"\0", words).split(b" ") if part]
    body = rb" +".join(parts).replace(b"0", rb"\d+").replace(b"\0", rb"[A-Z][a-z][a-z]")
    body = rb" *" + body if shape.startswith(b" ") else body
    return body + rb"(?:" + rb" " * (len(shape) - len(words)) + rb"|[ \t\r]*(?=\n|\Z))"


# ---- what a program wrote around messages that bear no logger's words ----------------------------

# Times and severities are a program's signs, whatever stands between them. Behind the last one, and
# in lines without any, it is what nearly all lines have in common, up to a mark that ends it.

_LONGEST: Final = 200  # bytes in which signs are looked for
_SIGN: Final = lazy(
    rb"(?<![\d:.])\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[-+]\d\d:?\d\d)?(?![:\d])"
    rb"|\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|VERBOSE)\b|\blevel=\w{1,9}"
    rb"|(?<=Z )\d\d[OE](?=[ +])|\A[IWEF]\d{4}(?= )|\[ *\d{1,9}\.\d{3,9}\]"
    rb"|(?i:\[(?:debug|info|notice|warn|warning|error) *\])"
)
_BEFORE_LEVEL: Final = re.compile(rb"\A(?:\[ *|level=)")
# What ends the words of a program behind its last sign, and without one.
_ENDS: Final = lazy(rb"\A[\] |:]+|[\]>:|] |\t|\| ?|\w:(?=[^ :0])|[=,](?=[\"'])|- ")
_ENDS_ALONE: Final = lazy(rb"\A[\w./-]+ *\| |\A\[pod/[\w./-]+\] |\t|\A(?:> ?)+|\A0: ?|\A[^\s:]+:0:")
_BLANKS: Final = re.compile(rb" +")
_RECORD: Final = lazy(rb"Layer\(\w{1,80}\): |Name: ")
_LOGGER: Final = re.compile(rb"(?!\w+:\w)(?:" + hosts.OWN_WORDS + rb")")
# What a structured logger writes behind a message.
# As: [trt] build=7
_BEHIND: Final = lazy(
    rb"(?: +\[[\w.]{1,80}\])?(?: +\w{1,40}=(?:\"[^\"]{0,200}\"|[^\s\"]\S{0,199}))+\s*\Z"
)


def _is_led(head: bytes) -> bool:
    """Whether a program wrote severities of its own before lines, also of a listing."""
    lines = [line for line in head.split(b"\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip()]
    return len(lines) > 1 and _most(map(_levels, lines))


def _without_lead(head: bytes) -> envelopes.Step | None:
    """What takes the words off lines, and colours; None where nothing stands before them."""
    most = 4 * _LOOKED_AT
    begin = b"\n".join(head.split(b"\n", most)[:most])
    every = hosts.COLOR.sub(b"", begin).split(b"\n")
    # A listing is one message of many lines.
    lines = [line for line in every if line.strip() and not _RECORD.match(line)][:_LOOKED_AT]
    if len(lines) < 2 or not _most(_LOGGER.match(line) is None for line in lines):
        return None
    signs, lines_of_it = Counter(len(_signs(line)) for line in lines).most_common()[0]
    signs = signs if lines_of_it * 2 > len(lines) else 0
    told = [(line, _signs(line)[:signs]) for line in lines]
    rests = [line[ends[-1] if ends else 0 :] for line, ends in told if len(ends) == signs]
    rests = [
        _shape(rest[: own.start()] if (own := hosts.OWN.search(rest)) else rest) for rest in rests
    ]
    common = _common(rests, _ENDS if signs else _ENDS_ALONE)
    is_colored, is_more = hosts.COLOR.search(head) is not None, _most(map(_behind, lines))
    is_painted = is_colored and _most(map(hosts.COLOR.match, filter(None, begin.split(b"\n"))))
    # A time and a severity before most lines are no message's.
    led = [line for line, ends in told if len(ends) == signs > 1 and _levels(line[: ends[-1]])]
    enough = nearly_all(len(rests), len(lines)) or len(led) * 2 > len(lines)
    # One that warns with every line tells nothing by it.
    are_levels = 2 * sum(bool(_level(line[: ends[-1]])) for line, ends in told if ends) < len(told)
    if not (enough and (signs or common or is_more or is_painted)):
        return None
    words = re.compile(_lead_pattern(common))

    def bare(line: bytes) -> bytes:
        line = hosts.COLOR.sub(b"", line) if is_colored else line
        ends = _signs(line)[:signs]
        rest = words.match(line, ends[-1] if ends else 0) if len(ends) == signs else None
        if rest is None:
            return line
        line = (_level(line[: rest.start()]) if are_levels else b"") + line[rest.end() :]
        more = _behind(line) if is_more else None
        return line if more is None else line[: more.start()]

    return partial(_lines_by, lambda data: b"\n".join(map(bare, data.split(b"\n"))))


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


def _level(signs: bytes) -> bytes:
    """`[W] ` of a program's words with its own `WARNING`; nothing of a lower severity."""
    return next((hosts.MARKS[one][0] for one in _levels(signs) if one in (b"W", b"E", b"F")), b"")


def _levels(words: bytes) -> list[bytes]:
    """The first letters of a program's own severities."""
    signs = (_BEFORE_LEVEL.sub(b"", sign[0])[:1] for sign in _SIGN.finditer(words[:_LONGEST]))
    return [sign.upper() for sign in signs if sign.isalpha()]


def _shape(words: bytes) -> bytes:
    """Whatever the numbers and the blanks: `  77 a.cc:49] ` -> ` 0 a.cc:0] `."""
    return _BLANKS.sub(b" ", hosts.shape_of_prefix(envelopes.TIME.sub(b"", words)[:_LONGEST]))


def _common(rests: Sequence[bytes], ends: re.Pattern[bytes]) -> bytes:
    """The longest start up to a mark that nearly all have; empty where there is none."""
    starts = sorted({r[: m.end()] for r in rests for m in ends.finditer(r)}, key=len, reverse=True)
    return next((start for start in starts if _most(r.startswith(start) for r in rests)), b"")


def _lead_pattern(shape: bytes) -> bytes:
    words = shape.rstrip(b" ")
    return re.escape(words).replace(b"0", rb"\d+").replace(rb"\ ", b" +") + b" *" * (words != shape)


_OWN_LEAD: Final = lazy(rf"(?m)^(?:{hosts.OWN_WORDS.decode()})+")


def without_logger(text: str) -> str:
    """The lines without their loggers' words, where nearly all of the first bear them."""
    lines = [line for line in text[: 1 << 14].split("\n")[:_LOOKED_AT] if line.strip()]
    led = sum(_OWN_LEAD.match(line) is not None for line in lines)
    return _OWN_LEAD.sub("", text) if lines and nearly_all(led, len(lines)) else text
