"""The lines that trtexec prints of a run: its command, its options, the device, the performance.

A line goes in; it comes out with other names and paths, or None where it is no such line.
"""

from __future__ import annotations

import re
from typing import Final

from engine_layer_visualize.anonymise import vocabulary
from engine_layer_visualize.anonymise.names import Names
from engine_layer_visualize.inputs.buildlog.prefixes import INFO, TRT

_WORDS: Final = re.compile(rb"[A-Za-z\x80-\xff]+")
_SECTION: Final = re.compile(rb"=== [\w ]{1,60} ===")
_RUN: Final = b"&&&& "
_VERSION: Final = re.compile(rb"\[TensorRT v\d{1,9}\]")
_FILENAME: Final = b"Input filename: "
_MOST_STRAYS: Final = 32  # lines after a section's last
_OPTION: Final = vocabulary.PROSE | vocabulary.NAMES | vocabulary.RECORDS
_DEVICE: Final = re.compile(rb"Selected Device|Device \d{1,3}")
_SERIAL: Final = re.compile(rb".*(?:UUID|PCI Bus ID|[Ss]erial [Nn]umber)")  # which machine it was
_PATH: Final = re.compile(
    rb"Model|Output|(?:Save|Load) engine|timingCacheFile|Calibration|Export .* file"
)
_NAMES: Final = re.compile(rb"(?:Input|Output|Layer).*|.*[Ss]hapes?")
# What the option says where no path is given.
_NO_PATH: Final = frozenset(b"Dynamic Disabled Enabled None Auto auto".split())
# Flags by what their values are; all others are left out.
_PATH_FLAGS: Final = frozenset(
    b"""
    onnx model deploy uff saveEngine loadEngine timingCacheFile calib exportProfile exportTimes
    exportOutput exportLayerInfo
    """.split()
)
_NAME_FLAGS: Final = frozenset(
    b"""
    shapes minShapes optShapes maxShapes layerPrecisions
    layerOutputTypes layerDeviceTypes minShapesCalib optShapesCalib maxShapesCalib
    """.split()
)
_FLAGS: Final = frozenset(
    b"""
    fp16 bf16 int8 fp8 int4 best noTF32 stronglyTyped verbose workspace memPoolSize batch maxBatch
    iterations warmUp duration sleepTime idleTime streams infStreams useDLACore allowGPUFallback
    builderOptimizationLevel profilingVerbosity dumpProfile dumpLayerInfo dumpOutput dumpRefit
    separateProfileRun useCudaGraph noDataTransfers useSpinWait threads avgRuns percentile
    minTiming avgTiming avgTimings explicitBatch explicitPrecision sparsity precisionConstraints
    tacticSources noBuilderCache timingCacheMode buildOnly skipInference safe consistency directIO
    refit versionCompatible hardwareCompatibilityLevel maxAuxStreams maxTactics useManagedMemory
    exposeDMA useRuntime stripWeights allowWeightStreaming weightStreamingBudget heuristic
    fallback device inputIOFormats outputIOFormats
    """.split()
)


def value(key: bytes, words: bytes, names: Names) -> bytes:
    """What is printed of an option, or stands in JSON, with other names and paths."""
    if words and _SERIAL.fullmatch(key):
        return b"[removed]"
    if _DEVICE.fullmatch(key):
        return names.prose(words, _OPTION | vocabulary.DEVICES)
    if _PATH.fullmatch(key) and words.strip() not in _NO_PATH:
        return names.path(words)
    if _NAMES.fullmatch(key):
        name, arrow, path = words.partition(b"<-")
        return names.renamed(name, _OPTION) + arrow + names.path(path)
    return names.prose(words, _OPTION)


class Sections:
    """The sections of one log, as their lines come."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._left = 0  # lines in which the section's next may stand
        self._has_severity = False  # the section's lines

    def line(self, before: bytes, text: bytes) -> bytes | None:
        """`before`: what its logger wrote."""
        if _RUN in before or text.startswith(_RUN):
            return self._run(text)
        if text.startswith(_FILENAME):
            return _FILENAME + self._names.path(text[len(_FILENAME) :])
        if b"=== " in text and _SECTION.search(text):
            self._left, self._has_severity = _MOST_STRAYS, INFO in before
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
        self._left = _MOST_STRAYS
        bare = rest.lstrip()
        blanks = rest[: len(rest) - len(bare)]
        return key + colon + blanks + value(key.strip(), bare, self._names)

    def _run(self, text: bytes) -> bytes:
        """`&&&& RUNNING TensorRT.trtexec [TensorRT v8501] # trtexec --onnx=… --fp16`."""
        self._left = 0
        head, found, command = text.partition(b" # ")
        version = _VERSION.search(head)
        start, stop = version.span() if version else (len(head), len(head))
        renamed = self._names.renamed
        head = renamed(head[:start], _OPTION) + head[start:stop] + renamed(head[stop:], _OPTION)
        if not found:
            return head
        words = command.split()
        return b" ".join((head, b"# trtexec", *filter(None, map(self._flag, words[1:]))))

    def _flag(self, word: bytes) -> bytes:
        """One word of the command; nothing where the flag is not known."""
        flag, equals, value = word.partition(b"=")
        name = flag.removeprefix(b"--")
        if name == flag:
            return b""
        if name in _PATH_FLAGS:
            return flag + equals + self._names.path(value)
        if name in _NAME_FLAGS:
            return flag + equals + self._names.renamed(value)
        if name in _FLAGS:
            return flag + equals + self._names.prose(value, _OPTION)
        return b""
