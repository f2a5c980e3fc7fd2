"""Changes of a log's bytes that leave what it says: hosts, colours, line ends, packing.

TRANSFORMS change bytes, or give None where they do not apply; `told` is all that the program says
of a log, without places.
"""

import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from operator import eq
from pathlib import Path
from typing import Any, Final

from summarised import data_of

from engine_layer_visualize.api import draw, read
from engine_layer_visualize.core.problems import ReadError

Transform = Callable[[bytes], "bytes | None"]

# ---- the log's own prefix ----------------------------------------------------------------------

_TIME = rb"\[(?:\d\d/\d\d/\d{4}-)?\d\d:\d\d:\d\d\] "
# Each with the severity's letter or word; the hosts that a log may come from.
_OWN: Final = tuple(
    re.compile(rb"(?m)^" + pattern)
    for pattern in (
        rb"(?P<time>" + _TIME + rb")\[(?P<severity>[VIWEF])\] (?P<trt>\[TRT\] )?",
        rb"(?P<time>" + _TIME + rb")(?P<trt>\[TRT\] )\[(?P<severity>[VIWEF])\] ",
        rb"\[(?P<severity>[VIWEF])\] (?P<trt>\[TRT\] )?",
        rb"(?P<trt>\[TensorRT\] )(?P<severity>VERBOSE|INFO|WARNING|ERROR): ",
    )
)
# A prefix, or what looks like a part of one; a log that holds others than its own is not uniform.
_ANY: Final = re.compile(
    rb"\[[VIWEF]\] |\[TRT\]|\[TensorRT\]|Severity\.|Torch-TensorRT|TF-TRT|onnxruntime:|"
    rb"(?:VERBOSE|INFO|DEBUG|WARNING): "
)
_WORDS: Final = {b"V": b"VERBOSE", b"I": b"INFO", b"W": b"WARNING", b"E": b"ERROR", b"F": b"ERROR"}


@dataclass(frozen=True)
class _Own:
    """Where a log's prefixes stand: (start, end, time, letter of the severity, of TensorRT)."""

    start: int
    end: int
    time: bytes
    severity: bytes
    trt: bool


def own_prefixes(log: bytes) -> list[_Own]:
    """Every prefix at a line's start that is of a known host."""
    found = {}
    for match in (match for pattern in _OWN for match in pattern.finditer(log)):
        time = match.groupdict().get("time") or b"[07/07/2026-06:12:18] "
        words = time, match["severity"][:1], match["trt"] is not None
        found[match.start()] = _Own(match.start(), match.end(), *words)
    return [found[start] for start in sorted(found)]


def prefixes(log: bytes) -> list[_Own] | None:
    """The same, of a log that has no other prefixes, nor words that look like one."""
    found = own_prefixes(log)
    rest = _replaced(log, found, lambda _: b"")
    return None if not found or _ANY.search(rest) else found


def _replaced(log: bytes, found: Iterable[_Own], prefix: Callable[[_Own], bytes]) -> bytes:
    parts, at = [], 0
    for own in found:
        parts += [log[at : own.start], prefix(own)]
        at = own.end
    return b"".join((*parts, log[at:]))


# What stands before a message of TensorRT's, and before a line of trtexec itself, which may be a
# child of the program: `{V}` is the severity's letter, `{VERBOSE}` its word.
_TRTEXEC: Final = "{time}[{V}] "
_HOSTS: Final = {
    "as trtexec": ("{time}[{V}] [TRT] ", _TRTEXEC),
    "as an older trtexec": ("[12:15:24] [{V}] [TRT] ", "[12:15:24] [{V}] "),
    "as the Python API": ("{time}[TRT] [{V}] ", _TRTEXEC),
    "as an older Python API": ("[TensorRT] {VERBOSE}: ", _TRTEXEC),
    "as Polygraphy": ("[{V}] ", "[{V}] "),
    "as Polygraphy with times": ("[{V}] (12:15:24) ", _TRTEXEC),
    "as a user's logger": ("My Logger: Severity.{VERBOSE} ", _TRTEXEC),
    "as Torch-TensorRT": (
        "{DEBUG}: [Torch-TensorRT TorchScript Conversion Context] - ",
        _TRTEXEC,
    ),
    "as DeepStream": ("{VERBOSE}: [TRT]: ", _TRTEXEC),
    "as TF-TRT": (
        "2024-02-21 08:41:15.713781: {INFO[0]} tensorflow/compiler/tf2tensorrt/utils/"
        "trt_logger.cc:83] TF-TRT {Info}: DefaultLogger ",
        _TRTEXEC,
    ),
    "as ONNX Runtime": (
        "2024-03-28 13:07:04.725964281 [{VERBOSE[0]}:onnxruntime:Default, "
        "tensorrt_execution_provider.h:83 log] [2024-03-28 20:07:04 {VERBOSE:>7}] ",
        _TRTEXEC,
    ),
    "as jetson-inference": ("[TRT]    ", _TRTEXEC),  # it tells no severity
}


def _of_host(of_tensorrt: str, of_trtexec: str) -> Transform:
    def prefix(own: _Own) -> bytes:
        word = _WORDS[own.severity].decode()
        info = word.replace("VERBOSE", "INFO")
        words = {"V": own.severity.decode(), "time": own.time.decode(), "VERBOSE": word}
        words |= {"DEBUG": word.replace("VERBOSE", "DEBUG"), "INFO": info}
        return (
            (of_tensorrt if own.trt else of_trtexec)
            .format(**words, Info=info.capitalize())
            .encode()
        )

    def transform(log: bytes) -> bytes | None:
        found = prefixes(log)
        return None if found is None else _replaced(log, found, prefix)

    return transform


# ---- every line --------------------------------------------------------------------------------


def lines(log: bytes) -> list[bytes]:
    """Without their newlines; the last is empty where the log ends with one."""
    return log.split(b"\n")


def _each_line(log: bytes, change: Callable[[int, bytes], bytes]) -> bytes:
    *whole, last = lines(log)
    changed = [change(number, line) for number, line in enumerate(whole)]
    return b"\n".join([*changed, change(len(whole), last) if last else b""])


def _before(words: Callable[[int], bytes]) -> Transform:
    return lambda log: _each_line(log, lambda number, line: words(number) + line)


def _clock(number: int) -> tuple[bytes, bytes, bytes]:
    return b"%02d" % (number // 3600 % 24), b"%02d" % (number // 60 % 60), b"%02d" % (number % 60)


def _iso(number: int) -> bytes:
    return b"2024-02-21T%s:%s:%s" % _clock(number) + b".%07dZ " % (number * 7919 % 10**7)


def _journald(number: int) -> bytes:
    return b"Mar %2d " % (9 + number // 40 % 3) + b"%s:%s:%s build-host trtexec[4711]: " % _clock(
        number
    )


def _gitlab(number: int, line: bytes) -> bytes:
    """The rest of a long line stands on one of its own."""
    rest = b"\n" + _iso(number) + b"01O+"
    return _iso(number) + b"01O " + rest.join(re.findall(rb".{1,1200}", line) or [b""])


def crlf(log: bytes) -> bytes:
    return log.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def colored_lines(log: bytes) -> bytes:
    def change(_: int, line: bytes) -> bytes:
        words = line.removesuffix(b"\r")
        return b"\x1b[32m" + words + b"\x1b[0m" + line[len(words) :] if words else line

    return _each_line(log, change)


def _colored(on: bytes, off: bytes, short: int) -> Transform:
    """A line's prefix in colour, but for so many bytes at its end."""

    def change(_: int, line: bytes) -> bytes:
        found = [pattern.match(line) for pattern in _OWN]
        end = max((match.end() for match in found if match), default=0) - short
        return on + line[:end] + off + line[end:] if end > 0 else line

    return lambda log: _each_line(log, change)


# ---- lines of others ---------------------------------------------------------------------------

_FOREIGN: Final = (
    b" 45%|####5     | 451/1000 [00:12<00:15, 36.2it/s]",
    b"myPlugin: enqueue called with batch 4",
    b"",
    b"/usr/lib/python3.10/site-packages/onnx/helper.py:93: DeprecationWarning: old API",
    b"  warnings.warn(message, DeprecationWarning)",
    b"Downloading: 100%|##########| 97.8M/97.8M [00:02<00:00, 41.1MB/s]\r",
)
_MOST_FOREIGN: Final = 50


def foreign_lines(log: bytes) -> bytes | None:
    """Fifty of them, each right before a message."""
    places = [own.start for own in own_prefixes(log)[1:]]
    if not places:
        return None
    step = max(1, -(-len(places) // _MOST_FOREIGN))
    others = cycle(_FOREIGN)
    parts, at = [], 0
    for place in places[::step][:_MOST_FOREIGN]:
        parts += [log[at:place], next(others) + b"\n"]
        at = place
    return b"".join((*parts, log[at:]))


# ---- all of them -------------------------------------------------------------------------------


TRANSFORMS: Final[dict[str, Transform]] = {
    "CRLF": crlf,
    # As `script` writes.
    "CRLF but the first line": lambda log: b"Script started on 2024-03-24 12:57:38\n" + crlf(log),
    "BOM": lambda log: b"\xef\xbb\xbf" + log.removeprefix(b"\xef\xbb\xbf"),
    "gzip": lambda log: gzip.compress(log, 1),
    "coloured lines": colored_lines,
    "coloured lines, CRLF": lambda log: crlf(colored_lines(log)),
    "coloured prefix": _colored(b"\x1b[1;32m", b"\x1b[0m", 0),  # `<green>[V] [TRT] <off>message`
    "coloured severity": _colored(b"\x1b[32m", b"\x1b[m", 1),  # `<green>[V] [TRT]<off> message`
    "docker compose": _before(lambda _: b"build-1  | "),
    "docker --timestamps": _before(_iso),
    "kubectl --prefix": _before(lambda _: b"[pod/trt-build-x7k2p/builder] "),
    "kubernetes' files": _before(lambda number: _iso(number) + b"stdout F "),
    "journald": _before(_journald),
    "GitLab": lambda log: _each_line(log, _gitlab),
    "Jenkins": _before(lambda number: b"[2024-02-21T%s:%s:%s.713Z] " % _clock(number)),
    "foreign lines": foreign_lines,
    **{name: _of_host(*words) for name, words in _HOSTS.items()},
}
# A host that tells no severity: warnings and errors cannot be counted there.
NO_SEVERITY: Final = frozenset({"as jetson-inference"})
# What adds lines moves those that messages name.
MOVING: Final = frozenset({"CRLF but the first line", "foreign lines", "GitLab"})

# ---- what is said of a log ---------------------------------------------------------------------

_PLACES: Final = frozenset(
    {"line", "first_line", "last_line", "also_line", "lines", "column", "file", "sources"}
)
# Rules go by warnings, too; by errors it is told whether a build failed.
_SEVERE: Final = frozenset({"warnings", "errors", "messages", "message", "log", "findings"})
_PLACE: Final = re.compile(r"(?:[^\s\"']*\.log|<stdin>):\d+(?::\d+)?")


def _without_places(value: Any, left_out: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {k: _without_places(v, left_out) for k, v in value.items() if k not in left_out}
    if isinstance(value, list | tuple):
        return [_without_places(item, left_out) for item in value]
    if isinstance(value, str):
        return re.sub(r"[^\s\"']*\.log(?=$| \()", "LOG", _PLACE.sub("LOG:N", value))
    return value


def told(log: str | Path | Iterable[bytes], severe: bool = True) -> Any:
    """The JSON and the summary of every engine of a log, or why there is none.

    `log`: a path, or what comes through a pipe. `severe`: with the log's warnings and errors.
    """
    left_out = _PLACES if severe else _PLACES | _SEVERE
    try:
        if isinstance(log, str | Path):
            opened = read.Log(log, facts=True)
        else:
            opened = read.Log("x.log", chunks=log, facts=True)
        found = [
            {"json": json.loads(draw.render(engine, "json")), "summary": data_of(engine)}
            for engine in opened.engines()
        ]
    except ReadError as error:
        return _without_places([error.problem.code, error.problem.message, error.hint], left_out)
    return _without_places(json.loads(json.dumps(found)), left_out)


def without_lines(value: Any) -> Any:
    """The same without the numbers of lines in its messages."""
    return json.loads(re.sub(r"\bline \d[\d,]*", "line N", json.dumps(value)))


def differences(
    one: Any, other: Any, same: Callable[[Any, Any], bool] = eq, path: str = ""
) -> Iterator[str]:
    """Where two values differ. `same`: whether two texts or numbers are."""
    if isinstance(one, dict) and isinstance(other, dict) and len(one) == len(other):
        for (key, left), (key2, right) in zip(one.items(), other.items()):
            yield from differences(key, key2, same, f"{path} (key)")
            yield from differences(left, right, same, f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (left, right) in enumerate(zip(one, other)):
            yield from differences(left, right, same, f"{path}[{number}]")
    elif not same(one, other):
        yield f"{path}: {one!r:.300} became {other!r:.300}"


def changed_tellings(
    log: bytes, tell: Callable[[bytes, bool], Any], transforms: Iterable[str] = TRANSFORMS
) -> dict[str, list[str]]:
    """Where what is said of a log differs after a transform of its bytes, by transform.

    `tell`: what is said of bytes, with the log's warnings and errors or without.
    """
    plain = cache(lambda severe: tell(log, severe))
    found = {}
    for name in transforms:
        changed = TRANSFORMS[name](log)
        if changed is None:  # its lines bear no prefix of one host that another could replace
            continue
        severe = name not in NO_SEVERITY
        own, other = plain(severe), tell(changed, severe)
        if name in MOVING:
            own, other = without_lines(own), without_lines(other)
        if wrong := list(differences(own, other))[:5]:
            found[name] = wrong
    return found
