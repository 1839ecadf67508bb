"""Records: classes whose instances are made by the hundred for each statement, and copies of them with other values in some fields.

    @dataclass(frozen=True, slots=True)     whose instances are made in a third of the time: they are frozen for mypy alone, which sees all code here
    replace(table, comment="one")           as `dataclasses.replace`, in a third of the time
    replace(step, on=())                    ->  FromStep(**{"relation": step.relation, ..., "on": ()})

The standard library's constructor of a frozen class calls `object.__setattr__` for each field, since the class has a `__setattr__` that refuses; and
its `replace` asks every field of what it is, in Python, each time; here it is found out once for a class, and all values are read by one
call. Definitions do it a dozen times a statement, the binder twenty.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:

    def dataclass(cls: Any = None, /, *, frozen: bool = False, **options: Any) -> Any:
        """As the standard library's. Frozen instances compare, and have hashes, as there."""
        if cls is None:
            return functools.partial(dataclass, frozen=frozen, **options)
        hashed = frozen and options.get("eq", True) and vars(cls).get("__hash__") is None
        return dataclasses.dataclass(cls, unsafe_hash=hashed, **options)

    def replace(record: Any, /, **changes: Any) -> Any:
        kind = type(record)
        names, values = _reader(kind)
        return kind(**(dict(zip(names, values(record), strict=True)) | changes))


def fields_of(record: Any) -> dict[str, Any]:
    """The values of a record's fields, by their names."""
    names, values = _reader(type(record))  # type: ignore[arg-type]
    return dict(zip(names, values(record), strict=True))


@functools.cache
def _reader(cls: type[Any]) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """The names of what a record's constructor takes, and what reads all of it."""
    names = tuple(f.name for f in dataclasses.fields(cls) if f.init)
    if len(names) < 2:  # of one name attrgetter returns the value, not a tuple of it
        return names, lambda record: tuple(getattr(record, name) for name in names)
    return names, attrgetter(*names)


__all__ = ["dataclass", "fields_of", "replace"]
