"""Student's t distribution for whole degrees of freedom, in closed form."""

from __future__ import annotations

from math import atan, cos, pi, sin, sqrt


def tail(t: float, freedom: int) -> float:
    """P(T > t)."""
    angle = atan(abs(t) / sqrt(freedom))
    inside = _inside(angle, freedom)  # P(|T| < |t|)
    above = max(0.0, (1 - inside) / 2)
    return above if t >= 0 else 1 - above


def quantile(above: float, freedom: int) -> float:
    """The t with P(T > t) = `above`, which is more than 0 and at most 1/2."""
    low, high = 0.0, 1.0
    while tail(high, freedom) > above and high < 1e9:
        low, high = high, high * 2
    for _ in range(60):
        middle = (low + high) / 2
        if tail(middle, freedom) > above:
            low = middle
        else:
            high = middle
    return high


def _inside(angle: float, freedom: int) -> float:
    """Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    square = cos(angle) ** 2
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(3 if odd else 2, freedom - 1, 2):
        term *= square * (k - 1) / k
        total += term
    total *= sin(angle)
    return 2 / pi * (angle + total) if odd else total
