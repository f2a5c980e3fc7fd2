"""Reads the settings of `lint`: the values of its flags, and those of the project's file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from engine_layer_visualize.commands import flag_values, settings
from engine_layer_visualize.commands.settings import File
from engine_layer_visualize.core.wrong_values import not_among
from engine_layer_visualize.linting.finding import SEVERITIES, Severity
from engine_layer_visualize.linting.retired import retired
from engine_layer_visualize.linting.rules import all_rules, nearest_rule
from engine_layer_visualize.linting.selection import Codes, Selection, Suppression

_SUPPRESS: Final = ("code", "layers", "reason")


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
    file = settings.nearest(folder)
    return Settings() if file is None else of_file(file)


def of_file(file: File) -> Settings:
    """Takes the settings of `lint`. Raises ReadError (ELV701)."""
    given = file.values
    rows = given.get("suppress", [])
    if not isinstance(rows, list):
        file.refuse_value("suppress", "a list of tables is wanted: [[suppress]]")
    selection = Selection(
        (Codes(_codes(file, "select"), _codes(file, "ignore")),),
        file.value(given, "min_ms", milliseconds, 0.0),
        file.value(given, "min_share", share, 0.0),
        tuple(_suppression(file, row, number) for number, row in enumerate(rows, 1)),
    )
    return Settings(selection, file.value(given, "fail_on", severity, None), file.name)


def _suppression(file: File, row: object, number: int) -> Suppression:
    given: Mapping[str, object] = file.keys(row, _SUPPRESS, "suppress", number)
    for key in _SUPPRESS:
        value = given.get(key, "*" if key == "layers" else None)
        if not isinstance(value, str) or not value.strip():
            what = "is missing" if key not in given else "must be a text that is not empty"
            file.refuse_value(key, f"`{key}` {what}", "suppress", number)
    try:
        code = _code(str(given["code"]))
    except ValueError as error:
        file.refuse_value("code", str(error), "suppress", number)
    return Suppression(code, str(given["reason"]), str(given.get("layers", "*")))


def _codes(file: File, key: str) -> tuple[str, ...]:
    words = file.values.get(key, [])
    words = words.split(",") if isinstance(words, str) else words
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        file.refuse_value(key, f'{key}: a list of codes is wanted, such as ["P", "F02"]')
    try:
        return tuple(_code(word.strip()) for word in words)
    except ValueError as error:
        file.refuse_value(key, str(error))
