"""Bodies of the standard's form that run: BEGIN ATOMIC with statements that write, with several, or of a procedure.

    CREATE PROCEDURE note(what text) BEGIN ATOMIC
        INSERT INTO log (said) VALUES (what);        planned when the procedure is made, with its parameters for names
        DELETE FROM log WHERE old;
    END

A body in a string is looked up whenever it runs, so it needs nothing. This one means what it meant when it was made: what its
statements name has to be there, and stays there as long as the routine does.
"""

from __future__ import annotations

from planner import statements as st
from planner import types as t
from planner.abc import Oid, PlanError, TypeRef, Utility
from planner.binding.routines.variables import Kind, Variables, kind_of
from planner.catalog import Function
from planner.catalog.domains import underneath
from planner.ddl.dependencies import depends
from planner.ddl.routines import procedural
from planner.ddl.scope import Scope
from planner.parse import parse_query
from planner.records import replace
from planner.statements import plpgsql as pl


def needs_of_statements(scope: Scope, f: Function) -> set[Oid]:
    """What the statements name, by OID. Raises what is wrong with them, with positions in the body."""
    program = procedural.program_of(f)
    kinds: list[Kind] = [_kind(scope, p.type, p.domain) for p in f.parameters]
    domains = {i: p.domain for i, p in enumerate(f.parameters) if p.domain}
    needs = set[Oid]()
    for step in program.body.steps:
        assert isinstance(step, pl.RunAny | pl.RunLast)
        text = " " * step.text.start + step.text.text
        variables = Variables(
            step.text.names,
            step.text.seen,
            [*kinds, TypeRef(t.BOOL)],
            program.commonest,
            shown=[p.name for p in f.parameters],
            values=[None] * (len(kinds) + 1),
            domains=domains,
        )
        context = replace(scope.context(trusted=True), search_path=f.search_path, variables=variables)
        plan, _ = scope.planner.plan(text, context, normalise=False)
        if isinstance(plan.body, Utility) and not isinstance(plan.body.statement, st.Notify):
            raise PlanError("0A000", f"{plan.tag} is not yet supported in unquoted SQL function body")
        needs.update(depends.needs_of_plan(scope, parse_query(text), plan))
    return needs


def _kind(scope: Scope, ref: TypeRef, domain: Oid) -> Kind:
    return kind_of(underneath(scope.catalog, TypeRef(domain))[0] if domain else TypeRef(ref.oid))


__all__ = ["needs_of_statements"]
