"""Files with other names, and whether they say the same as before.

Two texts say the same if they differ in words alone, and each word always became the same other
one, and no two became one.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from invariance import differences
from logtext import file_of
from summarised import data_of

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.repeats import repeats
from engine_layer_visualize.api import draw, read
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading import anonymise, anonymise_names
from engine_layer_visualize.trt.operators import named_after, operators

_WORD: Final = re.compile(r"([A-Za-z\x80-\U0010ffff]+)")
_PATHS: Final = ("Model", "Output", "RefOutputs", "Save engine", "Load engine", "timingCacheFile")
_PATH: Final = re.compile("Export .* file")
_REMOVED: Final = ("Selected Device UUID",)
_SHORTENED: Final = re.compile("`(?!trtexec )[^`]*…[^`]*`")  # a name, cut by its length


def anonymised(files: Sequence[Path], folder: Path) -> list[Path]:
    """The files under other names, renamed together."""
    ends = (".json" if file.suffix == ".json" else ".log" for file in files)
    named = zip(_renamed(map(Source, files)), ends)
    return [file_of(folder, data, f"{number}{end}") for number, (data, end) in enumerate(named)]


def text_of(*texts: str | bytes) -> list[str]:
    """The texts with other names, renamed together."""
    every = (text.encode() if isinstance(text, str) else text for text in texts)
    return [data.decode() for data in _renamed(Source(None, chunks=[one]) for one in every)]


def _renamed(sources: Iterable[Source]) -> list[bytes]:
    anonymiser = anonymise.Anonymiser()
    return [b"".join(anonymiser.read(source)) for source in sources]


def told(files: Sequence[Path]) -> Any:
    """All that the program says of a log and its profiles, without places in lines; or the code of
    what is wrong."""
    log, *profiles = files
    try:
        opened = read.Log(log, profiles, facts=True)
        engines = list(opened.engines())
    except elv.ReadError as error:
        return error.problem.code

    def comparable(engine: elv.Engine) -> Any:
        said = [json.loads(draw.render(engine, "json")), data_of(engine)]
        said += [[(one.name, one.blocks) for one in repeats(engine.layers)]]
        return _comparable(json.loads(json.dumps(said)))

    return [comparable(engine) for engine in engines]


def _comparable(value: Any) -> Any:
    if isinstance(value, dict):
        key = value.get("key")
        if key in (*_PATHS, *_REMOVED) or (isinstance(key, str) and _PATH.fullmatch(key)):
            value = {**value, "value": ""}
        head = value.get("operators")  # names that users gave lose what they say of operators
        name = str(value.get("name"))
        untold = "type" not in value and not operators(name)  # it may be the type
        if untold or head in (value.get("type"), "layer", " + ".join(named_after(name))):
            value = {**value, "operators": ""} if head is not None else value
        if isinstance(text := value.get("text"), str):
            value = {**value, "text": _without_places(text)}
        if isinstance(lever := value.get("largest_lever"), str):
            value = {**value, "largest_lever": _without_places(_SHORTENED.sub("`…`", lever))}
        if "code" in value and "severity" in value:
            value = {k: v for k, v in value.items() if k in ("code", "line", "severity")}
        left_out = ("file", "loaded", "command")
        return {k: _comparable(v) for k, v in value.items() if k not in left_out}
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    return value


def _without_places(text: str) -> str:
    """A message in which each path and file is the same word."""
    words = text.encode()
    found = anonymise_names.places_of(words)
    places = ((start, end, bytes if fixed else lambda _: b"-") for start, end, fixed in found)
    return anonymise_names.rewritten(words, places, bytes).decode()


class Renaming:
    """Which word became which."""

    def __init__(self) -> None:
        self.new: dict[str, str] = {}
        self.old: dict[str, str] = {}

    def differences(self, one: Any, other: Any) -> Iterator[str]:
        """Where two values differ in more than names."""
        return differences(one, other, self._same)

    def _same(self, one: Any, other: Any) -> bool:
        if not isinstance(one, str) or not isinstance(other, str):
            return bool(one == other)
        before, after = _WORD.split(one), _WORD.split(other)
        if before[::2] != after[::2]:
            return False
        for word, new in zip(before[1::2], after[1::2]):
            if word == new:
                continue
            if self.new.setdefault(word, new) != new or self.old.setdefault(new, word) != word:
                return False
        return True


def left_over(log: Path, other: Path) -> set[str]:
    """Words of the names of a log's layers and tensors that are in the other log, too.

    Not those of TensorRT: types and kernels of this log, and the listed ones.
    """
    try:
        engines = list(read.Log(log).engines())
    except elv.ReadError:
        return set()
    names: set[str] = set()
    public: set[str] = set()
    for layer in (layer for engine in engines for layer in engine.layers):
        names.update(_WORD.findall(layer.name))
        names.update(w for t in (*layer.inputs, *layer.outputs) for w in _WORD.findall(t.name))
        public.update(_WORD.findall(f"{layer.type} {layer.tactic} {layer.kernel}"))
    words = anonymise_names.NAMES | anonymise_names.PROSE | anonymise_names.RECORDS
    kept = {word.decode() for word in words}
    mine = {one for one in names - public - kept if not anonymise_names.is_of_pieces(one.encode())}
    text = re.sub(
        r"0x[0-9a-f]+|\d[xe]|\[[A-Z_]+ #\d+\] torch\."  # torch2trt writes a type of TensorRT's
        r"|Tactic ?Name: \S+|aten_ops\.(\w+)[\w.]*(\]-\[[^\[\]]*/\1)?",
        lambda match: match[2].removesuffix(match[1]) if match[2] else " ",
        other.read_text("utf-8"),
    )
    return mine & set(_WORD.findall(text))
