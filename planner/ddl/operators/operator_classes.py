"""CREATE, ALTER and DROP OPERATOR CLASS and OPERATOR FAMILY.

    CREATE OPERATOR CLASS by_size FOR TYPE box USING btree AS OPERATOR 1 <, OPERATOR 3 =, FUNCTION 1 compare(box, box)

They are kept, listed and dumped, and indexes are made of them. No index of a user's class is searched, so its order decides nothing;
where it would (a unique index, a partition key) it has to compare as the type's own class does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from planner import statements as st
from planner.abc import Oid, PlanError, SqlError
from planner.catalog import (
    Catalog,
    CatalogObject,
    ClassMember,
    Function,
    Index,
    Operator,
    OperatorClass,
    OperatorFamily,
    Schema,
    UserType,
    rights,
)
from planner.catalog import classes_of_operators as known
from planner.catalog.classes_of_operators import CLASS, FAMILY, METHODS, Method
from planner.catalog.names import missing_schema
from planner.ddl.constraints.definitions import require_role
from planner.ddl.operators import class_members
from planner.ddl.rights import permits
from planner.ddl.scope import Scope
from planner.ddl.types.typenames import resolve_type

Made = OperatorClass | OperatorFamily


def _method(name: str) -> Method:
    """Raises 42704."""
    if name not in METHODS:
        raise PlanError("42704", f'access method "{name}" does not exist')
    return METHODS[name]


def _superuser(scope: Scope, what: str) -> None:
    """Who makes one could make the server's own code go astray, in PostgreSQL. Raises 42501."""
    if not rights.is_superuser(scope.catalog, scope.user):
        raise PlanError("42501", f"must be superuser to {what}")


def _taken(kind: str, name: str, method: str, where: str = "") -> PlanError:
    return PlanError("42710", f'{kind} "{name}" for access method "{method}" already exists{where}')


# --- CREATE -------------------------------------------------------------------------------------------------


def create_family(scope: Scope, said: st.CreateOperatorFamily) -> None:
    """Raises 42704, 42710, 42501."""
    schema = scope.schema_for(said.name)
    permits.may_create_in(scope, schema)
    method = _method(said.method)
    _superuser(scope, "create an operator family")
    _new_family(scope, schema, said.name.name, method)


def _new_family(scope: Scope, schema: Schema, name: str, method: Method) -> OperatorFamily:
    if known.in_schema(scope.catalog, FAMILY, method.name, schema.oid, name) is not None:
        raise _taken(FAMILY, name, method.name)
    made = OperatorFamily(scope.allocate(), schema.oid, name, method.name, owner=scope.user)
    scope.add(made)
    return made


def create_class(scope: Scope, said: st.CreateOperatorClass) -> None:
    """Raises 42704, 42710, 42883, 42P17, 42601, 42501."""
    with _pointing_nowhere():
        _create_class(scope, said)


@contextmanager
def _pointing_nowhere() -> Iterator[None]:
    """PostgreSQL's errors in these statements have no position."""
    try:
        yield
    except SqlError as e:
        e.position = 0
        raise


def _create_class(scope: Scope, said: st.CreateOperatorClass) -> None:
    schema = scope.schema_for(said.name)
    permits.may_create_in(scope, schema)
    method = _method(said.method)
    _superuser(scope, "create an operator class")
    of = resolve_type(dataclasses.replace(said.type, position=0), scope.catalog, scope.search_path).oid
    family = _family(scope, schema, said, method)
    storage, found = _members(scope, method, said, of)
    name = said.name.name
    if known.in_schema(scope.catalog, CLASS, method.name, schema.oid, name) is not None:
        raise _taken(CLASS, name, method.name)
    if said.default:
        _refuse_second_default(scope, said, method, of)
    class_members.refuse_there(scope, family, name, found)
    found = [dataclasses.replace(one, oid=scope.allocate()) for one in found]
    loose = [one for one in found if not class_members.strict(method.name, one)]
    home = scope.catalog.get(family)
    if isinstance(home, OperatorFamily):  # what is in one of PostgreSQL's stays with the class
        grown = dataclasses.replace(home, members=home.members + tuple(loose))
        scope.replace(home, grown)
        found = [one for one in found if one not in loose]
    scope.add(
        OperatorClass(
            scope.allocate(), schema.oid, name, method.name, family, of, said.default, storage, tuple(found), scope.user
        )
    )  # fmt: skip


def _family(scope: Scope, schema: Schema, said: st.CreateOperatorClass, method: Method) -> Oid:
    """The one that is named, or the one of the class's own name, which is made if it is not there."""
    if said.family is not None:
        return class_members.family_named(scope, method, said.family)
    there = known.in_schema(scope.catalog, FAMILY, method.name, schema.oid, said.name.name)
    return (there or _new_family(scope, schema, said.name.name, method)).oid


def _members(
    scope: Scope, method: Method, said: st.CreateOperatorClass, of: Oid
) -> tuple[Oid, list[ClassMember]]:
    """The type that is stored (0: the class's own), and operators and functions."""
    storage = 0
    found: list[ClassMember] = []
    for item in said.items:
        if item.what == "storage":
            if storage:
                raise PlanError("42P17", "storage type specified more than once")
            name = dataclasses.replace(item.types[0], position=0)
            storage = resolve_type(name, scope.catalog, scope.search_path).oid
            continue
        one = class_members.member(scope, method, item, of)
        class_members.refuse_twice(found, one)
        found.append(one)
    if storage == of:
        storage = 0
    if storage and not method.storage:
        message = f'storage type cannot be different from data type for access method "{method.name}"'
        raise PlanError("42P17", message)
    return storage, found


def _refuse_second_default(scope: Scope, said: st.CreateOperatorClass, method: Method, of: Oid) -> None:
    built_in = (
        c.oid
        for c in known.own()[CLASS].values()
        if c.default and (c.method, c.type_oid) == (method.name, of)
    )
    there = next(built_in, 0) or known.default_class(scope.catalog, method.name, of)
    if there:
        found = known.named(scope.catalog, there)
        assert found is not None
        raise PlanError(
            "42710",
            f'could not make operator class "{said.name.name}" be default for type {".".join(said.type.names)}',
            detail=f'Operator class "{found.name}" already is the default.',
        )


# --- naming one -----------------------------------------------------------------------------------------------


def called(said: st.ClassSignature) -> str:
    """How who may not drop one, or speak of it, is told: the method stands before the name."""
    return f"{said.method}.{said.name}"


def oid_of(scope: Scope, said: st.ClassSignature) -> Oid:
    """One of a name, PostgreSQL's too. Raises 42704, 3F000, 42501."""
    method = _method(said.method)
    name = scope.homed(said.name)
    if name.schema:
        schema = scope.catalog.find_schema(name.schema)
        if schema is None:
            raise missing_schema(name.schema)
        rights.require(scope.catalog, scope.user, schema, "usage")
    oid = known.found(scope.catalog, said.kind, method.name, name.name, name.schema, scope.search_path)
    if not oid:
        message = f'{said.kind} "{said.name}" does not exist for access method "{method.name}"'
        raise PlanError("42704", message)
    return oid


def existing(scope: Scope, said: st.ClassSignature, what: str) -> Made:
    """A user's. Raises 42704, 3F000, and 0A000 for one of PostgreSQL's."""
    made = scope.catalog.get(oid_of(scope, said))
    if not isinstance(made, Made):
        if not rights.is_superuser(scope.catalog, scope.user):
            raise PlanError("42501", f"must be owner of {said.kind} {said.name.name}")
        raise PlanError(
            "0A000", f"{what} {said.kind} {said.name.name}, which is PostgreSQL's own, is not supported"
        )
    return made


def found_in(catalog: Catalog, said: st.ClassSignature, search_path: Sequence[str]) -> Oid:
    """What a statement that has been bound has named."""
    return known.found(catalog, said.kind, said.method, said.name.name, said.name.schema, search_path)


# --- ALTER, DROP ------------------------------------------------------------------------------------------------


def alter(scope: Scope, said: st.AlterClass) -> None:
    """RENAME, OWNER, SET SCHEMA. Raises 42704, 42501, 42710, 3F000, 0A000."""
    made = existing(scope, said.signature, "altering")
    permits.must_own(scope, made)
    home = scope.catalog.schema_of(made.schema_oid)
    if said.what == "owner":
        owner = require_role(scope, said.to)
        permits.may_become(scope, said.to)
        scope.replace(made, dataclasses.replace(made, owner=owner))
    elif said.what == "rename":
        permits.may_create_in(scope, home)
        _refuse_taken(scope, said.signature.kind, made.method, home, said.to)
        scope.replace(made, dataclasses.replace(made, name=said.to))
    else:
        home = scope.catalog.schema(said.to)
        permits.may_create_in(scope, home)
        if home.oid != made.schema_oid:
            _refuse_taken(scope, said.signature.kind, made.method, home, made.name)
            scope.replace(made, dataclasses.replace(made, schema_oid=home.oid))


def _refuse_taken(scope: Scope, kind: str, method: str, schema: Schema, name: str) -> None:
    if known.in_schema(scope.catalog, kind, method, schema.oid, name) is not None:
        raise _taken(kind, name, method, f' in schema "{schema.name}"')


def alter_family(scope: Scope, said: st.AlterOperatorFamily) -> None:
    """ADD and DROP. Raises 42704, 42501, 42601, 42710, 42883, 42P17, 2BP01, 0A000."""
    method = _method(said.signature.method)
    oid_of(scope, said.signature)
    _superuser(scope, "alter an operator family")
    with _pointing_nowhere():
        (_take_out if said.drop else _put_in)(scope, said, method)


def _put_in(scope: Scope, said: st.AlterOperatorFamily, method: Method) -> None:
    new: list[ClassMember] = []
    for item in said.items:
        if item.what == "storage":
            raise PlanError("42601", "STORAGE cannot be specified in ALTER OPERATOR FAMILY")
        one = class_members.member(scope, method, item, 0)
        class_members.refuse_twice(new, one)
        new.append(one)
    oid, name = oid_of(scope, said.signature), str(said.signature.name)
    class_members.refuse_there(scope, oid, name, new)
    made = existing(scope, said.signature, "altering")
    assert isinstance(made, OperatorFamily)
    for one in new:
        one = dataclasses.replace(one, oid=scope.allocate())
        home: Made | None = None
        if class_members.strict(method.name, one):  # then it is the class's of that type, where there is one
            home = class_members.class_of_type(scope, made.oid, one.left)
        home = home or scope.catalog.get(made.oid)  # type: ignore[assignment]
        assert home is not None
        scope.replace(home, dataclasses.replace(home, members=(*home.members, one)))


def _take_out(scope: Scope, said: st.AlterOperatorFamily, method: Method) -> None:
    places: list[ClassMember] = []
    for item in said.items:
        class_members.in_range(method, item)
        left, right = class_members.types_said(scope, item)
        one = ClassMember(0, item.what == "function", item.number, left, right, 0)
        class_members.refuse_twice(places, one)
        places.append(one)
    made = existing(scope, said.signature, "altering")
    for one in places:
        family = scope.catalog.get(made.oid)
        assert isinstance(family, OperatorFamily)
        kept = tuple(x for x in family.members if x.place != one.place)
        if len(kept) < len(family.members):
            scope.replace(family, dataclasses.replace(family, members=kept))
            continue
        what = class_members.shown(one, number=False).replace(" (", "(")
        held = [c for c in scope.catalog.objects(OperatorClass) if c.family == family.oid]
        for each in held:
            if any(x.place == one.place for x in each.members):
                raise _required(scope, one, family, each)
        raise PlanError("42704", f'{what} does not exist in operator family "{said.signature.name}"')


def _required(scope: Scope, one: ClassMember, family: OperatorFamily, by: OperatorClass) -> PlanError:
    from planner.catalog.system.operator_classes import member_described
    from planner.ddl.scope import describe

    inner = next(x for x in by.members if x.place == one.place)
    what = member_described(scope.catalog, inner, family.oid, scope.search_path)
    needed = describe(by, scope.catalog, scope.search_path)
    return PlanError(
        "2BP01", f"cannot drop {what} because {needed} requires it", hint=f"You can drop {needed} instead."
    )


def drop(scope: Scope, said: st.DropClass) -> None:
    """Raises 42704, 2BP01, 42501, 3F000."""
    from planner.ddl.drop import remove_all

    signature = said.signature
    if scope.passes_schema(signature.name, said.if_exists):
        return
    try:
        oid = oid_of(scope, signature)
    except PlanError as e:
        if not said.if_exists or e.sqlstate != "42704" or signature.method not in METHODS:
            raise
        scope.notice(f"{e.message}, skipping")
        return
    made = scope.catalog.get(oid)
    if not isinstance(made, Made):
        if not rights.is_superuser(scope.catalog, scope.user):
            raise PlanError("42501", f"must be owner of {signature.kind} {called(signature)}")
        shown = f"{signature.kind} {signature.name.name} for access method {signature.method}"
        raise PlanError("2BP01", f"cannot drop {shown} because it is required by the database system")
    permits.must_own(scope, made, schema_will_do=True, called=called(signature))
    remove_all(scope, [made], said.cascade)


# --- who needs what ---------------------------------------------------------------------------------------------


def needing(scope: Scope, thing: CatalogObject) -> list[OperatorClass | Index]:
    """Classes that could not be without a type, a function or an operator; indexes that could not without a class."""
    catalog = scope.catalog
    if isinstance(thing, OperatorClass):
        key = known.key_of(thing.oid)
        return [i for i in catalog.indexes_using(key) if any(k.opclass == key for k in i.keys)]
    if isinstance(thing, UserType):
        mine = {thing.oid, thing.array_oid}
        return [c for c in catalog.objects(OperatorClass) if mine & {c.type_oid, c.storage}]
    if isinstance(thing, Function | Operator):
        return [
            c
            for c in catalog.objects(OperatorClass)
            if any(one.does == thing.oid and one.function == isinstance(thing, Function) for one in c.members)
        ]
    return []


def classes_of(scope: Scope, family: OperatorFamily) -> list[OperatorClass]:
    """What goes with a family, unasked."""
    return [c for c in scope.catalog.objects(OperatorClass) if c.family == family.oid]


def forget(scope: Scope, gone: Function | Operator) -> None:
    """Families let go of a function or an operator that is dropped."""
    for family in list(scope.catalog.objects(OperatorFamily)):
        left = tuple(
            one
            for one in family.members
            if one.does != gone.oid or one.function != isinstance(gone, Function)
        )
        if len(left) < len(family.members):
            scope.replace(family, dataclasses.replace(family, members=left))


__all__ = [
    "Made", "alter", "alter_family", "called", "classes_of", "create_class", "create_family", "drop", "existing", "forget", "found_in", "needing", "oid_of",
]  # fmt: skip
