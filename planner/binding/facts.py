"""What PostgreSQL 15 knows of its own functions, operators, casts and types, read from `planner/facts/`.

The files are tables of facts (one row per pg_proc, pg_operator, pg_cast and pg_type entry, types by
their internal names), so that resolving `a + b` asks the same candidates as PostgreSQL asks. Nothing
here says how a function is *computed*: that is `planner.binding.functions`. A function that is
listed here and has no implementation there is answered 0A000, never 42883.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from planner import extensions
from planner.types.facts import ARRAY_OF, BY_OID, ELEMENT_OF
from planner.types.of_extensions import EXTENSION_OF
from planner.types.user_ranges import Spanned, spanned

_FOLDER: Final = Path(__file__).parent.parent / "facts"


@dataclass(frozen=True, slots=True)
class TypeFact:
    name: str
    oid: int
    category: str
    preferred: bool
    element: str  # of an array type
    array: str  # the array type over this one
    kind: str  # b base, p pseudo, r range, m multirange, e enum, d domain, c composite


@dataclass(frozen=True, slots=True)
class Proc:
    """A row of pg_proc. `out` are the output columns of a function that returns records."""

    name: str
    args: tuple[str, ...]
    result: str
    kind: str  # f function, a aggregate, w window, p procedure
    returns_set: bool
    strict: bool
    variadic: bool
    volatility: str  # i, s, v
    defaults: int
    aggregate: str  # n normal, o ordered-set, h hypothetical
    direct: int
    oid: int
    out: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Operator:
    name: str
    left: str  # "" of a prefix operator
    right: str
    result: str
    function: str = ""


def rows_of(name: str) -> list[list[str]]:
    """The rows of a file of facts."""
    text = (_FOLDER / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line]


@lru_cache(maxsize=1)
def types_by_name() -> dict[str, TypeFact]:
    found = {
        r[0]: TypeFact(r[0], int(r[1]), r[2], r[3] == "y", r[4], r[5], r[6]) for r in rows_of("types.tsv")
    }
    for oid in EXTENSION_OF:
        made = BY_OID[oid]
        element, array = (BY_OID[x].typname if x else "" for x in (made.typelem, made.typarray))
        found[made.typname] = TypeFact(made.typname, oid, made.typcategory, False, element, array, "b")
    return found


@lru_cache(maxsize=1)
def types_by_oid() -> dict[int, TypeFact]:
    return {t.oid: t for t in types_by_name().values()}


_OWN: Final = (
    ["tidewire_open_snapshot", "text,text,int4", "text", "f", "no", "", "9901", ""],
    ["tidewire_renew_snapshot", "text,int4", "text", "f", "no", "", "9902", ""],
    ["tidewire_describe", "text", "text", "f", "no", "", "9904", ""],
    ["tidewire_close_snapshot", "text", "bool", "f", "no", "", "9903", ""],
)
"""Functions that PostgreSQL does not have."""


@lru_cache(maxsize=1)
def procs() -> dict[str, tuple[Proc, ...]]:
    found: dict[str, list[Proc]] = {}
    for name, args, result, kind, flags, agg, oid, out in [*rows_of("procs.tsv"), *_OWN]:
        digits = "".join(c for c in flags if c.isdigit())
        found.setdefault(name, []).append(
            Proc(
                name,
                tuple(args.split(",")) if args else (),
                result,
                kind,
                "s" in flags,
                "n" in flags,
                "v" in flags,
                "v" if "o" in flags else "s" if "t" in flags else "i",
                int(digits or 0),
                agg[:1],
                int(agg[1:] or 0),
                int(oid),
                tuple((n, t) for n, _, t in (c.partition(":") for c in out.split(",") if c)),
            )
        )
    return {name: tuple(rows) for name, rows in found.items()}


@lru_cache(maxsize=1)
def operators() -> dict[str, tuple[Operator, ...]]:
    found: dict[str, list[Operator]] = {}
    for name, left, right, result, proc in rows_of("operators.tsv"):
        found.setdefault(name, []).append(Operator(name, left, right, result, proc))
    return {name: tuple(rows) for name, rows in found.items()}


@lru_cache(maxsize=1)
def casts() -> dict[tuple[str, str], tuple[str, str]]:
    """(source, target) -> (context: i implicit, a assignment, e explicit; method: f, b, i)."""
    found = {(r[0], r[1]): (r[2], r[3]) for r in rows_of("casts.tsv")}
    return found | {(r[1], r[2]): (r[3], r[4]) for r in extensions.facts("casts")}


def type_name(oid: int) -> str:
    """The internal name by which signatures know a type; a type of a user's making has none: `#oid`."""
    found = types_by_oid().get(oid)
    return found.name if found is not None else f"#{oid}"


def type_oid(name: str) -> int:
    if name.startswith("#"):
        return int(name[1:])
    return types_by_name()[name].oid


def element_name(name: str) -> str:
    """The element type's name of an array type; empty for other types."""
    if name.startswith("#"):
        inner = ELEMENT_OF.get(int(name[1:]))
        return f"#{inner}" if inner else ""
    found = types_by_name().get(name)
    return found.element if found is not None else ""


def array_name(name: str) -> str:
    if name.startswith("#"):
        outer = ARRAY_OF.get(int(name[1:]))
        return f"#{outer}" if outer else ""
    found = types_by_name().get(name)
    return found.array if found is not None else ""


def category(name: str) -> str:
    if name.startswith("#"):
        made = BY_OID.get(int(name[1:]))
        return made.typcategory if made is not None else "U"
    found = types_by_name().get(name)
    return found.category if found is not None else "U"


def _spanned(name: str) -> Spanned | None:
    if name.startswith("#"):
        return spanned(int(name[1:]))
    found = types_by_name().get(name)
    return spanned(found.oid) if found is not None else None


def range_subtype(name: str) -> str:
    """What a range's or multirange's bounds are; empty for other types."""
    found = _spanned(name)
    return type_name(found.subtype) if found is not None else ""


def range_of(name: str) -> str:
    """The range type of a multirange; a range itself; empty for other types."""
    found = _spanned(name)
    return type_name(found.range_oid) if found is not None else ""


def multirange_of(name: str) -> str:
    """The multirange over a range type; a multirange itself; empty for other types."""
    found = _spanned(name)
    return type_name(found.multirange_oid) if found is not None else ""
