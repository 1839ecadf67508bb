"""Functions over the catalog: pg_get_indexdef, format_type, visibility, sizes, regclass casts.

Their answers are made in Python by `planner.catalog.system`, called from DuckDB with the session's
context (`catalog_ref`) in front of their own arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from planner import types as t
from planner.abc import PlanError, SessionValue, SqlError, TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter, Implementation
from planner.binding.facts import procs, type_name
from planner.binding.fragments import Frag, Item, sql
from planner.binding.functions.registry import register
from planner.binding.numeric_forms import as_text_numeric
from planner.binding.prelude.python_parameters import with_parameters
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import SystemFunction, functions
from planner.catalog.system.handles import context_of
from planner.catalog.system.reg_names import INPUT, OUTPUT
from planner.extensions import facts

CATALOG_REF = SessionValue("catalog_ref", TypeRef(t.INT8))


def duck_name(function: SystemFunction, count: int) -> str:
    types = "".join(f"_{oid}" for oid in function.arguments[:count])
    return f"tw_sys_{function.name}{types}"


def _calls(name: str, *, one_of_list: bool) -> Implementation:
    """A call of a Python function; of rows it answers a list, though PostgreSQL may have one record there."""

    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        items: list[Item] = [f"{name}(", CATALOG_REF]
        for a in args:
            items += [", ", as_text_numeric(a)]
        items.append(")")
        return sql("list_extract(", *items, ", 1)") if one_of_list else sql(*items)

    return made


def arities(function: SystemFunction) -> range:
    return range(len(function.arguments) - function.optional, len(function.arguments) + 1)


def _returns_set(name: str) -> bool:
    """Of a function of PostgreSQL's, or an extension's."""
    of_extensions = any(row[1] == name and "s" in row[5] for row in facts("procs"))
    return of_extensions or any(p.returns_set for p in procs().get(name, ()))


for _function in functions():
    for _count in arities(_function):
        _types = ", ".join(type_name(oid) for oid in _function.arguments[:_count])
        _single = bool(_function.columns) and not _returns_set(_function.name)
        register(f"{_function.name}({_types})", _calls(duck_name(_function, _count), one_of_list=_single))


def duck_result(function: SystemFunction) -> str:
    """What DuckDB is told of the answer: a list where there may be many rows, of structs where of many columns."""
    if not function.columns:
        return t.list_type(TypeRef(function.result))
    if len(function.columns) == 1:
        return t.list_type(TypeRef(function.columns[0][1])) + "[]"
    fields = ", ".join(f'"{name}" {t.duckdb_type(TypeRef(oid))}' for name, oid in function.columns)
    return f"STRUCT({fields})[]"


def reg_text(frag: Frag, source: TypeRef) -> Frag:
    """A regclass or one of its kin, as its name; as a number where names of its kind are not known."""
    if source.oid not in OUTPUT:
        return sql("CAST(", frag, " AS VARCHAR)")
    return sql(f"tw_sys_out_{type_name(source.oid)}(", CATALOG_REF, ", ", frag, ")")


def reg_value(frag: Frag, target: TypeRef) -> Frag:
    """A name, as a regclass or one of its kin. Raises 0A000 where names of its kind are not known."""
    if target.oid not in INPUT:
        raise PlanError("0A000", f"input of type {type_name(target.oid)} is not supported")
    return sql(f"tw_sys_in_{type_name(target.oid)}(", CATALOG_REF, ", ", frag, ")")


def _with_context(
    call: Callable[..., Any], raised: Callable[[SqlError], Exception], count: int
) -> Callable[..., Any]:
    def run(ref: int, *arguments: Any) -> Any:
        try:
            context: SystemContext = context_of(ref)
            return call(context, *arguments)
        except SqlError as error:
            raise raised(error) from None

    return with_parameters(run, 1 + count)


def install(connection: Any, raised: Callable[[SqlError], Exception]) -> None:
    """Makes the functions known to DuckDB. `raised` puts an SqlError into the form that leaves DuckDB whole."""

    def make(name: str, call: Callable[..., Any], arguments: Sequence[int], result: str) -> None:
        connection.create_function(
            name,
            _with_context(call, raised, len(arguments)),
            ["BIGINT", *(t.list_type(TypeRef(a)) for a in arguments)],
            result,
            null_handling="special",
            side_effects=False,
        )

    for function in functions():
        for count in arities(function):
            make(duck_name(function, count), function.call, function.arguments[:count], duck_result(function))
    for oid, shown in OUTPUT.items():
        make(f"tw_sys_out_{type_name(oid)}", shown, (oid,), "VARCHAR")
    for oid, read in INPUT.items():

        def strict(context: SystemContext, text: str | None, read: Callable[..., int] = read) -> int | None:
            return None if text is None else read(context, text)

        make(f"tw_sys_in_{type_name(oid)}", strict, (t.TEXT,), t.duckdb_type(TypeRef(oid)))
