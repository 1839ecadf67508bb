"""CREATE CAST and DROP CAST.

A cast by a function, or by what is written out and read again (WITH INOUT). One that does nothing (WITHOUT FUNCTION) is of types
whose values are the same bytes in PostgreSQL; here they are not, but for those between which PostgreSQL has such casts already.
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner import types as t
from planner.abc import Oid, PlanError, SqlError, TypeRef
from planner.binding.facts import casts as built_in_casts
from planner.binding.facts import procs, type_oid
from planner.binding.facts import type_name as fact_name
from planner.catalog import (
    Cast,
    CompositeType,
    Domain,
    EnumType,
    Function,
    polymorphic,
    rights,
)
from planner.catalog.stored_queries import stored_queries
from planner.catalog.system.definitions import type_name
from planner.catalog.uses import HAS_TEXT
from planner.ddl.routines import definitions as routines
from planner.ddl.routines import names as routine_names
from planner.ddl.scope import Scope
from planner.ddl.types.copied_types import type_in_signature
from planner.ddl.types.typenames import resolve_type
from planner.records import replace

_MISFIT: Final = "42P17"


def create_cast(scope: Scope, said: st.CreateCast) -> None:
    """Raises 42704, 42809, 42501, 42883, 42P17, 42710, 0A000."""
    source, target = (_type(scope, x) for x in (said.source, said.target))
    kinds = [_shown(scope, x) for x in (source, target)]
    for oid, what, kind in zip((source, target), ("source", "target"), kinds, strict=True):
        fact = t.BY_OID.get(oid)
        if fact is not None and fact.typtype == "p":
            raise PlanError("42809", f"{what} data type {kind} is a pseudo-type")
    if not any(_owns(scope, oid) for oid in (source, target)):
        raise PlanError("42501", f"must be owner of type {kinds[0]} or type {kinds[1]}")
    for oid, what in ((source, "source"), (target, "target")):
        if isinstance(scope.catalog.get(oid), Domain):
            message = f"cast will be ignored because the {what} data type is a domain"
            scope.notice(message, sqlstate="42809", severity="WARNING")
    function, arguments = 0, 0
    if said.function is not None:
        function, arguments = _function(scope, said.function, source, target)
    elif said.method == "b":
        _refuse_unlike(scope, source, target)
    if source == target and arguments < 2:
        raise PlanError(_MISFIT, "source data type and target data type are the same")
    if source == target:
        raise PlanError(
            "0A000", "a cast of a type into itself, for the length of its values, is not supported"
        )
    names = fact_name(source), fact_name(target)
    if names in built_in_casts() or scope.catalog.casts.get(source, target) is not None:
        raise PlanError("42710", f"cast from type {kinds[0]} to type {kinds[1]} already exists")
    to_text = built_in_casts().get((names[0], "text"))
    if said.method == "i" and to_text is not None and to_text[1] == "f" and source != t.NAME:
        raise PlanError("0A000", f"a cast from type {kinds[0]} WITH INOUT is not supported")
    if said.method == "b":
        raise PlanError(
            "0A000", f"a cast from type {kinds[0]} to type {kinds[1]} WITHOUT FUNCTION is not supported"
        )
    made = Cast(
        scope.allocate(), source, target, function, said.context, said.method, scope.catalog.database_oid
    )
    scope.add(made)
    _refuse_other_meanings(scope, made)


def _type(scope: Scope, said: st.TypeName) -> Oid:
    return resolve_type(replace(said, position=0), scope.catalog, scope.search_path).oid


def _shown(scope: Scope, oid: Oid) -> str:
    return type_name(scope.catalog, TypeRef(oid), scope.search_path)


def _owns(scope: Scope, oid: Oid) -> bool:
    thing = scope.catalog.get(t.element_of(oid) or oid)
    if thing is None:
        return rights.is_superuser(scope.catalog, scope.user)
    return rights.owns(scope.catalog, scope.user, thing)


def coercible(given: Oid, wanted: Oid) -> bool:
    """Whether values of one type are those of the other, as they are."""
    if given == wanted:
        return True
    found = built_in_casts().get((fact_name(given), fact_name(wanted)))
    return found is not None and found[1] == "b"


def _function(scope: Scope, said: st.Signature, source: Oid, target: Oid) -> tuple[Oid, int]:
    """The function of a cast, and how many arguments it takes. Raises 42883, 42P17, 42501, 0A000."""
    name = scope.homed(said.name)
    found: tuple[Oid, tuple[Oid, ...], Oid, str, bool] | None = None
    wanted = None
    if said.parameters is not None:
        wanted = tuple(
            type_in_signature(scope, p.type).oid for p in said.parameters if (p.mode or "i") in "ibv"
        )
    built_in = procs().get(name.name, ()) if name.schema in ("", "pg_catalog") else ()
    alike = [p for p in built_in if wanted is None or tuple(map(type_oid, p.args)) == wanted]
    own = scope.catalog.functions(name.name, name.schema, scope.search_path)
    if len(alike) == 1 and (wanted is not None or not own):
        p = alike[0]
        found = p.oid, tuple(map(type_oid, p.args)), type_oid(p.result), p.kind, p.returns_set
    else:
        f = routine_names.named(scope, said)
        if polymorphic.is_polymorphic(f) or f.domain or any(p.domain for p in f.inputs):
            raise PlanError("0A000", "a cast by a function of any type, or of domains, is not supported")
        rights.require(scope.catalog, scope.user, f, "execute")
        found = f.oid, f.signature, f.returns, f.kind, f.returns_set
    oid, arguments, result, kind, returns_set = found
    if not 1 <= len(arguments) <= 3:
        raise PlanError(_MISFIT, "cast function must take one to three arguments")
    if not coercible(source, arguments[0]):
        raise PlanError(
            _MISFIT, "argument of cast function must match or be binary-coercible from source data type"
        )
    if len(arguments) > 1 and arguments[1] != t.INT4:
        raise PlanError(_MISFIT, "second argument of cast function must be type integer")
    if len(arguments) > 2 and arguments[2] != t.BOOL:
        raise PlanError(_MISFIT, "third argument of cast function must be type boolean")
    if not coercible(result, target):
        raise PlanError(
            _MISFIT, "return data type of cast function must match or be binary-coercible to target data type"
        )
    if kind != "f":
        raise PlanError(_MISFIT, "cast function must be a normal function")
    if returns_set:
        raise PlanError(_MISFIT, "cast function must not return a set")
    return oid, len(arguments)


def _refuse_unlike(scope: Scope, source: Oid, target: Oid) -> None:
    """WITHOUT FUNCTION. Raises 42501, 42P17."""
    if not rights.is_superuser(scope.catalog, scope.user):
        raise PlanError("42501", "must be superuser to create a cast WITHOUT FUNCTION")
    facts = [t.BY_OID.get(x) for x in (source, target)]
    if None not in facts and len({(f.typlen, f.typbyval, f.typalign) for f in facts if f is not None}) > 1:
        raise PlanError(_MISFIT, "source and target data types are not physically compatible")
    things = [scope.catalog.get(x) for x in (source, target)]
    for kind, what in ((CompositeType, "composite"), (EnumType, "enum")):
        if any(isinstance(x, kind) for x in things):
            raise PlanError(_MISFIT, f"{what} data types are not binary-compatible")
    if any(t.element_of(x) for x in (source, target)):
        raise PlanError(_MISFIT, "array data types are not binary-compatible")
    if any(isinstance(x, Domain) for x in things):
        raise PlanError(_MISFIT, "domain data types must not be marked binary-compatible")


def _refuse_other_meanings(scope: Scope, made: Cast) -> None:
    """Defaults and CHECKs are kept as text, and would cast by it what they cast otherwise when they were made. Raises 0A000."""
    for table in scope.catalog.tables_using(HAS_TEXT):
        texts = [c.default for c in table.columns if c.default is not None]
        texts += [c.expression for c in table.constraints if c.kind == "c"]
        if any(routines.calls(scope, table, text, made.oid, "") for text in texts):
            raise PlanError(
                "0A000",
                f"CREATE CAST is not supported while a default or CHECK of table {table.name} casts this in another way",
            )


# --- naming one, DROP -------------------------------------------------------------------------------------


def types_of(scope: Scope, source: st.TypeName, target: st.TypeName) -> tuple[Oid, Oid]:
    """What a cast is from, and to. Raises 42704."""
    return _type(scope, source), _type(scope, target)


def existing(scope: Scope, source: st.TypeName, target: st.TypeName) -> Cast:
    """Raises 42704; 2BP01 for one of PostgreSQL's own."""
    return _between(scope, types_of(scope, source, target))


def _between(scope: Scope, pair: tuple[Oid, Oid]) -> Cast:
    found = scope.catalog.casts.get(*pair)
    if found is not None:
        return found
    kinds = [_shown(scope, x) for x in pair]
    if (fact_name(pair[0]), fact_name(pair[1])) in built_in_casts():
        raise PlanError(
            "2BP01", f"cannot drop cast from {kinds[0]} to {kinds[1]} because it is required by the database system"
        )  # fmt: skip
    raise PlanError("42704", f"cast from type {kinds[0]} to type {kinds[1]} does not exist")


def drop_cast(scope: Scope, said: st.DropCast) -> None:
    """Raises 42704, 2BP01, 42501, 0A000."""
    from planner.ddl.drop import remove_all

    try:
        pair = types_of(scope, said.source, said.target)
    except SqlError as e:
        if e.sqlstate not in ("42704", "3F000") or not said.if_exists:
            raise
        scope.notice(f"{e.message}, skipping")
        return
    try:
        found = _between(scope, pair)
    except SqlError as e:
        if e.sqlstate != "42704" or not said.if_exists:
            raise
        kinds = [routine_names.as_parsed(st.ParameterDef("", x)) for x in (said.source, said.target)]
        scope.notice(f"cast from type {kinds[0]} to type {kinds[1]} does not exist, skipping")
        return
    require_owner(scope, found)
    if any(found.oid in v.depends for v in stored_queries(scope.catalog)) or any(
        routines.calls(scope, table, text, found.oid, "")
        for table in scope.catalog.tables_using(HAS_TEXT)
        for text in (
            *(c.default for c in table.columns if c.default is not None),
            *(c.expression for c in table.constraints if c.kind == "c"),
        )
    ):
        raise PlanError("0A000", "DROP CAST is not supported while views, defaults or CHECKs cast by it")
    remove_all(scope, [found], said.cascade)


def require_owner(scope: Scope, found: Cast) -> None:
    """Raises 42501 for who owns neither type."""
    if not any(_owns(scope, oid) for oid in (found.source, found.target)):
        kinds = [_shown(scope, x) for x in (found.source, found.target)]
        raise PlanError("42501", f"must be owner of type {kinds[0]} or type {kinds[1]}")


def calling(scope: Scope, f: Function) -> list[Cast]:
    """The casts that call a function."""
    return [c for c in scope.catalog.objects(Cast) if c.function == f.oid]


def of_type(scope: Scope, *types: Oid) -> list[Cast]:
    """The casts from and into these types."""
    return [c for c in scope.catalog.objects(Cast) if {c.source, c.target} & set(types)]


__all__ = ["calling", "create_cast", "drop_cast", "existing", "of_type", "require_owner"]
