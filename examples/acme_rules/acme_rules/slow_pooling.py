"""Pooling takes more than a tenth of the time.

**Found**: layers whose type names a pooling take more than 10 % of the time.

**Why it costs**: our accelerator runs a pooling on its slow path.

**What to do**: take the stride into the convolution before it.

**When to leave it**: where the accuracy suffers.
"""

from collections.abc import Iterator

from engine_layer_visualize.extending import Finding, Rule, Subject

RULE = Rule(
    "XACME01",
    "slow-pooling",
    "warning",
    "Pooling takes more than a tenth of the time.",
    ("https://wiki.acme.example/pooling",),
)
_LEAST_SHARE = 0.1


def check(subject: Subject) -> Iterator[Finding]:
    """Yields a finding about all poolings."""
    poolings = [layer for layer in subject.layers if "pooling" in layer.type.lower()]
    ms = sum(subject.ms(layer) or 0.0 for layer in poolings)
    if subject.total and ms > _LEAST_SHARE * subject.total:
        why = ("poolings are slow here: ", *subject.names(poolings))
        yield subject.finding(RULE, poolings, why, "put their strides into the convolutions")
