"""jsonb changed: put together, without some of its parts, and with others in their places.

Each reads a value's text into parts (`planner.types.jsons.parts_of`: the texts of numbers stay what they are), changes them in their place, and
writes them in the order that jsonb has. Paths go by key in objects and by number, from either end, in arrays.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from planner.abc import SqlError
from planner.types.jsons import in_order, parts_of, written

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V = "VARCHAR"
ELEMENTS_MAX = 10_000_000
"""What an assignment far behind an array's end may make of it."""


def _concat(a: str, b: str) -> str:
    x, y = parts_of(a), parts_of(b)
    if isinstance(x, dict) and isinstance(y, dict):
        both = {**x, **y}
        return written(both if len(both) == len(x) else in_order(both))
    x = x if isinstance(x, list) else [x]
    y = y if isinstance(y, list) else [y]
    return written(x + y)


def _minus_key(a: str, key: str) -> str:
    v = parts_of(a)
    if isinstance(v, dict):
        v.pop(key, None)
        return written(v)
    if isinstance(v, list):
        return written([x for x in v if not (isinstance(x, str) and x == key)])
    raise SqlError("22023", "cannot delete from scalar")


def _minus_index(a: str, index: int) -> str:
    v = parts_of(a)
    if isinstance(v, dict):
        raise SqlError("22023", "cannot delete from object using integer index")
    if not isinstance(v, list):
        raise SqlError("22023", "cannot delete from scalar")
    if -len(v) <= index < len(v):
        del v[index]
    return written(v)


def _minus_keys(a: str, keys: list[str | None]) -> str:
    if a[0] not in "{[":
        raise SqlError("22023", "cannot delete from scalar")
    for k in keys:
        if k is not None:
            a = _minus_key(a, k)
    return a


def _minus_path(a: str, path: list[str | None]) -> str:
    v = parts_of(a)
    if not isinstance(v, dict | list):
        raise SqlError("22023", "cannot delete path in scalar")
    if v:
        _set(v, path, None, "delete")
    return written(v)


def _add(members: dict[str, Any], key: str, value: Any) -> None:
    """One more member, in its place among the others."""
    members[key] = value
    if len(members) > 1:
        ordered = in_order(members)
        members.clear()
        members.update(ordered)


def _set(v: Any, path: list[str | None], new: Any, how: str) -> None:
    """In place: `set`, `create`, `insert`, `after` or `delete` at a path."""
    for i, step in enumerate(path):
        if step is None:
            raise SqlError("22004", f"path element at position {i + 1} is null")
        last = i + 1 == len(path)
        if isinstance(v, dict):
            if last:
                if how == "delete":
                    v.pop(step, None)
                elif how in ("insert", "after"):
                    if step in v:
                        raise SqlError(
                            "22023",
                            "cannot replace existing key",
                            hint="Try using the function jsonb_set to replace key value.",
                        )
                    _add(v, step, new)
                elif step in v:
                    v[step] = new
                elif how == "create":
                    _add(v, step, new)
                return
            if step not in v:
                return
            v = v[step]
        elif isinstance(v, list):
            try:
                index = int(step)
            except ValueError:
                raise SqlError(
                    "22P02", f'path element at position {i + 1} is not an integer: "{step}"'
                ) from None
            real = index + len(v) if index < 0 else index
            if last:
                if how == "delete":
                    if 0 <= real < len(v):
                        del v[real]
                elif how in ("insert", "after"):
                    v.insert(max(0, min(len(v), real + (how == "after"))), new)
                elif 0 <= real < len(v):
                    v[real] = new
                elif how == "create":
                    v.insert(0 if real < 0 else len(v), new)
                return
            if not 0 <= real < len(v):
                return
            v = v[real]
        else:
            return


def _jsonb_set(a: str, path: list[str | None], new: str, create: bool) -> str:
    v = parts_of(a)
    if not isinstance(v, dict | list):
        raise SqlError("22023", "cannot set path in scalar")
    if not v and not create:
        return a
    _set(v, path, parts_of(new), "create" if create else "set")
    return written(v)


def _put(v: Any, path: list[str | None], level: int, new: Any) -> Any:
    """Assignment to `j[...][...]`: what is missing on the way is made."""
    if level == len(path):
        return new
    step = path[level]
    if step is None:
        raise SqlError("22004", "jsonb subscript in assignment must not be null")
    if isinstance(v, dict):
        if step in v:
            v[step] = _put(v[step], path, level + 1, new)
        else:
            _add(v, step, _grown(path, level + 1, new))
        return v
    if not isinstance(v, list):
        raise SqlError(
            "22023",
            "cannot replace existing key",
            detail="The path assumes key is a composite object, but it is a scalar value.",
        )
    index = _whole_number(step)
    if index is None:
        raise SqlError("22P02", f'path element at position {level + 1} is not an integer: "{step}"')
    if index < -len(v):
        raise SqlError("22023", f"path element at position {level + 1} is out of range: {index}")
    if index < 0:
        index += len(v)
    if index < len(v):
        v[index] = _put(v[index], path, level + 1, new)
    else:
        _refuse_gap(index)
        v += [None] * (index - len(v))
        v.append(_grown(path, level + 1, new))
    return v


def _grown(path: list[str | None], level: int, new: Any) -> Any:
    """The value inside of the arrays and objects that the rest of a path asks for."""
    for step in reversed(path[level:]):
        if step is None:
            raise SqlError("22004", "jsonb subscript in assignment must not be null")
        index = _whole_number(step)
        if index is not None:
            _refuse_gap(index)
        new = {step: new} if index is None else [*([None] * index), new]
    return new


def _whole_number(step: str) -> int | None:
    return int(step) if re.fullmatch(r"\s*[+-]?[0-9]{1,10}", step) else None


def _refuse_gap(index: int) -> None:
    if index > ELEMENTS_MAX:
        raise SqlError(
            "54000", f"number of jsonb array elements exceeds the maximum allowed ({ELEMENTS_MAX})"
        )


def _jsonb_put(a: str, path: list[str | None], new: str) -> str:
    return written(_put(parts_of(a), path, 0, parts_of(new)))


def _jsonb_insert(a: str, path: list[str | None], new: str, after: bool) -> str:
    v = parts_of(a)
    if not isinstance(v, dict | list):
        raise SqlError("22023", "cannot set path in scalar")
    _set(v, path, parts_of(new), "after" if after else "insert")
    return written(v)


FUNCTIONS: list[Entry] = [
    ("tw_jsonb_concat", _concat, (_V, _V), _V),
    ("tw_jsonb_minus_key", _minus_key, (_V, _V), _V),
    ("tw_jsonb_minus_index", _minus_index, (_V, "INTEGER"), _V),
    ("tw_jsonb_minus_keys", _minus_keys, (_V, "VARCHAR[]"), _V),
    ("tw_jsonb_minus_path", _minus_path, (_V, "VARCHAR[]"), _V),
    ("tw_jsonb_set", _jsonb_set, (_V, "VARCHAR[]", _V, "BOOLEAN"), _V),
    ("tw_jsonb_put", _jsonb_put, (_V, "VARCHAR[]", _V), _V),
    ("tw_jsonb_insert", _jsonb_insert, (_V, "VARCHAR[]", _V, "BOOLEAN"), _V),
]
