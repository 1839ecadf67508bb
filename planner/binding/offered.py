"""Functions and operators as a session may name them: PostgreSQL's own, and those of the extensions that it finds.

    procs_named("similarity", frozenset())                 ()
    procs_named("similarity", frozenset(("pg_trgm",)))     similarity(text, text)

Which extensions are found depends on the database and on the search path; the catalog says it (`Catalog.offered`).
A function of an extension that has the arguments of a built-in one is hidden by it, for pg_catalog is searched first.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from planner.binding.facts import Operator, Proc, operators, procs
from planner.extensions import facts

Offered = frozenset[str]
"""Names of extensions."""
NOTHING: Final[Offered] = frozenset()


@lru_cache(maxsize=1)
def _members() -> dict[str, dict[str, tuple[Proc, ...]]]:
    """Functions by name, then by extension."""
    found: dict[str, dict[str, list[Proc]]] = {}
    for extension, name, args, result, kind, flags, _, _, out in facts("procs"):
        given = tuple(args.split(",")) if args else ()
        if any(p.args == given for p in procs().get(name, ())):
            continue
        made = Proc(
            name,
            given,
            result,
            kind,
            "s" in flags,
            "n" in flags,
            False,
            "v" if "o" in flags else "s" if "t" in flags else "i",
            int("".join(c for c in flags if c.isdigit()) or 0),
            "n" if kind == "a" else "",
            0,
            0,
            tuple((n, t) for n, _, t in (c.partition(":") for c in out.split(",") if c)),
        )
        found.setdefault(name, {}).setdefault(extension, []).append(made)
    return {name: {e: tuple(rows) for e, rows in of.items()} for name, of in found.items()}


@lru_cache(maxsize=1)
def _signs() -> dict[str, dict[str, tuple[Operator, ...]]]:
    """Operators by sign, then by extension."""
    found: dict[str, dict[str, tuple[Operator, ...]]] = {}
    for extension, name, left, right, result, proc in facts("operators"):
        of = found.setdefault(name, {})
        of[extension] = (*of.get(extension, ()), Operator(name, left, right, result, proc))
    return found


def signs() -> list[tuple[Operator, ...]]:
    """The operators of all extensions."""
    return [rows for of in _signs().values() for rows in of.values()]


def procs_named(name: str, offered: Offered) -> tuple[Proc, ...]:
    """The functions of that name."""
    found = procs().get(name, ())
    if offered and name in _members():
        found += tuple(p for e, rows in _members()[name].items() if e in offered for p in rows)
    return found


def operators_named(name: str, offered: Offered) -> tuple[Operator, ...]:
    """The operators of that sign."""
    found = operators().get(name, ())
    if offered and name in _signs():
        found += tuple(o for e, rows in _signs()[name].items() if e in offered for o in rows)
    return found


@lru_cache(maxsize=1)
def _owners() -> dict[str, str]:
    """Whose a signature is, as trees of expressions have it."""
    found = {}
    for of in _members().values():
        for extension, rows in of.items():
            found.update({f"{p.name}({', '.join(p.args)})": extension for p in rows})
    for signs in _signs().values():
        for extension, made in signs.items():
            found.update({f"{o.left} {o.name} {o.right}".lstrip(): extension for o in made})
    return found


def owner(signature: str) -> str:
    """The extension that a function or operator is a member of; empty for PostgreSQL's own."""
    return _owners().get(signature, "")


def every_signature() -> tuple[str, ...]:
    """All functions and operators of all extensions."""
    return tuple(_owners())


__all__ = ["NOTHING", "Offered", "every_signature", "operators_named", "owner", "procs_named", "signs"]
