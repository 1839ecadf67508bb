"""Collations that meet in one statement: which of them a comparison is done by, and when nobody can tell.

    c_column < posix_column                             42P22: neither was said to win
    c_column < posix_column COLLATE "C"                 by "C": what is said wins
    'a' COLLATE "C" || 'b' COLLATE "POSIX"              42P21: both were said
    ORDER BY c_column || posix_column                   42P21, and GROUP BY, DISTINCT, windows: what is sorted must have one
    length(c_column || posix_column)                    fine: nobody compares

The rules are those of PostgreSQL's `parse_collate.c`. Every value has a collation and a strength (none, implicit, in
conflict, explicit), which go up the tree; the default collation gives way to any other.

Hardly any statement has two collations, and those that order by bytes leave no mark in the tree, so that a column under
"C" is a column like any other to whoever plans. So a statement is bound as if there were none; if it turns out that
two names met in it (`Meeting.names`), it is bound once more, and each column and COLLATE says its collation then
(`Meeting.told`). Values are looked at as they are bound, by DuckDB's, the keyed engine's and Spark's plans alike.

PostgreSQL finds 42P22 when a function is called that asks; here it is found when the statement is planned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.catalog.collations import NONE, is_collatable, shown

_NOTHING, _IMPLICIT, _CONFLICT, _EXPLICIT = range(4)
_DEFAULT: Final = "default"
_BY_BYTES_ALIKE: Final = frozenset(("C", _DEFAULT))
"""One of these may be met alone: columns of type `name` have the first, all others the second."""


@dataclass(slots=True)
class Meeting:
    """The collations of one statement that is being bound."""

    told: bool = False
    """Whether columns and COLLATE are to say theirs, and who meets is looked at."""
    names: set[str] = field(default_factory=set)
    known: dict[int, tuple[ir.Node, State]] = field(default_factory=dict)
    """By a tree's id."""

    @property
    def to_be_told(self) -> bool:
        return not self.told and (len(self.names) > 1 or not self.names <= _BY_BYTES_ALIKE)


@dataclass(frozen=True, slots=True)
class State:
    """A value's collation, how strongly it has it and where it is from; and, in conflict, the other one."""

    strength: int = _NOTHING
    name: str = ""
    position: int = 0
    other: str = ""
    other_position: int = 0


_meeting: ContextVar[Meeting | None] = ContextVar("meeting", default=None)


@contextmanager
def meeting(told: bool = False) -> Iterator[Meeting]:
    """What is bound within is one statement."""
    under_way = Meeting(told)
    token = _meeting.set(under_way)
    try:
        yield under_way
    finally:
        _meeting.reset(token)


def met(name: str) -> bool:
    """A column has the collation, or COLLATE names it: whether it is to be told."""
    under_way = _meeting.get()
    if under_way is None:
        return False
    under_way.names.add(name)
    return under_way.told


def told() -> bool:
    """Whether collations are told in what is bound now."""
    under_way = _meeting.get()
    return under_way is not None and under_way.told


def asked() -> None:
    """Somebody asks for the name of a value's collation, whichever it is."""
    under_way = _meeting.get()
    if under_way is not None:
        under_way.names.update(_BY_BYTES_ALIKE)


def look_at(node: ir.Node) -> None:
    """Raises 42P21 and 42P22 for what a tree compares, if collations are told."""
    under_way = _meeting.get()
    if under_way is not None and under_way.told:
        _state(node, under_way)


def sorted_by(nodes: Iterable[ir.Node]) -> None:
    """Raises 42P21 and 42P22 for keys of sorts and groups whose collation is not known, if collations are told."""
    under_way = _meeting.get()
    if under_way is None or not under_way.told:
        return
    for node in nodes:
        if not is_collatable(node.type.oid):
            continue
        state = _state(node, under_way)
        if state.strength == _CONFLICT:
            raise PlanError(
                "42P21",
                f'collation mismatch between implicit collations "{_shown(state.name)}" and "{_shown(state.other)}"',
                hint="You can choose the collation by applying the COLLATE clause to one or both expressions.",
                position=state.other_position,
            )
        if state.strength == _NOTHING:
            raise undetermined("string comparison")


def derived(*nodes: ir.Node) -> str | None:
    """The collation of a query's column by this expression, or by one for each row: `NONE` where two meet; None where
    collations are not told."""
    under_way = _meeting.get()
    texts = [n for n in nodes if is_collatable(n.type.oid)]
    if under_way is None or not under_way.told or not texts:
        return None
    state = _merged([_state(n, under_way) for n in texts])
    if state.strength in (_NOTHING, _CONFLICT):
        return NONE
    return "" if state.name == _DEFAULT or (state.name == "C" and texts[0].type.oid == t.NAME) else state.name


def undetermined(what: str) -> PlanError:
    return PlanError(
        "42P22",
        f"could not determine which collation to use for {what}",
        hint="Use the COLLATE clause to set the collation explicitly.",
    )


def underived(column: str, ref: TypeRef) -> PlanError:
    return PlanError(
        "42P22",
        f'no collation was derived for column "{column}" with collatable type {t.format_type(ref)}',
        hint="Use the COLLATE clause to set the collation explicitly.",
    )


def _shown(name: str) -> str:
    return shown(name or _DEFAULT)


# --- the walk up ----------------------------------------------------------------------------------------


def _state(node: ir.Node, under_way: Meeting) -> State:
    found = under_way.known.get(id(node))
    if found is None:
        found = under_way.known[id(node)] = (node, _found(node, under_way))
    return found[1]


def _found(node: ir.Node, under_way: Meeting) -> State:
    collatable = is_collatable(node.type.oid) or node.type.oid == t.UNKNOWN
    if isinstance(node, ir.Collated):
        _state(node.arg, under_way)
        position = node.position or getattr(node.arg, "position", 0)
        if node.collation == NONE:
            return State()
        return State(_EXPLICIT if node.explicit else _IMPLICIT, node.collation or _DEFAULT, position)
    given: Sequence[ir.Node] = ()
    if isinstance(node, ir.AnyAll):
        _any_all(node, under_way)
    elif isinstance(node, ir.Logic) and node.op == "row":
        for child in node.args:  # each for itself
            _state(child, under_way)
    elif isinstance(node, ir.Window):
        given = (node.call,)
        for child in ir.children(node):
            _state(child, under_way)
        sorted_by((*node.partition, *(k.expr for k in node.order)))
    elif isinstance(node, ir.Aggregate):
        given = _aggregated(node, under_way)
    elif isinstance(node, ir.Let):
        for child in node.values:
            _state(child, under_way)
        given = (node.body,)
    elif isinstance(node, ir.SubQuery):
        for child in ir.children(node):
            _state(child, under_way)
    else:
        given = ir.children(node)
    state = _merged([_state(n, under_way) for n in given])
    what = consumer(node)
    if what and state.strength in (_NOTHING, _CONFLICT):
        raise undetermined(what)
    if not collatable:
        return State()
    if state.strength > _NOTHING:
        return state
    if given and isinstance(node, ir.Cast) and _is_nothing(node.arg):
        return State()
    return State(_IMPLICIT, "C" if node.type.oid == t.NAME else _DEFAULT, getattr(node, "position", 0))


def _is_nothing(node: ir.Node) -> bool:
    """Whether it is a column whose collation nobody could tell."""
    while isinstance(node, ir.Cast):
        node = node.arg
    return isinstance(node, ir.Collated) and node.collation == NONE


def _any_all(node: ir.AnyAll, under_way: Meeting) -> None:
    """The element that is compared has the array's collation."""
    array = _state(node.array, under_way)
    compare = node.compare
    if not isinstance(compare, ir.Call):
        return
    sides = [
        array if any(isinstance(n, ir.Var) and n.relation == -1 for n in ir.walk(a)) else _state(a, under_way)
        for a in compare.args
    ]
    state = _merged(sides)
    what = consumer(compare)
    if what and state.strength in (_NOTHING, _CONFLICT):
        raise undetermined(what)


def _aggregated(node: ir.Aggregate, under_way: Meeting) -> Sequence[ir.Node]:
    """The arguments whose collations meet. Those of ORDER BY are the arguments of an ordered-set aggregate."""
    for child in ir.children(node):
        _state(child, under_way)
    keys = [k.expr for k in node.order]
    sorted_by((*keys, *(node.args if node.distinct else ())))
    return (*node.direct, *keys, *node.args) if node.direct or not node.args else node.args


def _merged(states: Sequence[State]) -> State:
    out = State()
    for s in states:
        if s.strength > out.strength:
            out = s
        elif s.strength < out.strength or s.strength in (_NOTHING, _CONFLICT) or s.name == out.name:
            continue
        elif s.strength == _EXPLICIT:
            raise PlanError(
                "42P21",
                f'collation mismatch between explicit collations "{_shown(out.name)}" and "{_shown(s.name)}"',
                position=s.position,
            )
        elif out.name == _DEFAULT:
            out = s
        elif s.name != _DEFAULT:
            out = State(_CONFLICT, out.name, out.position, s.name, s.position)
    return out


# --- who compares -----------------------------------------------------------------------------------------

_COMPARE: Final = "string comparison"
_REGEXP: Final = "regular expression"
_TEXTS: Final = frozenset(("text", "bpchar", "name", "varchar"))
_SIGNS: Final = {
    **dict.fromkeys(
        ("=", "<>", "<", "<=", ">", ">=", "^@", "is distinct from", "is not distinct from", "=|<>"), _COMPARE
    ),
    **dict.fromkeys(("~", "!~", "~*", "!~*"), _REGEXP),
    **dict.fromkeys(("~~*", "!~~*"), "ILIKE"),
}
_ARRAY_SIGNS: Final = frozenset(("=", "<>", "<", "<=", ">", ">=", "@>", "<@", "&&"))
_FUNCTIONS: Final = {
    **{name: f"{name}() function" for name in ("lower", "upper", "initcap")},
    **dict.fromkeys(
        ("regexp_count", "regexp_instr", "regexp_like", "regexp_match", "regexp_matches", "regexp_replace",
         "regexp_split_to_array", "regexp_split_to_table", "regexp_substr", "textregexeq", "textregexne",
         "texticregexeq", "texticregexne", "nameregexeq", "nameregexne", "substring(text, text)", "substring(text, text, text)",
         "similar_to_escape"),
        _REGEXP,
    ),
    **dict.fromkeys(
        ("position", "strpos", "replace", "split_part", "starts_with", "string_to_array", "string_to_table",
         "text_larger", "text_smaller", "bttextcmp", "btnamecmp", "bpcharcmp", "text_lt", "text_le", "text_gt",
         "text_ge", "texteq", "textne", "nameeq", "namene", "namelt", "namele", "namegt", "namege", "bpchareq",
         "bpcharne", "bpcharlt", "bpcharle", "bpchargt", "bpcharge", "bpchar_larger", "bpchar_smaller",
         "array_position", "array_positions", "array_remove", "array_replace"),
        _COMPARE,
    ),
    **dict.fromkeys(("texticlike", "texticnlike", "nameiclike", "nameicnlike", "bpchariclike", "bpcharicnlike"), "ILIKE"),
}  # fmt: skip
_EXTREMES: Final = frozenset(("min(text)", "max(text)", "min(bpchar)", "max(bpchar)"))
_COLLATING_LOGIC: Final = frozenset(("greatest", "least", "nullif"))


def consumer(node: ir.Node) -> str:
    """What an operation needs a collation for, in the words of its error; empty where it asks for none."""
    if isinstance(node, ir.Logic):
        return _COMPARE if node.op in _COLLATING_LOGIC and is_collatable(node.type.oid) else ""
    if isinstance(node, ir.Aggregate):
        return _COMPARE if node.op in _EXTREMES else ""
    if not isinstance(node, ir.Call | ir.SetReturning):
        return ""
    if not any(is_collatable(a.type.oid) for a in node.args):
        return ""
    op = node.op
    if op.endswith(")"):
        return _FUNCTIONS.get(op) or _FUNCTIONS.get(op.partition("(")[0], "")
    left, _, rest = op.partition(" ")
    sign, _, right = rest.rpartition(" ")
    if left in _TEXTS and right in _TEXTS:
        return _SIGNS.get(sign, "")
    if left.startswith(("any", "_")) and right.startswith(("any", "_")) and sign in _ARRAY_SIGNS:
        return _COMPARE
    return ""


__all__ = [
    "Meeting",
    "State",
    "asked",
    "consumer",
    "derived",
    "look_at",
    "meeting",
    "met",
    "sorted_by",
    "told",
    "underived",
    "undetermined",
]
