"""Chooses who builds a TensorRT engine, and makes the command line of a child process.

`BUILDERS` is the order in which `auto` looks for one. TensorRT is never imported into this process.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine_layer_visualize.builders import python_api, trtexec
from engine_layer_visualize.builders.job import Job
from engine_layer_visualize.io.extras import install

__all__ = ["BUILDERS", "Builder", "Job", "choose"]


@dataclass(frozen=True, slots=True)
class Builder:
    """One way to build."""

    name: str
    missing: str  # what to install if it is not installed, else empty

    def version(self) -> str:
        """Returns the version of the Python package; empty for trtexec, which prints its own."""
        return "" if self.name == "trtexec" else python_api.version(self.name)

    def makes(self, job: Job) -> tuple[Path, ...]:
        """Returns the files that it may write, besides the log."""
        measured = (job.profile,) if self.name == "trtexec" else ()
        return (job.layers, *measured, job.engine)

    def command(self, job: Job) -> list[str]:
        """Returns the command line to run; its stdout and stderr are the log."""
        if self.name == "trtexec":
            return trtexec.command(job)
        return python_api.command(self.name, job)


BUILDERS: Final = ("trtexec", "tensorrt", "tensorrt_rtx")


def choose(name: str) -> Builder:
    """Returns the builder of a name.

    `auto`: the first that is installed; if none is, `missing` says what to install.
    """
    if name != "auto":
        return Builder(name, _missing(name))
    there = [builder for builder in BUILDERS if not _missing(builder)]
    if there:
        return Builder(there[0], "")
    return Builder(
        "auto",
        "none of trtexec, tensorrt and tensorrt_rtx is here; without a GPU: "
        f"{install('record')}, with one: {install('tensorrt')}",
    )


def _missing(name: str) -> str:
    return trtexec.missing() if name == "trtexec" else python_api.missing(name)
