"""The types of `$1`, `$2`, ...: stated by the client, or found where the parameter meets something typed.

A parameter without a stated type is *unknown*, like a string literal, until it is first coerced; that
decides its type for the whole statement. A later meeting with another type is an ordinary cast.

A parameter that a domain decides is of the type underneath like all that is of a domain, but who asks for its type is told
the domain, as PostgreSQL does: `$1::posint`, or a value for a column of the domain.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.listed_literals import LISTS
from planner.listed_parameters import is_list, may_be_keys
from planner.normalise import SCALED_DIGITS, SCALES
from planner.types.numeric import typmod_of

NORMALISED = {
    "i": t.INT4,
    "l": t.INT8,
    "n": t.NUMERIC,
    "s": 0,
    "i4": t.INT4,
    "i8": t.INT8,
    "num": t.NUMERIC,
} | dict.fromkeys(LISTS.values(), 0)
"""The kinds of literal that the normaliser takes out of a statement."""
_SCALED = {kind: TypeRef(t.NUMERIC, typmod_of(SCALED_DIGITS, scale)) for scale, kind in enumerate(SCALES, 1)}
"""And those of which it is known how many digits they have behind the point."""
_OF_LISTS = frozenset(LISTS.values())
NUMBER_MAX = 65535


def of_scale(scale: int) -> int:
    """Stated in place of an OID: a numeric of at most `SCALED_DIGITS` digits, so many of them behind the point, which no type is told of."""
    return -scale - 1


class Parameters:
    def __init__(self, stated: Sequence[int], kinds: Sequence[str] | None) -> None:
        self.literals = kinds is not None
        oids = [NORMALISED.get(k, t.NUMERIC) for k in kinds] if kinds is not None else list(stated)
        self._types: dict[int, TypeRef] = {}
        self._domains: dict[int, int] = {}
        self._highest = len(oids)
        self._standing: dict[int, TypeRef] = {}
        self._by_rows: set[int] = set()
        """Those that are text because they stand in a row constructor, and nowhere else so far."""
        self.listed: dict[int, int] = {}
        """Those that are lists of parameters, and what was stated of each (`planner.listed_parameters`)."""
        self.elements: dict[int, TypeRef] = {}
        """Of what type the elements of these are."""
        for i, oid in enumerate(oids, 1):
            if is_list(oid):
                self.listed[i] = oid
            elif oid < 0:
                self._types[i] = TypeRef(t.NUMERIC, typmod_of(SCALED_DIGITS, -oid - 1))
            elif oid and oid != t.UNKNOWN:
                self._types[i] = TypeRef(t.base_of(TypeRef(oid)).oid)
                if self._types[i].oid != oid:
                    self._domains[i] = oid
        self.lists: dict[int, str] = {}
        """Those that are lists of literals, and of which kind (`planner.listed_literals`)."""
        for i, kind in enumerate(kinds or (), 1):
            if kind in _SCALED:
                self._types[i] = _SCALED[kind]
            elif kind in _OF_LISTS:
                self.lists[i] = kind

    def use(self, number: int, position: int) -> TypeRef:
        """The type of $number so far; UNKNOWN when undecided."""
        if number in self.listed or (number in self.lists and number not in self._types):
            raise PlanError("0A000", "a list is no single value", position=position)
        if not 0 < number <= NUMBER_MAX:
            raise PlanError("42P02", f"there is no parameter ${number}", position=position)
        self._highest = max(self._highest, number)
        self._by_rows.discard(number)
        return self._types.get(number, TypeRef(t.UNKNOWN))

    def declare(self, ref: TypeRef) -> int:
        """One more parameter, of a variable (`planner.binding.routines.variables`); its number."""
        self._highest += 1
        self._types[self._highest] = ref
        return self._highest

    def stand(self, first: int, ref: TypeRef) -> int:
        """One more parameter that nobody is told of, `first` or the next one: of a value that a part of the statement is given."""
        number = max(first, max(self._standing, default=0) + 1)
        self._standing[number] = ref
        return number

    @property
    def highest(self) -> int:
        return max(self._highest, max(self._standing, default=0))

    def decide_list(self, number: int, array: TypeRef, element: TypeRef | None) -> TypeRef:
        """What a list is from here on, `element`: of parameters of which type. Raises PlanError where it has been another one."""
        before = self._types.get(number)
        if before is not None and before != array:
            raise PlanError("0A000", "a list is of one type")
        if element is not None:
            self.elements[number] = element
        return self.decide(number, array) if before is None else before

    def keys_listed(self) -> Collection[int]:
        """The lists that may be keys of what is written."""
        return self.lists or {i for i, ref in self.elements.items() if may_be_keys(self.listed[i], ref)}

    def decide(self, number: int, ref: TypeRef) -> TypeRef:
        """What the type is from here on."""
        assert number not in self._types
        # A variable's record's modifier says what its fields are (a text is none), an interval's what the numbers of a literal count.
        kept = ref.oid == (t.INTERVAL if self.literals else t.RECORD)
        self._types[number] = decided = ref if kept else TypeRef(ref.oid)
        return decided

    def decided_by_row(self, number: int) -> None:
        """It became text in a row constructor."""
        if not self.literals and number in self._types:
            self._by_rows.add(number)

    def reconsider(self, number: int) -> bool:
        """Whether it is undecided again: the row that made it text becomes a composite value, whose field says what it is."""
        if number not in self._by_rows:
            return False
        self._by_rows.discard(number)
        del self._types[number]
        return True

    def meet_domain(self, number: int, oid: int) -> bool:
        """A domain, or arrays over one, is about to decide the type of $number, if nothing has before: whether it is a client's value."""
        if number in self._types:
            return False
        self._domains[number] = oid
        return not self.literals

    def type_of(self, number: int) -> TypeRef | None:
        return self._types.get(number) or self._standing.get(number)

    def all(self) -> tuple[TypeRef, ...]:
        """Every parameter's type. Raises 42P18 for one that nothing has decided (a literal is text then)."""
        out = []
        for number in range(1, self._highest + 1):
            ref = self._types.get(number)
            if ref is None:
                if not self.literals:
                    raise PlanError("42P18", f"could not determine data type of parameter ${number}")
                ref = TypeRef(t.TEXT)
            out.append(ref)
        return tuple(out)

    def described(self) -> tuple[TypeRef, ...]:
        """The types that clients are told, where a domain is among them."""
        if not self._domains or self.literals:
            return ()
        return tuple(
            TypeRef(self._domains[i]) if i in self._domains else ref for i, ref in enumerate(self.all(), 1)
        )
