"""Makes nested objects of fields by their keys, as JSON has them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias, TypeVar

from engine_layer_visualize.core.model import JsonValue, Tensor
from engine_layer_visualize.fields.field import Field, Value, of_place
from engine_layer_visualize.fields.subject import Subject

Item = TypeVar("Item")
Tree: TypeAlias = "dict[str, Field[Any] | Tree]"  # keys of an object, in order
LEFT_OUT: Final = ("strides",)  # keys that are left out where they are unknown
_PLAIN: Final = frozenset((str, int, float, bool, type(None)))


def tree(fields: Iterable[Field[Any]]) -> Tree:
    """The objects of the JSON by the fields' keys."""
    root: Tree = {}
    for field in of_place(fields, "json"):
        *path, last = field.key.split(".")
        branch: Any = root
        for part in path:
            branch = branch.setdefault(part, {})
        branch[last] = field
    return root


class Objects:
    """The document of an item.

    `there` has, for an object that may be null (`time`), a value that is None where it is null.
    """

    def __init__(self, fields: Iterable[Field[Any]], there: Mapping[str, Value[Any]]) -> None:
        self._there, self._tree = there, tree(fields)

    def of(self, subject: Subject, item: Any) -> dict[str, JsonValue]:
        """The document of one item."""
        return self._object(self._tree, "", subject, item)

    def part(self, subject: Subject, item: Any, key: str) -> Any:
        """What stands at one key of it."""
        return self._object({key: self._tree[key]}, "", subject, item)[key]

    def _object(
        self, branches: Tree, path: str, subject: Subject, item: Any
    ) -> dict[str, JsonValue]:
        made: dict[str, JsonValue] = {}
        for key, branch in branches.items():
            if isinstance(branch, dict):
                there = self._there.get(path + key)
                known = there is None or there(subject, item) is not None
                inner = self._object(branch, f"{path}{key}.", subject, item) if known else None
                made[key] = inner
            else:
                value = branch.value(subject, item)
                made[key] = value if type(value) in _PLAIN else plain(value)
        return made


def plain(value: Any) -> JsonValue:
    """Records as objects, tuples as lists."""
    if type(value) in _PLAIN:
        return value  # type: ignore[no-any-return]
    if isinstance(value, Tensor):
        return _tensor(value)
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        names = getattr(value, "_fields", None)
        if names is None:
            return [plain(each) for each in value]
        return {name: plain(each) for name, each in zip(names, value)}
    return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}


def picked(value: Any, *names: str) -> dict[str, JsonValue]:
    """The values of these names, as an object."""
    return {name: plain(getattr(value, name)) for name in names}


def _tensor(tensor: Tensor) -> JsonValue:
    """Written out: there are many. TensorRT-RTX alone prints strides."""
    keys: dict[str, JsonValue] = {
        "name": tensor.name,
        "dtype": tensor.dtype,
        "dims": tensor.dims,
        "shape": list(tensor.shape),
        "format": tensor.format,
    }
    if tensor.strides is not None:
        keys["strides"] = tensor.strides
    return keys
