"""Runs tasks on a cluster of Dask that is there already, and gives results as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.extras import install

T = TypeVar("T")
R = TypeVar("R")


class Cluster:
    """Has a scheduler's workers do tasks. A task whose worker is lost is done by another one.

    Raises:
        ReadError: Where there is no Dask, or no scheduler (ELV502).
    """

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            message = f"--scheduler needs Dask: {install('dask')}"
            raise ReadError(Problem(Place("--scheduler"), "ELV502", message)) from error
        try:
            self._client = Client(address)
        except (OSError, ValueError) as error:
            message = f"no scheduler of Dask answers: {error}"
            raise ReadError(Problem(Place(address), "ELV502", message)) from error

    def run(
        self, do: Callable[..., R], tasks: Iterable[Sequence[T]], *more: Any
    ) -> Iterator[tuple[Sequence[T], R | None]]:
        """Does the tasks, as `Workers` says."""
        from distributed import KilledWorker, as_completed

        def submit(task: Sequence[T]) -> Any:
            return self._client.submit(do, task, *more, pure=False)

        tasks_by_future = {submit(task): task for task in tasks}
        running = as_completed(list(tasks_by_future))
        for future in running:
            task = tasks_by_future.pop(future)
            try:
                result = future.result()
            except KilledWorker:
                if len(task) == 1:
                    yield task, None
                for item in task if len(task) > 1 else ():
                    again = submit([item])
                    tasks_by_future[again] = [item]
                    running.add(again)
                continue
            finally:
                future.release()
            yield task, result

    def close(self) -> None:
        """Leaves the cluster."""
        self._client.close()
