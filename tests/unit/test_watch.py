"""`watch`: where a build is, from its log so far."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from logtext import (
    Numbers,
    as_trtexec,
    costs,
    failed_build,
    python_build,
    text,
    timed,
    trtexec_build,
)
from paths import ROOT

from engine_layer_visualize.cli import main
from engine_layer_visualize.commands import build_words
from engine_layer_visualize.inputs.buildlog.progress import Follower, Longest
from engine_layer_visualize.io import follow

PASSES = "[V] [TRT] Original: 5 layers\n[V] [TRT] After concat removal: 3 layers\n"
A = costs("a", "Half(1)") + timed("a", "Cask", (1, 0.5), (2, 0.25))
B = costs("b", "Half(1)") + timed("b", "Cask", (3, 0.5))
C = costs("c", "Half(1)")
ENDED = "[V] [TRT] Formats and tactics selection completed in 9 seconds.\n"
RUN = ["&&&& RUNNING TensorRT.trtexec", "[07/07/2026-06:12:00] [I] Words"]
COMMAND = [sys.executable, "-m", "engine_layer_visualize", "watch"]


def test_where_a_build_is() -> None:
    follower = Follower()
    assert follower.at(0.0).doing == ""
    for seconds, lines in ((0.0, PASSES), (1.0, A), (4.0, B), (11.0, C)):
        assert follower.read(lines.encode(), seconds) == []
    now = follower.at(11.0)
    assert now.doing == "while timing c, after 2 of 3 layers"
    assert (now.k, now.n, now.tactics, now.elapsed_s) == (2, 3, 3, 11.0)
    assert (now.event, now.phase, now.left_s) == ("progress", "tuning", None)
    assert now.longest == Longest("b", 7.0)
    follower.read(ENDED.encode(), 30.0)
    assert follower.at(30.0).longest == Longest("c", 19.0)
    assert [follower.at(seconds).event for seconds in (89.0, 90.0)] == ["progress", "stall"]
    assert follower.at(0.0).doing == "after the tactics were selected"
    words = build_words.of(follower.at(105.0))
    assert words == (
        "1 min 45 s · after the tactics were selected · 3 tactics · longest: c, 19 s"
        " · no line for 1 min 15 s"
    )


def test_the_network_that_is_compiled_once_the_tactics_are_selected() -> None:
    """As TensorRT-RTX does; TensorRT compiles a ForeignNode while it times it."""
    profile = "[V] [TRT] Constructing optimization profile number 1 [2/3].\n"
    begins, ends = (
        "[V] [TRT]  (foreignNode) Words\n",
        "Subgraph compilation completed in 0.5 seconds.\n",
    )
    follower, told = Follower(), []
    for lines in (PASSES, profile + A + begins + ends, ENDED, begins, ends):
        follower.read(lines.encode(), 0.0)
        told.append((follower.at(0.0).phase, follower.at(0.0).doing))
    assert told == [
        ("optimising", "while optimising the network"),
        ("tuning", "while timing a, after 0 of 3 layers"),
        ("finishing", "after the tactics were selected"),
        ("compiling", "while compiling the network for optimisation profile 2 of 3"),
        ("finishing", "after compiling the network for optimisation profile 2 of 3"),
    ]


def test_time_is_that_of_the_log_where_it_has_stamps() -> None:
    follower = Follower()
    stamped = "".join(
        f"[07/07/2026-06:{minute}:00] {line}\n"
        for minute, line in (("12", PASSES.splitlines()[1]), ("15", C.splitlines()[0]))
    )
    follower.read(stamped.encode(), 0.0)
    assert follower.at(0.0).elapsed_s == 180.0
    assert follower.at(0.0).doing == "while timing c, after 0 of 3 layers"
    assert follower.at(9.0).elapsed_s == 189.0, "it goes on while no line comes"


def test_the_first_and_last_lines_of_trtexec_have_no_stamp() -> None:
    follower = Follower()
    first = "&&&& RUNNING TensorRT.trtexec\n[07/07/2026-06:12:00] [I] Words\n"
    last = "[07/07/2026-06:15:00] [I] Words\n&&&& PASSED TensorRT.trtexec\n"
    follower.read((first + 99 * "[07/07/2026-06:13:00] [I] Words\n" + last).encode(), 0.0)
    assert follower.at(0.0).elapsed_s == 180.0


def test_layers_are_counted_where_the_line_of_their_costs_has_no_name() -> None:
    follower = Follower()
    nameless = [costs("") + timed(name, "Cask", (1, 0.5)) for name in "abc"]
    follower.read((PASSES + "".join(nameless)).encode(), 0.0)
    assert follower.at(0.0).doing == "while timing c, after 2 of 3 layers"


def test_errors_are_told_and_a_warning_of_each_kind() -> None:
    left_out = [f"[E] [TRT] Skipping tactic 0x{n} due to insufficient memory" for n in range(3)]
    others = [f"[W] [TRT] Missing scale for tensor {n}" for n in range(2)]
    error = "[E] [TRT] 10: Could not find any implementation for node a."
    follower = Follower()
    assert follower.read(text(*others, *left_out, error, error).encode(), 0.0) == [
        "warning: Missing scale for tensor 0",
        "warning: Skipping tactic 0x0 due to insufficient memory",
        *["error: 10: Could not find any implementation for node a."] * 2,
    ]
    assert follower.read(text(*others, *left_out).encode(), 0.0) == []
    assert (follower.at(0.0).errors, follower.at(0.0).warnings) == (2, 4)
    (long,) = follower.read(text("[W] [TRT] " + 9_999 * "x").encode(), 0.0)
    assert len(long) < 420


@pytest.mark.parametrize(
    ("lines", "state"),
    [
        (trtexec_build(Numbers(1), "m.plan"), "over"),
        (trtexec_build(Numbers(1), "m.plan", ended=False), "running"),
        (python_build(Numbers(1)), "generated"),
        ([*python_build(Numbers(1)), C], "running"),
        ([*as_trtexec(trtexec_build(Numbers(1), "m.plan")), C], "running"),
        ([*as_trtexec(trtexec_build(Numbers(1), "m.plan")), *RUN, C], "running"),
    ],
)
def test_when_a_log_is_at_its_end(lines: Sequence[str], state: str) -> None:
    at_once, by_line = Follower(), Follower()
    at_once.read(text(*lines).encode(), 0.0)
    for line in lines:
        by_line.read(text(line).encode(), 0.0)
    assert at_once.at(0.0).state == by_line.at(0.0).state == state


def test_a_second_run_of_trtexec_begins_anew() -> None:
    first = [*RUN, A, "[07/05/2026-06:12:00] [I] Words", "&&&& PASSED TensorRT.trtexec"]
    follower = Follower()
    follower.read(text(*first, *RUN, PASSES, B, "[07/07/2026-06:13:00] [I] Words").encode(), 0.0)
    now = follower.at(0.0)
    assert (now.elapsed_s, now.tactics, now.state) == (60.0, 1, "running")


# ---- what is followed ---------------------------------------------------------------------------


def heard(news: follow.News) -> str:
    return news.data.decode() if news.what == "lines" else news.what


def test_a_file_that_grows_is_replaced_and_is_cut(tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    told = map(heard, follow.lines(str(log)))
    assert next(told) == "nothing", "it is not there yet"
    log.write_text("one\ntw")
    assert next(told) == "one\n"
    assert next(told) == "nothing"
    with log.open("a") as more:
        more.write("o\nthree\n")
    assert next(told) == "two\nthree\n"
    (tmp_path / "other").write_text("of another build\n")
    (tmp_path / "other").replace(log)
    assert [next(told), next(told)] == ["began again", "of another build\n"]
    log.write_text("short\n")
    assert [next(told), next(told)] == ["began again", "short\n"]
    log.write_text("not short any more\n")
    assert [next(told), next(told)] == ["began again", "not short any more\n"]


def test_lines_that_come_one_by_one_are_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    reads, writes = os.pipe()

    def write() -> None:
        for _ in range(500):
            os.write(writes, b"a line\n")
            time.sleep(0.0005)
        os.close(writes)

    with open(reads, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        threading.Thread(target=write).start()
        told = [news.data for news in follow.lines("-") if news.what == "lines"]
    assert b"".join(told) == 500 * b"a line\n"
    assert len(told) < 50


def test_what_cannot_be_read_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", str(tmp_path)]) == 3
    assert "error[ELV401]: cannot be read" in capsys.readouterr().err


def test_a_log_that_powershell_wrote(tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    log.write_bytes("one\ntwo\nthr".encode("utf-16"))
    told = map(heard, follow.lines(str(log)))
    assert next(told) == "one\ntwo\n"
    with log.open("ab") as more:
        more.write("ee\n".encode("utf-16-le"))
    assert next(told) == "three\n"


# ---- the command --------------------------------------------------------------------------------


def test_a_pipe_is_followed_to_its_end() -> None:
    log = text(*trtexec_build(Numbers(1), "m.plan"))
    done = subprocess.run(COMMAND, input=log, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "after the engine was generated" in done.stderr
    assert "Engine 0 of <stdin>" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_a_pipe_with_a_name_is_followed_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "build.log"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(text(*failed_build(Numbers(1))),))
    writer.start()
    done = subprocess.run([*COMMAND, str(pipe)], capture_output=True, text=True, timeout=60)
    writer.join()
    assert done.returncode == 3
    assert f"\n{pipe}:" in done.stderr and "error[ELV404]" in done.stderr


def test_a_file_that_is_no_text_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "model.plan").write_bytes(b"ptrt\n\0\0\n")
    command = [*COMMAND, str(tmp_path / "model.plan")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 3 and "error[ELV405]" in done.stderr


def test_a_build_that_failed_has_no_engine() -> None:
    log = text(*failed_build(Numbers(1)))
    done = subprocess.run(COMMAND, input=log, capture_output=True, text=True, timeout=60)
    assert done.returncode == 3
    assert "error: 10: Could not find any implementation" in done.stderr
    assert "\n<stdin>:" in done.stderr and "stdin.log" not in done.stderr


def test_programs_get_lines_of_json(tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    log.write_text("")
    arguments = [*COMMAND, str(log), "--format", "jsonl", "--every", "0.01"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        assert (first["schema"], first["state"], first["layer"]) == (1, "running", None)
        log.write_text(text(*as_trtexec(trtexec_build(Numbers(1), "m.plan"))))
        rows = [json.loads(line) for line in process.stdout]
    assert process.returncode == 0
    assert rows[-1]["state"] == "over" and rows[-1]["tactics"] > 0
    assert {tuple(row) for row in rows} == {tuple(first)}
    docs = ROOT / "docs"
    schema = json.loads((docs / "schemas" / "watch.schema.json").read_text("utf-8"))
    start = '{"schema": 1'
    shown = (docs / "watch.md").read_text("utf-8").partition(start)[2].partition("\n")[0]
    for row in (first, *rows, json.loads(start + shown)):
        Draft202012Validator(schema).validate(row)


def test_programs_are_told_of_a_build_that_failed() -> None:
    log = text(*failed_build(Numbers(1)))
    command = [*COMMAND, "--format", "jsonl"]
    done = subprocess.run(command, input=log, capture_output=True, text=True, timeout=60)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["event"] for row in rows] == ["warning", "warning", "end"]
    assert rows[1]["message"].startswith("error: 10: Could not find any implementation")
    assert done.returncode == 3 and "error[ELV404]" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal for a child")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_it_with_what_is_known(number: signal.Signals) -> None:
    log = text(*python_build(Numbers(1)))
    with subprocess.Popen(
        [*COMMAND, "--every", "0.1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None and process.stderr is not None
        process.stdin.write(log)
        process.stdin.flush()
        for line in process.stderr:
            if "after the engine was generated" in line:
                break
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
    is_asked = number == signal.SIGINT
    assert process.returncode == (0 if is_asked else 128 + number)
    assert ("Engine 0 of <stdin>" in out) == is_asked
