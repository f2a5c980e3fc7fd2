"""The results of a run: `Figures` of one target, and a table of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figures:
    """`places`: jumps of the byte code that were reached; `kept`: new files of the corpus.

    None where a run does not tell. `findings`: what broke, and where to find the input.
    """

    target: str
    executions: int
    seconds: float | None = None
    places: int | None = None
    kept: int | None = None
    findings: tuple[str, ...] = ()


def table(found: Sequence[Figures], how: str) -> str:
    """Markdown, with a row of sums."""
    lines = [
        f"| target ({how}) | executions | seconds | places | kept | findings |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for one in found:
        cells = [one.target, f"{one.executions:,}"]
        cells += ["" if n is None else f"{n:,.0f}" for n in (one.seconds, one.places, one.kept)]
        lines.append("| " + " | ".join([*cells, str(len(one.findings))]) + " |")
    executions = sum(one.executions for one in found)
    seconds = sum(one.seconds or 0 for one in found)
    findings = sum(len(one.findings) for one in found)
    lines.append(f"| all | {executions:,} | {seconds:,.0f} | | | {findings} |")
    return "\n".join(lines)
