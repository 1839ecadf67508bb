"""CREATE, ALTER and DROP OPERATOR: a sign, the types of its operands, and the function that it calls.

Operators know each other: `COMMUTATOR = ##` says that `b ## a` is what this one makes of `a` and `b`, and the other one is told so. One that
is not there yet is made in name only, and becomes an operator when somebody defines it. What indexes and planners would do
with all this (RESTRICT, JOIN, HASHES, MERGES) is kept and shown; no answer depends on it.
"""

from __future__ import annotations

import dataclasses
from typing import Final

from planner import statements as st
from planner import types as t
from planner.abc import Oid, PlanError, SqlError, TypeRef
from planner.binding import ir
from planner.binding.facts import operators as built_in
from planner.binding.facts import procs, type_oid
from planner.catalog import Domain, Function, Operator, Schema, rights
from planner.catalog.names import missing_schema
from planner.catalog.system.definitions import type_name
from planner.catalog.system.static import static_columns
from planner.ddl.constraints.definitions import require_role
from planner.ddl.rights import permits
from planner.ddl.scope import Scope
from planner.ddl.types import used_types
from planner.ddl.types.typenames import resolve_type

_INTERNAL: Final = 2281
_RESTRICT: Final = ((_INTERNAL, t.OID, _INTERNAL, t.INT4),)
_JOIN: Final = (
    (_INTERNAL, t.OID, _INTERNAL, t.INT2, _INTERNAL),
    (_INTERNAL, t.OID, _INTERNAL, t.INT2),
)


def create_operator(scope: Scope, said: st.CreateOperator) -> None:
    """Raises 42P13, 42883, 42723, 42501, 0A000."""
    schema = scope.schema_for(said.name)
    permits.may_create_in(scope, schema)
    options = said.options
    for name in said.unknown:
        scope.notice(f'operator attribute "{name}" not recognized', sqlstate="42601", severity="WARNING")
    function_name = options.get("function")
    if function_name is None:
        raise PlanError("42P13", "operator function must be specified")
    left, right = (_type(scope, options.get(side)) for side in ("leftarg", "rightarg"))
    if not (left or right):
        raise PlanError("42P13", "operator argument types must be specified")
    if not right:
        raise PlanError(
            "42P13", "operator right argument type must be specified", detail="Postfix operators are not supported."
        )  # fmt: skip
    function, result = _function(scope, function_name, (left, right) if left else (right,))
    used_types.require(scope, result)
    restrict = _estimator(scope, options.get("restrict"), "restriction", _RESTRICT)
    join = _estimator(scope, options.get("join"), "join", _JOIN)
    made = Operator(
        0, schema.oid, said.name.name, left, right, result, function, 0, 0, restrict, join,
        _flag(options.get("hashes")), _flag(options.get("merges")), scope.user,
    )  # fmt: skip
    _refuse_unfit(made, options)
    old = scope.catalog.operator_in(schema.oid, made.name, made.signature)
    if old is not None and old.function:
        raise PlanError("42723", f"operator {made.name} already exists")
    if old is not None:
        permits.must_own(scope, old)
        made = dataclasses.replace(made, oid=old.oid, owner=old.owner)
        scope.replace(old, made)
    else:
        made = dataclasses.replace(made, oid=scope.allocate())
        scope.add(made)
    commutator = _other(scope, made, options.get("commutator"), right, left)
    negator = _other(scope, made, options.get("negator"), left, right)
    if negator == made.oid:
        raise PlanError("42P13", "operator cannot be its own negator or sort operator")
    linked = dataclasses.replace(made, commutator=commutator, negator=negator)
    scope.replace(made, linked)
    for oid, field in ((commutator, "commutator"), (negator, "negator")):
        other = scope.catalog.get(oid)
        if isinstance(other, Operator) and not getattr(other, field):
            scope.replace(other, dataclasses.replace(other, **{field: linked.oid}))  # type: ignore[arg-type]


def _refuse_unfit(made: Operator, options: dict[str, object]) -> None:
    """What only binary operators, or those that answer yes or no, can be. Raises 42P13."""
    rules = (
        ("commutator", "commutators", True, False), ("join", "join selectivity", True, False),
        ("merges", "merge join", True, False), ("hashes", "hash", True, False),
        ("negator", "negators", False, True), ("restrict", "restriction selectivity", False, True),
        ("join", "join selectivity", False, True), ("merges", "merge join", False, True), ("hashes", "hash", False, True),
    )  # fmt: skip
    for name, what, binary, boolean in rules:
        value = options.get(name)
        if value is None or (name in ("merges", "hashes") and not _flag(value)):
            continue
        verb = "can" if name in ("merges", "hashes") else "can have"
        if binary and not made.left:
            raise PlanError("42P13", f"only binary operators {verb} {what}")
        if boolean and made.result != t.BOOL:
            raise PlanError("42P13", f"only boolean operators {verb} {what}")


def _flag(said: object) -> bool:
    return said is not None and str(said).lower() in ("true", "on", "1")


def _type(scope: Scope, said: object) -> Oid:
    if said is None:
        return 0
    assert isinstance(said, st.TypeName)
    ref = resolve_type(dataclasses.replace(said, position=0), scope.catalog, scope.search_path)
    if isinstance(scope.catalog.get(ref.oid), Domain) or ref.oid in t.DOMAIN_ARRAYS:
        raise PlanError("0A000", "an operator over a domain is not supported", position=said.position)
    return ref.oid


def _function(scope: Scope, said: st.Name, types: tuple[Oid, ...]) -> tuple[Oid, Oid]:
    """A function that takes just these: its OID and what it returns. Raises 42883, 42501, 3F000, 0A000."""
    name = scope.homed(said)
    if name.schema and scope.catalog.find_schema(name.schema) is None:
        raise missing_schema(name.schema)
    for proc in procs().get(name.name, ()) if name.schema in ("", "pg_catalog") else ():
        if tuple(map(type_oid, proc.args)) == types and proc.kind == "f":
            if proc.returns_set:
                raise PlanError("0A000", "an operator that returns a set is not supported")
            return proc.oid, type_oid(proc.result)
    for f in scope.catalog.functions(name.name, name.schema, scope.search_path):
        if f.signature == types and f.kind == "f":
            rights.require(scope.catalog, scope.user, f, "execute")
            if f.returns_set:
                raise PlanError("0A000", "an operator that returns a set is not supported")
            if f.domain:
                raise PlanError("0A000", "an operator that returns a domain is not supported")
            return f.oid, f.returns
    shown = ", ".join(t.type_in_words(x) for x in types)
    raise PlanError("42883", f"function {said}({shown}) does not exist")


def _estimator(scope: Scope, said: object, what: str, signatures: tuple[tuple[Oid, ...], ...]) -> Oid:
    """One of PostgreSQL's own functions that guess how many rows there will be. Raises 42883, 42P13."""
    if said is None:
        return 0
    assert isinstance(said, st.Name)
    rows = static_columns("pg_proc", ("oid", "proname", "proargtypes", "prorettype"))
    for wanted in signatures:
        for oid, name, types, result in rows:
            if name == said.name and tuple(types) == wanted:
                if result != t.FLOAT8:
                    raise PlanError(
                        "42P13", f"{what} estimator function {said} must return type double precision"
                    )
                return int(oid)
    shown = ", ".join(t.type_in_words(x) for x in signatures[-1])
    raise PlanError("42883", f"function {said}({shown}) does not exist")


def _other(scope: Scope, mine: Operator, said: object, left: Oid, right: Oid) -> Oid:
    """The operator that another one names; made in name only where there is none yet. 0: none is named."""
    if said is None:
        return 0
    assert isinstance(said, st.Name)
    found = find(scope, st.OperatorSignature(said, None, None), (left, right))
    if found:
        return found
    schema = scope.schema_for(said)
    permits.may_create_in(scope, schema)
    shell = Operator(scope.allocate(), schema.oid, said.name, left, right, owner=scope.user)
    scope.add(shell)
    return shell.oid


# --- naming one -------------------------------------------------------------------------------------------


def types_of(scope: Scope, said: st.OperatorSignature) -> tuple[Oid, Oid]:
    """The types of its operands. Raises 42704."""
    left, right = (
        resolve_type(x, scope.catalog, scope.search_path).oid if x is not None else 0
        for x in (said.left, said.right)
    )
    return left, right


def find(scope: Scope, said: st.OperatorSignature, types: tuple[Oid, Oid] | None = None) -> Oid:
    """The operator's OID; 0 where there is none."""
    wanted = types if types is not None else types_of(scope, said)
    name = scope.homed(said.name)
    if name.schema and scope.catalog.find_schema(name.schema) is None:
        return 0
    if name.schema in ("", "pg_catalog"):
        for oid, sign, left, right in static_columns(
            "pg_operator", ("oid", "oprname", "oprleft", "oprright")
        ):
            if (sign, left, right) == (name.name, *wanted):
                return int(oid)
    own = scope.catalog.operators(name.name, name.schema, scope.search_path)
    return next((o.oid for o in own if o.signature == wanted), 0)


def existing(scope: Scope, said: st.OperatorSignature, what: str = "") -> Operator:
    """Raises 42883, also for a schema that is not there; 42501 or 2BP01 for one of PostgreSQL's own."""
    if said.right is None:
        raise PlanError("42601", "postfix operators are not supported")
    found = scope.catalog.get(oid := find(scope, said))
    if isinstance(found, Operator):
        return found
    if oid:
        shown = f"{said.name.name}({','.join(_shown(scope, x) for x in types_of(scope, said))})"
        if what == "drop":
            raise PlanError(
                "2BP01", f"cannot drop operator {shown} because it is required by the database system"
            )
        raise PlanError("42501", f"must be owner of operator {said.name.name}")
    left, right = types_of(scope, said)
    kinds = [t.type_in_words(x) for x in (left, right) if x]
    operands = f"{kinds[0]} {said.name} {kinds[1]}" if left else f"{said.name} {kinds[0]}"
    raise PlanError("42883", f"operator does not exist: {operands}")


def _shown(scope: Scope, oid: Oid) -> str:
    return type_name(scope.catalog, TypeRef(oid), scope.search_path) if oid else "NONE"


# --- ALTER, DROP ------------------------------------------------------------------------------------------


def alter_operator(scope: Scope, said: st.AlterOperator) -> None:
    """Raises 42883, 42501, 42723, 42601, 0A000."""
    found = existing(scope, said.signature)
    if said.what == "set schema":
        permits.may_create_in(scope, scope.catalog.schema(said.to))
    permits.must_own(scope, found)
    if said.what == "owner":
        permits.may_become(scope, said.to)
        scope.replace(found, dataclasses.replace(found, owner=require_role(scope, said.to)))
    elif said.what == "set schema":
        _moved(scope, found, scope.catalog.schema(said.to))
    else:
        options = said.options
        changes: dict[str, Oid] = {}
        if "restrict" in options:
            changes["restrict"] = _estimator(scope, options["restrict"], "restriction", _RESTRICT)
        if "join" in options:
            changes["join"] = _estimator(scope, options["join"], "join", _JOIN)
        new = dataclasses.replace(found, **changes)  # type: ignore[arg-type]
        _refuse_unfit(new, {k: v for k, v in options.items() if v is not None})
        scope.replace(found, new)


def _moved(scope: Scope, found: Operator, schema: Schema) -> None:
    from planner.ddl.dependencies.dependents import dependents

    if schema.oid == found.schema_oid:
        return
    if dependents(scope, found):
        raise PlanError(
            "0A000", "ALTER OPERATOR ... SET SCHEMA is not supported while views, defaults or CHECKs use it"
        )
    if scope.catalog.operator_in(schema.oid, found.name, found.signature) is not None:
        left, right = found.signature
        kinds = f"{_shown(scope, left)} {found.name} " if left else f"{found.name} "
        raise PlanError(
            "42723", f'operator {kinds}{_shown(scope, right)} already exists in schema "{schema.name}"'
        )
    scope.replace(found, dataclasses.replace(found, schema_oid=schema.oid))


def drop_operators(scope: Scope, said: st.DropOperators) -> None:
    """Raises 42883, 2BP01, 42501."""
    from planner.ddl.drop import remove_all

    doomed: list[Operator] = []
    for signature in said.signatures:
        name = signature.name
        if said.if_exists and scope.passes_schema(name, said.if_exists):
            continue  # what is not there without IF EXISTS is the operator
        try:
            found = existing(scope, signature, "drop")
        except SqlError as e:
            e.position = 0
            if not said.if_exists or e.sqlstate not in ("42704", "42883", "3F000"):
                raise
            missing = f"operator {name} does not exist" if e.sqlstate == "42883" else e.message
            scope.notice(f"{missing}, skipping")
            continue
        permits.must_own(scope, found, schema_will_do=True)
        if found not in doomed:
            doomed.append(found)
    remove_all(scope, list(doomed), said.cascade)


def unlink(scope: Scope, gone: Operator) -> None:
    """Before an operator goes: those that name it forget it."""
    for oid in dict.fromkeys((gone.commutator, gone.negator)):
        other = scope.catalog.get(oid)
        if isinstance(other, Operator) and oid != gone.oid:
            changes = {f: 0 for f in ("commutator", "negator") if getattr(other, f) == gone.oid}
            scope.replace(other, dataclasses.replace(other, **changes))  # type: ignore[arg-type]


def refuse_hidden(node: ir.Node, text: str) -> None:
    """A condition that is kept as text, and bound in other sessions, must say which operator it means. Raises 0A000."""
    for n in ir.walk(node):
        sign = n.op.split(" ")[-2].partition(":")[0] if isinstance(n, ir.Call) and ":" in n.op else ""
        if sign in built_in() and "operator" not in text.lower():
            raise PlanError(
                "0A000",
                f"operator {sign} of a user's in a WHEN condition is not supported where PostgreSQL has one of the sign",
                hint=f"Say its schema: OPERATOR(schema.{sign}).",
            )


def calling(scope: Scope, f: Function) -> list[Operator]:
    """The operators that call a function."""
    return [o for o in scope.catalog.objects(Operator) if o.function == f.oid]


def of_type(scope: Scope, *types: Oid) -> list[Operator]:
    """The operators over these types, or with a result of one."""
    return [o for o in scope.catalog.objects(Operator) if {o.left, o.right, o.result} & set(types)]


__all__ = [
    "alter_operator", "calling", "create_operator", "drop_operators", "existing", "find", "of_type", "refuse_hidden", "unlink",
]  # fmt: skip
