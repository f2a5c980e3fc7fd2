"""What each output says of an engine's total, layers, reformats and precisions, read back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from program import Program
from rendered import page_data

MOVES = ("Reformat", "MyelinReformat")
UNITS = {"µs": 1e-3, "ms": 1.0, "s": 1e3}
TIME = r"(\d[\d.,]*) (µs|ms|s)\b"


class Time(NamedTuple):
    """Milliseconds, and by how much they may be rounded."""

    ms: float
    half: float

    def agrees(self, other: Time) -> bool:
        return abs(self.ms - other.ms) <= self.half + other.half + 1e-9


def printed(number: str, unit: str) -> Time:
    plain = number.replace(",", "")
    digits = len(plain.partition(".")[2])
    return Time(float(plain) * UNITS[unit], 0.5 * 10**-digits * UNITS[unit])


def written(pattern: str, text: str) -> Time | None:
    match = re.search(pattern, text)
    return printed(match[1], match[2]) if match else None


class Said(NamedTuple):
    """What one output says; None: nothing of that."""

    total: Time | None = None
    layers: int | None = None
    timed: tuple[int, int] | None = None
    reformats: int | None = None
    shares: Mapping[str, float] = {}
    averages: Time | None = None  # the sum of the layers' averages, not the table's own Total


def counts(text: str) -> tuple[int, int] | None:
    match = re.search(r"([\d,]+) of ([\d,]+) (?:layers? )?timed", text)
    return (int(match[1].replace(",", "")), int(match[2].replace(",", ""))) if match else None


def outputs(words: Sequence[str], folder: Path, here: Program) -> dict[int, dict[str, Said]]:
    """What each output says of each engine; none where there is nothing to draw."""
    drawing = here("draw", *words, "--format", "json,html", "--output_dir", folder)
    if drawing.returncode > 1:
        return {}
    lines = drawing.stdout.splitlines()

    def report(*more: str) -> str:
        wide = () if "brief" in more or "json" in more else ("--width", "300")
        return here(*more, *wide).stdout

    summaries = json.loads(report("summary", *words, "--format", "json"))["engines"]
    rows = json.loads(report("summary", *words, "--format", "brief"))["engines"]
    briefs = {row["engine"]: row for row in rows}
    head = re.compile(r"^Engine \d+ of .*$", re.MULTILINE)
    texts = head.split(report("summary", *words))[1:]
    lints = head.split(report("lint", *words))[1:]
    (html,) = folder.glob("*.html")
    pages = page_data(html.read_text("utf-8"), "engine-data")
    found = {}
    for summary, text, lint, page in zip(summaries, texts, lints, pages):
        index = summary["engine"]["index"]
        drawn = json.loads((folder / f"EngineLayers_{index}.json").read_text("utf-8"))
        (line,) = (one for one in lines if f"EngineLayers_{index}.json  " in one)
        found[index] = {
            "title": Said(
                layers=int(line.split("  ")[1].split(" ")[0]),
                timed=counts(line),
                averages=written(rf"timed, {TIME}", line),
            ),
            "summary": of_summary(summary["engine"], summary),
            "text": of_text(text),
            "lint": of_lint(lint),
            "page": of_page(page),
            "json": of_json(drawn),
        }
        if index in briefs:  # it has room for a few engines
            found[index]["brief"] = of_brief(briefs[index])
    return found


def six_digits(ms: float | None) -> Time | None:
    return None if ms is None else Time(ms, 5e-6 * ms)


def of_json(drawn: dict[str, Any]) -> Said:
    time = drawn["engine"]["time"]
    moves = sum(layer["type"] in MOVES for layer in drawn["layers"])
    # The sum of the layers; the profile's own total is beside it where it prints one.
    whole = [time[key] for key in ("total_ms", "of_profile_ms") if time[key] is not None]
    sums = Time(whole[0], max(abs(each - whole[0]) for each in whole)) if whole else None
    timed = (time["timed"], time["layers"]) if time["timed"] else None
    averages = six_digits(time["total_ms"])
    return Said(sums, len(drawn["layers"]), timed, moves, averages=averages)


def of_summary(engine: dict[str, Any], summary: dict[str, Any]) -> Said:
    shares = {row["precision"]: row["share"] for row in summary["precisions"]}
    timed = (engine["timed"], engine["time"]["layers"]) if engine["timed"] else None
    shares = shares if None not in shares.values() else {}
    return Said(None, engine["layers"], timed, engine["reformats"], shares)


def of_text(text: str) -> Said:
    layers = re.search(r"[ .]([\d,]+) layers?, [\d,]+ edges?", text)
    moves = re.search(r", (\d+) reformats?[ ,;.(]", text)
    rows = re.search(r"By precision: (.*)", text)
    shares = re.findall(r"([A-Z]\w+) ([\d.]+) %", rows[1]) if rows else []
    return Said(
        written(rf"layers timed(?: \([^)]*\))?: (?:≈ )?{TIME}", text),
        int(layers[1].replace(",", "")) if layers else None,
        counts(text.partition("Findings")[0]),
        int(moves[1]) if moves else None,
        {name: float(part) / 100 for name, part in shares},
    )


def of_lint(text: str) -> Said:
    return Said(written(rf"{TIME} in layers \(", text), timed=counts(text.partition("touches")[0]))


def of_brief(engine: dict[str, Any]) -> Said:
    return Said(six_digits(engine["ms"]), engine["layers"], counts(engine["coverage"] or ""))


def of_page(page: dict[str, Any]) -> Said:
    now = page["times"]["profiles"][page["times"]["shown"]]
    moves = re.match(r"\d+", now["reformats"])
    return Said(
        written(TIME, now["total"] or ""),
        len(page["layers"]["name"]),
        counts(now["coverage"] or ""),
        None if len(page["times"]["profiles"]) > 1 else int(moves[0]) if moves else 0,
    )


def contradictions(said: dict[str, Said]) -> list[str]:
    """Each pair of outputs that say two things of one number."""
    found = []
    for (a, one), (b, other) in combinations(said.items(), 2):
        for key in ("layers", "timed", "reformats"):
            mine, yours = getattr(one, key), getattr(other, key)
            if None not in (mine, yours) and mine != yours:
                found.append(f"{key}: {a} {mine}, {b} {yours}")
        for key in ("total", "averages"):
            mine, yours = getattr(one, key), getattr(other, key)
            if mine and yours and not mine.agrees(yours):
                found.append(f"{key}: {a} {mine.ms}, {b} {yours.ms}")
        for name in {*one.shares} & {*other.shares}:
            mine, yours = one.shares[name], other.shares[name]
            if abs(mine - yours) > 0.0006:
                found.append(f"share of {name}: {a} {mine}, {b} {yours}")
    return found
