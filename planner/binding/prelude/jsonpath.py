"""jsonb_path_exists and its kin on texts: a document, a path, variables, whether to be silent.

`zone` is the session's time zone, or NULL for functions that must not need one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from planner.abc import SqlError
from planner.binding import numerics
from planner.jsonpath import canonical, parse
from planner.jsonpath.datetimes import Moment
from planner.jsonpath.errors import PathError
from planner.jsonpath.evaluation import Evaluation
from planner.jsonpath.writing import quoted

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V, _B = "VARCHAR", "BOOLEAN"
OPERATOR_VARIABLES = "-"
"""In place of variables: there are none, and all are null, as in the operators."""


_DECODER: Final = json.JSONDecoder(parse_float=Decimal, parse_int=Decimal)


def _load(text: str) -> Any:
    return _DECODER.decode(text)


@lru_cache(maxsize=64)
def _variables(text: str) -> Any | None:
    if text == OPERATOR_VARIABLES:
        return None
    found = _load(text)
    if not isinstance(found, dict):
        raise SqlError(
            "22023",
            '"vars" argument is not an object',
            detail='Jsonpath parameters should be encoded as key-value pairs of "vars" object.',
        )
    return found


def _evaluation(document: str, path: str, variables: str, zone: str) -> Evaluation:
    return Evaluation(parse(path), _load(document), _variables(variables), zone or None)


def _found(evaluation: Evaluation, silent: bool) -> Iterator[Any]:
    """The items up to the end, or for the silent up to an error."""
    try:
        yield from evaluation.items()
    except PathError:
        if not silent:
            raise
    except RecursionError:
        raise SqlError("54001", "stack depth limit exceeded") from None


def _exists(document: str, path: str, variables: str, silent: bool, zone: str) -> bool | None:
    try:
        return _evaluation(document, path, variables, zone).exists()
    except PathError:
        if not silent:
            raise
        return None
    except RecursionError:
        raise SqlError("54001", "stack depth limit exceeded") from None


def _match(document: str, path: str, variables: str, silent: bool, zone: str) -> bool | None:
    found = list(_found(_evaluation(document, path, variables, zone), silent))
    if len(found) == 1 and (found[0] is None or isinstance(found[0], bool)):
        return found[0]
    if not silent:
        raise SqlError("22038", "single boolean result is expected")
    return None


def _query(document: str, path: str, variables: str, silent: bool, zone: str) -> list[str]:
    return [_text(v) for v in _found(_evaluation(document, path, variables, zone), silent)]


def _array(document: str, path: str, variables: str, silent: bool, zone: str) -> str:
    return "[" + ", ".join(_query(document, path, variables, silent, zone)) + "]"


def _first(document: str, path: str, variables: str, silent: bool, zone: str) -> str | None:
    found = _query(document, path, variables, silent, zone)
    return found[0] if found else None


def _text(value: Any) -> str:
    """jsonb's text; the keys of objects are in jsonb's order already."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return numerics.text(value)
    if isinstance(value, Moment):
        return quoted(value.json())
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(k)}: {_text(v)}" for k, v in value.items()) + "}"
    return "[" + ", ".join(map(_text, value)) + "]"


_ARGUMENTS = (_V, _V, _V, _B, _V)
FUNCTIONS: list[Entry] = [
    ("tw_in_jsonpath", canonical, (_V,), _V),
    ("tw_jsonpath_exists", _exists, _ARGUMENTS, _B),
    ("tw_jsonpath_match", _match, _ARGUMENTS, _B),
    ("tw_jsonpath_query", _query, _ARGUMENTS, "VARCHAR[]"),
    ("tw_jsonpath_query_array", _array, _ARGUMENTS, _V),
    ("tw_jsonpath_query_first", _first, _ARGUMENTS, _V),
]
