"""Replaces names and paths in logs and profiles; the files keep their form.

anonymise_names    knows the words that stay (words.txt), gives every other one a new one, the same
                   wherever it stands, and finds paths, files, hosts and device numbers
anonymise_records  rewrites a layer's record, a message that stays (messages.txt)

Each line of a log is rewritten here, or removed. Only the words and messages that are listed reach
the output.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import JSON, Source, Span
from engine_layer_visualize.reading import anonymise_names, anonymise_records, envelopes, file_kinds
from engine_layer_visualize.reading.anonymise_names import Names
from engine_layer_visualize.reading.build_end import RAISED
from engine_layer_visualize.reading.hosts import INFO, LONGEST, MARKS, OWN_WORDS, TRT
from engine_layer_visualize.reading.markers import LEFT_OUT, TABLE_MARK
from engine_layer_visualize.reading.scanner import ROW
from engine_layer_visualize.reading.wrapping import unwrapped

# ---- what trtexec prints of a run: command, options, device --------------------------------------

_WORDS: Final = re.compile(rb"[A-Za-z\x80-\xff]+")
_SECTION: Final = re.compile(rb"(?<!=)=== [\w ]{1,60} ===")
_RUN: Final = b"&&&& "
_VERSION: Final = re.compile(rb"\[TensorRT v\d{1,9}\]")
_FILENAME: Final = b"Input filename: "
_STRAYS: Final = 32  # other lines between two of a section
_OPTION: Final = anonymise_names.PROSE | anonymise_names.NAMES | anonymise_names.RECORDS
_DEVICE: Final = re.compile(rb"Selected Device|Device \d{1,3}")
_SERIAL: Final = re.compile(rb".*(?:UUID|PCI Bus ID|[Ss]erial [Nn]umber)")  # which machine it was
_PATH: Final = re.compile(
    rb"Model|Output|(?:Save|Load) engine|timingCacheFile|Calibration|Export .* file"
)
_OF_NAMES: Final = re.compile(rb"(?:Input|Output|Layer).*|.*[Ss]hapes?")
# What the option says where no path is given.
_NO_PATH: Final = frozenset(b"Dynamic Disabled Enabled None Auto auto".split())


def option_value(key: bytes, words: bytes, names: Names) -> bytes:
    """Replaces names and paths in the value of an option, as it is printed or stands in JSON."""
    if words and _SERIAL.fullmatch(key):
        return b"[removed]"
    if _DEVICE.fullmatch(key):
        return names.prose(words, _OPTION | anonymise_names.DEVICES)
    if _PATH.fullmatch(key) and words.strip() not in _NO_PATH:
        return names.path(words)
    if _OF_NAMES.fullmatch(key):
        name, arrow, path = words.partition(b"<-")
        if arrow or b"=" in name:  # e.g. x=1x3x8x8: an input may bear a word of trtexec's
            return names.renamed(name) + arrow + names.path(path)
        return names.renamed(name, _OPTION)
    return names.prose(words, _OPTION)


def command(words: bytes, names: Names) -> bytes:
    """Rewrites `trtexec --onnx=… --fp16`; a flag that is not known is left out.

    Where it stands as a list, one of its words alone.
    """
    program, *flags = words.split() or [b""]
    kept = [_flag(program, names) if program.startswith(b"-") else b"trtexec"]
    return b" ".join(filter(None, (*kept, *(_flag(word, names) for word in flags))))


def _flag(word: bytes, names: Names) -> bytes:
    """Rewrites a word of a command; empty where the flag is not known."""
    flag, equals, value = word.partition(b"=")
    name = flag.removeprefix(b"--")
    if name == flag:
        return b""
    if name in anonymise_names.PATH_FLAGS:
        return flag + equals + names.path(value)
    if name in anonymise_names.NAME_FLAGS:
        return flag + equals + names.renamed(value)
    if name in anonymise_names.FLAGS:
        return flag + equals + names.prose(value, _OPTION)
    return b""


# ---- lines of a log, or of a printed profile -----------------------------------------------------

# In the place of a line that is not known, so that the others keep their numbers.
REMOVED: Final = b"[line removed]"
_LOGGER: Final = re.compile(rb"(?:%b|\x1b\[[0-9;]{0,32}[mK])+[ \t]*" % OWN_WORDS)
_SEVERE: Final = tuple(mark.rstrip() for letter in (b"W", b"E", b"F") for mark in MARKS[letter])
# e.g. (8-)      Layer   Time (ms)   Avg. Time (ms)   Time %
_COLUMNS: Final = re.compile(rb"(?:Layer {1,999}Time \(ms\)|Time ?\(ms\)) {1,99}Avg\. ?")
_RECORDS: Final = (b"Layer(", b"Name: ")  # a record begins so
_EMPTY: Final = re.compile(rb"[^0-9A-Za-z\x80-\xff]*")  # blank lines, fences, rulers
# Most lines of a large log are of these two forms, and no name is in them.
_TACTIC: Final = re.compile(rb"(?:Tactic Name: (?P<kernel>\S+) )?" + anonymise_records.TIMED)
# e.g. (7) conv1: 0.25ms
_NAME_MS: Final = re.compile(rb".*: *[-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|nan|inf) ?ms[ \t\r]*")
_RECORD_ENDS: Final = (b")]", b"])", b" ->", b" -> ")
_NAMES_BEGIN: Final = re.compile(rb"(?:Layers|Layer Information|Bindings):[ \t\r]*")
# What `nsys stats` heads its columns with, and begins the ranges of TensorRT with.
_NSYS_COLUMNS: Final = frozenset(
    b"Range NVTX Style PID TID Inst Kern Total Time Avg Med Min Max StdDev Kernel Name Proj"
    b" Projected Duration Start Orig Instances GPU Ops NumGPUOps Lvl NumChild Num Child RangeId"
    b" ParentId RangeStack ns us ms s nsec usec msec sec".split()
)
_NSYS_RANGE: Final = frozenset(b"TensorRT ExecutionContext enqueue PushPop StartEnd".split())
_RECORD_LINES: Final = 16  # of a record at most: a name may hold newlines


class LogLines:
    """Replaces the names in the lines of one log."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._left = 0  # lines in which the next one of a section of trtexec's may stand
        self._has_severity = False  # the section's lines
        self._table = False  # rows may come
        self._report = False  # rows of `nsys stats` may come
        self._bare = False  # names may come, one a line
        self._open = 0  # lines that a record may still have
        self.lines = 0  # that were read
        self.removed = 0  # of them

    def read(self, spans: Iterable[Span]) -> Iterator[bytes]:
        """Gives the lines of each span, in one piece."""
        for span in spans:
            *lines, rest = span.data.split(b"\n")
            self.lines += len(lines) + bool(rest)
            out = [self._line(line) for line in lines]
            yield b"\n".join([*out, self._line(rest) if rest else b""])

    def _line(self, line: bytes) -> bytes:
        before, text = self._parted(line)
        if match := _TACTIC.fullmatch(text):
            if (kernel := match["kernel"]) is not None:
                text = text.replace(kernel, self._names.kernel(kernel), 1)
            return self._names.before(before) + text
        text = self._without_clock(text)
        new = self._of_listing(before, text)
        new = self._message(before, text) if new is None else new
        if new is None:
            self.removed += text != REMOVED
            new = text[: len(text) - len(text.lstrip(b" \t"))] + REMOVED
        return self._names.before(before) + new

    def _without_clock(self, text: bytes) -> bytes:
        """Removes the time of a logger that is not known. In a record numbers are of names."""
        begins = [start for mark in _RECORDS if (start := text.find(mark)) >= 0]
        end = 0 if self._open else min(begins, default=len(text))
        return anonymise_names.without_clock(text[:end]) + text[end:]

    def _parted(self, line: bytes) -> tuple[bytes, bytes]:
        """Returns what hosts and loggers wrote, and the message."""
        if line.startswith((*_RECORDS, b" Name: ")) or RAISED.match(line):
            return b"", line
        logger = _LOGGER.match(line)
        if self._open and logger is None:
            return b"", line
        self._open = 0
        logger = logger or _LOGGER.search(line, 0, LONGEST)
        return (b"", line) if logger is None else (line[: logger.end()], line[logger.end() :])

    # ---- listings and tables ---------------------------------------------------------------

    def _of_listing(self, before: bytes, text: bytes) -> bytes | None:
        """Rewrites a line of a listing or of a printed profile; None where it is another one."""
        is_detailed = anonymise_records.is_detailed(text)
        if anonymise_records.is_classic(text) and (not is_detailed or text.startswith(b"Layer(")):
            ends = text.rstrip(b" \t\r").endswith(_RECORD_ENDS)
            self._bare, self._open = False, 0 if ends else _RECORD_LINES
            return anonymise_records.classic_record(text, self._names)
        if is_detailed:
            self._bare, self._open = False, 0
            return anonymise_records.detailed_record(text, self._names)
        if self._open:
            ends = text.rstrip(b" \t\r").endswith(_RECORD_ENDS)
            self._open = 0 if ends else self._open - 1
            return self._names.renamed(text)
        if TABLE_MARK in text or _COLUMNS.search(text):
            self._table = True
        elif self._table and ROW.fullmatch(text):
            self._table = not text.strip().startswith(b"Total ")
            return self._names.renamed(text)
        if not before and re.match(file_kinds.NSYS_RANGES, text):
            self._report = True
            return self._names.renamed(text, _NSYS_COLUMNS)
        self._report = self._report and not before and b"," in text
        if self._report:
            return self._names.renamed(text, _NSYS_RANGE)
        if _NAMES_BEGIN.fullmatch(text):
            self._bare = True
        elif self._bare and not before and not _EMPTY.fullmatch(text):
            message = anonymise_records.renamed_message(text, self._names)
            return self._names.renamed(text) if message is None else message
        else:
            self._bare = False
        return None

    def _message(self, before: bytes, text: bytes) -> bytes | None:
        """Rewrites a line that the reader takes something from; None of all others."""
        names = self._names
        if _EMPTY.fullmatch(text):
            return text
        if LEFT_OUT.match(text):
            return b"..."
        if (new := self._section(before, text)) is not None:
            return new
        if (new := anonymise_records.renamed_message(text, names)) is not None:
            return new
        if any(mark in before for mark in _SEVERE):
            return names.prose(text, anonymise_records.PROSE)
        return names.renamed(text) if not before and _NAME_MS.fullmatch(text) else None

    # ---- what trtexec prints of a run ------------------------------------------------------

    def _section(self, before: bytes, text: bytes) -> bytes | None:
        """Rewrites a message, behind what its logger wrote; None where trtexec did not print it."""
        if _RUN in before or text.startswith(_RUN):
            return self._run(text)
        if text.startswith(_FILENAME):
            return _FILENAME + self._names.path(text[len(_FILENAME) :])
        if b"=== " in text and _SECTION.search(text):
            self._left, self._has_severity = _STRAYS, INFO in before
            return self._names.prose(text, _OPTION)
        if not self._left or TRT in before:
            return None
        self._left -= 1
        key, colon, rest = text.partition(b":")
        is_known = bool(colon) and _OPTION.issuperset(_WORDS.findall(key))
        if not is_known or (INFO in before) != self._has_severity:
            return None
        self._left = _STRAYS
        bare = rest.lstrip()
        blanks = rest[: len(rest) - len(bare)]
        return key + colon + blanks + option_value(key.strip(), bare, self._names)

    def _run(self, text: bytes) -> bytes:
        """Rewrites `&&&& RUNNING TensorRT.trtexec [TensorRT v8501] # trtexec --onnx=… --fp16`."""
        self._left = 0
        head, mark, rest = text.partition(b" # ")
        version = _VERSION.search(head)
        start, stop = version.span() if version else (len(head), len(head))
        renamed = self._names.renamed
        head = renamed(head[:start], _OPTION) + head[start:stop] + renamed(head[stop:], _OPTION)
        return head + mark + command(rest, self._names) if mark else head


# ---- JSON: a listing, a profile, a trace ---------------------------------------------------------

# Only strings change, so that lines keep their numbers.
# A string, and the colon that makes it a key; or what stands between strings.
_STRING: Final = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[^"]+|"', re.DOTALL)
_NAMES: Final = (b"Name", b"name", b"Metadata", b"Layers", b"Bindings", b"")
_TYPE: Final = re.compile(rb"\w{1,80}")
# The first key of a launch on a GPU, whose name is a kernel's: of `nsys stats --report gputrace`.
_LAUNCH: Final = re.compile(rb"(?:Start|Duration) ?\(\w{1,4}\)")
_LITERALS: Final = frozenset((b"true", b"false", b"null", b"NaN", b"Infinity", b"nan", b"inf"))


def renamed_json(text: bytes, names: Names) -> bytes:
    """Replaces the names in a whole JSON text, which may be cut."""
    key = b""
    of_kernels = {b"TacticName"}  # keys

    def string(match: re.Match[bytes]) -> bytes:
        nonlocal key
        inside, colon = match[1], match[2]
        if inside is None:
            return names.renamed(match[0], _LITERALS)
        words = envelopes.unescaped(inside)
        if colon is not None:
            key = words
            if _LAUNCH.fullmatch(words):
                of_kernels.add(b"Name")
                return match[0]
            new = names.renamed(words, anonymise_records.PROSE)
        elif key in of_kernels:
            new = names.kernel(words)
        elif key in _NAMES:
            new = names.renamed(words)
        elif key == b"LayerType" and _TYPE.fullmatch(words):
            new = words
        else:
            new = option_value(key, words, names)
        return json.dumps(new.decode("utf-8", "replace")).encode() + (colon or b"")

    return _STRING.sub(string, text)


# ---- files ---------------------------------------------------------------------------------------

# Binary formats whose first bytes would pass as text.
_BINARY: Final = re.compile(
    rb"\x89PNG|%%PDF-|SQLite format 3\0|\x7fELF|PK\x03\x04|PAR1|ARROW1|%b|%b"
    % (file_kinds.ENGINE, file_kinds.ONNX_MODEL)
)
_CONTROL: Final = re.compile(rb"[\x00-\x06\x0e-\x1a\x7f]")
_HINT: Final = "give the log, or the times, that it was made from"


def is_json(source: Source) -> bool:
    """Returns whether a file is JSON, or has some, and no log as a notebook and JSON lines have.

    Raises ReadError (ELV401) where there is nothing to open.
    """
    head = source.head()
    if envelopes.is_notebook(head) or envelopes.json_lines(head) is not None:
        return False
    return JSON.match(head) is not None or file_kinds.holds_json(head)


class Anonymiser:
    """Gives the files that belong together the same new names."""

    def __init__(self) -> None:
        self._names = Names()
        self.lines = 0  # of logs that were read
        self.removed = 0  # of them

    @property
    def replaced(self) -> int:
        """How many words, parts of paths and addresses were replaced."""
        return self._names.count

    def read(self, source: Source) -> Iterator[bytes]:
        """Rewrites a file, in pieces. What other programs wrote around a log's lines is left out.

        Raises:
            ReadError: Where there is nothing to open, no text, or neither a log nor times.
        """
        head, start = source.head(), Place(source.name, 1)
        if not _is_text(head):
            raise ReadError(Problem(start, "ELV405", "not text"), _HINT)
        if what := file_kinds.made_of_log(head):
            raise ReadError(Problem(start, "ELV402", f"this is {what}, and no log"), _HINT)
        if is_json(source):
            yield renamed_json(source.text().encode(), self._names)
        else:
            log, empty = LogLines(self._names), envelopes.is_notebook(head)
            for piece in log.read(unwrapped(source.spans())):
                empty = empty and not piece.strip()
                yield piece
            self.lines += log.lines
            self.removed += log.removed
            if empty:
                raise envelopes.without_lines(source.name)


def _is_text(head: bytes) -> bool:
    """Returns whether this is text. A name may hold a zero byte, or one that is no UTF-8."""
    strange = len(_CONTROL.findall(head)) + head.decode("utf-8", "replace").count("�")
    return strange * 20 <= len(head) and _BINARY.match(head) is None
