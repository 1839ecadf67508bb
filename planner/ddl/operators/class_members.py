"""What a class of operators is made of: the rules of each method for an operator or a function under a number.

    btree   OPERATOR 1 to 5 (<, <=, =, >=, >)     FUNCTION 1 compares, 2 prepares sorting, 3 finds a frame's bounds, 4 tells of bytes, 5 options
    hash    OPERATOR 1 (=)                        FUNCTION 1 and 2 hash (the second with a seed), 3 options
    others  OPERATOR any                          FUNCTION any: of the class's own type where no other is said

What is of the class's own type cannot be taken out of it (`strict`); all else is the family's, and goes from there with what it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from planner import statements as st
from planner import types as t
from planner.abc import Oid, PlanError
from planner.catalog import ClassMember, Function, Operator, OperatorClass
from planner.catalog.classes_of_operators import FAMILY, METHODS, Method, found, members, own
from planner.catalog.names import missing_schema
from planner.catalog.system.static import static_columns
from planner.ddl.operators import definitions as operators
from planner.ddl.routines import names as routine_names
from planner.ddl.scope import Scope
from planner.ddl.types.copied_types import type_in_signature
from planner.ddl.types.typenames import resolve_type

_WRONG: Final = "42P17"
_INTERNAL, _VOID = 2281, 2278
_ANY_NUMBER: Final = 32_767
_REQUIRED: Final = {"gist": (1, 2, 5, 6, 7), "gin": (2, 3), "spgist": (1, 2, 3, 4, 5)}
"""The functions of a method without which a class would be none."""


def member(scope: Scope, method: Method, item: st.ClassItem, of: Oid) -> ClassMember:
    """An item of CREATE OPERATOR CLASS for a type, or of ALTER OPERATOR FAMILY ... ADD (`of` is 0). Raises 42P17, 42883, 42704, 42601."""
    in_range(method, item)
    if item.what == "operator":
        return _operator(scope, method, item, of)
    return _function(scope, method, item, of)


def in_range(method: Method, item: st.ClassItem) -> None:
    """Raises 42P17."""
    most = (method.operators or _ANY_NUMBER) if item.what == "operator" else method.functions
    if not 0 < item.number <= most:
        raise PlanError(
            _WRONG, f"invalid {item.what} number {item.number}, must be between 1 and {most}"
        )  # fmt: skip


def types_said(scope: Scope, item: st.ClassItem) -> tuple[Oid, Oid]:
    """The types that an item names: one stands for both. Raises 42601, 42704."""
    oids = [resolve_type(x, scope.catalog, scope.search_path).oid for x in item.types]
    if len(oids) > 2:
        raise PlanError("42601", "one or two argument types must be specified")
    return oids[0], oids[-1]


def _operator(scope: Scope, method: Method, item: st.ClassItem, of: Oid) -> ClassMember:
    said = item.operator
    assert said is not None
    if said.left is None and said.right is None:
        if not of:
            raise PlanError("42601", "operator argument types must be specified in ALTER OPERATOR FAMILY")
        oid = operators.find(scope, said, (of, of))
        if not oid:
            kind = t.type_in_words(of)
            raise PlanError("42883", f"operator does not exist: {kind} {said.name} {kind}")
    else:
        oid = operators.find(scope, said) or operators.existing(scope, said).oid
    sort_family = _sort_family(scope, item.sort_family) if item.sort_family is not None else 0
    left, right, result = operands(scope, oid)
    if not (left and right):
        raise PlanError(_WRONG, "index operators must be binary")
    if sort_family and not method.by_distance:
        raise PlanError(_WRONG, f'access method "{method.name}" does not support ordering operators')
    if not sort_family and result != t.BOOL:
        raise PlanError(_WRONG, "index search operators must return boolean")
    return ClassMember(0, False, item.number, left, right, oid, sort_family)


def operands(scope: Scope, oid: Oid) -> tuple[Oid, Oid, Oid]:
    """An operator's types, its result's last."""
    made = scope.catalog.get(oid)
    if isinstance(made, Operator):
        return made.left, made.right, made.result
    wanted = ("oid", "oprleft", "oprright", "oprresult")
    return next((a, b, c) for o, a, b, c in static_columns("pg_operator", wanted) if o == oid)


def _sort_family(scope: Scope, name: st.Name) -> Oid:
    return family_named(scope, METHODS["btree"], name)


def family_named(scope: Scope, method: Method, name: st.Name) -> Oid:
    """Raises 42704, 3F000."""
    homed = scope.homed(name)
    if homed.schema and scope.catalog.find_schema(homed.schema) is None:
        raise missing_schema(homed.schema)
    oid = found(scope.catalog, FAMILY, method.name, homed.name, homed.schema, scope.search_path)
    if not oid:
        raise PlanError("42704", f'operator family "{name}" does not exist for access method "{method.name}"')
    return oid


def _function(scope: Scope, method: Method, item: st.ClassItem, of: Oid) -> ClassMember:
    assert item.function is not None
    oid, arguments, result = _called(scope, item.function)
    left, right = types_said(scope, item) if item.types else (0, 0)
    if item.number == method.options:
        if of and any(x and x != of for x in (left, right)):
            raise PlanError(
                _WRONG, "associated data types for operator class options parsing functions must match opclass input type"
            )  # fmt: skip
        if not of and left != right:
            raise PlanError(
                _WRONG, "left and right associated data types for operator class options parsing functions must match"
            )  # fmt: skip
        if (arguments, result) != ((_INTERNAL,), _VOID):
            raise PlanError(
                _WRONG,
                "invalid operator class options parsing function",
                hint="Valid signature of operator class options parsing function is (internal) RETURNS void.",
            )
    elif method.name == "btree":
        guess = _of_btree(item.number, arguments, result, (left, right))
        left, right = left or guess[0], right or guess[1]
    elif method.name == "hash":
        _of_hash(item.number, arguments, result)
        left, right = left or arguments[0], right or arguments[0]
    left, right = left or of, right or of
    if not (left and right):
        raise PlanError(_WRONG, "associated data types must be specified for index support function")
    return ClassMember(0, True, item.number, left, right, oid)


def _of_btree(number: int, arguments: tuple[Oid, ...], result: Oid, said: tuple[Oid, Oid]) -> tuple[Oid, Oid]:
    """The types that a function of btree's is for, as far as it tells; 0 where it does not."""

    def require(so: bool, message: str) -> None:
        if not so:
            raise PlanError(_WRONG, message)

    if number == 1:
        require(len(arguments) == 2, "btree comparison functions must have two arguments")
        require(result == t.INT4, "btree comparison functions must return integer")
        return arguments[0], arguments[1]
    if number == 2:
        require(arguments == (_INTERNAL,), 'btree sort support functions must accept type "internal"')
        require(result == _VOID, "btree sort support functions must return void")
    elif number == 3:
        require(len(arguments) == 5, "btree in_range functions must have five arguments")
        require(result == t.BOOL, "btree in_range functions must return boolean")
        return arguments[0], arguments[2]
    elif number == 4:
        require(len(arguments) == 1, "btree equal image functions must have one argument")
        require(result == t.BOOL, "btree equal image functions must return boolean")
        require(said[0] == said[1], "btree equal image functions must not be cross-type")
    return 0, 0


def _of_hash(number: int, arguments: tuple[Oid, ...], result: Oid) -> None:
    count, words, wanted = (1, "one argument", t.INT4) if number == 1 else (2, "two arguments", t.INT8)
    if len(arguments) != count:
        raise PlanError(_WRONG, f"hash function {number} must have {words}")
    if result != wanted:
        raise PlanError(_WRONG, f"hash function {number} must return {t.type_in_words(wanted)}")


def _called(scope: Scope, said: st.Signature) -> tuple[Oid, tuple[Oid, ...], Oid]:
    """A function, PostgreSQL's too: its OID, what it takes and what it returns. Raises 42883, 42725."""
    name = scope.homed(said.name)
    if name.schema in ("", "pg_catalog"):
        columns = ("oid", "proname", "proargtypes", "prorettype", "prokind")
        alike = [
            (oid, tuple(types), result)
            for oid, called, types, result, kind in static_columns("pg_proc", columns)
            if called == name.name and kind == "f"
        ]
        if said.parameters is not None:
            wanted = tuple(
                type_in_signature(scope, p.type).oid for p in said.parameters if (p.mode or "i") in "ibv"
            )
            alike = [one for one in alike if one[1] == wanted]
        own_made = scope.catalog.functions(name.name, name.schema, scope.search_path)
        if len(alike) == 1 and (said.parameters is not None or not own_made):
            return alike[0]
    f: Function = routine_names.named(scope, said)
    return f.oid, f.signature, f.returns


# --- together ---------------------------------------------------------------------------------------------


def refuse_twice(made: Sequence[ClassMember], new: ClassMember) -> None:
    """Raises 42P17."""
    if any(one.place == new.place for one in made):
        raise PlanError(_WRONG, f"{shown(new)} appears more than once".replace("(", "for (", 1))


def shown(one: ClassMember, number: bool = True) -> str:
    """`operator number 1 (integer,integer)`, without the first `number` where that is not wanted."""
    word = "function" if one.function else "operator"
    kinds = ",".join(t.type_in_words(x) for x in (one.left, one.right))
    return f"{word} {'number ' if number else ''}{one.number} ({kinds})"


def refuse_there(scope: Scope, family: Oid, said: str, new: Iterable[ClassMember]) -> None:
    """What a family has already. Raises 42710."""
    there = {one.place for one in members(scope.catalog, family)} | _own_places(family)
    for one in new:
        if one.place in there:
            what = shown(one, number=False).replace(" (", "(")
            raise PlanError("42710", f'{what} already exists in operator family "{said}"')


def _own_places(family: Oid) -> set[tuple[bool, int, Oid, Oid]]:
    """Those of PostgreSQL's own families."""
    if family not in own()[FAMILY]:
        return set()
    searching = ("amopfamily", "amopstrategy", "amoplefttype", "amoprighttype")
    supporting = ("amprocfamily", "amprocnum", "amproclefttype", "amprocrighttype")
    found = {(False, n, a, b) for f, n, a, b in static_columns("pg_amop", searching) if f == family}
    return found | {(True, n, a, b) for f, n, a, b in static_columns("pg_amproc", supporting) if f == family}


def strict(method: str, one: ClassMember) -> bool:
    """Whether a class of the type cannot be without it; else it is the family's."""
    if method in ("btree", "hash"):
        return one.left == one.right and (not one.function or one.number == 1)
    return method == "brin" or (one.function and one.number in _REQUIRED[method])


def class_of_type(scope: Scope, family: Oid, of: Oid) -> OperatorClass | None:
    """The user's class of a family for a type."""
    made = scope.catalog.objects(OperatorClass)
    return next((c for c in made if (c.family, c.type_oid) == (family, of)), None)


__all__ = [
    "class_of_type", "family_named", "in_range", "member", "operands", "refuse_there", "refuse_twice", "shown", "strict", "types_said",
]  # fmt: skip
