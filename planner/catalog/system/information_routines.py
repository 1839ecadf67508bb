"""information_schema's views about functions and procedures: those that CREATE FUNCTION and CREATE PROCEDURE have made.

PostgreSQL's own functions are not listed: who looks for a schema's routines here looks for its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from planner.abc import Table, TypeRef
from planner.catalog import rights
from planner.catalog.objects import View
from planner.catalog.routine_objects import Function
from planner.catalog.row_types import is_row_array, relation_of
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.information_domains import type_facts
from planner.catalog.system.listings import schema_name
from planner.catalog.system.routines import default_shown
from planner.catalog.system.rowmaker import of_information_schema
from planner.types.oids import RECORD, TRIGGER, VOID

_MODES = {"i": "IN", "o": "OUT", "b": "INOUT", "t": "OUT", "v": "IN"}
_PSEUDO = {RECORD: "record", TRIGGER: "trigger", VOID: "void"}


def _type(context: SystemContext, ref: TypeRef) -> dict[str, Any]:
    """What the views say of a type: its name alone, nothing of lengths and digits."""
    if ref.oid in _PSEUDO:
        name = _PSEUDO[ref.oid]
        return {
            "data_type": name,
            "udt_catalog": context.database,
            "udt_schema": "pg_catalog",
            "udt_name": name,
        }
    of_rows = relation_of(ref.oid) and not is_row_array(ref.oid)
    relation = context.catalog.get(relation_of(ref.oid)) if of_rows else None
    if isinstance(relation, Table | View):
        schema = schema_name(context, relation.schema_oid)
        return {
            "data_type": "USER-DEFINED",
            "udt_catalog": context.database,
            "udt_schema": schema,
            "udt_name": relation.name,
        }
    facts = type_facts(context, ref)
    return {k: facts.get(k) for k in ("data_type", "udt_catalog", "udt_schema", "udt_name")}


def _specific(context: SystemContext, f: Function) -> dict[str, Any]:
    return {
        "specific_catalog": context.database,
        "specific_schema": schema_name(context, f.schema_oid),
        "specific_name": f"{f.name}_{f.oid}",
    }


def _seen(context: SystemContext) -> Iterator[Function]:
    """Those that the user may call, or owns."""
    catalog, user = context.catalog, context.user
    for f in catalog.objects(Function):
        if rights.holds(catalog, user, f, "execute") or rights.owns(catalog, user, f):
            yield f


def _routines(context: SystemContext) -> Rows:
    make = of_information_schema("routines")
    found: Rows = []
    for f in _seen(context):
        told: dict[str, Any] = {}
        if f.kind != "p":
            kind = _type(context, f.result)
            told = {
                "data_type": kind["data_type"],
                "dtd_identifier": "0",
                "is_null_call": "YES" if f.strict else "NO",
                **{f"type_{k}": kind[k] for k in ("udt_catalog", "udt_schema", "udt_name")},
            }
        found.append(
            make(
                **_specific(context, f),
                **told,
                routine_catalog=context.database,
                routine_schema=schema_name(context, f.schema_oid),
                routine_name=f.name,
                routine_type={"p": "PROCEDURE", "f": "FUNCTION"}.get(f.kind),
                routine_body="SQL" if f.language == "sql" else "EXTERNAL",
                routine_definition=f.body
                if not f.standard and rights.owns(context.catalog, context.user, f)
                else None,
                external_language=f.language.upper(),
                parameter_style="GENERAL",
                is_deterministic="YES" if f.volatility == "i" else "NO",
                sql_data_access="MODIFIES",
                schema_level_routine="YES",
                max_dynamic_result_sets=0,
                security_type="DEFINER" if f.definer else "INVOKER",
                as_locator="NO",
                is_udt_dependent="NO",
            )
        )
    return found


def _parameters(context: SystemContext) -> Rows:
    make = of_information_schema("parameters")
    return [
        make(
            **_specific(context, f),
            **_type(context, p.type),
            ordinal_position=i,
            parameter_mode=_MODES[p.mode],
            is_result="NO",
            as_locator="NO",
            parameter_name=p.name or None,
            dtd_identifier=str(i),
            parameter_default=default_shown(context, p) if p.default is not None else None,
        )
        for f in _seen(context)
        for i, p in enumerate(f.parameters, 1)
    ]


PROVIDERS: dict[str, Callable[[SystemContext], Rows]] = {"parameters": _parameters, "routines": _routines}
