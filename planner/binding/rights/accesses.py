"""What a statement touches, and whether its user may: asked once, when everything else about it is right.

    SELECT a FROM t             SELECT on t, or on t's column a
    SELECT * FROM v             SELECT on v, as the user; on what v reads, as v's owner
    UPDATE t SET a = b          UPDATE on t or a; SELECT on t or b
    nextval by a default        USAGE or UPDATE on the sequence

Whoever names a relation says so to `Accesses`; superusers are asked nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from planner.abc import Oid, PlanError, Table
from planner.binding import system_columns
from planner.binding.naming import identifier
from planner.binding.scope import Relation
from planner.binding.writes import replica_identity
from planner.catalog import Catalog, Function, Schema, Sequence, View, large_objects, rights
from planner.catalog.foreign_objects import unreachable
from planner.catalog.system import built_ins, concealed
from planner.catalog.system.relations import relation, relations
from planner.inheritance import family
from planner.partitioning import descendants

_WRITING = frozenset(("INSERT", "UPDATE", "DELETE"))


def _concealed(name: str) -> PlanError:
    found = relation("pg_catalog", name)
    kind = "view" if found is not None and found.kind == "v" else "table"
    return PlanError("42501", f"permission denied for {kind} {name}")


@dataclass(slots=True)
class Access:
    role: str
    thing: Table | View | Sequence | Function
    privilege: str
    relation: Relation | None = None
    """Its columns in use are known when the statement is bound."""
    attnums: tuple[int, ...] = ()
    any_column: bool = False
    spreads: bool = False
    """It is of the rows of the tables below, too."""
    depth: int = 0


class Accesses:
    """Of one statement. `role`: in whose name the text at hand is read, which views change."""

    def __init__(self, ctx: Any) -> None:
        self.catalog: Catalog = ctx.catalog
        self.role: str = ctx.user
        self.user: str = ctx.user
        self.trusted: bool = getattr(ctx, "trusted", False)
        """Nobody's privileges are asked for, and no policies."""
        self.depth = 0
        """How many views the text at hand stands in."""
        self._said: list[Access] = []
        self._concealed: list[tuple[str, frozenset[str], Relation]] = []
        """The relations of pg_catalog of which the statement may read some columns, and which it may not."""
        self._granted: list[tuple[Oid, str, Relation]] = []
        """PostgreSQL's own relations of which somebody has granted or revoked something, and in whose name they are read."""
        self._changed: list[tuple[Table, str, bool]] = []
        self.unchanged: set[int] = set()
        """Partitioned tables of which a statement changes no row, whatever rows there are."""

    def owner_of(self, view: View) -> str | None:
        """In whose name what is under a view is read; None: as whatever is around it."""
        if view.oid in self.catalog.as_invoker:
            return None
        return self.user if view.security_invoker else view.owner

    def reads(self, thing: Table | View | Sequence, relation: Relation | None = None) -> None:
        spreads = isinstance(thing, Table) and relation is not None and not relation.only
        self._say(Access(self.role, thing, "SELECT", relation, spreads=spreads))

    def _say(self, access: Access) -> None:
        access.depth = self.depth
        self._said.append(access)

    def enters(self, schema: str, position: int) -> None:
        """A schema that is named: USAGE is asked for at once, as PostgreSQL does. Raises 42501."""
        found = self.catalog.find_schema(schema)
        if self.trusted or found is None or schema.startswith("pg_temp_"):
            return
        if not rights.holds(self.catalog, self.role, found, "USAGE"):
            raise rights.denied(found, position)

    def writes(
        self,
        table: Table | View,
        privilege: str,
        attnums: Iterable[int] = (),
        *,
        only: bool = False,
        any_column: bool = False,
    ) -> None:
        """`only`: rows of the table itself, none of its heirs'. `any_column`: the right to one of the columns is enough."""
        spreads = isinstance(table, Table) and not only and privilege != "INSERT"
        self._say(Access(self.role, table, privilege, None, tuple(attnums), any_column, spreads))
        if isinstance(table, Table) and privilege in (replica_identity.UPDATE, replica_identity.DELETE):
            self._changed.append((table, privilege, only))

    def require_identities(self) -> None:
        """Rows that are changed can be told apart by those who would be told of it. Raises 42P10, 55000."""
        for table, privilege, only in self._changed:
            if table.oid not in self.unchanged:
                replica_identity.require(self.catalog, table, privilege, only=only)

    def columns_read(self) -> frozenset[tuple[Oid, int]]:
        """Which columns of which relations the text itself names, views' queries apart, once it is bound."""
        return frozenset(
            (a.thing.oid, a.thing.columns[i].attnum)
            for a in self._said
            if a.relation is not None and not a.depth and isinstance(a.thing, Table | View)
            for i in a.relation.used
        )

    def columns_named(self) -> frozenset[tuple[Oid, int]]:
        """The same with those that the text writes."""
        return self.columns_read() | {
            (a.thing.oid, attnum)
            for a in self._said
            if a.relation is None and not a.depth and not a.any_column and isinstance(a.thing, Table | View)
            for attnum in a.attnums
        }

    def views(self) -> tuple[tuple[View, bool], ...]:
        """The views that the statement goes through, those in views among them, and whether it writes by them."""
        found: dict[Oid, tuple[View, bool]] = {}
        for a in self._said:
            if isinstance(a.thing, View):
                writes = a.privilege in _WRITING or found.get(a.thing.oid, (a.thing, False))[1]
                found[a.thing.oid] = a.thing, writes
        return tuple(found.values())

    def locks(self, table: Table | View) -> None:
        """FOR UPDATE and its kin ask for UPDATE, on any column, of a view as well as of what is under it. Raises 42809."""
        if isinstance(table, Table) and getattr(table, "materialized", None) is not None:
            raise PlanError("42809", f'cannot lock rows in materialized view "{table.name}"')
        columns = tuple(c.attnum for c in table.columns if not c.hidden)
        self._say(Access(self.role, table, "UPDATE", None, columns, any_column=True))

    def looks_at(self, table: Table) -> None:
        """SELECT, on any column: what takes nothing from a table asks for it all the same."""
        columns = tuple(c.attnum for c in table.visible)
        self._say(Access(self.role, table, "SELECT", None, columns, any_column=True))

    def draws(self, sequence: Sequence) -> None:
        self._say(Access(self.role, sequence, "USAGE"))

    def executes(self, function: Function) -> None:
        """A call: PostgreSQL asks for it in the name of who runs the statement, whatever view it stands in."""
        self._say(Access(self.user, function, "EXECUTE"))

    def names_columns(self, table: Table | View, name: str, nodes: Iterable[exp.Expression | None]) -> bool:
        """SELECT on the columns of a written table that expressions of the statement name; whether there are any.

        Its name alone is its whole row (`RETURNING t`, `(t).secret`).
        """
        by_name = {c.name: c.attnum for c in table.columns if not c.hidden}
        every = frozenset(by_name.values())
        found: set[int] = set()
        for node in nodes:
            for column in node.find_all(exp.Column, exp.Star) if node is not None else ():
                if isinstance(column, exp.Star):
                    found |= every if isinstance(column.parent, exp.Returning) else set()
                    continue
                table_node = column.args.get("table")
                if table_node is not None and identifier(table_node) != name:
                    continue
                said = "*" if isinstance(column.this, exp.Star) else identifier(column.this)
                if said in by_name:
                    found.add(by_name[said])
                elif said == "*" or (said == name and table_node is None):
                    found |= every
                elif said in system_columns.NUMBERS:
                    found.add(system_columns.NUMBERS[said])
        if found:
            self._say(Access(self.role, table, "SELECT", None, tuple(sorted(found))))
        return bool(found)

    def system(self, schema: str, name: str, relation: Relation) -> None:
        """Reading a relation of pg_catalog: a few are for superusers only, and for who reads everything. Raises 42501."""
        found = relations().get((schema, name))
        if found is not None and self.catalog.grants_on(found.oid):
            self._granted.append((found.oid, self.role, relation))
            return
        readers = concealed.readers(name)
        if readers is None or any(rights.has_role(self.catalog, self.role, reader) for reader in readers):
            return
        columns = concealed.columns(name)
        if columns is None:
            raise _concealed(name)
        self._concealed.append((name, columns, relation))

    def check(self) -> None:
        """Raises 42501 for the first thing that is not allowed, and before that 55000 for a foreign table, whose rows nobody has."""
        if self.trusted:
            return
        for name, columns, read in self._concealed:
            if any(read.columns[i].name in columns for i in read.used):
                raise _concealed(name)
        for oid, role, read in self._granted:
            self._look_at_built_in(oid, role, read)
        for a in self._said:
            if isinstance(a.thing, Table):
                below: list[Table] = []
                if a.spreads and a.thing.partitioning is not None:
                    below = descendants(self.catalog, a.thing)
                elif a.spreads and a.thing.children:
                    below = family(self.catalog, a.thing)
                for table in below or (a.thing,):
                    if table.foreign is not None:
                        raise unreachable(self.catalog, table)
        if rights.is_superuser(self.catalog, self.user) and all(a.role == self.user for a in self._said):
            return
        for a in sorted(self._said, key=lambda x: x.depth):  # a view is asked for before what it reads
            self._check(a)

    def _look_at_built_in(self, oid: Oid, role: str, read: Relation) -> None:
        thing = built_ins.of_relation(oid)
        if thing is None or rights.holds(self.catalog, role, thing, "select"):
            return
        asked = [read.columns[i].name for i in read.used]
        held = {c.name for c in thing.columns if rights.holds(self.catalog, role, thing, "select", c.attnum)}
        if not held.issuperset(asked) or not (asked or held):
            raise rights.denied(thing)

    def _check(self, a: Access) -> None:
        catalog = self.catalog
        if rights.is_superuser(catalog, a.role):
            return
        if isinstance(a.thing, Function):
            rights.require(catalog, a.role, a.thing, a.privilege)
            return
        if isinstance(a.thing, Table) and (public := large_objects.is_readable(a.thing)) is not None:
            if public and a.privilege == "SELECT":
                return
            raise rights.denied(a.thing)
        schema = catalog.get(a.thing.schema_oid)
        if isinstance(schema, Schema) and not schema.name.startswith("pg_temp_"):
            rights.require(catalog, a.role, schema, "USAGE")
        if rights.holds(catalog, a.role, a.thing, a.privilege):
            return
        if isinstance(a.thing, Sequence):
            if a.privilege != "SELECT" and rights.holds(catalog, a.role, a.thing, "UPDATE"):
                return  # nextval()
            raise rights.denied(a.thing)
        attnums = a.attnums
        if a.relation is not None:
            attnums = (
                *sorted(a.relation.system),
                *(a.thing.columns[i].attnum for i in sorted(a.relation.used)),
            )
            columns = [c.attnum for c in a.thing.columns if not c.hidden]
            if not attnums and any(rights.holds(catalog, a.role, a.thing, a.privilege, n) for n in columns):
                return  # count(*): a column is as good as any
        if a.any_column and any(rights.holds(catalog, a.role, a.thing, a.privilege, n) for n in attnums):
            return
        if not attnums or not all(rights.holds(catalog, a.role, a.thing, a.privilege, n) for n in attnums):
            raise rights.denied(a.thing)
