"""Makes the command line of trtexec, which builds and measures the layers; it needs a GPU."""

from __future__ import annotations

import shutil

from engine_layer_visualize.builders.job import Job


def missing() -> str:
    """Returns what to install; empty where trtexec is on the PATH."""
    if shutil.which("trtexec"):
        return ""
    return "there is no trtexec on the PATH; it comes with TensorRT's own packages"


def command(job: Job) -> list[str]:
    """Returns the command line of trtexec."""
    words = [
        shutil.which("trtexec") or "trtexec",
        f"--onnx={job.model}",
        "--verbose",
        f"--profilingVerbosity={'detailed' if job.detailed else 'layer_names_only'}",
        f"--saveEngine={job.engine}",
        f"--exportLayerInfo={job.layers}",
        f"--exportProfile={job.profile}",
        "--separateProfileRun",
    ]
    words += [f"--{precision}" for precision in job.precisions]
    for flag, which in (("minShapes", 1), ("optShapes", 2), ("maxShapes", 3)):
        if job.shapes:
            pairs = (f"{shape[0]}:{'x'.join(map(str, shape[which]))}" for shape in job.shapes)
            words.append(f"--{flag}={','.join(pairs)}")
    return words
