"""What a GPU can do at most: the type."""

from __future__ import annotations

from typing import Final, NamedTuple

LARGEST_L2: Final = 128.0  # MiB; no GPU that `peaks.json` knows has more


class Peak(NamedTuple):
    """What a GPU can do at most, dense and at its maximum clock.

    `tflops`: (precision, 10^12 FLOP/s), of `fp32`, `tf32`, `fp16` …, with `fp16_fp32` where FP32
    accumulation is slower; `bandwidth`: GB/s, None: unknown. `device`: its name or its compute
    capability, None: unknown. `given`: the names of the figures that the user gave; `unverified`:
    those that no datasheet confirms. `l2_mib`: the device's own L2 cache, None: unknown; `l2_most`:
    the MiB that no device of its compute capability has more of.
    """

    tflops: tuple[tuple[str, float], ...] = ()
    bandwidth: float | None = None
    device: str | None = None
    given: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    l2_mib: float | None = None
    l2_most: float = LARGEST_L2

    def of(self, precision: str) -> float | None:
        """FLOP/s; None: unknown."""
        return next((value * 1e12 for name, value in self.tflops if name == precision), None)

    @property
    def bytes_per_ms(self) -> float | None:
        """The bandwidth in bytes and ms."""
        return None if self.bandwidth is None else self.bandwidth * 1e6
