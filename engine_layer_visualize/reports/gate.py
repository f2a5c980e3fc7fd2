"""Writes a verdict as text, Markdown, JSON, JUnit, SARIF and annotations; writes baselines."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.sax.saxutils import quoteattr

from engine_layer_visualize.comparison import causes, verdict
from engine_layer_visualize.comparison.verdict import Check, GroupTimes, Judgement, Verdict
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.core.snapshot import GateRun, Snapshot
from engine_layer_visualize.core.text import count, milliseconds, plural, visible
from engine_layer_visualize.core.words import Name, first_lines, first_of, plain
from engine_layer_visualize.documents import blocks, markup, terminal
from engine_layer_visualize.documents.blocks import Block, Grid, Heading, Paragraph
from engine_layer_visualize.facts.field import picked

WORST: Final = 10  # groups that stand first
CALLED: Final[dict[Verdict, str]] = {
    "pass": "passed", "fail": "failed", "unsure": "unsure", "not comparable": "not comparable",
}  # fmt: skip
CHECKED: Final[dict[verdict.CheckName, str]] = {
    "measured": "times of both",
    "read": "all that was given",
    "new run": "a run of the new engine",
    "network": "the same network",
    "coverage": "both timed as a whole",
    "conditions": "the same conditions",
    "iterations": "iterations",
    "time": "time of the engine",
    "statistics": "other statistics of the time",
    "memory": "memory",
}
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/ ]|-(?!-)){0,99}")


def named(name: str) -> str:
    """Gives the name back, which stands in a comment of HTML that nothing in it may end.

    Raises:
        ValueError: the name cannot be used.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"the name of a gate has letters, digits, blanks and `._/-`, not {name[:80]!r}"
        )
    return name


def headline(judgement: Judgement) -> str:
    """`failed: 1.00 ms → 1.10 ms (+10.0 %), 3 and 3 runs`."""
    total, said = judgement.total, CALLED[judgement.verdict]
    if total.slowdown is None or total.baseline_ms is None or total.new_ms is None:
        return said
    times = f"{milliseconds(total.baseline_ms)} → {milliseconds(total.new_ms)}"
    runs = verdict.of_runs(total.runs)
    if not judgement.comparable:
        return f"{said} ({times}, {runs})"
    return f"{said}: {times} ({change(total.slowdown)}), {runs}"


def change(slowdown: float | None) -> str:
    """`+5.0 %`."""
    return "from 0" if slowdown is None else verdict.signed(slowdown)


def grid(groups: Sequence[GroupTimes]) -> Grid:
    """A row for each group."""
    return blocks.grid(
        groups,
        (">change", lambda group: change(group.slowdown)),
        (">difference", lambda group: causes.signed(group.ms)),
        (">baseline", lambda group: milliseconds(group.baseline_ms)),
        (">new", lambda group: milliseconds(group.new_ms)),
        ("layers", lambda group: first_of([*map(Name, group.layers)], 1) or "–"),
    ).filled()


_MAX_REASONS: Final = 20

_LEVELS: Final[dict[Verdict, markup.Level]] = {
    "pass": "notice", "unsure": "warning", "fail": "error", "not comparable": "error",
}  # fmt: skip
# What cannot be told is skipped, what is not comparable is an error.
_JUNIT: Final = {"unsure": "skipped", "fail": "failure", "not comparable": "error"}


# ---- for people --------------------------------------------------------------------------------


def as_text(judgement: Judgement, options: ReportOptions) -> Iterator[str]:
    """The verdict, its reasons, and the groups of layers that cost the most, for a terminal."""
    is_good = {"pass": True, "fail": False}.get(judgement.verdict)
    told: list[Block] = [Heading(f"Gate {options.name} {headline(judgement)}", 1, is_good)]
    told += map(Paragraph, judgement.reasons)
    groups = judgement.groups
    shown = groups if options.full else groups[:WORST]
    if shown:
        told += (Heading("Layers"), grid(shown))
    if rest := len(groups) - len(shown):
        told.append(Paragraph(f"{count(rest, 'more group')} of layers: --full has all."))
    yield terminal.set_page(told, options.width, options.color, options.full)


def as_markdown(judgement: Judgement, options: ReportOptions) -> Iterator[str]:
    """A comment on a pull request, in GitHub's Markdown.

    By the marker in its first line the next verdict finds the comment that it replaces.

    Raises:
        ValueError: no comment can have these options.
    """
    named(options.name)
    gate = f"{markup.escaped(options.name)} {markup.escaped(headline(judgement))}"
    head = f"<!-- elv-gate:{options.name} -->\n### Gate {gate}\n\n"
    reasons = first_lines(judgement.reasons, _MAX_REASONS, markup.escaped, "reason")
    text, groups = head + "".join(f"* {reason}\n" for reason in reasons), judgement.groups
    shown = groups if options.full else groups[:WORST]
    if shown:
        text += "\n" + markup.set_page([grid(shown)], options.full)
    if left := len(groups) - len(shown):
        more = f"{left:,} {plural(left, 'group')} of layers more"
        text += f"\n{more}: `--full` has all.\n"
    yield text.rstrip("\n") + "\n"


# ---- for programs ------------------------------------------------------------------------------


def as_github(judgement: Judgement, options: ReportOptions) -> Iterator[str]:
    """An annotation of a workflow of GitHub Actions: the verdict and its reasons."""
    title = f"Gate {options.name} {headline(judgement)}"
    text = "\n".join(first_lines(judgement.reasons, _MAX_REASONS, plain)) or title
    level = _LEVELS[judgement.verdict]
    yield markup.annotation(level, text, title=title, file=judgement.new) + "\n"


def as_json(judgement: Judgement, options: ReportOptions) -> Iterator[str]:
    """One object of schema 1 (docs/gate.md), and a line break."""
    total = judgement.total
    gate_: JsonValue = {
        "verdict": judgement.verdict,
        "reasons": [*map(plain, judgement.reasons)],
        "total": {
            **picked(total, "baseline_ms", "new_ms", "slowdown"),
            "interval": None if total.interval is None else [*total.interval],
            "runs": [*total.runs],
        },
        "groups": [picked(one, "layers", "slowdown", "ms") for one in judgement.groups],
    }
    yield json.dumps({"schema": 1, "gate": gate_}) + "\n"


def as_junit(judgement: Judgement, options: ReportOptions) -> Iterator[str]:
    """One suite of XML; a case is a thing that was looked at.

    Signs that XML cannot have are spelled.
    """
    verdicts = [check.verdict for check in judgement.checks]
    counts = f'tests="{len(verdicts)}" failures="{verdicts.count("fail")}" '
    counts += f'errors="{verdicts.count("not comparable")}" skipped="{verdicts.count("unsure")}"'
    name = quoteattr(visible(f"gate {options.name}"))
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n'
    yield f"<testsuite name={name} {counts}>\n"
    for check in judgement.checks:
        start = f'<testcase classname={name} name="{CHECKED[check.name]}"'
        if element := _JUNIT.get(check.verdict):
            yield f"{start}><{element} message={quoteattr(visible(_said(check)))}/></testcase>\n"
        else:
            yield f"{start}/>\n"
    yield "</testsuite>\n</testsuites>\n"


def as_sarif(judgement: Judgement, options: ReportOptions) -> Iterator[str]:
    """One run of SARIF 2.1.0 with a result for what did not pass."""
    # Code hosts show no result without a line.
    place = markup.sarif_location(Place(judgement.new, 1))
    results: list[JsonValue] = [
        {
            "ruleId": f"gate-{check.name}",
            "level": _LEVELS[check.verdict],
            "message": {"text": markup.unlinked(_said(check))},
            "locations": [place],
        }
        for check in judgement.checks
        if check.verdict != "pass"
    ]
    rules: list[JsonValue] = [
        {"id": f"gate-{name}", "shortDescription": {"text": f"The gate: {called}"}}
        for name, called in CHECKED.items()
    ]
    yield json.dumps(markup.sarif(options.version, rules, results)) + "\n"


def _said(check: Check) -> str:
    return " ".join(map(plain, check.reasons))


# ---- a baseline --------------------------------------------------------------------------------


def snapshot_written(snapshot: Snapshot) -> Iterator[bytes]:
    """The file of a snapshot in pieces: JSON of schema 2 (docs/gate.md).

    Each tensor and each layer is a line, and a list to be short. The same snapshot gives the same
    bytes.
    """
    head: dict[str, JsonValue] = {
        **picked(snapshot, "file", "engine", "conditions", "layers", "memory"),
        "runs": [*map(_run, snapshot.runs)],
        "profiles": [*map(_run, snapshot.profiles)],
        **picked(snapshot, "coverage", "unfit"),
    }
    yield b'{"schema": 2, "snapshot": {\n'
    for key, value in head.items():
        yield f"{json.dumps(key)}: {json.dumps(value)},\n".encode()
    yield from _rows("kinds", snapshot.kinds)
    yield from _rows("tensors", snapshot.tensors)
    yield from _rows("listing", snapshot.listing)
    yield b'"edges": ' + _text(snapshot.edges).encode() + b"\n}}\n"


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _rows(key: str, rows: Iterable[object]) -> Iterator[bytes]:
    yield f'"{key}": ['.encode()
    for number, row in enumerate(rows):
        yield f"{',' if number else ''}\n{_text(row)}".encode()
    yield b"\n],\n"


def _run(run: GateRun) -> JsonValue:
    """`off` is empty: earlier versions, which need it, kept there how far `ms` may be off."""
    return {**picked(run, "file", "ms"), "off": [], **picked(run, *GateRun._fields[2:])}
