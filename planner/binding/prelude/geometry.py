"""Python functions on geometric values (`planner.geometry`), whose datums are texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from planner import types as t
from planner.abc import TypeRef
from planner.geometry.table import FUNCTIONS as TABLE
from planner.geometry.texts import OF_DATUM, input_of

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_BOXES: Final = TypeRef(t.array_of(t.BOX))
_DUCKDB: Final = {"float8": "DOUBLE", "int4": "INTEGER", "bool": "BOOLEAN", "bytea": "BLOB"}


def _duckdb(kind: str) -> str:
    return _DUCKDB.get(kind, "VARCHAR")


def caller(signature: str) -> str:
    """What DuckDB calls the function by that calls a function of the table for it: one for each shape."""
    found = TABLE[signature]
    return "_".join(("tw_geometry", *(_duckdb(kind).lower() for kind in (*found.arguments, found.result))))


def _called(signature: str, *datums: Any) -> Any:
    return TABLE[signature].call(*datums)


def _callers() -> dict[str, Entry]:
    made: dict[str, Entry] = {}
    for signature, found in TABLE.items():
        name = caller(signature)
        arguments = ("VARCHAR", *map(_duckdb, found.arguments))
        made[name] = (name, _called, arguments, _duckdb(found.result))
    return made


FUNCTIONS: list[Entry] = [
    *((f"tw_in_{kind}", input_of(kind), ("VARCHAR",), "VARCHAR") for kind in OF_DATUM),
    ("tw_in_boxes", t.text_input(_BOXES), ("VARCHAR",), "VARCHAR"),
    ("tw_out_boxes", t.text_output(_BOXES), ("VARCHAR",), "VARCHAR"),
    *_callers().values(),
]
