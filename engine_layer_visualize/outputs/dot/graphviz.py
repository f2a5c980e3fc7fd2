"""A `View` in; SVG, PNG or PDF out, by Graphviz.

That is the `dot` on the PATH, else the library in pygraphviz's wheel: in a child process, without a
shell, within a time limit.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from engine_layer_visualize.analysis.subgraph import View
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.io import subprocesses
from engine_layer_visualize.io.extras import install
from engine_layer_visualize.outputs.dot import writer as dot
from engine_layer_visualize.outputs.options import DEFAULT, Options

FORMATS: Final[tuple[str, ...]] = ("svg", "png", "pdf")

FONT_PACKAGE: Final = "fontpkg_ibm_plex_sans"  # of the extra `render`
_PNG_DPI: Final = "144"
_SECONDS: Final = (120.0, 0.05)  # a layout may take: at least, and per layer
_CHILD: Final = (
    # The child finds what this process finds, and nothing that lies in the working directory.
    "import sys; format = sys.argv[1]; sys.path[:] = sys.argv[2:];"
    "from engine_layer_visualize.outputs.dot.graphviz_child import main; main(format)"
)
_FONT_FOLDERS: Final = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.local/share/fonts",
    "~/.fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
    "~/Library/Fonts",
    "WINDOWSFONTDIR",
)


def render(
    view: View, format: str, options: Options = DEFAULT, seconds: float | None = None
) -> tuple[bytes, ...]:
    """The drawing of `view` as `format`, laid out by Graphviz in a child process.

    `seconds` bounds the layout (default: two minutes and more for large engines). Raises
    `ReadError`: ELV502 where there is no Graphviz, ELV503 where it failed or took too long.
    """
    if format not in FORMATS:
        raise ValueError(f"not a format of this writer: {format}")
    commands = list(_commands(format))
    if not commands:
        raise ReadError(
            Problem(
                Place("graphviz"),
                "ELV502",
                f"drawing {format} needs Graphviz: {install('graphviz')}, or install "
                "Graphviz so that `dot` is on the PATH",
            ),
            hint="--format dot needs neither",
        )
    text = b"".join(dot.render(view, "dot", options))
    limit = seconds if seconds is not None else _SECONDS[0] + _SECONDS[1] * len(view.layers)
    failure = ""
    with tempfile.TemporaryDirectory(prefix="engine-layer-visualize-") as folder:
        environment = _environment(Path(folder) / "fonts.conf")
        for command in commands:
            try:
                return (_run(command, text, environment, limit),)
            except subprocess.TimeoutExpired:
                failure = f"Graphviz took longer than {limit:g} s"
                break  # the next one lays out no faster
            except _FailedError as error:
                failure = str(error)
    raise ReadError(Problem(Place("graphviz"), "ELV503", failure))


def available() -> bool:
    """Whether there is a Graphviz here."""
    return any(_commands("png"))


class _FailedError(Exception):
    """One way of drawing did not work; another may."""


def _commands(format: str) -> list[list[str]]:
    """What can draw `format` here, in order of preference."""
    commands = []
    if program := shutil.which("dot"):
        dpi = [f"-Gdpi={_PNG_DPI}"] if format == "png" else []
        commands.append([program, f"-T{format}", *dpi])
    if sys.executable and find_spec("pygraphviz") is not None:
        fine = f"{format}:{_PNG_DPI}" if format == "png" else format
        commands.append([sys.executable, "-c", _CHILD, fine, *sys.path])
    return commands


def _run(command: Sequence[str], text: bytes, environment: dict[str, str], limit: float) -> bytes:
    try:
        with subprocesses.running(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        ) as child:
            picture, complaint = child.communicate(text, timeout=limit)
    except OSError as error:
        raise _FailedError(f"Graphviz could not be started: {error.strerror or error}") from error
    if child.returncode != 0 or not picture:
        raise _FailedError(f"Graphviz failed ({_ending(child.returncode)}){_short(complaint)}")
    return picture


def _ending(code: int) -> str:
    """How a child process ended, from its exit code."""
    if code >= 0:
        return f"exit code {code}" if code else "no output"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _short(complaint: bytes) -> str:
    """The last lines of Graphviz's stderr, without fontconfig's chatter."""
    lines = [line.strip() for line in complaint.decode("utf-8", "replace").split("\n")]
    kept = [visible(line) for line in lines if line and not line.startswith("Fontconfig ")]
    return ": " + " | ".join(kept[-3:])[-400:] if kept else ""


# ---------------------------------------------------------------- fonts


def _environment(configuration: Path) -> dict[str, str]:
    """This process's environment, with a fontconfig file that knows our font, if we have it.

    A machine without fonts draws every letter as a box; the extra `render` brings one.
    """
    environment = dict(os.environ)
    if (package := font_folder()) is not None:
        text = _fontconfig(package, environment.get("FONTCONFIG_FILE"))
        configuration.write_text(text, encoding="utf-8")
        environment["FONTCONFIG_FILE"] = str(configuration)
    return environment


def font_folder() -> Path | None:
    """Where the files of the font lie that the extra `render` brings; None without it."""
    spec = find_spec(FONT_PACKAGE)
    places = spec.submodule_search_locations if spec is not None else None
    return next((Path(place) / "files" for place in places or ()), None)


def _fontconfig(package: Path, own: str | None) -> str:
    """A fontconfig file: our font, then the user's own configuration, else the system's fonts."""
    lines = [f"<dir>{escape(str(package))}</dir>"]
    if own:
        lines.append(f'<include ignore_missing="yes">{escape(own)}</include>')
    else:
        lines.append('<include ignore_missing="yes">/etc/fonts/fonts.conf</include>')
        lines += [f"<dir>{folder}</dir>" for folder in _FONT_FOLDERS]
    lines.append('<cachedir prefix="xdg">fontconfig</cachedir>')
    head = '<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n'
    return head + "<fontconfig>\n" + "\n".join(lines) + "\n</fontconfig>\n"
