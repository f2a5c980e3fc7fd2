"""Fails where a new engine became slower or larger than a baseline: for a job of CI.

BASE is a log, or what --save keeps of one. Several runs on each side tell a change from noise. Of
several exit codes 5 counts before 6, and 6 before 7.
"""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import compare as api
from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Misuse, Report, flags, inputs, outputs
from engine_layer_visualize.commands.flags import READ, REPORT, Given, Group
from engine_layer_visualize.comparison import gate_evidence
from engine_layer_visualize.comparison.verdict import Limits, exit_code, fraction
from engine_layer_visualize.core.build_info import Device
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.snapshot import GateRun, Snapshot
from engine_layer_visualize.documents import marks
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.reading import baseline as snapshot_file
from engine_layer_visualize.reports import gate

PARTLY_READ: Final = 7  # the exit code where a log is read in part: that is unsure
_STEM: Final = "gate"
_LIMITS: Final = Group("limits, as parts of what the baseline takes: 0.03 or 3%")
_limit: Final = partial(_LIMITS.flag, metavar="F", type=fraction)
_BASE: Final = Group("", within=READ, required=True)


class Options(inputs.SidesOptions):
    """Which engines are compared, and what fails."""

    baseline: tuple[Given, ...] = flags.log("as BASE: a log, or what --save wrote", group=_BASE)
    save: str | None = _BASE.flag(
        "judge nothing: keep the engine as a baseline in this file", "FILE"
    )
    log_file: tuple[Given, ...] = flags.log("as NEW: the new engine's log")
    # These are kept with their logs.
    profile_file: None = flags.times("times of layers, of the log before them", short="-p")
    times: None = flags.times("times of iterations, of the log before them")
    device: Device | None = inputs.DEVICE
    max_slowdown: float = _limit(
        "how much more time it may take (default: 3%%)", default=Limits().slowdown
    )
    max_memory: float | None = _limit("how much more memory it may need (default: any)")
    unsure: api.Unsure | None = _LIMITS.choice(
        "how an unsure verdict ends (default: exit code 7)", ("pass", "fail")
    )
    format: tuple[str, ...] = flags.format(draw.GATES)
    output: str | None = outputs.output(_STEM, draw.GATES)
    width: int | None = flags.WIDTH
    full: bool = flags.FULL
    name: str = REPORT.flag(
        "of this gate, where a project has several (default: engine)",
        "NAME",
        type=gate.named,
        default="engine",
    )

    @property
    def files_read(self) -> list[str]:
        """Those of the baseline, too."""
        return [*(file for log in self.baseline for file in log.files), *super().files_read]


def run(options: Options, report: Report) -> None:
    """Prints the verdict, or keeps a baseline. Raises ReadError where there is none."""
    if options.save is not None:
        _save(Path(options.save), options, report)
        return
    reports = outputs.Reports(options, _STEM, draw.GATES, partial(_whose, options.name))
    if any(format in outputs.WITH_PATHS for format in reports.asked):
        options = options.but(full_paths=True)
    given = [*options.baseline, *options.log_file]
    baseline, new = (_side(given, number, options, report) for number in range(2))
    if baseline is None or new is None:  # it has been said why
        return
    limits = Limits(options.max_slowdown, options.max_memory)
    unread = [problem for problem in report.problems if problem.severity == "error"]
    judgement = gate_evidence.judge_sides(baseline, new, limits, unread)
    report.judged(exit_code(judgement.verdict, options.unsure))
    reports.write(report, judgement)


def _save(path: Path, options: Options, report: Report) -> None:
    """Keeps a baseline. Raises Misuse, and ReadError where it cannot be read or written."""
    for name, flag in options.flags().items():  # a baseline keeps no limits, and no report comes
        idle = flag.group in (_LIMITS, REPORT) or name in ("format", "output")
        if idle and getattr(options, name) != flag.default:
            raise Misuse(f"--save judges nothing: --{name} has no use")
    hint = "--save another file; --force replaces it"
    outputs.check([path], options.force, _no_baseline, hint, read=options.log_file[0].files)
    side = _side(options.log_file, 0, options, report)
    if side is None:  # it has been said why
        return
    if not (side.runs or side.profiles):
        report.remark(
            "warning: this baseline has no times, and nothing can pass against it: save times, too"
        )
    side = api.with_unread(side, report.problems)
    outputs.save(path, gate.snapshot_written(side), report)


def _no_baseline(path: Path) -> str:
    return "" if snapshot_file.is_one(path) else "this was there before, and is no baseline"


def _whose(name: str, path: Path) -> str:
    is_ours = marks.is_verdict(path, name)
    return "" if is_ours else "this was there before, and is no verdict of this gate"


def _side(given: Sequence[Given], number: int, options: Options, report: Report) -> Snapshot | None:
    """Reads one of these logs; None where it cannot be read, which is reported.

    For the baseline that a verdict is about, the file of a snapshot may stand.

    Raises:
        ReadError: Where its times cannot be read, or a baseline has no use there (ELV705).
        Misuse: Where a run is given twice.
    """
    log, keeps = given[number], options.save is not None
    may_be_snapshot = number == 0 and not (keeps or log.profile_file or log.times)
    if _is_snapshot(log.path, may_be_snapshot):
        if may_be_snapshot:
            kept = snapshot_file.read(log.path)
            told, here = kept.conditions, options.device
            if here is not None and told.device is None:
                told = told._replace(device=here.name)
            return kept._replace(conditions=told)
        message = "a baseline is given as BASE, and has its times in it"
        raise ReadError(Problem(Place(log.path), "ELV705", message))
    runs: list[GateRun] = []
    for path in log.times:
        try:
            own, problems = api.runs_of([path], options.full_paths)
        except ReadError as error:
            if keeps or options.strict:
                raise
            own, problems = [], [error.problem]  # the verdict says that it is not sure
        runs += own
        inputs.tell(problems, options.strict, report)
    bare = [log._replace(profile_file=()) for log in given]
    engines = inputs.Sides(bare, options, report).engines(number)
    if not engines:
        return None
    file = engines[0].source.file
    if len(engines) > 1:
        report.remark(
            f"of {len(engines)} engines of {file}, {engines[0].index} is taken; "
            "--engine takes another"
        )
    if len({run.shapes for run in engines[0].known.runs if run.shapes}) > 1:
        report.remark(
            f"{file} has runs of several shapes, of which one is judged: "
            "give each shape a log of its own"
        )
    timed, problems = api.timed_by(engines[0], log.profile_file, options.force)
    inputs.tell(problems, options.strict, report)
    name = partial(inputs.shown_name, {file: file}, options.full_paths)
    shown = (sentences.renamed_files(engine, name) for engine in timed)
    costs = [Costs(engine, options.optimization_profile) for engine in shown]
    try:
        return api.of_engine(costs, runs)
    except ValueError as error:
        raise Misuse(str(error)) from None


def _is_snapshot(path: str, wanted: bool) -> bool:
    """Looks at the content. A pipe, which is read once, is a snapshot where it may be one."""
    if not os.path.isfile(path):
        return wanted and (path == "-" or os.path.exists(path)) and not os.path.isdir(path)
    return snapshot_file.is_document(path)
