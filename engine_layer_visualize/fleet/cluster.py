"""Work done on a cluster of Dask that runs already: tasks in; their results out, as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.extras import install

T = TypeVar("T")
R = TypeVar("R")


class Cluster:
    """`Workers` of a scheduler. A task whose worker is lost is done by another one."""

    def __init__(self, address: str) -> None:
        """Raises ReadError where there is no Dask, or no scheduler."""
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
        from distributed import KilledWorker, as_completed

        def submit(task: Sequence[T]) -> Any:
            return self._client.submit(do, task, *more, pure=False)

        of = {submit(task): task for task in tasks}
        running = as_completed(list(of))
        for future in running:
            task = of.pop(future)
            try:
                result = future.result()
            except KilledWorker:
                if len(task) == 1:
                    yield task, None
                for one in task if len(task) > 1 else ():
                    again = submit([one])
                    of[again] = [one]
                    running.add(again)
                continue
            finally:
                future.release()
            yield task, result

    def close(self) -> None:
        self._client.close()
