"""What a definition has done, as functions of event triggers are told it: the commands that it was made of, and what is gone.

    CREATE TABLE t (id serial PRIMARY KEY)      CREATE SEQUENCE t_id_seq, CREATE TABLE t, CREATE INDEX t_pkey, ALTER SEQUENCE t_id_seq
    DROP TABLE t                                t, its sequences, types, defaults, constraints, indexes, triggers and policies

Read off the catalog's changes, and of the statement only what these do not tell: which objects it named. What PostgreSQL keeps beside a table
and nobody has here (its TOAST table, the triggers of its foreign keys) is not among what is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from planner import statements as st
from planner.abc import Constraint, Oid, Table
from planner.catalog import (
    Cast,
    Catalog,
    CatalogChange,
    CatalogObject,
    Collation,
    CompositeType,
    Conversion,
    DefaultGrant,
    Extension,
    ForeignDataWrapper,
    ForeignServer,
    Function,
    Grant,
    Index,
    Operator,
    OperatorClass,
    OperatorFamily,
    Publication,
    PublishedTable,
    RangeType,
    Schema,
    UserMapping,
    UserType,
    View,
    quote_qualified,
)
from planner.catalog import (
    Sequence as SequenceObject,
)
from planner.catalog.objects import Comment
from planner.catalog.row_types import row_type
from planner.catalog.system.relations import (
    CLASS_OID,
    CONSTRAINT_OID,
    POLICY_OID,
    REWRITE_OID,
    TRIGGER_OID,
    TYPE_OID,
)
from planner.catalog.type_objects import MultirangeType
from planner.ddl.dependencies.addresses import CLASSES, Address, Addresses
from planner.ddl.operators import operator_classes
from planner.ddl.plan import DdlPlan
from planner.ddl.text_search import KINDS

# --- commands -------------------------------------------------------------------------------------------


def commands(
    statement: Any, tag: str, after: Catalog, plan: DdlPlan, search_path: Sequence[str]
) -> tuple[dict[str, Any], ...]:
    """Rows of pg_event_trigger_ddl_commands()."""
    found: list[dict[str, Any]] = []
    for said, address in _commands(statement, tag, after, plan.changes, search_path):
        found.append(
            {
                "classid": address.class_oid if address is not None else None,
                "objid": address.oid if address is not None else None,
                "objsubid": address.sub if address is not None else None,
                "command_tag": said,
                "object_type": address.kind if address is not None else _granted(statement),
                "schema_name": address.schema if address is not None else None,
                "object_identity": address.identity if address is not None else None,
                "in_extension": False,
                "command": None,
            }
        )
    return tuple(found)


def _granted(statement: Any) -> str:
    return str(statement.kind).upper().replace("-", " ")


def _commands(
    statement: Any, tag: str, after: Catalog, changes: Sequence[CatalogChange], search_path: Sequence[str]
) -> Iterator[tuple[str, Address | None]]:
    here = Addresses(after)
    things = [c for c in changes if c.new is not None and type(c.new) not in (Comment, Grant, DefaultGrant)]
    if isinstance(statement, st.Grant | st.AlterDefaultPrivileges):
        yield tag, None
    elif isinstance(statement, st.CreateTable | st.CreateSchema):
        if isinstance(statement, st.CreateSchema):
            yield from ((tag, here.of(c.new)) for c in things if c.old is None and isinstance(c.new, Schema))
        yield from _tables_made(here, things)
        if isinstance(statement, st.CreateSchema):
            for c in things:
                if c.old is None and isinstance(c.new, View):
                    yield "CREATE VIEW", here.of(c.new)
    elif isinstance(statement, st.AlterTable):
        yield from _altered(here, statement, tag, things)
    elif isinstance(
        statement,
        st.CreateTrigger
        | st.RenameTrigger
        | st.CreatePolicy
        | st.AlterPolicy
        | st.RenamePolicy
        | st.CreateRule
        | st.RenameRule,
    ):
        yield from _parts(here, statement, tag, things)
    elif isinstance(statement, st.AlterPublication) and statement.what in ("add", "drop", "set"):
        yield from _published(here, tag, changes)
    elif isinstance(statement, st.CreateOperatorClass):
        made = [c.new for c in things if c.old is None]
        for kind in (OperatorFamily, OperatorClass):
            said = f"CREATE {CLASSES[kind][1].upper()}"
            yield from ((said, here.of(x)) for x in made if isinstance(x, kind))
    elif isinstance(statement, st.AlterOperatorFamily):
        made = [after.get(operator_classes.found_in(after, statement.signature, search_path))]
        yield from ((tag, here.of(x)) for x in made if isinstance(x, OperatorFamily))
    elif isinstance(statement, st.Comment):
        address = _commented(here, changes)
        if address is not None:
            yield tag, address
    elif isinstance(statement, st.CreateView):
        view = after.find_relation(statement.name.name, statement.name.schema, search_path)
        if isinstance(view, View):
            yield tag, here.of(view)
            if not any(c.old is None and c.new is view for c in things):  # its options are set once more
                yield tag, here.of(view)
    elif not isinstance(statement, _DROPS):
        wanted = _WANTED.get(type(statement))
        for c in things:
            thing = c.new
            assert thing is not None
            if isinstance(thing, MultirangeType) or (
                type(thing) not in (*CLASSES, Table, Function) and not isinstance(thing, UserType)
            ):
                continue
            if wanted is None or isinstance(thing, wanted):
                yield tag, here.of(thing)
                return


_DROPS: Final = (
    st.Drop, st.DropFunctions, st.DropOperators, st.DropClass, st.DropCast, st.DropTrigger, st.DropPolicy, st.DropRule, st.DropOwned,
)  # fmt: skip
_WANTED: Final[dict[type[Any], tuple[type[Any], ...]]] = {
    st.CreateIndex: (Index,), st.CreateTableAs: (Table,), st.RefreshMaterializedView: (Table,),
    st.AlterSequence: (SequenceObject,), st.CreateSequence: (SequenceObject,), st.CreateRange: (RangeType,),
    st.AlterSchema: (Schema,), st.CreateOperator: (Operator,), st.AlterOperator: (Operator,),
}  # fmt: skip
"""What a statement is about that changes other things beside."""


def _tables_made(here: Addresses, things: Sequence[CatalogChange]) -> Iterator[tuple[str, Address]]:
    made = [c.new for c in things if c.old is None]
    for table in made:
        if not isinstance(table, Table):
            continue
        owned = [s for s in made if isinstance(s, SequenceObject) and s.table_oid == table.oid]
        yield from (("CREATE SEQUENCE", here.of(s)) for s in owned)
        yield "CREATE TABLE" if table.foreign is None else "CREATE FOREIGN TABLE", here.of(table)
        yield from (
            ("CREATE INDEX", here.of(i)) for i in made if isinstance(i, Index) and i.table_oid == table.oid
        )
        if any(c.kind == "f" for c in table.constraints):
            yield "ALTER TABLE", here.of(table)
        yield from (("ALTER SEQUENCE", here.of(s)) for s in owned)


def _altered(
    here: Addresses, statement: st.AlterTable, tag: str, things: Sequence[CatalogChange]
) -> Iterator[tuple[str, Address]]:
    name = statement.name
    kinds = {"view": View, "sequence": SequenceObject, "index": Index}
    wanted = kinds.get(statement.kind, Table)
    names = {name.name, *(a.new_name for a in statement.actions if a.what == "rename")}
    changed: list[Any] = [c.new for c in things if isinstance(c.new, wanted)]
    found = next((x for x in changed if x.name in names), None)
    if found is None:
        return
    action = statement.actions[0]
    if action.what == "rename column" and isinstance(found, Table | View):
        column = next((c for c in found.columns if c.name == action.new_name), None)
        if column is not None:
            yield tag, here.column(found, column)
            return
    if action.what == "rename constraint" and isinstance(found, Table):
        constraint = next(c for c in found.constraints if c.name == action.new_name)
        yield tag, here.part(CONSTRAINT_OID, constraint.oid, "table constraint", found, constraint.name)
        return
    yield tag, here.of(found)


def _parts(
    here: Addresses, statement: Any, tag: str, things: Sequence[CatalogChange]
) -> Iterator[tuple[str, Address]]:
    name = getattr(statement, "new_name", "") or statement.name
    of_policy = isinstance(statement, st.CreatePolicy | st.AlterPolicy | st.RenamePolicy)
    class_oid, kind, field = (
        (POLICY_OID, "policy", "policies") if of_policy else (TRIGGER_OID, "trigger", "triggers")
    )
    if isinstance(statement, st.CreateRule | st.RenameRule):
        class_oid, kind, field = REWRITE_OID, "rule", "rules"
    for c in things:
        for part in getattr(c.new, field, ()):
            if part.name == name:
                yield tag, here.part(class_oid, part.oid, kind, c.new, part.name, schema=False)
                return


def _published(here: Addresses, tag: str, changes: Sequence[CatalogChange]) -> Iterator[tuple[str, Address]]:
    """What a publication is of now and was not before."""
    for c in changes:
        if isinstance(c.new, Publication) and isinstance(c.old, Publication):
            before = {part.oid for part in c.old.parts}
            for part in c.new.parts:
                if part.oid not in before:
                    yield tag, here.published(c.new, part)


def _commented(here: Addresses, changes: Sequence[CatalogChange]) -> Address | None:
    """What COMMENT has said something of, or no longer says anything."""
    for c in changes:
        thing = c.new if c.new is not None else c.old
        if isinstance(thing, Table):
            return here.of(thing)
        if not isinstance(thing, Comment):
            continue
        target = here.catalog.get(thing.target)
        if target is None:
            holder = here.catalog.holder_of(thing.target)
            for class_oid, kind, parts in _parts_of(holder):
                for part in parts:
                    if part.oid == thing.target:
                        return here.part(class_oid, part.oid, kind, holder, part.name)
            return None
        if thing.sub and isinstance(target, Table | View):
            return here.column(target, next(x for x in target.columns if x.attnum == thing.sub))
        try:
            return here.of(target)
        except (KeyError, AttributeError):  # what all databases share
            return None
    return None


def _parts_of(holder: Any) -> list[tuple[Oid, str, Sequence[Any]]]:
    return [
        (CONSTRAINT_OID, "table constraint", getattr(holder, "constraints", ())),
        (TRIGGER_OID, "trigger", getattr(holder, "triggers", ())),
        (POLICY_OID, "policy", getattr(holder, "policies", ())),
        (REWRITE_OID, "rule", getattr(holder, "rules", ())),
    ]


# --- what is gone ---------------------------------------------------------------------------------------


def dropped(
    statement: Any, before: Catalog, plan: DdlPlan, search_path: Sequence[str]
) -> tuple[dict[str, Any], ...]:
    """Rows of pg_event_trigger_dropped_objects()."""
    there = Addresses(before)
    gone = {c.oid: c.old for c in plan.changes if c.new is None and c.old is not None}
    named = _named(statement, gone, search_path, before)
    found: list[dict[str, Any]] = []

    def add(address: Address, original: bool, normal: bool) -> None:
        found.append(
            {
                "classid": address.class_oid, "objid": address.oid, "objsubid": address.sub, "original": original,
                "normal": normal, "is_temporary": address.temporary, "object_type": address.kind,
                "schema_name": address.schema, "object_name": address.name, "object_identity": address.identity,
                "address_names": list(address.names), "address_args": list(address.arguments),
            }
        )  # fmt: skip

    kept = [(c.old, c.new) for c in plan.changes if isinstance(c.old, Table | View) and c.new is not None]
    for old, new in () if named else kept:
        _lost(there, statement, old, new, add)
    for oid in [*named, *sorted(oid for oid in gone if oid not in named)]:
        thing = gone[oid]
        if isinstance(thing, Comment | Grant | DefaultGrant | MultirangeType):
            continue
        if type(thing) not in (*CLASSES, Table, Function) and not isinstance(thing, UserType):
            continue
        owner = getattr(thing, "table_oid", 0)
        if owner in gone and oid not in named:
            continue  # told with its table
        constraint = getattr(thing, "constraint_oid", 0)
        if constraint and oid not in named:
            continue  # told with its constraint
        address = there.of(thing)
        add(address, oid in named, oid not in named and not owner)
        if isinstance(thing, Publication):
            for part in thing.parts:
                add(there.published(thing, part), False, False)
        if isinstance(thing, Table):
            _within(there, thing, gone, add)
        elif isinstance(thing, View):
            _types(there, row_type(thing), there.home(thing), add)
            add(there.part(REWRITE_OID, thing.oid, "rule", thing, "_RETURN", schema=False), False, True)
        elif isinstance(thing, UserType):
            if isinstance(thing, CompositeType):
                from planner.catalog.system.classes import composite_class_oid

                names = (there.home(thing), thing.name)
                add(
                    Address(CLASS_OID, composite_class_oid(thing), "composite type", names[0], address.identity, thing.name, names),
                    False,
                    False,
                )  # fmt: skip
            add(there.arrays(thing.array_oid, there.home(thing), thing.name), False, False)
    for old, new in kept if named else ():
        _lost(there, statement, old, new, add)
    for c in plan.changes:
        if isinstance(c.old, Publication) and isinstance(c.new, Publication):
            left = {part.oid for part in c.new.parts}
            for part in reversed(c.old.parts):
                if part.oid not in left:
                    asked = isinstance(statement, st.AlterPublication)
                    holder = part.table if isinstance(part, PublishedTable) else part.schema
                    add(there.published(c.old, part), asked, not asked and holder not in gone)
    return tuple(found)


def _named(
    statement: Any, gone: dict[Oid, CatalogObject], search_path: Sequence[str], before: Catalog
) -> list[Oid]:
    """Of what is gone, what the statement has named."""
    if isinstance(statement, st.DropCast):
        return [oid for oid, x in gone.items() if isinstance(x, Cast)][:1]
    if isinstance(statement, st.DropClass):
        return _named_class(statement.signature, gone)
    if isinstance(statement, st.UserMappingStatement):
        return [oid for oid, x in gone.items() if isinstance(x, UserMapping)]
    if isinstance(statement, st.Drop) and statement.kind in ("server", "foreign-data wrapper"):
        kind = ForeignServer if statement.kind == "server" else ForeignDataWrapper
        said = {name.name for name in statement.names}
        return [oid for oid, x in gone.items() if isinstance(x, kind) and x.name in said]
    if isinstance(statement, st.DropFunctions):
        names = [s.name for s in statement.signatures]
        kinds: tuple[Any, ...] = (Function,)
    elif isinstance(statement, st.DropOperators):
        names, kinds = [s.name for s in statement.signatures], (Operator,)
    elif isinstance(statement, st.Drop):
        names = list(statement.names)
        kinds = (Schema,) if statement.kind == "schema" else (Extension,) if statement.kind == "extension" else (Publication,) if statement.kind == "publication" else (
            (KINDS[statement.kind].made,) if statement.kind in KINDS else (UserType,) if statement.kind in ("type", "domain") else (Collation,) if statement.kind == "collation" else (Conversion,) if statement.kind == "conversion" else (Table, View, SequenceObject, Index)
        )  # fmt: skip
    else:
        return []
    found: list[Oid] = []
    for name in names:
        for home in [name.schema] if name.schema else [s.name for s in before.schemas_on(search_path)]:
            of_name = [
                oid
                for oid, x in gone.items()
                if isinstance(x, kinds)
                and getattr(x, "name", "") == name.name
                and (
                    isinstance(x, Schema | Extension | Publication)
                    or before.schema_of(x.schema_oid).name.startswith(home)
                )
            ]
            if of_name:
                found += [oid for oid in of_name if oid not in found]
                break
    return found


def _named_class(said: st.ClassSignature, gone: dict[Oid, CatalogObject]) -> list[Oid]:
    made = OperatorClass if said.kind == "operator class" else OperatorFamily
    return [
        o
        for o, x in gone.items()
        if isinstance(x, made) and (x.name, x.method) == (said.name.name, said.method)
    ][:1]


def _types(there: Addresses, made: CompositeType | None, home: str, add: Any) -> None:
    if made is not None:
        full = quote_qualified(home, made.name)
        add(
            Address(TYPE_OID, made.oid, "type", home, full, made.name, (full,), (), 0, home == "pg_temp"), False, False
        )  # fmt: skip
        add(there.arrays(made.array_oid, home, made.name), False, False)


def _within(there: Addresses, table: Table, gone: dict[Oid, CatalogObject], add: Any) -> None:
    """What goes with a table."""
    own = [x for x in gone.values() if getattr(x, "table_oid", 0) == table.oid]
    for s in own:
        if isinstance(s, SequenceObject):
            add(there.of(s), False, False)
    _types(there, row_type(table), there.home(table), add)
    if table.materialized is not None:
        add(there.part(REWRITE_OID, table.oid, "rule", table, "_RETURN", schema=False), False, True)
    for column in table.visible:
        if column.default is not None and not column.identity:
            add(there.default(table, column), False, bool(column.sequence_oid))
    for constraint in table.constraints:
        _constraint(there, table, constraint, gone, add, original=False, normal=constraint.kind == "c")
    for i in own:
        if isinstance(i, Index) and not i.constraint_oid:
            add(there.of(i), False, False)
    for class_oid, kind, parts in _parts_of(table)[1:]:
        for part in parts:
            add(there.part(class_oid, part.oid, kind, table, part.name), False, kind == "policy")


def _constraint(
    there: Addresses, table: Table, constraint: Constraint, gone: dict[Oid, CatalogObject] | None, add: Any, *,
    original: bool, normal: bool,
) -> None:  # fmt: skip
    add(
        there.part(CONSTRAINT_OID, constraint.oid, "table constraint", table, constraint.name), original, normal
    )  # fmt: skip
    index = (
        there.catalog.get(constraint.index_oid) if constraint.kind in "pux" and constraint.index_oid else None
    )
    if isinstance(index, Index):
        add(there.of(index), False, False)


def _lost(there: Addresses, statement: Any, old: Table | View, new: Any, add: Any) -> None:
    """Parts that a relation has no longer."""
    said = {a.name for a in statement.actions} if isinstance(statement, st.AlterTable) else set()
    if isinstance(statement, st.DropTrigger | st.DropPolicy | st.DropRule):
        said = {statement.name}
    if isinstance(old, Table):
        left = {c.attnum for c in new.visible}
        for column in old.visible:
            if column.attnum not in left:
                add(there.column(old, column), column.name in said, column.name not in said)
                if column.default is not None and not column.identity:
                    add(there.default(old, column), False, bool(column.sequence_oid))
        kept = {c.oid for c in new.constraints}
        for constraint in old.constraints:
            if constraint.oid not in kept:
                by_column = not {
                    c.name for c in old.visible if c.attnum in constraint.columns and c.attnum not in left
                }
                named = constraint.name in said
                _constraint(there, old, constraint, None, add, original=named, normal=not named and by_column)
    for class_oid, kind, parts in _parts_of(old)[1:]:
        names = {"trigger": "triggers", "policy": "policies", "rule": "rules"}[kind]
        kept = {x.oid for x in getattr(new, names, ())}
        for part in parts:
            if part.oid not in kept:
                add(
                    there.part(class_oid, part.oid, kind, old, part.name),
                    part.name in said,
                    part.name not in said,
                )


__all__ = ["commands", "dropped"]
