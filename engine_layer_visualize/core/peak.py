"""What a GPU can do at most: the type."""

from __future__ import annotations

from typing import Final, NamedTuple

LARGEST_L2: Final = 128.0  # MiB; no GPU that `peaks.json` knows has more


class Peak(NamedTuple):
    """What a GPU can do at most, dense and at its maximum clock."""

    #: (precision, 10^12 FLOP/s) of `fp32`, `tf32`, `fp16` …, with `fp16_fp32` where FP32
    #: accumulation is slower.
    tflops: tuple[tuple[str, float], ...] = ()
    #: GB/s; None: unknown.
    bandwidth: float | None = None
    #: Its name or its compute capability; None: unknown.
    device: str | None = None
    #: The names of the figures that the user gave.
    given: tuple[str, ...] = ()
    #: The names of the figures that no datasheet confirms.
    unverified: tuple[str, ...] = ()
    #: The device's own L2 cache; None: unknown.
    l2_mib: float | None = None
    #: No device of its compute capability has a larger one.
    l2_most: float = LARGEST_L2

    def of(self, precision: str) -> float | None:
        """FLOP/s; None: unknown."""
        return next((value * 1e12 for name, value in self.tflops if name == precision), None)

    @property
    def bytes_per_ms(self) -> float | None:
        """The bandwidth in bytes and ms."""
        return None if self.bandwidth is None else self.bandwidth * 1e6
