"""Tells where a build was, and what became of one that left no listing, from all signs of it."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, NamedTuple

from engine_layer_visualize.core.build_info import BuildEnd, BuildState
from engine_layer_visualize.core.limits import ERROR_PREFIX, STEP_LINE, lazy
from engine_layer_visualize.core.text import shorten, visible
from engine_layer_visualize.io.source import Span, decode, line_end, line_start
from engine_layer_visualize.reading import markers
from engine_layer_visualize.reading.hosts import ERROR, HARMLESS, LOGGERS, MARKS
from engine_layer_visualize.reading.markers import GENERATED, INPUT, TIMING

# e.g. (8-) [V] [TRT] Parsing node: conv1 [Conv]
PARSING: Final = b"Parsing node: "
# e.g. (8.6-) [V] [TRT] =============== Computing costs for conv1
COSTS: Final = b"Computing costs for "
# Without the line that names its layer, as where an excerpt leaves it out.
# e.g. (all) [V] [TRT] Tactic: 0x1 Time: 0.25
_TIMED: Final = lazy(rb"Tactic: \S{1,20} [Tt]ime:? [\d.]{1,20}\s*$", re.MULTILINE)
_TIMING_LAYERS: Final = "while timing layers"
# What a build does, in the order of its steps; the last of these marks tells where it was.
_STEPS: Final = {
    b"Input filename: ": "while parsing the ONNX model",
    b"Importing initializer: ": "while parsing the ONNX model",
    INPUT: "while the network was defined",
    PARSING: "while parsing the ONNX model",
    b" parsing network model. Parse time: ": "after the ONNX model was parsed",
    b"Calibrated batch ": "while calibrating",
    COSTS: _TIMING_LAYERS,
    TIMING: _TIMING_LAYERS,
    b"tactics selection completed in ": "after the tactics were selected",
    GENERATED: "after the engine was generated",
}
# They end the timing of a layer with one combination of formats: no line names the next yet.
_NEXT: Final = (b">>> Chose Runner Type: ", b"*** Autotuning ")
_OPTIMISING: Final = "while optimising the network"
_LATE_PASS: Final = b"reformat layers"  # it comes after the tactics were selected
# What a name follows on: what is said before it, and what ends it in the line.
_NAMED: Final = {
    PARSING: ("while parsing the ONNX model at node", b" ["),
    COSTS: ("while timing", b"\n"),
    TIMING: ("while timing", b" ("),
}
_LONGEST_NAME_SHOWN: Final = 160  # characters


def _done(data: bytes, place: int, mark: bytes) -> str:
    """What a build does where a mark stands last, with the name that follows on it."""
    words, end = _NAMED.get(mark, ("", b""))
    start = place + len(mark)
    line = data[start : min(line_end(data, place), start + STEP_LINE)] + b"\n"
    name = line.rpartition(end)[0].strip() if end else b""
    shown = shorten(visible(decode(name)), _LONGEST_NAME_SHOWN)
    return f"{words} {shown}" if name else _STEPS[mark]


def last(data: bytes, marks: Iterable[bytes]) -> int:
    """Where the last of the marks stands; -1: nowhere."""
    return max(data.rfind(mark) for mark in marks)


# ---- what became of it ---------------------------------------------------------------------------

# An error, but for a name of a severity in what a Python program prints: `<Severity.ERROR: <…`.
# e.g. (all) [E] [TRT] 10: no implementation for node a
_ANY_ERROR: Final = lazy(
    rb"(?<!<Severity\.)(?:" + ERROR + rb")(?!<|Job failed|failed to solve)"
    rb"|\bError Code \d{1,9}:"
)
# An error of the builder: not what trtexec, or what ran it, says of its end.
# e.g. (all) [E] [TRT] 10: no implementation for node a
BUILDERS_ERROR: Final = lazy(
    rb"(?<!<Severity\.)(?:" + ERROR + rb")(?!<|Engine (?:set|could)|Failed to (?:create|parse) |"
    rb"Buil(?:ding|d) engine f|failed to build trt|Network And |Parsing model f|"
    rb"Inference set up|Job failed|failed to solve)"
    rb"|\bError Code \d{1,9}:"
)
# e.g. (8-) [E] [TRT] 1: Error Code 1: Serialization (Version tag does not match.)
_REFUSED: Final = lazy(rb"Error Code \d{1,9}: [^\n]{0,200}?(?:Version tag|plan file is not comp)")
_CLIPPED: Final = b"[output clipped, log limit "
# Each error has one of them; to search the pattern in all of a log takes fifty times as long.
_ERROR_MARKS: Final = (*MARKS[b"E"], b"Error Code ")
# What a Python program shows of itself: a drawn tree, a line of its source, what it ended with.
# e.g. (all) ValueError: ERROR: no engine
_SHOWN_BY_PYTHON: Final = lazy(
    rb"\s{0,99}(?:[|+`\\]|\xe2[\x94\x95]|(?:raise|return|assert) |print\(|log\w*\.\w+\()"
    rb"|[\w.]{1,99}(?:Error|Exception|Warning): "
)
# e.g. (all) RuntimeError: no engine
RAISED: Final = lazy(rb"^[\w.]{1,99}(?:Error|Exception|Exit|Interrupt)\b", re.MULTILINE)
# e.g. (all) [07/07/2026-06:12:18] [TRT] [E] 10: no implementation
_HOST: Final = lazy(rb".*?(?:" + ERROR + rb")(?:\[TRT\] )?|\[TRT\] ", re.DOTALL)
_LONGEST_ERROR_SHOWN: Final = 400  # bytes
# A tactic that fails is left out, and the build goes on.
LEFT_OUT: Final = (b"Skipping tactic", b"Skipping Tactic")
# What tells of TensorRT at all, of a build, of a network, of a VERBOSE logger, of layers' times.
_MARKS: Final = {
    "tensorrt": (*LOGGERS, b"trtexec", b"[E] ", b"Error Code"),
    "building": (
        *(INPUT, TIMING, PARSING, b"Input filename: "),
        *(b"--onnx", b"--deploy", b"--uff", b"Engine generation", b"Building an"),
        *(b"Building graph", b"Build TRT engine", b"Init builder "),
    ),
    "may build": (  # a program says so
        *(b"Building engine", b"Building Engine", b"Building the engine"),
        *(b"Building TensorRT", b"Building TRT"),
    ),
    "defined": (INPUT, PARSING),
    "costed": (COSTS,),  # from 8.6 on it names a layer before all of its timings
    "verbose": (*MARKS[b"V"], TIMING, b" Tactic Name: ", b"*** Autotuning "),
}
# An error of a build; `[E]` stands before a runtime's, too.
_OF_BUILD: Final = re.compile(
    rb"(?i:build|optimizer|network|pars(?:e|ing)|for node|layer|tactic|calibrat)"
)
# e.g. (all) &&&& RUNNING TensorRT.trtexec [TensorRT v100700] # trtexec --onnx=a.onnx --verbose
_ASKED: Final = lazy(rb"&&&& RUNNING [^\n]* --verbose\b")
_LOADED: Final = (b"--loadEngine", b"Loaded engine size", b"Deserialization required")
# e.g. (8.2-) [I] Engine built in 12.5 sec.
# e.g. (2.0) INFO:torch_tensorrt.dynamo.conversion._TRTInterpreter:Build TRT engine elapsed time: 2
_BUILT: Final = (b"Engine built in ", b"&&&& PASSED", b"Build TRT engine elapsed time")
# What a shell, a kernel or a CI system writes below the log of a process that did not end itself.
_LAST_WORDS: Final = 1 << 16  # bytes at a log's end in which it stands
# e.g. (all) Segmentation fault (core dumped)
_CRASHED: Final = lazy(
    rb"^.*?(Segmentation fault|\(core dumped\)|\bSIG(?:SEGV|ABRT|BUS|ILL)\b|\bBus error\b"
    rb"|terminate called after|Assertion \S.{0,300}failed|std::bad_alloc|Illegal instruction"
    rb"|double free or corruption|exit(?:ed)?(?: with)? (?:code|status) (?:13[2-69]|-[4-7]|-11)\b"
    rb"|[Oo]ut of memory|MemoryError|Cannot allocate memory).*$",
    re.MULTILINE,
)
# e.g. (all) ./build.sh: line 3: 4242 Killed                  trtexec --onnx=a.onnx
_KILLED: Final = lazy(
    rb"^.*?(\bKilled\b|\bOOMKilled\b|oom-kill|\bSIG(?:KILL|TERM|INT)\b|\bsignal (?:9|15)\b"
    rb"|(?:exit(?:ed)?(?: with)?|non-zero) (?:code|status):? (?:137|143|-9|-15)\b"
    rb"|^Terminated\b|KeyboardInterrupt"
    rb"|DUE TO TIME LIMIT|^\^C).*$",
    re.MULTILINE,
)

_STOPS: Final[dict[BuildState, re.Pattern[bytes]]] = {"crashed": _CRASHED, "killed": _KILLED}
_BY_LOGGER: Final = (*HARMLESS, *MARKS[b"W"])


def stop_words(text: bytes) -> bytes | None:
    """The words of a line that say that the process did not end itself, without any names."""
    for pattern in _STOPS.values():
        if match := pattern.search(text):
            return b"Assertion ? failed" if match[1].startswith(b"Assertion") else match[1]
    return None


def end_of_build(spans: Iterable[Span], head: bytes) -> BuildEnd:
    """How the last build of a log without listings ended.

    `head`: the first bytes of the log; of what cannot be read twice, `spans` are its end alone.
    """
    return _Signs(spans, head).end()


def begun_in(spans: Iterable[Span]) -> BuildEnd | None:
    """The build that began in the last lines of a log, and of which it has no end."""
    signs = _Signs(spans)
    end = signs.end()
    return end if end.state == "ended" and signs.begun else None


class _Line(NamedTuple):
    """A line that is a sign."""

    place: int  # in all that was read
    line: int
    words: bytes


class _Signs:
    """All signs of a log, those of its last build where they are of one build."""

    def __init__(self, spans: Iterable[Span], head: bytes = b"") -> None:
        self._found = {"verbose"} if _ASKED.search(head) else set()  # of `_MARKS`
        self._size = 0  # bytes that were read
        self._doing = ""  # what the build did last; empty: the log does not tell
        self._timed = -1  # where a layer was timed last
        self._optimised = False
        self._tail: list[Span] = []
        self._lines: dict[str, _Line] = {}  # of `_LAST`, the last of each, and the first `loaded`
        self._used = -1  # where an engine was loaded last
        for span in spans:
            self._read(span)

    def _read(self, span: Span) -> None:
        data = span.data
        unknown = ((name, marks) for name, marks in _MARKS.items() if name not in self._found)
        self._found |= {name for name, marks in unknown if any(mark in data for mark in marks)}
        errors = _ERRORS if last(data, _ERROR_MARKS) >= 0 else {}
        for name, last_in in (*_LAST.items(), *errors.items()):
            if (place := last_in(data)) >= 0:
                self._lines[name] = self._placed(span, place)
        if (used := last(data, _LOADED)) >= 0:
            first = min(start for mark in _LOADED if (start := data.find(mark)) >= 0)
            self._lines.setdefault("loaded", self._placed(span, first))
            self._used = self._size + used
        if (timed := last(data, (TIMING, COSTS))) >= 0:
            self._timed = self._size + timed
        self._follow(data)
        self._tail = [*self._tail[-1:], span]
        self._size += len(data)

    def _follow(self, data: bytes) -> None:
        """What the build did last."""
        mark = max(_STEPS, key=data.rfind)
        place = data.rfind(mark)
        passes = markers.PASS.finditer(data) if b" layers" in data else ()  # it is slow
        early = (match.start() for match in passes if match[1] != _LATE_PASS)
        passed = max(early, default=-1)
        self._optimised |= passed >= 0
        if place >= 0 or passed >= 0:
            self._doing = _OPTIMISING if passed > place else _done(data, place, mark)
        place = max(place, passed)
        is_timed = "costed" not in self._found and last(data, _NEXT) > place
        if not is_timed and not self._doing.startswith("while timing "):
            is_timed = _TIMED.search(data, max(place, 0)) is not None
        if is_timed:
            self._doing = _TIMING_LAYERS

    def _placed(self, span: Span, place: int) -> _Line:
        """The line of `place`."""
        data = span.data
        end = line_end(data, place)
        words = data[line_start(data, place) : end].rstrip()
        if words.endswith(b":"):  # up to TensorRT 9 a parser's reason stands in the next line
            words += b" " + data[end : line_end(data, end)].strip()
        return _Line(self._size + place, span.line + data.count(b"\n", 0, place), words)

    @property
    def begun(self) -> bool:
        """Whether a network was defined or optimised."""
        return self._optimised or "defined" in self._found

    def end(self) -> BuildEnd:
        """How the build ended."""
        told, verbose = self._lines.get, "verbose" in self._found
        load, error = told("loaded"), told("error")
        is_behind = load and error and error.place > load.place and _OF_BUILD.search(error.words)
        may_build = "may build" in self._found and (load is None or is_behind is not None)
        building = "building" in self._found or may_build
        built = told("built") if building and self._is_over() else None
        if building and built is None and (stopped := self._stopped()) is not None:
            return stopped
        errors = [
            told("error"),
            told("parser"),
            told("any error"),
            told("failed") if building else None,
        ]
        wrong = next((each for each in errors if each and self._is_of_build(each)), None)
        loaded = None if building else told("loaded")
        if wrong is not None and loaded is None:
            return BuildEnd("failed", wrong.line, _error(wrong), self._doing)
        raised = told("raised")
        words = "" if raised is None else f"a Python program ended with {_shown(raised.words)}"
        if built is not None:
            return BuildEnd("unlisted" if verbose else "quiet", built.line, words)
        if loaded is not None:
            if (refused := told("refused")) is not None:
                return BuildEnd("loaded", refused.line, _error(refused))
            error_line = told("error") or told("any error")
            ended = f"and ends with: {_shown(error_line.words)}" if error_line else words
            return BuildEnd("loaded", loaded.line, doing=ended)
        if any(_CLIPPED in span.data for span in self._tail):
            words = "BuildKit clipped it: set BUILDKIT_STEP_LOG_MAX_SIZE=-1"
        if verbose and (self.begun or building):
            return BuildEnd("ended", self._last_line(), words, self._doing)
        return BuildEnd("none", 1 if raised is None else raised.line, words, self._doing)

    def _is_over(self) -> bool:
        """Whether the log goes on after the last engine was generated, where its listing stands."""
        built = self._lines.get("built")
        if built is None or built.place < self._timed:
            return False
        generated = "verbose" in self._found and GENERATED in built.words
        return not generated or self._used > built.place

    def _is_of_build(self, wrong: _Line) -> bool:
        """Whether a build ended with the error: it goes on where a tactic is left out."""
        says_so = not {"building", "may build"}.isdisjoint(self._found)
        of_build = says_so or self.begun or _OF_BUILD.search(wrong.words)
        if "tensorrt" not in self._found or not of_build or b"xecutionContext" in wrong.words:
            return False
        built = self._lines.get("built", wrong)
        if built.place < wrong.place and self._is_over() and not _OF_BUILD.search(wrong.words):
            return False
        goes_on = max(self._timed, built.place) > wrong.place
        return not goes_on and not any(words in wrong.words for words in LEFT_OUT)

    def _stopped(self) -> BuildEnd | None:
        """What stopped the process from outside of it, or the signal that it died of."""
        data = b"".join(span.data for span in self._tail)[-_LAST_WORDS:]
        stops = [
            (match.start(), state)
            for state, pattern in _STOPS.items()
            for match in pattern.finditer(data)
            if not any(word in match[0] for word in _BY_LOGGER)
            and not BUILDERS_ERROR.search(match[0])
        ]
        if not stops:
            return None
        place, state = max(stops)  # `killed` before `crashed` on one line
        words = _shown(data[place : line_end(data, place)])
        line = self._last_line() - data.removesuffix(b"\n").count(b"\n", place)
        return BuildEnd(state, line, words, self._doing)

    def _last_line(self) -> int:
        last = self._tail[-1] if self._tail else None
        return last.line + last.data.removesuffix(b"\n").count(b"\n") if last else 1


def _last_error(pattern: re.Pattern[bytes], data: bytes) -> int:
    """Where the last error stands that a logger wrote; -1 where none does."""
    places = {mark: data.rfind(mark) for mark in _ERROR_MARKS}
    while (last := max(places.values())) >= 0:
        start = line_start(data, last)
        match = pattern.search(data, start, line_end(data, last))
        if match is not None and _is_logged(data, match):
            return match.start()
        for mark, place in places.items():
            places[mark] = data.rfind(mark, 0, start) if place >= start else place
    return -1


def _last_exception(data: bytes) -> int:
    """Where the last line of the last traceback stands that Python printed; -1: nowhere."""
    trace = data.rfind(b"Traceback (most recent call last):")
    match = RAISED.search(data, trace) if trace >= 0 else None
    return -1 if match is None else match.start()


def _is_logged(data: bytes, match: re.Match[bytes]) -> bool:
    """Whether a logger wrote it; `ERROR: ` stands in what Python programs print, too."""
    if match[0].startswith((b"[E]", b"Error Code")):
        return True
    start = max(data.rfind(b"\n", 0, match.start()) + 1, match.start() - ERROR_PREFIX)
    return _SHOWN_BY_PYTHON.match(data, start, match.start()) is None


def _error(line: _Line) -> str:
    """An error in its own words, without its host's."""
    host = _HOST.match(line.words[:ERROR_PREFIX])
    return _shown(line.words[host.end() if host else 0 :])


def _shown(words: bytes) -> str:
    return visible(decode(words[:_LONGEST_ERROR_SHOWN]).strip())


# What the last line of a kind is found by.
_LAST: Final[dict[str, Callable[[bytes], int]]] = {
    "parser": lambda data: data.rfind(b"[E] Failed to parse "),
    "raised": _last_exception,
    "built": lambda data: last(data, (*_BUILT, GENERATED)),
    "failed": lambda data: data.rfind(b"&&&& FAILED"),
}
_ERRORS: Final[dict[str, Callable[[bytes], int]]] = {
    "error": partial(_last_error, BUILDERS_ERROR),
    "any error": partial(_last_error, _ANY_ERROR),
    "refused": partial(_last_error, _REFUSED),
}
