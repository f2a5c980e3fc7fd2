"""Reads the settings of `lint`: the values of its flags, and `elv.toml` or `pyproject.toml`."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from engine_layer_visualize.commands import flag_values
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.wrong_values import not_among
from engine_layer_visualize.io.json_stream import UNREADABLE
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.linting.finding import SEVERITIES, Severity
from engine_layer_visualize.linting.retired import retired
from engine_layer_visualize.linting.rules import all_rules, nearest_rule
from engine_layer_visualize.linting.selection import Codes, Selection, Suppression

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OWN: Final = "elv.toml"
_SHARED: Final = "pyproject.toml"
_TABLE: Final = "engine_layer_visualize"
_KEYS: Final = ("select", "ignore", "min_ms", "min_share", "fail_on", "suppress")
_SUPPRESS: Final = ("code", "layers", "reason")
_SEARCHED: Final = 1 << 20  # bytes, among which our table may stand
# tomllib takes the square of a key's parts in time, for each key: in all a second or two.
_FILE_BYTES: Final = 1 << 17  # of a file that is ours
_LINE_DOTS: Final = 100
_TOO: Final = "is nested too deeply, or has a number of too many digits"
_HEADER: Final = re.compile(r"\s*\[(\[?)\s*([^\]]+?)\s*\]")
_AT: Final = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)\Z")


class Settings(NamedTuple):
    """Which findings are shown, and which of them end the program with an error."""

    selection: Selection = Selection()
    fail_on: Severity | None = None  # from which on a finding is a failure
    file: str = ""  # where this was read; empty where there is no file


# ---------------------------------------------------------------- values


def codes(text: str) -> tuple[str, ...]:
    """Reads codes or starts of codes, such as `P,F02`. Raises ValueError."""
    words = flag_values.split(text)
    if not words:
        raise ValueError("codes of rules are wanted, such as P,F02")
    return tuple(dict.fromkeys(map(_code, words)))


def _code(word: str) -> str:
    """Reads a rule's code, its name, or the start of codes. Raises ValueError."""
    rules, start = all_rules(), word.upper()
    if start and any(code.startswith(start) for code in rules):
        return start
    names = {module.RULE.name: code for code, module in rules.items()}
    if word.lower() in names:
        return names[word.lower()]
    if former := [code for code, _ in retired(word)]:
        return former[0] if len(former) == 1 else start
    near = nearest_rule(word)
    instead = f"did you mean {near}?" if near else "`lint --rules` lists all"
    raise ValueError(f"no rule {word[:80]!r}; {instead}")


def milliseconds(text: str) -> float:
    """Reads a number of milliseconds. Raises ValueError."""
    return _number(text, "a number of milliseconds, such as 0.01")


def share(text: str) -> float:
    """Reads `0.5%`, or a part from 0 to 1. Raises ValueError."""
    wanted = "a share, such as 0.5% or 0.005"
    number = _number(text.strip().removesuffix("%"), wanted)
    number /= 100 if text.strip().endswith("%") else 1
    if number > 1:
        raise ValueError(f"{wanted} is wanted, not {text[:80]!r}")
    return number


def _number(text: str, wanted: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise ValueError(f"{wanted} is wanted, not {text[:80]!r}")
    return number


def severity(text: str) -> Severity:
    """Reads a severity. Raises ValueError."""
    if text not in SEVERITIES:
        raise ValueError(not_among("severity", text, SEVERITIES))
    return text


# ---------------------------------------------------------------- files


def nearest(folder: Path) -> Settings:
    """Reads the nearest file in `folder` or above it. Raises ReadError (ELV401, ELV701)."""
    for parent in (folder, *folder.parents):
        for name in (OWN, _SHARED):
            file = parent / name
            if file.is_file():
                data = Source(file).head(_SEARCHED)
                if (settings := of_text(file, data)) is not None:
                    return settings
    return Settings()


def of_text(file: Path, data: bytes) -> Settings | None:
    """Reads a file of settings.

    Returns:
        The settings; None where a file that we share with others has none for us.

    Raises:
        ReadError: Where they cannot be used (ELV701).
    """
    shared = file.name == _SHARED
    if shared and _TABLE.encode() not in data:  # another's file may be broken
        return None
    text = data.decode("utf-8-sig", "replace")
    ours = _File(str(file), text, f"tool.{_TABLE}" if shared else "")
    if len(data) > _FILE_BYTES:
        ours.refuse(f"the file is longer than {_FILE_BYTES >> 10} KiB")
    if "\ufffd" in text:
        before = text.partition("\ufffd")[0]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        ours.refuse("the file is not UTF-8", line, column)
    for number, row in enumerate(text.split("\n"), 1):
        if row.count(".") > _LINE_DOTS:
            ours.refuse(f"more than {_LINE_DOTS} dots in a line", number)
    try:
        values: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _AT.search(str(error))
        end = text.rstrip()
        line, column = end.count("\n") + 1, len(end) - end.rfind("\n")
        if match and match[1]:
            line, column = int(match[1]), int(match[2])
        ours.refuse(_AT.sub("", str(error)).strip(), line, column)
    except UNREADABLE:
        ours.refuse(f"the file {_TOO}")
    if shared:
        tool = values.get("tool")
        values = tool.get(_TABLE) if isinstance(tool, dict) else None
        if values is None:
            return None
    return ours.settings(values)


class _File(NamedTuple):
    """A file of settings."""

    name: str
    text: str
    table: str  # which one is ours; empty where the whole file is

    def settings(self, values: object) -> Settings:
        """Checks the values. Raises ReadError (ELV701)."""
        given = self._keys(values, _KEYS, "", 0)
        rows = given.get("suppress", [])
        if not isinstance(rows, list):
            self._refuse_value("suppress", "a list of tables is wanted: [[suppress]]")
        selection = Selection(
            (Codes(self._codes(given, "select"), self._codes(given, "ignore")),),
            self._value(given, "min_ms", milliseconds, 0.0),
            self._value(given, "min_share", share, 0.0),
            tuple(self._suppression(row, number) for number, row in enumerate(rows, 1)),
        )
        return Settings(selection, self._value(given, "fail_on", severity, None), self.name)

    def _suppression(self, row: object, number: int) -> Suppression:
        given = self._keys(row, _SUPPRESS, "suppress", number)
        for key in _SUPPRESS:
            value = given.get(key, "*" if key == "layers" else None)
            if not isinstance(value, str) or not value.strip():
                what = "is missing" if key not in given else "must be a text that is not empty"
                self._refuse_value(key, f"`{key}` {what}", "suppress", number)
        try:
            code = _code(str(given["code"]))
        except ValueError as error:
            self._refuse_value("code", str(error), "suppress", number)
        return Suppression(code, str(given["reason"]), str(given.get("layers", "*")))

    def _codes(self, given: Mapping[str, object], key: str) -> tuple[str, ...]:
        words = given.get(key, [])
        words = words.split(",") if isinstance(words, str) else words
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            self._refuse_value(key, f'{key}: a list of codes is wanted, such as ["P", "F02"]')
        try:
            return tuple(_code(word.strip()) for word in words)
        except ValueError as error:
            self._refuse_value(key, str(error))

    def _value(self, given: Mapping[str, object], key: str, read: Any, default: Any) -> Any:
        if key not in given:
            return default
        value = given[key]
        try:
            text = "true" if isinstance(value, bool) else str(value)
        except UNREADABLE:
            self._refuse_value(key, f"{key} {_TOO}")
        try:
            return read(text)
        except ValueError as error:
            self._refuse_value(key, f"{key}: {error}")

    def _keys(
        self, values: object, known: Sequence[str], table: str, number: int
    ) -> Mapping[str, object]:
        if not isinstance(values, dict):
            self._refuse_value(table, f"a table is wanted: {', '.join(known)}")
        for key in values:
            if key not in known:
                self._refuse_value(key, not_among("key", key, known), table, number)
        return values

    def _refuse_value(self, key: str, message: str, table: str = "", number: int = 0) -> NoReturn:
        self.refuse(message, *self._place(key, table, number))

    def _place(self, key: str, table: str, number: int) -> tuple[int, int]:
        """Finds the line and the column of a key of the table with this number; else its own."""
        wanted = ".".join(filter(None, (self.table, table)))
        inside, place, count = not wanted, (1, 1), 0
        named = re.compile(rf'\s*["\']?{re.escape(key)}["\']?\s*[=.\]]')
        for line, text in enumerate(self.text.split("\n"), 1):
            if header := _HEADER.match(text):
                is_ours = header[2].replace('"', "").replace(" ", "") == wanted
                count += is_ours
                inside = is_ours and (not number or count == number)
                place = (line, len(text) - len(text.lstrip()) + 1) if inside else place
                if not is_ours and wanted + "." * bool(wanted) + key == header[2]:
                    return line, text.index(key) + 1
            elif inside and key and named.match(text):
                return line, text.index(key) + 1
        return place

    def refuse(self, message: str, line: int = 1, column: int = 1) -> NoReturn:
        """Raises ReadError (ELV701)."""
        raise ReadError(Problem(Place(self.name, line, column), "ELV701", message))
