"""CREATE and ALTER EXTENSION, and what stands on an extension when it is to be dropped.

    default value for column id of table t depends on function uuid_generate_v4()

Nobody keeps a list of who uses an extension's functions. Whoever does cannot be planned any more once it is gone, so
that is tried: each stored text in which one of its names occurs, in the catalog with it and in the one without.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Final

from planner import statements as st
from planner import types
from planner.abc import Column, Constraint, PlanError, SqlError, Table, Trigger, TypeRef
from planner.binding.facts import type_oid
from planner.catalog import (
    Catalog,
    CatalogChange,
    CatalogObject,
    Comment,
    Database,
    Domain,
    Extension,
    Function,
    Grant,
    Index,
    Schema,
    TextSearchDictionary,
    View,
    quote_identifier,
    rights,
    table_functions,
)
from planner.catalog.stored_queries import stored_queries
from planner.catalog.system import statement_counts
from planner.catalog.uses import HAS_CLASSES, HAS_TEXT
from planner.ddl import views
from planner.ddl.constraints import definitions as constraints
from planner.ddl.rights import permits
from planner.ddl.routines import triggers
from planner.ddl.scope import Scope
from planner.extensions import class_of, default_of, facts, function_names, known, trigger_functions
from planner.lexer import tokenize
from planner.textsearch import chains
from planner.types.of_extensions import EXTENSION_OF, MEMBERS

_TEXTS: Final = (types.TEXT, types.VARCHAR)
_MISSING: Final = 'extension "{}" does not exist'


def create_extension(scope: Scope, said: st.CreateExtension) -> None:
    if (
        scope.catalog.extension(said.name) is not None or said.name == "plpgsql"
    ):  # which is there from the start
        if not said.if_not_exists:
            raise PlanError("42710", f'extension "{said.name}" already exists')
        scope.notice(f'extension "{said.name}" already exists, skipping', "42710")
        return
    found = known().get(said.name)
    if found is None:
        raise PlanError(
            "0A000",
            f'extension "{said.name}" is not available',
            hint=f"Tidewire knows the extensions {', '.join(known())}.",
        )
    database = scope.catalog.get(scope.catalog.database_oid)
    assert isinstance(database, Database)
    if not rights.holds(scope.catalog, scope.user, database, "create"):
        raise PlanError(
            "42501",
            f'permission denied to create extension "{said.name}"',
            hint="Must have CREATE privilege on current database to create this extension.",
        )
    if found.superuser and not found.trusted and not rights.is_superuser(scope.catalog, scope.user):
        raise PlanError(
            "42501",
            f'permission denied to create extension "{said.name}"',
            hint="Must be superuser to create this extension.",
        )
    if said.version not in ("", found.version):
        raise PlanError(
            "22023",
            f'extension "{said.name}" has no installation script nor update path for version "{said.version}"',
        )
    home = _schema(scope, said.schema) if said.schema else scope.catalog.creation_schema(scope.search_path)
    for member in MEMBERS.get(found.name, ()):
        if scope.catalog.type_in(home.oid, member.typname) is not None:
            raise PlanError("42710", f'type "{member.typname}" already exists')
    oid = scope.allocate()
    made = Extension(oid, home.oid, found.name, found.version, scope.catalog.database_oid, scope.user)
    scope.add(made)
    scope.add(Comment(scope.allocate(), oid, 0, found.comment))
    if found.name == statement_counts.NAME:
        _make_views(scope, made, home)
    if found.name == chains.UNACCENT:
        rules = chains.written([("rules", chains.UNACCENT, False)])
        scope.add(
            TextSearchDictionary(
                scope.allocate(), home.oid, found.name, found.name, rules, scope.user, extension=oid
            )
        )


def _make_views(scope: Scope, extension: Extension, home: Schema) -> None:
    """Its views, which everybody may read."""
    for name, query in statement_counts.VIEWS.items():
        at = st.Name(name, home.name)
        views.create_view(
            scope, st.CreateView(at, st.Sql(query.format(schema=quote_identifier(home.name)), 0))
        )
        made = scope.catalog.relation_in(home.oid, name)
        assert isinstance(made, View)
        scope.replace(made, dataclasses.replace(made, extension=extension.oid))
        scope.add(Grant(scope.allocate(), made.oid, "", ("select",), grantor=scope.user))


def _schema(scope: Scope, name: str) -> Schema:
    found = scope.catalog.schema(name)
    if found.database_oid == 0:
        raise PlanError(
            "42501",
            f'permission denied to create "{name}"',
            detail="System catalog modifications are currently disallowed.",
        )
    return found


def alter_extension(scope: Scope, said: st.AlterExtension) -> None:
    found = scope.catalog.extension(said.name)
    if found is None:
        raise PlanError("42704", _MISSING.format(said.name))
    permits.must_own(scope, found)
    if said.schema:
        home = _schema(scope, said.schema)
        rights.require(scope.catalog, scope.user, home, "create")
        before = scope.catalog.schema_of(found.schema_oid).name
        scope.replace(found, dataclasses.replace(found, schema_oid=home.oid))
        for own in list(scope.catalog.objects(TextSearchDictionary)):
            if own.extension == found.oid:
                scope.replace(own, dataclasses.replace(own, schema_oid=home.oid))
        follow_members(scope, found.name, before, home.name)
    elif said.version in ("", found.version):
        scope.notice(f'version "{found.version}" of extension "{found.name}" is already installed')
    else:
        raise PlanError(
            "22023",
            f'extension "{found.name}" has no update path from version "{found.version}" to version "{said.version}"',
        )


def of_an_extension(scope: Scope, method: str, said: str, of: TypeRef | None) -> bool:
    """Whether a class of operators that an index names comes with an extension that is there. Raises 42804."""
    bare = said.rpartition(".")[2]
    found = class_of(method, bare)
    if found is None or scope.catalog.extension(found[0]) is None:
        return False
    member = next((m.oid for m in MEMBERS.get(found[0], ()) if m.typname == found[1]), 0)
    if of is not None and ((member and of.oid != member) or (found[1] == "text" and of.oid not in _TEXTS)):
        shown = types.type_in_words(of.oid)
        raise PlanError("42804", f'operator class "{bare}" does not accept data type {shown}')
    return True


# --- who uses it ------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class User:
    """An object, or a part of a table, that needs a member of the extension."""

    thing: CatalogObject
    on: str
    constraint: Constraint | None = None
    column: Column | None = None


def users_of(scope: Scope, extension: Extension) -> list[User]:
    """Everything that could not be without the extension. Raises 0A000 for what cannot be taken apart."""
    without = scope.catalog.with_changes([CatalogChange(extension, None)])
    trial = _Trial(scope, extension, without)
    found: list[User] = []
    for table in scope.catalog.tables_using(HAS_TEXT):
        source = constraints.qualified(scope, table)
        for column in table.columns:
            if column.hidden:  # an index's, or a partition key's: theirs to tell of
                continue
            if column.default is not None and not column.identity and not column.sequence_oid:
                on = trial.needs(f"SELECT {column.default}" + (f" FROM {source}" if column.generated else ""))
                if on:
                    found.append(User(table, on, column=column))
        for constraint in table.constraints:
            if constraint.kind == "c" and (
                on := trial.needs(f"SELECT {constraint.expression} FROM {source}")
            ):
                found.append(User(table, on, constraint=constraint))
    for index in scope.catalog.indexes_using(HAS_TEXT, HAS_CLASSES):
        on = _class_used(scope, extension, index) or trial.needs(*_texts(scope, index))
        if on and index.constraint_oid:
            table = scope.catalog.table(index.table_oid)
            found += (
                User(table, on, constraint=c) for c in table.constraints if c.oid == index.constraint_oid
            )
        elif on:
            found.append(User(index, on))
    for kept in stored_queries(scope.catalog):
        query = kept.query
        if isinstance(kept.holder, View) and kept.holder.extension == extension.oid:
            continue
        on = (
            trial.mentions(query) if isinstance(kept.holder, Function) else trial.needs(query, path=kept.path)
        )
        if on:
            found.append(User(kept.holder, on))
    for domain in [x for x in scope.catalog.using(HAS_TEXT) if isinstance(x, Domain)]:
        if any(trial.mentions(c.expression) for c in domain.constraints) or trial.mentions(
            domain.default or ""
        ):
            raise PlanError("0A000", f"dropping an extension that domain {domain.name} uses is not supported")
    return sorted(found, key=lambda u: trial.place(u.on))


def triggers_calling(scope: Scope, extension: Extension) -> list[tuple[Table | View, Trigger, str]]:
    """The triggers that call a function of the extension, and how that is called."""
    prefix = _prefix(scope, extension)
    return [
        (holder, trigger, f"function {prefix}{f.name}()")
        for f in trigger_functions.ALL
        if f.extension == extension.name
        for holder, trigger in triggers.firing(scope, f.oid)
    ]


def _prefix(scope: Scope, extension: Extension) -> str:
    """What members are called by before their names, where the path does not find them."""
    home = scope.catalog.schema_of(extension.schema_oid).name
    return "" if home in scope.search_path else f"{quote_identifier(home)}."


def _texts(scope: Scope, index: Index) -> Iterator[str]:
    table = scope.catalog.table(index.table_oid)
    source = constraints.qualified(scope, table)
    for text in [*(k.expression for k in index.keys if not k.attnum), index.predicate]:
        if text:
            yield f"SELECT {text} FROM {source}"


def _class_used(scope: Scope, extension: Extension, index: Index) -> str:
    columns = {c.attnum: c.type.oid for c in scope.catalog.table(index.table_oid).columns}
    for key in index.keys:
        bare = key.opclass.rpartition(".")[2]
        kind = columns.get(key.attnum, 0)
        if not bare and kind in types.BY_OID and kind not in EXTENSION_OF:
            bare = default_of(index.method, types.BY_OID[kind].typname)[1]
        found = class_of(index.method, bare) if bare else None
        if found is not None and found[0] == extension.name:
            return f"operator class {bare} for access method {index.method}"
    return ""


def follow_members(scope: Scope, name: str, before: str, after: str) -> None:
    """An extension has another schema: what is stored names its members there."""
    names = function_names()[name] | {m.typname for m in MEMBERS.get(name, ())}

    def moved(text: str | None) -> str | None:
        if text is None or before not in text:
            return text
        out, at = "", 0
        tokens = tokenize(text)
        for i, token in enumerate(tokens[:-3]):
            if token.value == before and tokens[i + 1].value == "." and tokens[i + 2].value in names:
                out += text[at : token.start] + quote_identifier(after)
                at = token.end
        return out + text[at:]

    for table in scope.catalog.tables_using(HAS_TEXT):
        columns = tuple(dataclasses.replace(c, default=moved(c.default)) for c in table.columns)
        checks = tuple(
            dataclasses.replace(c, expression=moved(c.expression) or "") if c.kind == "c" else c
            for c in table.constraints
        )
        scope.replace(table, dataclasses.replace(table, columns=columns, constraints=checks))
    for index in scope.catalog.indexes_using(HAS_TEXT):
        keys = tuple(dataclasses.replace(k, expression=moved(k.expression) or "") for k in index.keys)
        scope.replace(index, dataclasses.replace(index, keys=keys, predicate=moved(index.predicate) or ""))
    for kept in list(stored_queries(scope.catalog)):
        scope.replace(kept.holder, kept.reworded(moved(kept.query) or ""))
    for domain in [x for x in scope.catalog.using(HAS_TEXT) if isinstance(x, Domain)]:
        checks = tuple(
            dataclasses.replace(c, expression=moved(c.expression) or "") for c in domain.constraints
        )
        scope.replace(domain, dataclasses.replace(domain, default=moved(domain.default), constraints=checks))


class _Trial:
    """Plans texts in the catalog with the extension and in the one without."""

    def __init__(self, scope: Scope, extension: Extension, without: Catalog) -> None:
        self.scope, self.without = scope, without
        prefix = _prefix(scope, extension)
        self.functions: dict[str, list[str]] = {}
        self._places: dict[str, int] = {}
        for of, name, args, *_, place, _ in facts("procs"):
            if of == extension.name:
                shown = ",".join(_shown(a) for a in args.split(",") if a)
                self.functions.setdefault(name, []).append(f"function {prefix}{name}({shown})")
                self._places[self.functions[name][-1]] = int(place)
        for f in table_functions.functions().values() if extension.name == table_functions.EXTENSION else ():
            shown = ",".join(types.format_type(p.type) for p in f.inputs)
            self.functions.setdefault(f.name, [f"function {prefix}{f.name}({shown})"])
        self.operators = {
            name: f"operator {prefix}{name}({_shown(left)},{_shown(right)})"
            for of, name, left, right, *_ in facts("operators")
            if of == extension.name
        }

        self.types = {m.typname: f"type {prefix}{m.typname}" for m in MEMBERS.get(extension.name, ())}

    def place(self, member: str) -> int:
        """Members in the order in which the extension makes them."""
        found = self._places.get(member)
        if found is not None:
            return found
        classes = [
            f"operator class {name} for access method {method}" for _, method, name, *_ in facts("classes")
        ]
        return len(self._places) + (classes.index(member) if member in classes else len(classes))

    def mentions(self, text: str) -> str:
        """The first member that a text may mean; empty: none."""
        tokens = tokenize(text) if text else []
        for i, token in enumerate(tokens[:-1]):
            if token.value in self.functions and tokens[i + 1].value == "(":
                return self.functions[token.value][0]
            if token.value in self.operators:
                return self.operators[token.value]
        return next((self.types[t.value] for t in tokens if t.value in self.types), "")

    def needs(self, *texts: str, path: tuple[str, ...] = ()) -> str:
        """The member without which one of the texts cannot be planned; empty: none."""
        for text in texts:
            named = self.mentions(text)
            if (
                named
                and self._planned(text, self.scope.catalog, path)
                and not self._planned(text, self.without, path)
            ):
                return named
        return ""

    def _planned(self, text: str, catalog: Catalog, path: tuple[str, ...]) -> bool:
        reach = self.scope.catalog.reaching_extensions(path or self.scope.search_path)
        ctx = dataclasses.replace(
            self.scope.context(), catalog=catalog, search_path=reach, trusted=True, clause="", partition=None
        )
        try:
            self.scope.planner.plan(text, ctx, normalise=False, offset=0)
        except SqlError:
            return False
        return True


def _shown(name: str) -> str:
    return types.format_type(TypeRef(type_oid(name))) if name else "NONE"


__all__ = [
    "User",
    "alter_extension",
    "create_extension",
    "follow_members",
    "of_an_extension",
    "triggers_calling",
    "users_of",
]
