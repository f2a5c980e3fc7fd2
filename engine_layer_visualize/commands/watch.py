"""Shows where a build is while it runs, and what makes its engine slow when it is done."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass, replace
from typing import IO, Final

from engine_layer_visualize.commands import Report, build_words, flag_values, flags, inputs, lint
from engine_layer_visualize.commands.flags import READ, REPORT
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.inputs.buildlog.progress import Follower, Progress
from engine_layer_visualize.io import follow

ABOUT: Final = (
    "Shows where a build is while it writes its log: the layer that is timed, how many are done, "
    "and what took longest. It ends with the log's pipe, where trtexec says that it is done, or "
    "10 seconds after an engine was made; then it prints what lint prints. Ctrl-C ends it, too."
)
EXAMPLES: Final = ("build.log", "- --format jsonl")
EXIT_CODES: Final = {
    0: "the build is done, and its log was read",
    1: "the log was read in part",
    2: "wrong usage",
    3: "the log has no engine: the build failed, or was ended",
    4: "the lines could not be written",
}
_SETTLED: Final = 10.0  # seconds without a line, after which an engine that was made is the last


@dataclass(frozen=True, kw_only=True)
class Options(flags.Options):
    """Which log is followed, and how often it is told of."""

    log: str | None = READ.flag(
        "a log that a build writes; - is stdin (default)", "LOG", word=True, nargs="?"
    )
    every: float = REPORT.flag(
        "seconds between two lines, where they are not written on a terminal (default: 10)",
        "SECONDS",
        type=flag_values.seconds,
        default=10.0,
    )
    format: str = REPORT.flag(
        "text on stderr for people, or jsonl: a line of JSON on stdout each time",
        choices=("text", "jsonl"),
        short="-f",
        default="text",
    )


def run(options: Options, report: Report) -> None:
    """Follows the log. Raises ReadError where it has no engine in the end."""
    log = options.log or "-"
    with follow.kept(log) as copy:
        _follow(log, options, report, copy)
        if copy is not None:
            copy.flush()
        kept = None if copy is None else copy.name
        asked = lint.Options(log_file=(log,), kept=kept, strict=options.strict)
        if options.format == "text":
            lint.run(asked, report)
            return
        for _, read in inputs.logs(asked, report, facts=False):
            for _ in inputs.engines(read, report):
                pass


def _follow(log: str, options: Options, report: Report, copy: IO[bytes] | None) -> None:
    follower, told, is_text = Follower(), time.monotonic(), True
    if log != "-" and not os.path.exists(log):
        report.remark(f"{log} is not there yet")
    try:
        for news in follow.lines(log):
            now = time.monotonic()
            if news.what == "began again":
                report.remark(f"{log} begins anew")
                follower = Follower()
            elif news.what == "lines":
                is_text = is_text and b"\0" not in news.data
                if copy is not None:
                    copy.write(news.data)
                for message in follower.read(news.data, now):
                    warning = replace(follower.at(now), event="warning", message=message)
                    _tell(options, report, warning)
            progress = follower.at(now)
            if options.format == "text":
                report.status(build_words.of(progress))
            if now - told >= options.every:
                told = now
                _tell(options, report, progress)
            no_build = not (is_text or progress.doing)
            is_over = (no_build or progress.state == "over") and news.what == "nothing"
            if is_over or (progress.state == "generated" and progress.quiet_s >= _SETTLED):
                break
    except KeyboardInterrupt as error:  # what was read so far is worth a page
        if type(error) is not KeyboardInterrupt:
            raise
        report.remark("interrupted")
    except OSError as error:
        message = f"cannot be read: {(error.strerror or str(error)).lower()}"
        raise ReadError(
            Problem(Place("<stdin>" if log == "-" else log), "ELV401", message)
        ) from error
    _tell(options, report, replace(follower.at(time.monotonic()), event="end"))


def _tell(options: Options, report: Report, progress: Progress) -> None:
    """Prints a line; where progress is shown on a terminal, warnings alone."""
    if options.format == "jsonl":
        row = {"schema": 1, **asdict(progress)}
        del row["phases"]  # no log tells them
        report.page(json.dumps(row))
    elif progress.message is not None:
        report.remark(progress.message)
    elif not report.shows_status:
        report.remark(build_words.of(progress))
