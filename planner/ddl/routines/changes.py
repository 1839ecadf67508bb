"""ALTER and DROP of functions and procedures that are there: which is meant, who may, and what stands on it.

A changed one is looked at again as CREATE does, for its body may ask for what the change took away.
"""

from __future__ import annotations

from planner import statements as st
from planner.abc import PlanError, SqlError
from planner.catalog import Function
from planner.catalog.system.routines import signature_shown
from planner.ddl.constraints.definitions import require_role
from planner.ddl.rights import permits
from planner.ddl.routines import procedural
from planner.ddl.routines.definitions import look_again, refuse_leakproof, settings_after
from planner.ddl.routines.names import as_parsed, find, missing, named, refuse_kind, types_shown
from planner.ddl.scope import Scope
from planner.records import replace


def drop_functions(scope: Scope, said: st.DropFunctions) -> None:
    from planner.ddl.drop import remove_all

    doomed: list[Function] = []
    for signature in said.signatures:
        if scope.passes_schema(signature.name, said.if_exists):
            continue
        try:
            found = find(scope, signature, said.kind)
            types_shown(scope, signature)
        except SqlError as e:
            nowhere = e.sqlstate in ("42704", "3F000")  # a type of an argument, or its schema
            if not nowhere or not said.if_exists:
                e.position = 0 if nowhere else e.position
                raise
            scope.notice(f"{e.message}, skipping")
            continue
        if found is None:
            if not said.if_exists:
                raise missing(scope, signature, said.kind)
            listed = ",".join(map(as_parsed, signature.parameters or ()))
            listed = f"({listed})"
            scope.notice(f"{said.kind} {signature.name}{listed} does not exist, skipping")
        elif found not in doomed:
            refuse_kind(scope, found, said.kind)
            if said.kind == "function" and found.kind == "a":
                raise PlanError(
                    "42809",
                    f'"{found.name}" is an aggregate function',
                    hint="Use DROP AGGREGATE to drop aggregate functions.",
                )
            permits.must_own(scope, found, schema_will_do=True, word=said.kind)
            doomed.append(found)
    remove_all(scope, list(doomed), said.cascade)


def alter_function(scope: Scope, said: st.AlterFunction) -> None:
    word, action = said.tag.split()[-1].lower(), said.action
    f = named(scope, said.signature, word)
    if action is not None and action.what == "set schema":
        there = scope.catalog.find_schema(action.name)
        if there is not None and there.oid == f.schema_oid:
            return  # where it is, whoever says so
    permits.must_own(scope, f, word=word if action is None else "function")
    if f.kind == "p" and said.of_functions:
        raise PlanError("42P13", "invalid attribute in procedure definition", position=said.of_functions)
    if action is None:
        if f.kind == "a":
            raise PlanError("42809", f'"{f.name}" is an aggregate function')
        changes = {k: v for k, v in said.options.items() if k != "set"}
        if "rows" in changes and not f.returns_set:
            raise PlanError("22023", "ROWS is not applicable when function does not return a set")
        if "set" in said.options:
            changes["settings"] = settings_after(f.settings, said.options["set"])
        made = replace(f, **changes)
        refuse_leakproof(scope, leakproof=made.leakproof)
        scope.replace(f, replace(made, runs=procedural.runs(made)))
        look_again(scope, f)
    elif action.what == "owner":
        permits.may_become(scope, action.name)
        scope.replace(f, replace(f, owner=require_role(scope, action.name)))
    else:
        new = replace(f, name=action.new_name)
        if action.what == "set schema":
            schema = scope.catalog.schema(action.name)
            permits.may_create_in(scope, schema)
            new = replace(f, schema_oid=schema.oid)
        home = scope.catalog.schema_of(new.schema_oid).name
        taken = scope.catalog.functions(new.name, home, scope.search_path)
        if any(x.signature == f.signature for x in taken):
            shown = f"{new.name}({signature_shown(scope.catalog, f, scope.search_path, ', ')})"
            raise PlanError("42723", f'function {shown} already exists in schema "{home}"')
        from planner.ddl.routines import renamed  # which stands on this

        renamed.follow(scope, f, new, said.tag)
        scope.replace(f, new)
