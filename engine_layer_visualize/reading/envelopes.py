"""Takes messages out of what carries them: JSON lines, quotes, pieces, notebooks, broken lines.

The head of a log decides what carries its lines. A line that is no such envelope stays as it is.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Final, TypeAlias

from engine_layer_visualize.core.limits import lazy, nearly_all
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.json_stream import PLAIN, UNREADABLE
from engine_layer_visualize.io.source import MAX_LINE, Span, line_end, line_start
from engine_layer_visualize.reading.hosts import LONGEST, OWN

Step: TypeAlias = Callable[[Iterator[Span]], Iterator[Span]]
#: What of a line is read before its rest; None: nothing is.
Held: TypeAlias = "bytes | bytearray | None"
#: Of what is held and the next line: the line that is whole, if one is, and what is held then.
Take: TypeAlias = "Callable[[Held, bytes], tuple[bytes | None, Held]]"

#: Of the rows of trtexec's `--exportProfile`, which are no messages.
ROW_KEYS: Final = (b'"averageMs"', b'"timeMs"')
_MESSAGE: Final = ("message", "msg", "event", "log", "MESSAGE")  # where loggers have theirs
_LAYERS: Final = b'"Layers"'  # of an inspector's JSON, whose attributes may be objects
_LOOKED_AT: Final = 64  # lines
_DEEPEST: Final = 4  # objects around a message
# As: conv1: 0.5ms
TIME: Final = lazy(rb"[:=] *[0-9.]{1,24} ?ms\s*\Z")
_KEY: Final = lazy(rb'"(?:Layers|Name|name|averageMs)"\s*:')
_TELLING: Final = (OWN, TIME, _KEY)
_QUOTE: Final = lazy(rb"\n\s*b?[\"'](?=.)")
_IN_QUOTES: Final = lazy(rb"\s*b?([\"']).*\1\s*")
# What Kubernetes writes before a line: whether it is full, or goes on.
# As: 2024-05-01T10:00:00.123456789Z stdout F [V] [TRT] Original: 25 layers
_CRI: Final = lazy(rb"\d{4}-\d\d-\d\dT[-+:.\dZ]{8,30} std(?:out|err) ([FP])(?::\w{1,20})? ?")
# What GitLab writes before a line, or before the rest of the line above.
# As: 2024-05-01T10:00:00.123456Z 01O+, Tactic: 0x0000000000000000, x[Float(1,3)] -> y[Float(1,3)]
_GITLAB: Final = lazy(rb"\d{4}-\d\d-\d\dT[:.\d]{8,20}Z (\d\d[OE])([ +])")


def taken(spans: Iterator[Span], take: Take) -> Iterator[Span]:
    """The lines that others carry, each in the line that it begins in; its rests are empty."""
    held: Held = None
    at, number, first, ends = 0, 0, b"", b"\n"  # `first`: the line of the file that `at` numbers
    for span in spans:
        begin, run = span.line, list[tuple[bytes, bytes]]()  # lines in a row, as they are and were
        lines = span.data.split(b"\n")
        wrapped = span.wrapped.split(b"\n") if span.wrapped else lines
        number, ends = span.line - 1, b"" if lines[-1] else b"\n"
        for number, line in enumerate(lines if lines[-1] else lines[:-1], span.line):
            done, left = take(held, line)
            if held is None:
                at, first = number, wrapped[number - span.line]
            for text in () if done is None else done.split(b"\n"):
                if at < begin + len(run):  # several of one line
                    yield from _several(begin, run, b"\n")
                    begin, run = at, []
                run += [(b"", b"")] * (at - begin - len(run))
                run.append((text, first))
            if left is not None and done is not None:
                at, first = number, wrapped[number - span.line]
            held = left
        # Up to a line that is held, which the next span's may go on with.
        run += [(b"", b"")] * ((number + 1 if held is None else at) - begin - len(run))
        yield from _several(begin, run, ends if held is None else b"\n")
    if held is not None:
        rests = [(b"", b"")] * (number - at)
        yield from _several(at, [(bytes(held), first), *rests], ends)


def _several(line: int, run: list[tuple[bytes, bytes]], ends: bytes) -> Iterator[Span]:
    if run:
        data = b"\n".join([text for text, _ in run]) + ends
        yield Span(line, data, 0, len(data), None, b"\n".join([whole for _, whole in run]))


def _carried(bare: Callable[[bytes], tuple[bytes, bool]]) -> Step:
    """`bare`: what a line carries, and whether it is whole: else it goes on in the next line."""

    def take(held: Held, line: bytes) -> tuple[bytes | None, Held]:
        text, whole = bare(line)
        if held is None:
            return (text, None) if whole else (None, bytearray(text))
        held += text
        return (bytes(held), None) if whole or len(held) >= MAX_LINE else (None, held)

    return partial(taken, take=take)


# ---- JSON lines ----------------------------------------------------------------------------------


def json_lines(head: bytes) -> Step | None:
    """A log of objects, of which one text is the message; None of other texts."""
    most = _LOOKED_AT * 4
    lines = [line for line in head.split(b"\n", most)[:most] if line.strip()][:_LOOKED_AT]
    if not any(b"{" in line for line in lines) or any(key in head for key in (*ROW_KEYS, _LAYERS)):
        return None
    found = [value for line in lines if (value := _object(line)) is not None]
    if len(found) * 2 <= len(lines):
        return None
    texts = [dict(_texts(value)) for value in found]
    telling = Counter(path for known in texts for path, text in known.items() if _tells(text))
    if is_guess := not telling and ("build_id",) not in texts[0]:  # the first are a program's
        paths = {path for known in texts for path in known if path[-1] in _MESSAGE}
        telling.update(paths if len(paths) == 1 else ())
    if not telling:
        return None
    best = telling.most_common(1)[0][0]
    said = [known[best] for known in texts if best in known]
    # Docker cuts long lines: the last piece alone has the line's end.
    ended = sum(text.endswith(b"\n") for text in said) * 2 > len(said)

    def take(line: bytes) -> tuple[bytes, bool]:
        value = _object(line)
        if is_guess and value is not None:
            texts = {path: text for path, text in _texts(value) if path == best or _tells(text)}
            if texts:  # another key may have TensorRT's message
                return max(texts.values(), key=len).removesuffix(b"\n"), True
        for key in best:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, list):  # as journald has texts that no terminal prints
            numbers = [number % 256 for number in value if isinstance(number, int)]
            return bytes(numbers) if len(numbers) == len(value) else line, True
        if not isinstance(value, str):
            return line, True
        text = _bytes(value)
        return text.removesuffix(b"\n"), not ended or text.endswith(b"\n")

    return _carried(take)


def _object(line: bytes) -> JsonValue:
    """The object on a line, whatever stands around it; None where there is none."""
    begin = line.find(b"{")
    if begin < 0:
        return None
    try:  # what begins so is an object
        value: JsonValue = PLAIN.raw_decode(line[begin:].decode("utf-8", "replace"))[0]
    except UNREADABLE:
        return None
    return value


def _texts(value: JsonValue, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """The texts in an object, each with its keys from the outermost on."""
    if isinstance(value, str):
        yield path, _bytes(value)
    elif isinstance(value, dict) and len(path) < _DEEPEST:
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))


def _tells(text: bytes) -> bool:
    return any(sign.search(text) for sign in _TELLING)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# ---- quotes --------------------------------------------------------------------------------------


def quoted(host: re.Pattern[bytes]) -> Step:
    """Messages in quotes behind a host's words, which end in the quote that begins a message."""

    def take(line: bytes) -> tuple[bytes, bool]:
        words = host.match(b"\n" + line)
        if words is None:
            return line, True
        quote = words[0].rstrip()[-1:]
        rest = line[words.end() - 1 :].rstrip()
        if not rest.endswith(quote):
            end = re.search(rb"(?<!\\)(?:\\\\)*%b" % quote, rest)
            rest = rest[: end.end()] if end is not None else rest + quote
        return unescaped(rest[:-1]), True

    return _carried(take)


def quotes(head: bytes) -> Step | None:
    """Messages in quotes alone; None of other texts."""
    lines = [line for line in head.split(b"\n")[: 4 * _LOOKED_AT] if line.strip()]
    inside = sum(_IN_QUOTES.fullmatch(line) is not None for line in lines)
    return quoted(_QUOTE) if lines and nearly_all(inside, len(lines)) else None


def unescaped(text: bytes) -> bytes:
    """A string of JSON without its escapes; as it is where these are wrong."""
    if b"\\" not in text:
        return text
    try:
        return _bytes(str(json.loads(b'"%b"' % text, strict=False)))
    except ValueError:  # a broken escape, a quote without one, or bytes that are no text
        return text


def pieces(head: bytes) -> Step | None:
    """The lines of Kubernetes or GitLab, which cut long ones; None of other texts."""
    lines = head.split(b"\n", _LOOKED_AT)[:_LOOKED_AT]

    def take(line: bytes) -> tuple[bytes, bool]:
        words, line = _CRI.match(line), line.removesuffix(b"\r")
        return (line, True) if words is None else (line[words.end() :], words[1] == b"F")

    stream = b""  # of the line before

    def follow(held: Held, line: bytes) -> tuple[bytes | None, Held]:
        nonlocal stream
        words, line = _GITLAB.match(line), line.removesuffix(b"\r")
        before, stream = stream, words[1] if words else b""
        rest = line[words.end() :] if words else line
        if held is None:
            return None, bytearray(rest)
        is_rest = words is not None and words[2] == b"+" and stream == before
        if is_rest and len(held) < MAX_LINE:
            return None, held + rest
        return bytes(held), bytearray(rest)

    for words, step in ((_CRI, _carried(take)), (_GITLAB, partial(taken, take=follow))):
        if sum(words.match(line) is not None for line in lines) * 2 > len(lines):
            return step
    return None


# ---- notebooks -----------------------------------------------------------------------------------

# What no cell printed becomes an empty line, so that each line keeps its number.

# e.g. (nbformat 4) { "cells": [
_BEGINS: Final = lazy(rb'\s{0,99}\{\s{0,99}"(?:cells|metadata|nbformat)"\s{0,9}:')
_CELL: Final = b'"cell_type"'
# How Jupyter writes what a cell printed: a line for each line.
# e.g. (nbformat 4) "text": [
_TEXT: Final = lazy(rb'\s{0,99}"text(?:/plain)?": ?\[?\s*')
# e.g. (nbformat 4) "[V] [TRT] Original: 25 layers\n",
_LINE: Final = lazy(rb'\s{0,99}"([^"\\]*(?:\\.[^"\\]*)*)",?\s*')


def is_notebook(head: bytes) -> bool:
    """Whether a file that begins so is a notebook."""
    return _BEGINS.match(head) is not None and _CELL in head


def printed_by_notebook(spans: Iterator[Span]) -> Iterator[Span]:
    """The lines that cells printed, in their places; none of a notebook on one line."""
    inside = False

    def take(_: Held, line: bytes) -> tuple[bytes, Held]:
        nonlocal inside
        match = _LINE.fullmatch(line) if inside else None
        if match is None and line.strip():
            inside = _TEXT.fullmatch(line) is not None
        printed = b"" if match is None else unescaped(match[1]).removesuffix(b"\n")
        return printed.replace(b"\n", b" "), None

    yield from taken(spans, take)


def without_lines(name: str) -> ReadError:
    """ELV402, of blank lines: a notebook's without outputs, or without a line for each of them."""
    message = (
        "no printed line can be read: the input is blank, or a notebook in which no printed line "
        "has a line of its own"
    )
    hint = "save a notebook with Jupyter, or give what the build printed as a text file"
    return ReadError(Problem(Place(name, 1), "ELV402", message), hint)


# ---- lines that a terminal or a page broke at its width ------------------------------------------

# A terminal cuts at one width; other programs break between words, or behind a bracket or hyphen.
_WIDTHS: Final = range(40, 400)
_FEWEST: Final = 3  # lines of the full width
_LONGEST_RECORD: Final = 1 << 17  # bytes of a record
# Where no line of TensorRT's own ends: inside of a descriptor, behind a tactic.
# As: Layer(NoOp): a, Tactic: 1, x[Half(-
_OPEN: Final = lazy(rb"(?:\w ?[\[(](?:\w+[\[(])?[-\d,:]*|, Tactic: [-\w]+,) *\Z")
_INSIDE: Final = lazy(rb"\w ?[\[(](?:\w+[\[(])?[-\d,:]*\Z")
_RECORD: Final = lazy(rb"Layer\(\w{1,80}\): |(?:\A|[\]:] )Name: ")
# The same in many lines, found fast as each begins with letters.
_KINDS: Final = (
    lazy(rb"Layer\(\w{1,80}\): "),
    lazy(rb"Name: (?:(?<=[\]:] Name: )|(?<![^\n]Name: ))"),
)
_SECTION: Final = (b"Bindings:", b"I/O Tensors:", b"Engine Metadata:", b"```", b"~~~")
_BEHIND_NAMES: Final = (b", LayerType: ", b", Location: ", b", Dimensions: ")
_ENDED: Final = (b")]", b"])", b"->")
_TIGHT: Final = (b"-", b"/", b"_", b"[", b"(", b".")


def rejoined(head: bytes) -> Step | None:
    """What joins the lines of a log that begins so; None where its lines are whole."""
    lines = head.split(b"\n")
    lengths = [*map(len, lines)]
    width = max(lengths)
    if width not in _WIDTHS:
        return None
    if lengths.count(width) >= _FEWEST and _is_cut(lines, width):
        return _joined(partial(_cut, width))
    begun = (line_start(head, one.start()) for kind in _KINDS for one in kind.finditer(head))
    records = [head[at : line_end(head, at)].removesuffix(b"\n") for at in dict.fromkeys(begun)]
    if 1 < sum(_OPEN.search(record) is not None for record in records) > len(records) / 2:
        return _joined(_worded)
    if all(map(_is_whole, records)):
        return None
    told = [pair for pair in _rests(lines) if not (_is_whole(pair[0]) or _is_in_name(pair[0]))]
    told = [
        pair for pair in told if not all(line[-1:].isdigit() for line in pair)
    ]  # no table's rows
    filled = sum(len(before) + len(line.split(None, 1)[0]) >= width for before, line in told)
    return _joined(_worded) if 1 < filled >= len(told) * 3 / 4 else None


def _is_cut(lines: list[bytes], width: int) -> bool:
    """Whether the lines that go on are those of the full width."""
    exact = [before for before, _ in _rests(lines, width)]
    if len(exact) < _FEWEST or sum(map(_begins, exact)) < 2:
        return False
    rests = [before for before, _ in _rests(lines) if _begins(before)]
    return sum(len(before) >= width - 1 for before in rests) * 4 >= len(rests) * 3


def _rests(lines: list[bytes], least: int = 1) -> list[tuple[bytes, bytes]]:
    """Lines of so many bytes at least, each with the line behind it that may be its rest."""
    return [
        (before, line)
        for before, line in pairwise(lines)
        if len(before) >= least and before.strip() and line.strip() and not _begins(line)
    ]


def _is_whole(record: bytes) -> bool:
    return b"Outputs: [" in record or record.rstrip().endswith(_ENDED)


def _is_in_name(record: bytes) -> bool:
    """Whether a detailed record ends in a name, which may hold a newline."""
    _, mark, rest = record.rpartition(b"Name: ")
    return bool(mark) and not any(key in rest for key in _BEHIND_NAMES)


def _begins(line: bytes, before: bytes = b"") -> bool:
    """Whether a line begins anew: behind a brace, a record goes on with a tensor's name."""
    if before.rstrip().endswith((b"{", b"Tactic")):
        return False
    return OWN.match(line.lstrip()) is not None or line.startswith(_SECTION)


def _cut(width: int, held: bytes, last: bytes, line: bytes) -> bytes | None:
    """The line behind what is held, of which `last` was the last one; None: it begins anew."""
    is_new = len(last) < width - 1 or not line.strip() or _begins(line, last)
    if is_new or len(held) > _LONGEST_RECORD:
        return None
    return held + (b"" if len(last) == width else b" ") + line


def _worded(held: bytes, last: bytes, line: bytes) -> bytes | None:
    """The same, where a record was broken between its words."""
    record = _RECORD.search(held)
    before, rest = held.rstrip(), line.strip()
    is_new = _begins(line) and not before.endswith(b"{")
    if record is None or not rest or is_new or len(held) > _LONGEST_RECORD:
        return None
    if record[0].startswith(b"Layer") and before.endswith(_ENDED):
        more = rest.endswith(_ENDED) if before.endswith(b"->") else rest.startswith((b"->", b","))
        if not more:
            return None
    is_arrow = before.endswith(b"-") and rest.startswith(b">")
    if is_arrow or _INSIDE.search(before, max(0, len(before) - LONGEST)):
        return before + rest
    has_blank = before != held or line != line.lstrip()
    tight = rest.startswith(b",") or (before.endswith(_TIGHT) and not has_blank)
    return before + (b"" if tight else b" ") + rest


def _joined(follows: Callable[[bytes, bytes, bytes], bytes | None]) -> Step:
    last = b""  # the line before

    def take(held: Held, line: bytes) -> tuple[bytes | None, Held]:
        nonlocal last
        whole = None if held is None else bytes(held)
        joined = None if whole is None else follows(whole, last, line)
        last = line
        return (whole, line) if joined is None else (None, joined)

    return partial(taken, take=take)
