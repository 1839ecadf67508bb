"""Bodies of the standard's form that run: BEGIN ATOMIC with statements that write, with several, or of a procedure.

    CREATE PROCEDURE note(what text) BEGIN ATOMIC
        INSERT INTO log (said) VALUES (what);        planned when the procedure is made, with its parameters for names
        DELETE FROM log WHERE old;
    END

A body in a string is looked up whenever it runs, so it needs nothing; it is planned as well when it is made, as far as
`check_function_bodies` says, so that what is wrong with it is said then. This one means what it meant when it was made: what its
statements name has to be there, and stays there as long as the routine does.
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner import types as t
from planner.abc import Oid, Plan, PlanError, SqlError, TypeRef, Utility
from planner.binding.routines.bodies import unlike
from planner.binding.routines.variables import Kind, Variables, kind_of
from planner.catalog import Function
from planner.catalog.domains import underneath
from planner.catalog.type_objects import Domain
from planner.ddl.dependencies import depends
from planner.ddl.routines import procedural
from planner.ddl.scope import Scope
from planner.errors import AfterAnalysis
from planner.parse import parse_query
from planner.parse.statement import parse_statement
from planner.records import replace
from planner.statements import QueryStatement
from planner.statements import plpgsql as pl

_OF_RUNS: Final = frozenset({"0A000", "22012", "25006", "42501", "54001"})


def needs_of_statements(scope: Scope, f: Function) -> set[Oid]:
    """What the statements name, by OID. Raises what is wrong with them, with positions in the body."""
    needs = set[Oid]()
    plan: Plan | None = None
    for text in _texts(f):
        plan = _planned(scope, f, text, f.search_path)
        if isinstance(plan.body, Utility) and not isinstance(plan.body.statement, st.Notify | st.Rewritten):
            raise PlanError("0A000", f"{plan.tag} is not yet supported in unquoted SQL function body")
        needs.update(depends.needs_of_plan(scope, parse_query(_at_its_place(text)), plan))
    if scope.ctx.check_bodies:
        _check_result(scope, f, plan)
    return needs


def check_statements(scope: Scope, f: Function, path: tuple[str, ...]) -> None:
    """The same of a body in a string, which needs nothing: what is wrong with it now is said now. Of what is not supported, and of what
    PostgreSQL finds when a statement is planned or run, its caller hears, as one may never be."""
    plan: Plan | None = None
    for text in _texts(f):
        if not isinstance(parse_statement(_at_its_place(text)), QueryStatement | st.Call):
            continue  # what defines something is looked at when it is run
        try:
            plan = _planned(scope, f, text, path)
        except SqlError as error:
            if not _is_said_to_callers(error):
                raise
            return
    _check_result(scope, f, plan)


def _is_said_to_callers(error: SqlError) -> bool:
    return isinstance(error, AfterAnalysis) or error.sqlstate in _OF_RUNS


def _texts(f: Function) -> list[pl.Text]:
    return [
        step.text for step in procedural.program_of(f).body.steps if isinstance(step, pl.RunAny | pl.RunLast)
    ]


def _at_its_place(text: pl.Text) -> str:
    return " " * text.start + text.text


def _planned(scope: Scope, f: Function, text: pl.Text, path: tuple[str, ...]) -> Plan:
    kinds: list[Kind] = [_kind(scope, p.type, p.domain) for p in f.parameters]
    variables = Variables(
        text.names,
        text.seen,
        [*kinds, TypeRef(t.BOOL)],
        procedural.program_of(f).commonest,
        shown=[p.name for p in f.parameters],
        values=[None] * (len(kinds) + 1),
        domains={i: p.domain for i, p in enumerate(f.parameters) if p.domain},
    )
    context = replace(scope.context(trusted=True), search_path=path)
    # Not from what is known by its text: another routine's parameters are called otherwise.
    return scope.planner.plan_in_routine(_at_its_place(text), context, variables, "")


def _check_result(scope: Scope, f: Function, last: Plan | None) -> None:
    """Raises 42P13 where what the last statement finds is not what is returned."""
    if f.result.oid == t.VOID or last is None or last.columns is None:
        return
    outputs = [p for p in f.outputs if f.result.oid == t.RECORD]
    fields = t.composite_fields(f.result.oid)
    if f.result.oid == t.RECORD and not outputs:
        return  # whoever calls it says what its columns are
    wanted = [ref for _, ref in fields or ()] or [TypeRef(p.type.oid) for p in outputs] or [f.result]
    found = [c.type for c in last.columns]
    if fields is not None and len(found) == 1 and found[0].oid in (f.result.oid, t.RECORD):
        return
    detail = unlike(found, wanted, scope.catalog.casts, is_row=fields is not None or bool(outputs))
    if detail:
        domain = scope.catalog.get(f.domain) if f.domain else None
        kind = domain.name if isinstance(domain, Domain) else t.type_in_words(f.result.oid)
        raise PlanError(
            "42P13",
            f"return type mismatch in function declared to return {kind}",
            detail=detail,
            context=f'SQL function "{f.name}"',
        )


def _kind(scope: Scope, ref: TypeRef, domain: Oid) -> Kind:
    return kind_of(underneath(scope.catalog, TypeRef(domain))[0] if domain else TypeRef(ref.oid))


__all__ = ["check_statements", "needs_of_statements"]
