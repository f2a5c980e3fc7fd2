"""Reads the settings of a project: `elv.toml`, or a table of `pyproject.toml`.

The file's own keys are those of `lint`; each other command has a table. Flags are stronger.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

from engine_layer_visualize.commands import Report, flags
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.wrong_values import not_among
from engine_layer_visualize.io.json_stream import UNREADABLE
from engine_layer_visualize.io.source import Source

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OWN: Final = "elv.toml"
OF_LINT: Final = ("select", "ignore", "min_ms", "min_share", "fail_on", "suppress")
# The tables of other commands, and which of their flags may stand there.
OF_COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "gate": (
        "max_slowdown",
        "max_layer_slowdown",
        "min_layer_ms",
        "max_memory",
        "max_reformats",
        "forbid",
        "unsure",
        "per_sample",
    ),
    "draw": ("theme", "color_by", "labels", "direction", "unfold"),
}
_SCHEMA: Final = 1
_SHARED: Final = "pyproject.toml"
_TABLE: Final = "engine_layer_visualize"
_SEARCHED: Final = 1 << 20  # bytes, among which our table may stand
# tomllib takes the square of a key's parts in time, for each key: in all a second or two.
_FILE_BYTES: Final = 1 << 17  # of a file that is ours
_LINE_DOTS: Final = 100
_TOO: Final = "is nested too deeply, or has a number of too many digits"
_HEADER: Final = re.compile(r"\s*\[(\[?)\s*([^\]]+?)\s*\]")
_AT: Final = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)\Z")
Options = TypeVar("Options", bound=flags.Options)


def nearest(folder: Path) -> File | None:
    """Reads the nearest file in `folder` or above it. Raises ReadError (ELV401, ELV701)."""
    for parent in (folder, *folder.parents):
        for name in (OWN, _SHARED):
            file = parent / name
            if file.is_file():
                data = Source(file).head(_SEARCHED)
                if (found := of_text(file, data)) is not None:
                    return found
    return None


def applied(options: Options, command: str, report: Report) -> Options:
    """Returns the options with what the nearest file says and no flag does.

    Raises:
        ReadError: Where the file cannot be used (ELV401, ELV701).
    """
    file = nearest(Path.cwd())
    table = None if file is None else file.table_of(command)
    if file is None or not table:
        return options
    declared = {flag.name: flag.metadata["argument"] for flag in fields(options) if flag.metadata}
    values = {key: file.flag(table, command, key, declared[key]) for key in table}
    report.remark(f"settings of {file.name}")  # it may stand far above
    return replace(options, **{k: v for k, v in values.items() if k not in options.given})


def of_text(file: Path, data: bytes) -> File | None:
    """Reads a file of settings.

    Returns:
        The file; None where a file that we share with others has none for us.

    Raises:
        ReadError: Where they cannot be used (ELV701).
    """
    shared = file.name == _SHARED
    if shared and _TABLE.encode() not in data:  # another's file may be broken
        return None
    text = data.decode("utf-8-sig", "replace")
    ours = File(str(file), text, f"tool.{_TABLE}" if shared else "")
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
    ours = ours._replace(values=ours.keys(values, ("schema", *OF_LINT, *OF_COMMANDS), "", 0))
    if type(schema := ours.values.get("schema", _SCHEMA)) is not int or schema != _SCHEMA:
        message = f"settings of schema {schema!r:.40}, and this version reads {_SCHEMA}"
        ours.refuse_value("schema", message)
    return ours


class File(NamedTuple):
    """A file of settings."""

    name: str
    text: str
    table: str  # which one is ours; empty where the whole file is
    values: Mapping[str, Any] = {}

    def table_of(self, command: str) -> Mapping[str, Any]:
        """Returns the settings of a command. Raises ReadError (ELV701)."""
        return self.keys(self.values.get(command, {}), OF_COMMANDS[command], command, 0)

    def flag(
        self, table: Mapping[str, Any], command: str, key: str, argument: Mapping[str, Any]
    ) -> Any:
        """Reads a value as that of a flag of the command line. Raises ReadError (ELV701).

        Args:
            table: The settings of the command.
            command: Its name.
            key: The name of the flag.
            argument: How argparse is told of it.
        """
        if argument.get("action") == "store_true":
            if not isinstance(table[key], bool):
                self.refuse_value(key, f"{key}: true or false is wanted", command)
            return table[key]

        def read(text: str) -> Any:
            value = argument.get("type", str)(text)
            if (choices := argument.get("choices")) and value not in choices:
                raise ValueError(not_among("value", value, [*choices]))
            return value

        return self.value(table, key, read, None, command)

    def value(
        self,
        given: Mapping[str, object],
        key: str,
        read: Callable[[str], Any],
        default: Any,
        table: str = "",
    ) -> Any:
        """Reads a value from its text; of a list, from its words with commas."""
        if key not in given:
            return default
        value = given[key]
        words = value if isinstance(value, list) else [value]
        try:
            text = ",".join("true" if word is True else str(word) for word in words)
        except UNREADABLE:
            self.refuse_value(key, f"{key} {_TOO}", table)
        try:
            return read(text)
        except ValueError as error:
            self.refuse_value(key, f"{key}: {error}", table)

    def keys(
        self, values: object, known: Sequence[str], table: str, number: int
    ) -> Mapping[str, Any]:
        """Returns a table whose keys are known. Raises ReadError (ELV701)."""
        if not isinstance(values, dict):
            self.refuse_value(table, f"a table is wanted: {', '.join(known)}")
        for key in values:
            if key not in known:
                self.refuse_value(key, not_among("key", key, known), table, number)
        return values

    def refuse_value(self, key: str, message: str, table: str = "", number: int = 0) -> NoReturn:
        """Raises ReadError (ELV701) with the place of a key."""
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
