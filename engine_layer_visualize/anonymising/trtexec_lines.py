"""Replaces names and paths in what trtexec prints of a run: command, options, device, times."""

from __future__ import annotations

import re
from typing import Final

from engine_layer_visualize.anonymising import vocabulary
from engine_layer_visualize.anonymising.names import Names
from engine_layer_visualize.inputs.buildlog.prefixes import INFO, TRT

_WORDS: Final = re.compile(rb"[A-Za-z\x80-\xff]+")
_SECTION: Final = re.compile(rb"(?<!=)=== [\w ]{1,60} ===")
_RUN: Final = b"&&&& "
_VERSION: Final = re.compile(rb"\[TensorRT v\d{1,9}\]")
_FILENAME: Final = b"Input filename: "
_KNOB: Final = re.compile(rb"((?<!\S)-{1,2}[A-Za-z]\w{0,80}=)")  # TensorRT names it
_STRAYS: Final = 32  # other lines between two of a section
_OPTION: Final = vocabulary.PROSE | vocabulary.NAMES | vocabulary.RECORDS
_DEVICE: Final = re.compile(rb"Selected Device|Device \d{1,3}")
_SERIAL: Final = re.compile(rb".*(?:UUID|PCI Bus ID|[Ss]erial [Nn]umber)")  # which machine it was
_PATH: Final = re.compile(
    rb"Model|Output|(?:Save|Load) engine|timingCacheFile|Calibration|Export .* file"
)
_REFERENCES: Final = b"RefOutputs"  # e.g. y:y.bin,z:z.bin
_NAMES: Final = re.compile(rb"(?:Input|Output|Layer).*|.*[Ss]hapes?")
# What the option says where no path is given.
_NO_PATH: Final = frozenset(b"Dynamic Disabled Enabled None Auto auto".split())


def value(key: bytes, words: bytes, names: Names) -> bytes:
    """Replaces names and paths in the value of an option, as it is printed or stands in JSON."""
    if words and _SERIAL.fullmatch(key):
        return b"[removed]"
    if _DEVICE.fullmatch(key):
        return names.prose(words, _OPTION | vocabulary.DEVICES)
    if _PATH.fullmatch(key) and words.strip() not in _NO_PATH:
        return names.path(words)
    if key == _REFERENCES:
        return b",".join(_reference(pair, names) for pair in words.split(b","))
    if _NAMES.fullmatch(key):
        name, arrow, path = words.partition(b"<-")
        if arrow or b"=" in name:  # e.g. x=1x3x8x8: an input may bear a word of trtexec's
            return names.renamed(name) + arrow + names.path(path)
        return names.renamed(name, _OPTION)
    return names.prose(words, _OPTION)


def route(words: bytes, names: Names) -> bytes:
    """Replaces names in the values of a build route; TensorRT names its knobs."""
    pieces = _KNOB.split(words)
    pieces[::2] = [names.prose(piece, _OPTION) for piece in pieces[::2]]
    return b"".join(pieces)


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
    if name in vocabulary.PATH_FLAGS:
        return flag + equals + names.path(value)
    if name in vocabulary.NAME_FLAGS:
        return flag + equals + names.renamed(value)
    if name in vocabulary.FLAGS:
        return flag + equals + route(value, names)
    return b""


def _reference(pair: bytes, names: Names) -> bytes:
    name, colon, path = pair.rpartition(b":")
    return names.renamed(name) + colon + names.path(path)


class Sections:
    """Follows the sections of one log, as their lines come."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._left = 0  # lines in which the section's next may stand
        self._has_severity = False  # the section's lines

    def line(self, before: bytes, text: bytes) -> bytes | None:
        """Rewrites a line.

        Args:
            before: What its logger wrote.
            text: The message.

        Returns:
            The new message; None where trtexec did not print it.
        """
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
        if (
            not colon
            or (INFO in before) != self._has_severity
            or not _OPTION.issuperset(_WORDS.findall(key))
        ):
            return None
        self._left = _STRAYS
        bare = rest.lstrip()
        blanks = rest[: len(rest) - len(bare)]
        return key + colon + blanks + value(key.strip(), bare, self._names)

    def _run(self, text: bytes) -> bytes:
        """Rewrites `&&&& RUNNING TensorRT.trtexec [TensorRT v8501] # trtexec --onnx=… --fp16`."""
        self._left = 0
        head, mark, rest = text.partition(b" # ")
        version = _VERSION.search(head)
        start, stop = version.span() if version else (len(head), len(head))
        renamed = self._names.renamed
        head = renamed(head[:start], _OPTION) + head[start:stop] + renamed(head[stop:], _OPTION)
        if not mark:
            return head
        return head + mark + command(rest, self._names)
