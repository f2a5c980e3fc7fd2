"""Says what a history found out."""

from __future__ import annotations

from engine_layer_visualize.comparison.cause_words import signed
from engine_layer_visualize.comparison.gate import conditions, limits
from engine_layer_visualize.comparison.gate.verdict import TIMES
from engine_layer_visualize.comparison.history.builds import Build
from engine_layer_visualize.comparison.history.series import Count, Series, Step
from engine_layer_visualize.comparison.history.steps import LEAST_BUILDS
from engine_layer_visualize.core.text import count, milliseconds, percent
from engine_layer_visualize.core.words import Name, Words, joined


def title(series: Series) -> Words:
    """`History of 25 builds: v1 to v25`."""
    builds = series.builds
    start = f"History of {count(len(builds), 'build')}: "
    if len(builds) == 1:
        return start, Name(builds[0].label)
    return start, Name(builds[0].label), " to ", Name(builds[-1].label)


def measured(series: Series) -> str:
    """Under what: `T4 · TensorRT 8.5 to 10.3 · inputs 1x3x224x224 · times of iterations`."""
    known = series.conditions
    versions = [build.conditions.tensorrt for build in series.builds if build.conditions.tensorrt]
    ends = list(dict.fromkeys([*versions[:1], *versions[-1:]]))
    said = [
        known.device or "",
        f"TensorRT {' to '.join(ends)}" if ends else "",
        f"inputs {known.batch}" if known.batch else "",
        "" if series.kind is None else TIMES[series.kind],
    ]
    return " · ".join(filter(None, said))


def apart(first: Series, other: Series) -> Words:
    """Why builds are not of the first history."""
    if other.network != first.network:
        return "These builds are of another network than those of the first history."
    unversioned = (each.conditions._replace(tensorrt=None) for each in (first, other))
    differ = conditions.parted(*unversioned)
    parts: list[Words] = [(f"{what} ", was, ", here ", now) for what, was, now in differ]
    known = first.conditions.batch is not None, other.conditions.batch is not None
    if known[0] != known[1]:
        parts.append(f"the shape of the inputs is known {'there' if known[0] else 'here'} alone")
    words = joined("; ", parts)
    return ("These builds were measured otherwise than those of the first history: ", *words, ".")


def first(series: Series) -> Words:
    """What matters most."""
    builds, timed = series.builds, [ms for ms in series.ms if ms]
    if not timed:
        return "No build has a measured time."
    if not series.steps:
        if len(timed) < 2 * LEAST_BUILDS:
            least = f"{2 * LEAST_BUILDS} are needed, {LEAST_BUILDS} on either side of it"
            return (
                f"Of a step nothing can be told: {count(len(timed), 'build')} with a time, {least}."
            )
        none = f"No step: in {count(len(timed), 'build')} no change is larger than noise"
        return f"{none} ({milliseconds(timed[-1])} now{_noise(series)})."
    last, number = series.steps[-1], len(series.steps)
    return (
        "1 step, with " if number == 1 else f"{number:,} steps; the last one came with ",
        Name(builds[last.build].label),
        f": {speed(last.change)} since then ({_from_to(last)}{_noise(series)}).",
    )


def _noise(series: Series) -> str:
    if series.noise is None:
        return ""
    return f"; {'otherwise ' if series.steps else ''}builds differ by ±{percent(series.noise)}"


def speed(change: float) -> str:
    """`5.1 % slower`."""
    return f"{limits.percent(abs(change))} {'slower' if change > 0 else 'faster'}"


def _from_to(step: Step) -> str:
    return f"{milliseconds(step.before_ms)} → {milliseconds(step.after_ms)}"


def between(step: Step) -> str:
    """`+4.8 % to +5.4 %`, where the change lies; `–` where too few builds tell."""
    if step.interval is None:
        return "–"
    return " to ".join(map(limits.signed, step.interval))


def came_with(series: Series, step: Step) -> Words:
    """What else changed with a step: the version, reformats, modules; and how long it lasted."""
    said: list[Words] = []
    if step.tensorrt is not None:
        said.append(("TensorRT ", Name(step.tensorrt[0]), " → ", Name(step.tensorrt[1])))
    if step.reformats is not None:
        said.append(f"reformats {step.reformats[0]:,} → {step.reformats[1]:,}")
    for name, before, after in step.modules:
        said.append((Name(name), f" {signed(after - before)}"))
    if step.until is not None:
        said.append(("up to the step with ", Name(series.builds[step.until].label)))
    return joined("; ", said) if said else "–"


def counted(found: Count) -> str:
    """`3 → 5`."""
    return f"{found.before:,} → {found.after:,}"


def note(series: Series, place: int) -> str:
    """Why a build's time is not compared; else empty."""
    build = series.builds[place]
    if build.why:
        return f"not compared: {build.why}"
    if series.ms[place] is not None:
        return ""
    if not build.times:
        return "no measured time"
    return f"not compared: it has {TIMES[next(iter(build.times))]}"


def whole(build: Build) -> str:
    """A build's row of a table, in words that a tooltip shows."""
    version = build.conditions.tensorrt
    said = [
        build.label,
        count(build.layers, "layer"),
        count(build.reformats, "reformat"),
        f"TensorRT {version}" if version else "",
    ]
    return ", ".join(filter(None, said))
