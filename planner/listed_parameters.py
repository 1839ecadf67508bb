"""Lists of parameters, however long they are, as one parameter each: drivers write a list of each length that there is.

    a = $1 AND id IN ($2, $3, $4) AND b = $5      given 7, 17, 4, 99, 'x'      what was sent
    a = $1 AND id IN ($2) AND b = $3              given 7, {17,4,99}, 'x'      what is planned: `id = ANY (array)`, as of literals
                                                                               (`planner.listed_literals`)

Who sent it has five parameters, is told of five and gives five; a `Listing` is what is between the two. In the types that are declared
for the text that is planned a list is a number that no OID is (`of_list`).

What is read here need not be an IN of SQL for certain: whether a list is one, and of what it is, the binder says, and refuses a list
anywhere else. So in doubt a text is planned as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from planner import types as t
from planner.abc import Plan, TypeRef
from planner.types.array_values import ArrayValue, write
from storage.abc import Datum

LISTED: Final = "listed"
"""Of a plan's `extra`: by the numbers of those of its parameters that are lists what was declared of them, and of what type each element is."""

_OF_KEYS, _OF_MANY = 1 << 40, 1 << 41
KEYS_MAX: Final = 1_000
"""A list of no more elements than this may be the keys of what is written."""
_DIGITS_MAX: Final = 5
"""Of a parameter's number, which is no more than 65,535."""
_INTEGERS: Final = {t.INT2: 1, t.INT4: 2, t.INT8: 3}
_TEXTS: Final = frozenset((t.TEXT, t.VARCHAR))
_UNDECLARED: Final = frozenset((0, t.UNKNOWN))
_CASTS: Final = {
    "smallint": t.INT2,
    "int2": t.INT2,
    "int": t.INT4,
    "integer": t.INT4,
    "int4": t.INT4,
    "bigint": t.INT8,
    "int8": t.INT8,
    "text": t.TEXT,
    "varchar": t.VARCHAR,
    "character varying": t.VARCHAR,
    "uuid": t.UUID,
}

_LIST: Final = r"\bin\s*\(\s*\$\d+(?P<cast>(?:\s*::\s*[a-z][a-z0-9 ]*)?)(?:\s*,\s*\$\d+(?P=cast))+\s*\)"
_begins = re.compile(
    r"(?:\s|--[^\n]*\n|/\*(?:(?!\*/).)*\*/|\()*(?:select|insert|update|delete|merge|with)\b",
    re.IGNORECASE | re.DOTALL,
).match
_has_list = re.compile(r"[iI][nN]\s*\(\s*\$\d+[\w: ]*,").search
_OBSCURE: Final = re.compile(
    r"\\|\$(?!\d)|(?<=[^\x00-#%-/:-@\[-^`{-\x7f])\$|/\*(?:(?!\*/).)*/\*|\bconflict\b",
    re.IGNORECASE | re.DOTALL,
)
"""What could hide where strings begin and end, or be a name with `$1` in it; and ON CONFLICT, whose conditions tell an index."""
_PLACES: Final = re.compile(
    rf"""'[^']*'|"[^"]*"|--[^\n]*|/\*.*?\*/|(?P<list>{_LIST})|\$(?P<number>\d+)""", re.IGNORECASE | re.DOTALL
)
_numbers = re.compile(r"\$(\d+)").findall


class Listing(NamedTuple):
    """How the parameters that a client gives become those of the plan."""

    given: int
    """So many it gives."""
    lists: tuple[tuple[int, int], ...]
    """Where each list begins and ends among them, in their order."""
    declared: tuple[int, ...]
    """Of what type each was declared, by its own OID or by the cast behind it; 0: the plan says it."""

    def each(self, plan: Plan) -> tuple[TypeRef, ...]:
        """The types that values are read as."""
        return self._spread(plan, plan.parameters)

    def told(self, plan: Plan) -> tuple[TypeRef, ...]:
        """The types that a client is told, domains among them."""
        return self._spread(plan, plan.extra.get("described", plan.parameters))

    def _spread(self, plan: Plan, types: Sequence[TypeRef]) -> tuple[TypeRef, ...]:
        listed = plan.extra[LISTED]
        found: list[TypeRef] = []
        for number, ref in enumerate(types, 1):
            if number not in listed:
                found.append(ref)
                continue
            first, behind = len(found), len(found) + self._length(len(found))
            refs: dict[int, TypeRef] = {oid: TypeRef(oid) for oid in set(self.declared[first:behind])}
            refs[0] = listed[number][1]
            found += [refs[oid] for oid in self.declared[first:behind]]
        return tuple(found)

    def _length(self, first: int) -> int:
        return next(behind - start for start, behind in self.lists if start == first)

    def others(self) -> list[int]:
        """The places of those that are in no list."""
        found: list[int] = []
        at = 0
        for first, behind in self.lists:
            found += range(at, first)
            at = behind
        return [*found, *range(at, self.given)]

    def put(self, others: Sequence[Datum], lists: Sequence[Datum]) -> tuple[Datum, ...]:
        """Values as the plan takes them, of those that are in no list and of the lists."""
        made = list(others)
        removed = 0
        for i, (first, behind) in enumerate(self.lists):
            made.insert(first - removed, lists[i])
            removed += behind - first - 1
        return tuple(made)

    def folded(self, values: Sequence[Datum]) -> tuple[Datum, ...]:
        """The same of the values of all parameters."""
        lists = [array_of(values[first:behind]) for first, behind in self.lists]
        return self.put([values[i] for i in self.others()], lists)


class Shorter(NamedTuple):
    """A text with its lists as one parameter each, what is declared of its parameters, and how they are made of what is given."""

    text: str
    types: tuple[int, ...]
    listing: Listing
    longest: int


def array_of(values: Sequence[Any]) -> str:
    """The array's text, which is its datum where its elements are integers, texts or uuids."""
    items = [None if v is None else str(v) for v in values]
    return write(ArrayValue((len(items),), (1,), items))


def of_list(oid: int, count: int) -> int:
    """Stated in place of an OID: a list of so many elements of a type, 0 of what it is compared with."""
    return -(_OF_KEYS if count <= KEYS_MAX else _OF_MANY) - oid


def is_list(stated: int) -> bool:
    return stated <= -_OF_KEYS


def may_be_keys(stated: int, element: TypeRef) -> bool:
    """Of a list: whether it is as short as the keys of what is written have to be, and its text is, too."""
    return stated > -_OF_MANY and element.oid not in _TEXTS


def element_oid(stated: int) -> int:
    """Of a list: of what its elements are declared."""
    return -stated - (_OF_KEYS if stated > -_OF_MANY else _OF_MANY)


def stated(plan: Plan) -> list[int]:
    """What is declared of a plan's parameters where its text is planned again."""
    listed = plan.extra.get(LISTED, {})
    return [listed[i][0] if i in listed else ref.oid for i, ref in enumerate(plan.parameters, 1)]


def shorter(text: str, types: Sequence[int]) -> Shorter | None:
    """The same without its lists; None if it has none. `types`: what a client has declared, by the OID."""
    if _has_list(text) is None or _begins(text) is None or _OBSCURE.search(text) is not None:
        return None
    found = [m for m in _PLACES.finditer(text) if m.lastgroup is not None]
    lists: dict[int, tuple[int, int, str]] = {}
    """Where they begin in the text -> first number, the one behind the last, the cast."""
    others: set[int] = set()
    for m in found:
        numbers = _numbers(m[0])
        if max(map(len, numbers)) > _DIGITS_MAX:
            return None
        if m["list"] is None:
            others.add(int(m["number"]))
            continue
        first, behind = int(numbers[0]), int(numbers[0]) + len(numbers)
        if numbers == [str(i) for i in range(first, behind)]:
            lists[m.start()] = first, behind, m["cast"].partition("::")[2].strip().lower()
        else:
            others.update(map(int, numbers))
    spans = sorted(lists.values())
    if not spans or any(a[1] > b[0] for a, b in pairwise(spans)):
        return None
    if not all(others.isdisjoint(range(first, behind)) for first, behind, _ in spans):
        return None
    count = max(len(types), spans[-1][1] - 1, max(others, default=0))
    listing = _listing(types, count, spans)
    if listing is None:
        return None
    renumbered = _renumbering(spans)
    pieces: list[str] = []
    at = 0
    for m in found:
        if m.start() in lists:
            pieces += text[at : m.start()], f"IN (${renumbered(lists[m.start()][0])})"
        elif m["number"] is not None:
            pieces += text[at : m.start()], f"${renumbered(int(m['number']))}"
        else:  # of other numbers than one behind the other
            pieces += text[at : m.start()], re.sub(r"\$(\d+)", lambda n: f"${renumbered(int(n[1]))}", m[0])
        at = m.end()
    longest = max(behind - first for first, behind, _ in spans)
    return Shorter(
        "".join((*pieces, text[at:])), tuple(_stated_of(types, count, spans, listing)), listing, longest
    )


def _listing(types: Sequence[int], count: int, spans: Sequence[tuple[int, int, str]]) -> Listing | None:
    """None where a list's elements are not of one kind, for all that is declared."""
    declared = [*types, *[0] * (count - len(types))]
    for first, behind, cast in spans:
        place = slice(first - 1, behind - 1)
        if cast:
            to = _CASTS.get(" ".join(cast.split()))
            if to is None or not all(_is_within(oid, to) for oid in set(declared[place])):
                return None
            declared[place] = [to if oid in _UNDECLARED else oid for oid in declared[place]]
        elif _one_kind(set(declared[place])) is None:
            return None
        else:
            declared[place] = [0 if oid == t.UNKNOWN else oid for oid in declared[place]]
    return Listing(count, tuple((first - 1, behind - 1) for first, behind, _ in spans), tuple(declared))


def _is_within(oid: int, to: int) -> bool:
    """Whether all values of a declared type are the same in the type that they are cast to."""
    if oid in _UNDECLARED or oid == to or (oid in _TEXTS and to in _TEXTS):
        return True
    return oid in _INTEGERS and to in _INTEGERS and _INTEGERS[oid] < _INTEGERS[to]


def _one_kind(oids: set[int]) -> int | None:
    """Of what a list of these is; 0: what it is compared with says it. None: they are of several kinds, or of one that is no list's."""
    if oids <= _UNDECLARED:
        return 0
    if oids <= _INTEGERS.keys():
        return max(oids, key=_INTEGERS.__getitem__)
    if oids <= _TEXTS:
        return t.TEXT
    return t.UUID if oids == {t.UUID} else None


def _stated_of(
    types: Sequence[int], count: int, spans: Sequence[tuple[int, int, str]], listing: Listing
) -> Iterator[int]:
    at = 1
    for first, behind, cast in spans:
        yield from (types[i - 1] if i <= len(types) else 0 for i in range(at, first))
        own = set(listing.declared[first - 1 : behind - 1])
        kind = _CASTS[" ".join(cast.split())] if cast else _one_kind(own)
        assert kind is not None, "looked at before"
        yield of_list(kind, behind - first)
        at = behind
    yield from (types[i - 1] if i <= len(types) else 0 for i in range(at, count + 1))


def _renumbering(spans: Sequence[tuple[int, int, str]]) -> Callable[[int], int]:
    """The number that a parameter has where each list before it is one."""

    def renumbered(number: int) -> int:
        return number - sum(behind - first - 1 for first, behind, _ in spans if behind <= number)

    return renumbered


__all__ = [
    "KEYS_MAX",
    "LISTED",
    "Listing",
    "Shorter",
    "array_of",
    "element_oid",
    "is_list",
    "may_be_keys",
    "of_list",
    "shorter",
    "stated",
]
