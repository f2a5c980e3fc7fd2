"""Says which model is built, and how."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Job:
    """An ONNX model and how to build it."""

    model: Path
    folder: Path  # where all files are written
    detailed: bool  # whether the engine keeps all detail about its layers
    precisions: tuple[str, ...] = ()  # that layers may have, of fp16, bf16, fp8, int8
    # Of inputs of dynamic shape: name, minimum, optimum and maximum, as extents.
    shapes: tuple[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...] = ()

    @property
    def log(self) -> Path:
        """The builder's log."""
        return self.folder / "build.log"

    @property
    def failed_log(self) -> Path:
        """The log of a build that failed, where the log of another one is kept."""
        return self.folder / "build.failed.log"

    @property
    def layers(self) -> Path:
        """The inspector's JSON."""
        return self.folder / "layers.json"

    @property
    def profile(self) -> Path:
        """The layers' times."""
        return self.folder / "profile.json"

    @property
    def engine(self) -> Path:
        """The built engine."""
        return self.folder / "model.engine"
