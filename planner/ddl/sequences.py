"""Sequences: CREATE and ALTER SEQUENCE, and those that serial and identity columns own."""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner import types
from planner.abc import PlanError, Table, TypeRef
from planner.catalog import Schema, Sequence, View
from planner.catalog.system.classes import BOOTSTRAP_OID, owner_oid
from planner.catalog.system.relations import relations
from planner.ddl import naming
from planner.ddl.scope import Scope
from planner.ddl.tables.action_words import index_kind, not_supported_for
from planner.ddl.types.typenames import resolve_type
from planner.records import replace

_BOUNDS: Final = {
    types.INT2: (-(1 << 15), (1 << 15) - 1),
    types.INT4: (-(1 << 31), (1 << 31) - 1),
    types.INT8: (-(1 << 63), (1 << 63) - 1),
}


def owned(
    scope: Scope,
    schema: Schema,
    table: str,
    column: str,
    ref: TypeRef,
    options: st.SequenceOptions | None,
    attnum: int,
    identity: bool,
    temporary: bool,
) -> Sequence:
    """The sequence of a serial or identity column; its table's OID is filled in when there is a table."""
    if options is not None and options.name is not None:
        name = options.name.name
        scope.refuse_duplicate(schema, name)
    else:
        name = naming.choose(table, column, "seq", lambda n: scope.is_taken(schema, n))
    made = Sequence(
        scope.allocate(), schema.oid, name, ref, owner=scope.user, attnum=attnum, identity=identity,
        temporary=temporary, maximum=_BOUNDS[ref.oid][1],
    )  # fmt: skip
    if options is not None:
        made = apply_options(made, replace(options, type=None), scope, new=True)
    scope.add(made)
    tell_implicit(scope, name, table, column)
    return made


def tell_implicit(scope: Scope, name: str, table: str, column: str) -> None:
    """Of a sequence that comes with a column, to who wants to hear of everything (client_min_messages)."""
    scope.notice(
        f'{scope.tag} will create implicit sequence "{name}" for serial column "{table}.{column}"',
        severity="DEBUG",
    )


def create_sequence(scope: Scope, said: st.CreateSequence) -> None:
    schema = scope.schema_for(said.name, said.temporary, said.unlogged)
    name = said.name.name
    if said.if_not_exists and scope.is_taken(schema, name):
        scope.notice(f'relation "{name}" already exists, skipping', "42P07")
        return
    scope.refuse_duplicate(schema, name)
    temporary = schema.name.startswith("pg_temp_")
    made = Sequence(
        scope.allocate(), schema.oid, name, TypeRef(types.INT8), owner=scope.user, temporary=temporary,
        unlogged=said.unlogged,
    )  # fmt: skip
    made = apply_options(made, said.options, scope, new=True)
    made = _owned_by(scope, made, said.options)
    scope.add(made)


def alter_sequence(scope: Scope, said: st.AlterSequence) -> None:
    found = scope.find(said.name)
    if found is None and said.if_exists:
        scope.notice(f'relation "{said.name.name}" does not exist, skipping')
        return
    found = scope.relation(replace(said.name, position=0))
    if not isinstance(found, Sequence):
        raise PlanError("42809", f'"{said.name.name}" is not a sequence')
    changed = apply_options(found, said.options, scope, new=False)
    scope.replace(found, _owned_by(scope, changed, said.options))


def restarted(sequence: Sequence) -> Sequence:
    """The sequence as TRUNCATE ... RESTART IDENTITY leaves it."""
    return replace(sequence, restarts=sequence.restarts + 1, restarted_at=None, called=False)


def apply_options(s: Sequence, o: st.SequenceOptions, scope: Scope, *, new: bool) -> Sequence:
    """The sequence with what was said of it, checked as PostgreSQL checks it (22023)."""
    ref = s.type
    if o.type is not None:
        ref = resolve_type(o.type, scope.catalog, scope.search_path)
        if ref.oid not in _BOUNDS:
            raise PlanError("22023", "sequence type must be smallint, integer, or bigint")
    lowest, highest = _BOUNDS[ref.oid]
    old_lowest, old_highest = _BOUNDS[s.type.oid]
    increment = s.increment if o.increment is None else o.increment
    if increment == 0:
        raise PlanError("22023", "INCREMENT must not be zero")
    ascending = increment > 0
    # Bounds that were the old type's become the new type's; others were chosen, and stay.
    retyped = ref != s.type and not new
    widest, lowermost = retyped and s.maximum == old_highest, retyped and s.minimum == old_lowest
    if o.maximum is not None:
        maximum = o.maximum
    elif new or o.no_maximum or widest:
        maximum = highest if ascending or widest else -1
    else:
        maximum = s.maximum
    if o.minimum is not None:
        minimum = o.minimum
    elif new or o.no_minimum or lowermost:
        minimum = lowest if not ascending or lowermost else 1
    else:
        minimum = s.minimum
    kind = types.format_type(ref)
    if not lowest <= maximum <= highest:
        raise PlanError("22023", f"MAXVALUE ({maximum}) is out of range for sequence data type {kind}")
    if not lowest <= minimum <= highest:
        raise PlanError("22023", f"MINVALUE ({minimum}) is out of range for sequence data type {kind}")
    if minimum >= maximum:
        raise PlanError("22023", f"MINVALUE ({minimum}) must be less than MAXVALUE ({maximum})")
    if o.start is not None:
        start = o.start
    else:
        start = (minimum if ascending else maximum) if new else s.start
    if start < minimum:
        raise PlanError("22023", f"START value ({start}) cannot be less than MINVALUE ({minimum})")
    if start > maximum:
        raise PlanError("22023", f"START value ({start}) cannot be greater than MAXVALUE ({maximum})")
    restarts, restarted_at, called = s.restarts, s.restarted_at, s.called
    if o.restart:
        restarts += 1
        called = False
        restarted_at = o.restart_with
        first = start if restarted_at is None else restarted_at
        if first < minimum:
            raise PlanError("22023", f"RESTART value ({first}) cannot be less than MINVALUE ({minimum})")
        if first > maximum:
            raise PlanError("22023", f"RESTART value ({first}) cannot be greater than MAXVALUE ({maximum})")
    cache = s.cache if o.cache is None else o.cache
    if cache <= 0:
        raise PlanError("22023", f"CACHE ({cache}) must be greater than zero")
    return replace(
        s,
        type=ref,
        increment=increment,
        minimum=minimum,
        maximum=maximum,
        start=start,
        cache=cache,
        cycle=s.cycle if o.cycle is None else o.cycle,
        restarts=restarts,
        restarted_at=restarted_at,
        called=called,
    )


def _owned_by(scope: Scope, s: Sequence, o: st.SequenceOptions) -> Sequence:
    if o.owned_by is None:
        return s
    if s.identity:
        holder = scope.catalog.table(s.table_oid)
        raise PlanError(
            "0A000",
            "cannot change ownership of identity sequence",
            detail=f'Sequence "{s.name}" is linked to table "{holder.name}".',
        )
    if not o.owned_by:
        return replace(s, table_oid=0, attnum=0)
    *table, column = o.owned_by
    named = st.Name(table[-1], table[-2] if len(table) > 1 else "")
    if scope.find(named) is None and (named.schema or "pg_catalog", named.name) in relations():
        raise _elsewhere(owner_oid(scope.catalog, s.owner) == BOOTSTRAP_OID)
    found = scope.relation(named)
    if not isinstance(found, Table):
        if isinstance(found, View):
            raise PlanError("0A000", "a sequence that a view's column owns is not supported")
        raise PlanError(
            "42809",
            f'sequence cannot be owned by relation "{found.name}"',
            detail=not_supported_for(found, index_kind(scope.catalog, found)),
        )
    if found.owner != s.owner or found.schema_oid != s.schema_oid:
        raise _elsewhere(found.owner == s.owner)
    attnum = next((c.attnum for c in found.columns if c.name == column), 0)
    if not attnum:
        raise PlanError("42703", f'column "{column}" of relation "{found.name}" does not exist')
    return replace(s, table_oid=found.oid, attnum=attnum)


def _elsewhere(same_owner: bool) -> PlanError:
    what = "be in same schema as" if same_owner else "have same owner as"
    return PlanError("55000", f"sequence must {what} table it is linked to")
