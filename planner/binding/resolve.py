"""Which operator or function is meant: chapter 10 of PostgreSQL's manual, over the facts of pg_proc and pg_operator.

    exact match -> candidates by implicit cast -> most exact matches -> most preferred types
                -> what the unknown literals could be -> the one left over, or 42725

Types are internal names here (`int4`, `_text`, `unknown`). Polymorphic declarations (anyelement, anyarray,
anycompatible, ...) are bound by `bind_polymorphic`, which gives the actual argument and result types.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache

from planner import types as t
from planner.binding.facts import (
    Operator,
    Proc,
    array_name,
    casts,
    category,
    element_name,
    multirange_of,
    range_of,
    range_subtype,
    type_name,
    type_oid,
    types_by_name,
)
from planner.binding.offered import NOTHING, Offered, operators_named, procs_named
from planner.catalog.casts import NO_CASTS, Casts
from planner.catalog.routine_objects import Cast
from planner.types.declared import forget_with_types

ONE_TYPE = frozenset(["anyelement", "anyarray", "anynonarray", "anyenum", "anyrange", "anymultirange"])
"""Polymorphic names that stand for one type in a call, which some argument has to have."""
POLYMORPHIC = frozenset(
    [
        *ONE_TYPE,
        "any",
        "anycompatible",
        "anycompatiblearray",
        "anycompatiblenonarray",
        "anycompatiblerange",
        "anycompatiblemultirange",
    ]
)


class Ambiguous(Exception):
    """42725: several candidates are equally good."""


def preferred(name: str) -> bool:
    found = types_by_name().get(name)
    return found is not None and found.preferred


_seen = threading.local()
"""Whose casts are asked for: those of the catalog that this thread binds a statement with."""


def see_casts(casts: Casts) -> Casts:
    """From here on these are the users' casts that there are; which they were before."""
    before: Casts = getattr(_seen, "casts", NO_CASTS)
    _seen.casts = casts
    return before


def own_cast(source: int, target: int, context: str) -> Cast | None:
    """A user's cast that may be used here."""
    found: Cast | None = getattr(_seen, "casts", NO_CASTS).get(source, target)
    return found if found is not None and context in _WHERE[found.context] else None


_WHERE = {"i": "iae", "a": "ae", "e": "e"}


def castable(source: str, target: str, context: str) -> bool:
    """Whether a cast exists that may be used here: i implicitly, a in assignment, e when written out."""
    return _castable(source, target, context, getattr(_seen, "casts", NO_CASTS))


def assignable(source: int, target: int, casts_of_users: Casts) -> bool:
    """Whether a value of one type may be assigned to another, with these casts beside the system's."""
    return _castable(type_name(source), type_name(target), "a", casts_of_users)


@lru_cache(maxsize=65536)
def _castable(source: str, target: str, context: str, casts_of_users: Casts) -> bool:
    known = types_by_name()
    if casts_of_users and all(name.startswith("#") or name in known for name in (source, target)):
        own = casts_of_users.get(type_oid(source), type_oid(target))
        if own is not None:  # nothing else leads there
            return context in _WHERE[own.context]
    if source == target or source == "unknown":
        return True
    if target == "any":
        return True
    if target in POLYMORPHIC:
        return _polymorphic_accepts(source, target)
    found = casts().get((source, target))
    if found is not None:
        return found[0] == "i" or context == "e" or (context == "a" and found[0] == "a")
    if (
        source.startswith("#")
        and context == "e"
        and range_of(source) == source
        and multirange_of(source) == target
    ):
        return True
    a, b = element_name(source), element_name(target)
    if a and b and target.startswith(("_", "#")):  # int2vector as an array, an array never as int2vector
        return castable(a, b, context)
    if source == "record" and category(target) == "S" and target != "char":
        return context in "ae"
    if source == "record" or target == "record":
        return (
            source == target
            or category(target) == "C"
            or (category(source) == "C" and source.startswith("#"))
        )
    if target == "cstring":
        return False
    if category(target) == "S" and target != "char":
        return context in "ae"
    if context == "e" and category(source) == "S":
        return True
    return target == "_text" and source in ("_varchar",)


def _polymorphic_accepts(source: str, target: str) -> bool:
    if target in ("anyarray", "anycompatiblearray"):
        return bool(element_name(source)) or source == "anyarray"
    if target == "anyenum":
        found = types_by_name().get(source)
        return (source.startswith("#") and t.labels_of(int(source[1:])) is not None) or (
            found is not None and found.kind == "e"
        )
    if target in ("anyrange", "anycompatiblerange"):
        return bool(source) and range_of(source) == source
    if target in ("anymultirange", "anycompatiblemultirange"):
        return bool(source) and multirange_of(source) == source
    if target in ("anynonarray", "anycompatiblenonarray"):
        return not element_name(source)
    return True


def _select(candidates: list[tuple[str, ...]], given: tuple[str, ...]) -> int:
    """The best of candidates that all can take the given types; -1 when none is best."""
    alive = list(range(len(candidates)))
    known = [i for i, t in enumerate(given) if t != "unknown"]

    def keep(score: list[int]) -> list[int]:
        best = max(score)
        return [c for c, s in zip(alive, score, strict=True) if s == best]

    alive = keep([sum(candidates[c][i] == given[i] for i in known) for c in alive])
    if len(alive) == 1:
        return alive[0]

    def prefers(c: int, i: int) -> bool:
        return candidates[c][i] == given[i] or preferred(candidates[c][i])

    alive = keep([sum(prefers(c, i) for i in known) for c in alive])
    if len(alive) == 1:
        return alive[0]
    unknown = [i for i, t in enumerate(given) if t == "unknown"]
    if not unknown:
        return -1
    slots: dict[int, tuple[str, bool]] = {}
    resolved = True
    for i in unknown:
        kinds = [(category(candidates[c][i]), preferred(candidates[c][i])) for c in alive]
        if any(k == "S" for k, _ in kinds):
            slots[i] = ("S", any(p for k, p in kinds if k == "S"))
        elif len({k for k, _ in kinds}) == 1:
            slots[i] = (kinds[0][0], any(p for _, p in kinds))
        else:
            resolved = False
            break
    if resolved:
        fitting = [
            c
            for c in alive
            if all(
                category(candidates[c][i]) == kind and (not must or preferred(candidates[c][i]))
                for i, (kind, must) in slots.items()
            )
        ]
        if fitting:
            alive = fitting
        if len(alive) == 1:
            return alive[0]
    kinds_known = {given[i] for i in known}
    if len(kinds_known) == 1:
        guess = kinds_known.pop()
        assumed = tuple(guess if g == "unknown" else g for g in given)
        fitting = [
            c
            for c in alive
            if all(castable(guess, candidates[c][i], "i") for i in unknown)
            and consistent(candidates[c], assumed)
        ]
        if len(fitting) == 1:
            return fitting[0]
    return -1


def find_operator(name: str, left: str, right: str, offered: Offered = NOTHING) -> Operator | None:
    """None: no such operator for these types. Raises Ambiguous. `left` is empty for a prefix operator."""
    return _find_operator(name, left, right, offered, getattr(_seen, "casts", NO_CASTS))


@lru_cache(maxsize=16384)
def _find_operator(name: str, left: str, right: str, offered: Offered, _casts: Casts) -> Operator | None:
    return fitting_operator(operators_named(name, offered), left, right)


def fitting_operator(candidates: Sequence[Operator], left: str, right: str) -> Operator | None:
    """The same among these."""
    rows = [o for o in candidates if bool(o.left) == bool(left)]
    if not rows:
        return None
    if left and (left == "unknown") != (right == "unknown"):
        both = right if left == "unknown" else left
        for o in rows:
            if o.left == both and o.right == both:
                return o
    for o in rows:
        if o.left == left and o.right == right:
            return o
    given = (left, right) if left else (right,)
    pairs = [(o, (o.left, o.right) if left else (o.right,)) for o in rows]
    pairs = [
        (o, types)
        for o, types in pairs
        if all(castable(g, t, "i") for g, t in zip(given, types, strict=True)) and consistent(types, given)
    ]
    if not pairs:
        return None
    if len(pairs) == 1:
        return pairs[0][0]
    best = _select([types for _, types in pairs], given)
    if best < 0:
        raise Ambiguous
    return pairs[best][0]


def find_proc(
    name: str, given: tuple[str, ...], kind: str = "", offered: Offered = NOTHING
) -> tuple[Proc, tuple[str, ...]] | None:
    """The function and its declared argument types, spread over the given arguments (variadic, defaults).

    None: no candidate. Raises Ambiguous.
    """
    return _find_proc(name, given, kind, offered, getattr(_seen, "casts", NO_CASTS))


@lru_cache(maxsize=16384)
def _find_proc(
    name: str, given: tuple[str, ...], kind: str, offered: Offered, _casts: Casts
) -> tuple[Proc, tuple[str, ...]] | None:
    rows = spread([p for p in procs_named(name, offered) if not kind or p.kind in kind], len(given))
    return chosen(rows, given)


def spread(found: Sequence[Proc], n: int) -> list[tuple[Proc, tuple[str, ...]]]:
    """Those that take so many arguments, with the declared type of each."""
    rows: list[tuple[Proc, tuple[str, ...]]] = []
    for p in found:
        if p.variadic and n >= len(p.args):
            last = p.args[-1]
            each = {"anyarray": "anyelement", "anycompatiblearray": "anycompatible"}.get(
                last, last if last == "any" else element_name(last)
            )
            rows.append((p, p.args[:-1] + (each,) * (n - len(p.args) + 1)))
        elif len(p.args) - p.defaults <= n <= len(p.args):
            rows.append((p, p.args[:n]))
    whole = {args for p, args in rows if not p.variadic}
    return [(p, args) for p, args in rows if not p.variadic or args not in whole]


def chosen(
    rows: Sequence[tuple[Proc, tuple[str, ...]]],
    given: tuple[str, ...],
    is_also: Callable[[str, str], bool] = lambda _given, _declared: False,
) -> tuple[Proc, tuple[str, ...]] | None:
    """The one of some candidates that fits best; None: none fits. `is_also`: what a value is beside its own type. Raises Ambiguous."""
    for p, args in rows:
        if args == given and not p.variadic:
            return p, args
    fitting = [
        (p, args)
        for p, args in rows
        if all(castable(g, t, "i") or is_also(g, t) for g, t in zip(given, args, strict=True))
        and consistent(args, given)
    ]
    if not fitting:
        return None
    if len(fitting) == 1:
        return fitting[0]
    best = _select([args for _, args in fitting], given)
    if best < 0:
        plain = [f for f in fitting if not f[0].variadic]
        if len(plain) == 1:
            return plain[0]
        raise Ambiguous
    return fitting[best]


def consistent(declared: Sequence[str], given: Sequence[str]) -> bool:
    return bind_polymorphic(declared, given) is not None


def common_type(given: Sequence[str]) -> str | None:
    """The type of UNION, CASE, ARRAY, VALUES: section 10.5. None when the types do not go together."""
    known = [g for g in given if g != "unknown"]
    if not known:
        return "text"
    if all(k == known[0] for k in known):
        return known[0]
    kind = category(known[0])
    best = known[0]
    for k in known[1:]:
        if k == best:
            continue
        if category(k) != kind:
            return None
        if not preferred(best) and castable(best, k, "i") and not castable(k, best, "i"):
            best = k
    return best if all(castable(k, best, "i") for k in known) else None


def bind_polymorphic(declared: Sequence[str], given: Sequence[str]) -> dict[str, str] | None:
    """What each polymorphic family stands for: {'anyelement': 'int4', 'anyarray': '_int4', ...}."""
    element = ""
    ranged = ""
    compatible: list[str] = []
    alike = ""
    for d, g in zip(declared, given, strict=True):
        if d not in POLYMORPHIC or d == "any":
            continue
        if d in ("anycompatiblerange", "anycompatiblemultirange"):
            if g != "unknown":
                if alike and range_of(g) != alike:
                    return None
                alike = range_of(g)
                compatible.append(range_subtype(g))
            continue
        if d.startswith("anycompatible"):
            compatible.append(element_name(g) if d == "anycompatiblearray" and g != "unknown" else g)
            continue
        if g == "unknown":
            continue
        e = element_name(g) if d == "anyarray" else g
        if d == "anyarray" and g == "anyarray":
            e = "anyelement"
        if d in ("anyrange", "anymultirange"):
            if ranged and range_of(g) != ranged:
                return None
            ranged = range_of(g)
            e = range_subtype(g)
        if element and e != element:
            return None
        element = e
    out: dict[str, str] = {}
    if element:
        out["anyelement"] = out["anynonarray"] = out["anyenum"] = element
        out["anyarray"] = array_name(element) or "anyarray"
    elif any(d in ONE_TYPE for d in declared):
        out["anyelement"] = out["anynonarray"] = "text"
        out["anyarray"] = "_text"
    if ranged:
        out["anyrange"], out["anymultirange"] = ranged, multirange_of(ranged)
    if compatible:
        common = common_type(compatible)
        if common is None:
            return None
        out["anycompatible"] = out["anycompatiblenonarray"] = common
        out["anycompatiblearray"] = array_name(common)
        if alike and range_subtype(alike) != common:  # there is no cast between ranges
            return None
    if alike:
        out["anycompatiblerange"], out["anycompatiblemultirange"] = alike, multirange_of(alike)
    return out


for _cached in (_castable, _find_operator, _find_proc):
    forget_with_types(_cached.cache_clear)
