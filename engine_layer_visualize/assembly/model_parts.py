"""Finds which engines of a log are parts of one model, where Torch-TensorRT's log divides it."""

from __future__ import annotations

from collections.abc import Sequence

from engine_layer_visualize.core.build_info import ModelPart
from engine_layer_visualize.inputs.buildlog.messages.dry_run import DryRun


def of_engines(dry_runs: Sequence[DryRun], engines: int) -> list[ModelPart | None]:
    """The part that each engine of the log is; all None where the log divides no model.

    The parts are the engines in their order where there are as many. Else which engine is which
    part is not known, and of a single model alone what runs in PyTorch is.
    """
    models = _different(dry_runs)
    parts = [
        ModelPart(
            model,
            name,
            number,
            len(run.parts),
            operators,
            run.operators,
            run.supported,
            tuple(run.in_torch),
        )
        for model, run in enumerate(models)
        for number, (name, operators) in enumerate(run.parts)
    ]
    if len(parts) == engines:
        return list(parts)
    if len(models) != 1:
        return [None] * engines
    (run,) = models
    unknown = (len(run.parts), None, run.operators, run.supported, tuple(run.in_torch))
    return [ModelPart(0, None, None, *unknown)] * engines


def _different(dry_runs: Sequence[DryRun]) -> list[DryRun]:
    """Those that tell something else than the one before: a model may be told of twice."""
    models: list[DryRun] = []
    for run in dry_runs:
        if (run.in_torch or run.parts) and not any(run.is_again(other) for other in models):
            models.append(run)
    return models
