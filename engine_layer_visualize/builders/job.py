"""`Job`: the model to build, and how."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Job:
    """An ONNX model and how to build it.

    `precisions`: of fp16, bf16, fp8, int8; `shapes`: (input, minimum, optimum, maximum), each a
    tuple of extents, for inputs of dynamic shape.
    """

    model: Path
    folder: Path
    detailed: bool
    precisions: tuple[str, ...] = ()
    shapes: tuple[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...] = ()

    @property
    def log(self) -> Path:
        """Where the builder's log is written."""
        return self.folder / "build.log"

    @property
    def failed_log(self) -> Path:
        """Where that of a build that failed is, where the log of another one is kept."""
        return self.folder / "build.failed.log"

    @property
    def layers(self) -> Path:
        """Where the inspector's JSON is written."""
        return self.folder / "layers.json"

    @property
    def profile(self) -> Path:
        """Where the layers' times are written."""
        return self.folder / "profile.json"

    @property
    def engine(self) -> Path:
        """Where the built engine is written."""
        return self.folder / "model.engine"
