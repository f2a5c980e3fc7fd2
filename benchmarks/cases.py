"""What is measured, and against what: CASES.

A `Bench` (a folder, the size of the big log, short or not) in, rows of costs out. Goals are
written beside them; nothing here judges a number.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from benchmarks import make
from benchmarks.measure import Command, Cost, side_by_side
from benchmarks.transformer import transformer

_HERE: Final = Path(__file__).resolve().parent
_ROOT: Final = _HERE.parent
_PROGRAM: Final = "engine_layer_visualize"
_FIXTURES: Final = _ROOT / "fixtures" / "classic"


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    cost: Cost
    against: str | None = None
    ratio: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bench:
    """`folder` is emptied by whoever made it; `size` in bytes."""

    folder: Path
    size: int
    short: bool

    def run(self, commands: list[Command], rounds: int | None = None) -> dict[str, Cost]:
        """Costs by name; commands that this machine lacks are left out."""
        there = [command for command in commands if shutil.which(command.argv[0])]
        if rounds is None:
            rounds = 1 if self.short else 3
        # What users run was compiled when it was installed.
        environment = {"PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": ""}
        return side_by_side(there, self.folder, rounds, environment)

    def file(self, name: str) -> Path:
        return self.folder / name


def _out(log: Path) -> Path:
    """One log's outputs do not replace those of another."""
    return log.parent / f"out of {log.name}"


def _draw(name: str, log: Path, format: str, *more: str) -> Command:
    """The program as a user runs it. 1 is good: what a log lacks is not measured here."""
    argv = (sys.executable, "-m", _PROGRAM, "--log_file", str(log))
    out = str(_out(log))
    return Command(
        name, (*argv, "--format", format, "--output_dir", out, *more), (0, 1), True, " layer"
    )


def _baseline(name: str, what: str, log: Path) -> Command:
    argv = (sys.executable, str(_HERE / "baselines.py"), what, str(log))
    return Command(name, argv, keep=True)


def _rows(
    costs: dict[str, Cost], against: str, notes: dict[str, str] | None = None
) -> Iterator[Row]:
    """All costs as ratios to one of them."""
    base = costs[against]
    for name, cost in costs.items():
        note = (notes or {}).get(name, "")
        if name == against:
            yield Row(name, cost, note=note)
        else:
            yield Row(name, cost, against, cost.cpu / max(base.cpu, 1e-6), note)


def _said(cost: Cost) -> str:
    """`… 54 layers, 69 edges` of the program's first line on stdout."""
    line = cost.output.partition("\n")[0]
    return line.partition("  ")[2].strip()


# ---------------------------------------------------------------- the cases


_LOOP: Final = "Python text line loop"


def _big(bench: Bench) -> list[Row]:
    logs = {
        "with kernel lines": make.log(bench.file("old.log"), bench.size),
        "with kernel lines, 48 of 480 kernels nowhere named": make.log(
            bench.file("unnamed.log"), bench.size, unnamed=48
        ),
        "with kernel lines, TensorRT 10": make.log(
            bench.file("new.log"), bench.size, style=make.NEW
        ),
        "without kernel lines": make.log(bench.file("none.log"), bench.size, kernel_lines=False),
    }
    first = logs["with kernel lines"]
    commands = [
        Command("wc -l", ("wc", "-l", str(first))),
        Command("grep -c 'Layer('", ("grep", "-c", "Layer(", str(first)), keep=True),
        Command("grep -c 'Tactic Name'", ("grep", "-c", "Tactic Name", str(first)), keep=True),
        _baseline("Python binary line loop", "binary", first),
        _baseline(_LOOP, "text", first),
        *(_draw(f"to dot, {what}", log, "dot") for what, log in logs.items()),
        *(
            _draw(f"to json, all facts, {what}", logs[what], "json")
            for what in ("with kernel lines", "with kernel lines, TensorRT 10")
        ),
    ]
    costs = bench.run(commands)
    notes = {f"to dot, {what}": _share(log) for what, log in logs.items()}
    rare = "to dot, with kernel lines, 48 of 480 kernels nowhere named"
    notes[rare] += ", and so all of it is searched; in no whole log that we know"
    rows = list(_rows(costs, _LOOP, notes))
    for log in logs.values():
        log.unlink()
    return rows


def _share(log: Path) -> str:
    """How many of the lines name a kernel."""
    with log.open("rb") as file:
        file.seek(log.stat().st_size // 4)
        data = file.read(4 << 20)
    share = data.count(b"Tactic Name: ") / max(data.count(b"\n"), 1)
    return f"{share:.0%} kernel lines"


def _gzip(bench: Bench) -> list[Row]:
    log = make.log(bench.file("old.log.gz"), bench.size)
    commands = [
        Command("zcat", ("zcat", str(log))),
        _baseline("Python gzip line loop", "gzip", log),
        _draw("to dot, with kernel lines", log, "dot"),
    ]
    costs = bench.run(commands)
    packed = log.stat().st_size / 1e6
    against = "zcat" if "zcat" in costs else "Python gzip line loop"
    rows = list(_rows(costs, against, {"to dot, with kernel lines": f"{packed:.0f} MB packed"}))
    log.unlink()
    return rows


_REGEX: Final = "two regexes, {n} layers"


def _layers(bench: Bench) -> list[Row]:
    """Growth per layer is against the next smaller size, without what one layer costs."""
    sizes = [1, 500, 1_000, 2_000] if bench.short else [1, 1_000, 5_000, 10_000, 50_000, 100_000]
    logs = {n: make.listing_log(bench.file(f"layers_{n}.log"), make.network(n)) for n in sizes}
    commands = []
    for n, log in logs.items():
        commands.append(_baseline(_REGEX.format(n=_number(n)), "regex", log))
        for format in ("json", "dot"):
            commands.append(_draw(f"to {format}, {_number(n)} layers", log, format))
    costs = bench.run(commands, rounds=1 if bench.short else 3)
    rows = []
    for format in ("json", "dot"):
        floor = costs[f"to {format}, 1 layers"].cpu
        before: tuple[int, float] | None = None
        for n in sizes:
            name, base = f"to {format}, {_number(n)} layers", _REGEX.format(n=_number(n))
            cost = costs[name]
            note = ""
            if n > 1:
                each = max(cost.cpu - floor, 1e-9) / n
                note = f"{1 / each:,.0f} layers/s"
                if before is not None:
                    note += f", a layer costs {each / before[1]:.2f} of one at {_number(before[0])}"
                before = n, each
            rows.append(Row(name, cost, base, cost.cpu / costs[base].cpu, note))
    return rows + [
        Row(name, cost) for name, cost in costs.items() if name.startswith("two regexes")
    ]


def _dialects(bench: Bench) -> list[Row]:
    """One network as each format prints it, against loading a JSON of it."""
    n = 1_000 if bench.short else 10_000
    logs = {
        "classic, TensorRT 8.2": make.listing_log(bench.file("old.log"), make.network(n), make.OLD),
        "classic, TensorRT 10": make.listing_log(bench.file("new.log"), make.network(n), make.NEW),
        "detailed": make.detailed_log(bench.file("detailed.log"), make.network(n)),
        "inspector JSON": make.inspector(bench.file("layers.json"), make.network(n)),
    }
    base = "json.load of the inspector JSON"
    load = f"import json; json.load(open({str(logs['inspector JSON'])!r}))"
    commands = [Command(base, (sys.executable, "-c", load))]
    commands += [_draw(f"{what} to json", log, "json") for what, log in logs.items()]
    costs = bench.run(commands)
    floor = bench.run([Command("pass", (sys.executable, "-c", "pass"))])["pass"].cpu
    notes = {name: f"{n / (cost.cpu - floor):,.0f} layers/s" for name, cost in costs.items()}
    return list(_rows(costs, base, notes))


def _tables(bench: Bench) -> list[Row]:
    """All tables of a format, against reading the same log and its times alone."""
    n = 1_000 if bench.short else 20_000
    log = make.listing_log(bench.file("tables.log"), make.network(n))
    times = make.profile(bench.file("tables.json"), make.network(n))
    base = "reading alone"
    read = f"import {_PROGRAM}; {_PROGRAM}.read({str(log)!r}, {str(times)!r}, facts=True)"
    commands = [Command(base, (sys.executable, "-c", read))]
    for format in ("csv", "jsonl", "parquet", "arrow", "xlsx"):
        argv = (sys.executable, "-m", _PROGRAM, "table", str(log), str(times), "--format", format)
        commands.append(Command(format, (*argv, "-o", str(bench.file("tables")))))
    costs = bench.run(commands)
    alone = costs[base]
    notes = {
        name: f"{cost.cpu - alone.cpu:.2f} s and {cost.peak - alone.peak:.0f} MB more"
        for name, cost in costs.items()
        if name != base
    }
    return list(_rows(costs, base, notes))


def _fleet(bench: Bench) -> list[Row]:
    """Logs of 200 kB with their times as one dataset, against reading them alone."""
    count, size, layers = (8 if bench.short else 1000), 200_000, 60
    folder, ds = bench.file("fleet"), bench.file("fleet.ds")
    halves = [folder / "a", folder / "b"]
    for half in halves:
        half.mkdir(parents=True)
    for number in range(count):
        half, style = halves[number // 2 % 2], (make.OLD, make.NEW)[number % 2]
        log = half / f"build{number}.log"
        make.log(log, size, layers=layers, style=style, builds=1, seed=number, stretch=size // 10)
        make.profile(half / f"build{number}.profile.json", make.network(layers, 0))
    bytes = sum(path.stat().st_size for path in folder.rglob("*.log"))
    script = (
        f"from pathlib import Path; from {_PROGRAM} import read; "
        f"[read(path, path.with_suffix('.profile.json'), facts=True)"
        f" for path in Path({str(folder)!r}).rglob('*.log')]"
    )

    def line(source: Path, where: Path, jobs: int) -> str:
        argv = ("collect", str(source), "-o", str(where), "--jobs", str(jobs))
        return shlex.join((sys.executable, "-m", _PROGRAM, *argv))

    def fresh(name: str, *lines: str) -> Command:
        new = f"rm -rf {shlex.quote(str(ds))}*; "
        return Command(name, ("sh", "-c", new + " & ".join(lines) + "; wait"))

    base, one, two = "reading alone", "collect --jobs 1", "collect --jobs 2"
    apart = "collect --jobs 1, twice at once, half of the logs each"
    again = "collect, nothing new"
    commands = [
        Command(base, (sys.executable, "-c", script)),
        fresh(one, line(folder, ds, 1)),
        fresh(apart, *(line(half, ds.with_name(f"{ds.name}.{half.name}"), 1) for half in halves)),
        fresh(two, line(folder, ds, 2)),
        Command(again, ("sh", "-c", line(folder, ds, 2))),
    ]
    costs = bench.run(commands)
    parts = sum(path.stat().st_size for path in ds.rglob("*.parquet"))
    notes = {name: f"{count / cost.cpu:.0f} logs/s" for name, cost in costs.items()}
    del notes[again]
    for name in (apart, two):
        notes[name] += f"; by the clock {costs[one].wall / costs[name].wall / 2:.2f} of twice one"
    notes[two] += f"; Parquet: {parts / bytes:.1%} of the logs' {bytes / 1e6:.0f} MB"
    return list(_rows(costs, base, notes))


def _engines(bench: Bench) -> list[Row]:
    """Engines are drawn and let go one at a time; their lines are kept until then."""
    few = bench.short
    logs = {
        count: make.engines_log(bench.file(f"engines_{count}.log"), count, 100 if few else 400)
        for count in ((1, 10) if few else (1, 10, 100))
    }
    commands = [
        command
        for count, log in logs.items()
        for command in (
            _baseline(_REGEX_ENGINES.format(n=count), "regex", log),
            _draw(f"{count} engines to dot", log, "dot"),
        )
    ]
    costs = bench.run(commands, rounds=1)
    return [
        Row(
            f"{count} engines to dot",
            cost := costs[f"{count} engines to dot"],
            base := _REGEX_ENGINES.format(n=count),
            cost.cpu / costs[base].cpu,
            f"a log of {log.stat().st_size / 1e6:.1f} MB",
        )
        for count, log in logs.items()
    ]


_REGEX_ENGINES: Final = "two regexes, {n} engines"


def _number(count: int) -> str:
    return f"{count:,}"


def _steps(bench: Bench) -> list[Row]:
    """Seconds inside of a process, start-up left out."""
    n = 1_000 if bench.short else 10_000
    new = make.listing_log(bench.file("steps_new.log"), make.network(n), make.NEW)
    logs = {  # each with the log that the regexes read: they know no detailed listing
        "TensorRT 8.2": (make.listing_log(bench.file("steps_old.log"), make.network(n), make.OLD),),
        "TensorRT 10": (new,),
        "TensorRT 10, detailed": (
            make.detailed_log(bench.file("steps_detailed.log"), make.network(n)),
            new,
        ),
    }
    rows = []
    for what, (log, *other) in logs.items():
        inside = (sys.executable, str(_HERE / "inside.py"), str(log))
        regex = _baseline("regex", "regex", other[0] if other else log)
        costs = bench.run([regex, Command("inside", inside, keep=True)])
        base = float(json.loads(costs["regex"].output)["seconds"])
        peak = costs["regex"].peak
        name = f"two regexes to tuples, {what.removesuffix(', detailed')}"
        if not other:
            rows.append(Row(name, Cost(base, peak), note=f"{n / base:,.0f} lines/s"))
        seconds: dict[str, float] = json.loads(costs["inside"].output)
        del seconds["layers"]
        for step, took in seconds.items():
            cost = Cost(took, costs["inside"].peak)
            if step == "grammar":
                rows.append(Row(f"{step}, {what}", cost, note="once"))
                continue
            label = "lark to layers" if step == "read" else step
            note = f"{n / max(took, 1e-9):,.0f} lines/s"
            rows.append(Row(f"{label}, {what}", cost, name, took / base, note))
    return rows


def _start(bench: Bench) -> list[Row]:
    python = sys.executable
    log = _FIXTURES / "8.0-centernet.log"
    profile = str(log).replace(".log", ".profile.json")
    program = (python, "-m", _PROGRAM)
    draw = (
        *program,
        "--log_file",
        str(log),
        "--profile_file",
        profile,
        "-o",
        str(bench.file("out")),
    )
    whole = make.log(bench.file("start.log"), 1_000_000, layers=60, builds=1)
    times = make.profile(bench.file("start.json"), make.network(60, 0))
    out = ("-o", str(_out(whole)))
    told = ("--log_file", str(whole), "--profile_file", str(times))
    megabyte = "a log of 1 MB, 60 layers, and a profile to"
    commands = [
        Command("python -c pass", (python, "-c", "pass")),
        Command("python -c 'import engine_layer_visualize'", _imports("engine_layer_visualize")),
        Command("python -c 'import lark'", _imports("lark")),
        Command("python -c 'import pydot'", _imports("pydot")),
        Command("--version", (*program, "--version")),
        Command("--help", (*program, "--help")),
        Command("54 layers and a profile to json", (*draw, "--format", "json")),
        Command("54 layers and a profile to dot", (*draw, "--format", "dot")),
        Command(f"{megabyte} summary", (*program, "summary", *told)),
        *(
            Command(f"{megabyte} {format}", (*program, *told, *out, "--format", format))
            for format in ("dot", "json", "svg")
        ),
    ]
    bench.run(commands, rounds=1)  # compiles what was never run
    return list(_rows(bench.run(commands, rounds=5 if bench.short else 15), "python -c pass"))


def _imports(module: str) -> tuple[str, ...]:
    return sys.executable, "-c", f"import {module}"


def _extremes(bench: Bench) -> list[Row]:
    few = bench.short
    n = 200 if few else 1_000
    logs: dict[str, tuple[Path, tuple[str, ...]]] = {}

    def add(what: str, layers: Iterator[make.Layer], *more: str) -> None:
        logs[what] = make.listing_log(bench.file(f"extreme_{len(logs)}.log"), layers), more

    for tensors, lines in ((1_000, 20), (10_000, 2), (20_000, 1)):
        if few:
            tensors //= 10
        what = "line" if lines == 1 else "lines"
        add(f"{lines} {what} of {tensors:,} tensors", make.wide(tensors, lines))
    add(f"{n:,} names of 4,000 bytes", make.long_names(4_000, n))
    readers = (500, 1_000) if few else (5_000, 10_000)
    for count in readers:
        add(f"a tensor with {count:,} readers", make.many_readers(count))
    rows = 5_000 if few else 100_000
    for count in (rows // 2, rows):
        file = make.profile(bench.file(f"profile_{count}.json"), make.network(n), count)
        what = f"{n:,} layers, a profile of {count:,} rows"
        add(what, make.network(n), "--profile_file", str(file))
    for same in (n * 5, n * 10):
        add(f"{same:,} layers of one name", _of_one_name(same))
    commands = []
    for what, (log, more) in logs.items():
        commands.append(_baseline(f"two regexes: {what}", "regex", log))
        commands.append(_draw(what, log, "dot", *more))
    costs = bench.run(commands, rounds=1)
    return [
        Row(
            what,
            costs[what],
            "two regexes",
            costs[what].cpu / costs[f"two regexes: {what}"].cpu,
            _said(costs[what]),
        )
        for what in logs
    ]


def _of_one_name(count: int) -> Iterator[make.Layer]:
    for layer in make.network(count):
        yield make.Layer(layer.type, "Conv_1", layer.tactic, layer.inputs, layer.outputs)


def _layout(bench: Bench) -> list[Row]:
    """Seconds of the layout alone, and of whole pictures."""
    few = bench.short
    rows = []
    for count in (100, 400) if few else (1_000, 20_000):
        log = make.listing_log(bench.file(f"layout_{count}.log"), make.network(count))
        inside = (sys.executable, str(_HERE / "layout.py"), str(log))
        cost = bench.run([Command("inside", inside, keep=True)])["inside"]
        seconds: dict[str, float] = json.loads(cost.output)
        name = f"{count:,} layers, layout"
        rows.append(Row(name, Cost(seconds["layout"], cost.peak)))
        wall = Cost(seconds["svg"], cost.peak)
        rows.append(
            Row(f"{count:,} layers, engine to svg", wall, name, wall.cpu / rows[-1].cost.cpu)
        )
    log = make.listing_log(bench.file("transformer.log"), transformer(4 if few else 48))
    drawn = _draw("a transformer of 5,000 layers to svg", log, "svg")
    if few:
        drawn = _draw("a transformer of 424 layers to svg", log, "svg")
    rows += [Row(name, cost, note=_said(cost)) for name, cost in bench.run([drawn]).items()]
    return rows


def _comparison(bench: Bench) -> list[Row]:
    """Seconds of the comparison alone, and of its reports."""
    count = 1_000 if bench.short else 20_000
    files = []
    for name, layers in (
        ("a", list(make.network(count))),
        ("other tactics", list(make.network(count, seed=2))),
        ("no names", [replace(la, name=f"layer {i}") for i, la in enumerate(make.network(count))]),
    ):
        log = make.listing_log(bench.file(f"compared, {name}.log"), iter(layers))
        times = make.profile(bench.file(f"times, {name}.json"), iter(layers))
        files.append((str(log), str(times)))
    rows = []
    for how, other in (("by names", files[1]), ("by structure", files[2])):
        inside = (sys.executable, str(_HERE / "comparing.py"), *files[0], *other)
        cost = bench.run([Command("inside", inside, keep=True)])["inside"]
        seconds: dict[str, float] = json.loads(cost.output)
        name = f"{count:,} layers with as many, {how}"
        for step, took in seconds.items():
            rows.append(Row(f"{name}: {step}", Cost(took, cost.peak)))
    return rows


def _page(bench: Bench) -> list[Row]:
    """Frames of the page while it is panned, beside idle ones; nothing without a browser."""
    rows: list[Row] = []
    if not all(map(shutil.which, ("chromium", "chromedriver"))):
        return rows
    for count in (200,) if bench.short else (1_000, 20_000):
        log = make.listing_log(bench.file(f"page_{count}.log"), make.network(count))
        bench.run([_draw("html", log, "html")], rounds=1)
        page = _out(log) / "EngineLayers_0.html"
        inside = (sys.executable, str(_HERE / "panning.py"), str(page))
        cost = bench.run([Command("frames", inside, keep=True)], rounds=1)["frames"]
        ms: dict[str, float] = json.loads(cost.output)
        idle = f"{count:,} layers, an idle frame"
        rows.append(Row(idle, Cost(ms["idle"] / 1000, cost.peak)))
        pan = Cost(ms["pan"] / 1000, cost.peak)
        rows.append(Row(f"{count:,} layers, a frame of a pan", pan, idle, ms["pan"] / ms["idle"]))
    return rows


def _nsight(bench: Bench) -> list[Row]:
    count = 20_000 if bench.short else 1_000_000
    log, report = bench.file("nsight.log"), bench.file("nsight.csv")
    make.nsight(log, report, count)
    loop = "csv row loop"
    name = f"{count:,} rows to json"
    more = ("--profile_file", str(report))
    costs = bench.run([_baseline(loop, "rows", report), _draw(name, log, "json", *more)])
    report.unlink()
    return list(_rows(costs, loop, {name: f"{count:,} rows"}))


@dataclass(frozen=True, slots=True)
class Case:
    """`title` may hold {mb}, the size of the big log; `words` say what a number is made of."""

    title: str
    measure: Callable[[Bench], list[Row]]
    words: str = ""


_FLOOR: Final = (
    "Goals: as a text line loop, without kernel lines twice `grep`, 60 MB. What the time is made "
    "of, in seconds of a run where the loop takes 0.44: start-up, lark and the drawing of 800 "
    "layers 0.20 (see the tables above); reading the bytes 0.06; counting newlines 0.10 (the "
    "length that `bytes.replace` takes off; `bytes.count` takes 0.24 up to Python 3.13 at least); "
    "finding block markers 0.03; searching the definition of the network and the first 8 MB of "
    "timings for names 0.03. The other timings are skipped where the file can be read again. "
    "Where a kernel is named nowhere, all of the log is searched for it. "
    "Build info needs every timing: goal, five loops. A segment between two `Timing Runner` lines "
    "has some ten lines: it is cut out, its fastest line is found, its timings are counted, its "
    "choice is attached to the layer. Four million lines in 500 MB make 400,000 to 530,000 such "
    "segments. These four steps alone, with nothing kept of them, cost three to four loops in "
    "Python; less needs a library that handles lines as columns. Segments of real logs are longer "
    "and have other lines between them: 8 to 120 MB of real timings cost 8 to 18 loops."
)
_GROWTH: Final = (
    "Goals: 8,000 layers/s to dot, 10,000 to JSON, 4 kB a layer. Memory grows with the "
    "engine: layers, tensors, edges, and the records of its listing until they are read."
)
CASES: Final[dict[str, Case]] = {
    "start": Case(
        "Start-up",
        _start,
        "Goals: --version at most 3.5 times an empty Python, the brief summary of 1 MB at most 12 "
        "times where both are of a wheel: an editable install slows an empty Python.",
    ),
    "steps": Case(
        "Lark, and the steps after it",
        _steps,
        "Goals: from text to model objects 30,000 lines/s, of a detailed listing 8,000; rules of "
        "lint 40,000. Cost follows the number of tokens: nearly every record is one.",
    ),
    "layers": Case("Listings by size", _layers, _GROWTH),
    "nsight": Case(
        "Reports of Nsight Systems, as CSV",
        _nsight,
        "Goal: 8 times a loop over the rows.",
    ),
    "layout": Case(
        "Layout and pictures",
        _layout,
        "Goals: 1,000 layers laid out in 1 s, 20,000 in 10 s. Seconds inside of a process, except "
        "in the last row.",
    ),
    "comparison": Case(
        "Comparisons",
        _comparison,
        "Goal: 20,000 layers with 20,000 in 2 s. Seconds inside of a process.",
    ),
    "page": Case(
        "The page",
        _page,
        "Goal: a pan takes no longer than an idle frame, at the slowest of four scales. Seconds of "
        "a frame by the clock, medians; the peak is the driver's, not the browser's.",
    ),
    "dialects": Case(
        "One network in every format",
        _dialects,
        "Goal: 8,000 layers/s of a detailed listing.",
    ),
    "tables": Case(
        "Tables of 20,000 layers",
        _tables,
        "Goals: Parquet in 1 s and 60 MB more than reading, Excel in 3 s.",
    ),
    "fleet": Case(
        "A dataset of logs of 200 kB",
        _fleet,
        "Goal: 40 logs a second on a core. A second is one of CPU.",
    ),
    "engines": Case("Many engines in a log", _engines),
    "extremes": Case("Extremes, to dot", _extremes),
    "log": Case("A log of {mb} MB, two listings of 400 layers in it", _big, _FLOOR),
    "gzip": Case(
        "The same log, {mb} MB unpacked, as gzip",
        _gzip,
        "Goal: 1.15 times zcat and what the plain file takes. A pipe cannot be read again, so all "
        "of it is searched.",
    ),
}
