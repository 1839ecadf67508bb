"""Methods of dataclasses that are not compiled: hundreds of frozen classes are ready in half of the time.

`@dataclass` writes the text of each method of each class and compiles it. What shows an instance and what refuses to
change it are most of them, differ between classes in names alone, and are hardly ever called. Here they are closures over
the names:

    def __setattr__(self, name, value):                      names = frozenset(("table", "position"))
        if type(self) is cls or name in ("table", ...):      def __setattr__(self, name, value): if ... in names:

They say and do what the compiled ones do. What is called often (`__init__`, `__eq__`, `__hash__`) stays as it is. This leans on
names inside of the standard library: where a Python has others, its own methods are kept.
"""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import FrozenInstanceError
from reprlib import recursive_repr
from typing import Any, Final

_Fields = Sequence["dataclasses.Field[Any]"]
_Method = Callable[..., Any]

KNOWN_PYTHONS: Final = ((3, 11), (3, 12))
"""Those whose `dataclasses` make methods by the functions replaced here. (Later ones compile once a class.)"""


def representation(fields: _Fields, _globals: object) -> _Method:
    """`__repr__`: Name(field=value, ...)."""
    names = [field.name for field in fields]

    @recursive_repr()
    def __repr__(self: Any) -> str:
        inside = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
        return f"{self.__class__.__qualname__}({inside})"

    return __repr__


def frozen(cls: type[Any], fields: _Fields, _globals: object) -> tuple[_Method, _Method]:
    """`__setattr__` and `__delattr__` that refuse; a subclass may have attributes of its own."""
    names = frozenset(field.name for field in fields)

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return __setattr__, __delattr__


@contextlib.contextmanager
def quick_dataclasses() -> Iterator[None]:
    """For the definitions of classes within; they keep these methods."""
    if sys.version_info[:2] not in KNOWN_PYTHONS:
        yield
        return
    inside = vars(dataclasses)
    replaced = {"_repr_fn": representation, "_frozen_get_del_attr": frozen}
    kept = {name: inside[name] for name in replaced}
    inside.update(replaced)
    try:
        yield
    finally:
        inside.update(kept)
