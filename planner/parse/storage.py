"""WITH (fillfactor = 70): storage parameters, each of a kind of relation, with its type and bounds.

What is made here has no pages, so they mean nothing but `retention`; they are kept for who asks and for dumps. A name that
PostgreSQL does not know, or a value that it does not take, is said to be one, as it would be there.

    table   fillfactor 10..100, autovacuum_*, toast.autovacuum_*, parallel_workers, ...      view   security_barrier, ...
    index   those of its access method
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Final

from planner.abc import PlanError, SqlError
from planner.parse.cursor import Cursor
from planner.types.booleans import bool_in

_INT_MAX: Final = (1 << 31) - 1
_BOOL: Final = "boolean"
Rule = str | tuple[float, float] | tuple[str, ...]
_FILL: Final = (10, 100)
_VACUUM: Final[dict[str, Rule]] = {
    "autovacuum_enabled": _BOOL, "autovacuum_vacuum_threshold": (0, _INT_MAX), "autovacuum_vacuum_insert_threshold": (-1, _INT_MAX),
    "autovacuum_vacuum_cost_limit": (1, 10_000), "autovacuum_vacuum_cost_delay": (0.0, 100.0),
    "autovacuum_freeze_min_age": (0, 10**9), "autovacuum_multixact_freeze_min_age": (0, 10**9),
    "autovacuum_freeze_max_age": (100_000, 2 * 10**9), "autovacuum_multixact_freeze_max_age": (10_000, 2 * 10**9),
    "autovacuum_freeze_table_age": (0, 2 * 10**9), "autovacuum_multixact_freeze_table_age": (0, 2 * 10**9),
    "log_autovacuum_min_duration": (-1, _INT_MAX), "autovacuum_vacuum_scale_factor": (0.0, 100.0),
    "autovacuum_vacuum_insert_scale_factor": (0.0, 100.0), "vacuum_index_cleanup": ("on", "off", "auto"), "vacuum_truncate": _BOOL,
}  # fmt: skip
"""Of tables and of what they keep elsewhere (`toast.`)."""
_RULES: Final[dict[str, dict[str, Rule]]] = {
    "table": {
        **_VACUUM, "fillfactor": _FILL, "autovacuum_analyze_threshold": (0, _INT_MAX), "autovacuum_analyze_scale_factor": (0.0, 100.0),
        "parallel_workers": (0, 1024), "toast_tuple_target": (128, 8160), "user_catalog_table": _BOOL, "retention": (),
    },
    "column": {"n_distinct": (-1.0, sys.float_info.max), "n_distinct_inherited": (-1.0, sys.float_info.max)},
    "view": {"security_barrier": _BOOL, "security_invoker": _BOOL, "check_option": ("local", "cascaded")},
    "btree": {"fillfactor": _FILL, "vacuum_cleanup_index_scale_factor": (0.0, 1e10), "deduplicate_items": _BOOL},
    "hash": {"fillfactor": _FILL},
    "gist": {"fillfactor": _FILL, "buffering": ("on", "off", "auto")},
    "spgist": {"fillfactor": _FILL},
    "gin": {"fastupdate": _BOOL, "gin_pending_list_limit": (64, _INT_MAX)},
    "hnsw": {"m": (2, 100), "ef_construction": (4, 1000)},
    "ivfflat": {"lists": (1, 32_768)},
    "brin": {"pages_per_range": (1, 131_072), "autosummarize": _BOOL},
}  # fmt: skip


def storage_pairs(c: Cursor) -> list[tuple[str, Any]]:
    """( name [= value], ... )"""
    pairs: list[tuple[str, Any]] = []
    c.expect_symbol("(")
    while True:
        name = c.label()
        while c.accept_symbol("."):
            name += "." + c.label()
        value: Any = True
        if c.accept_symbol("="):
            sign = "-" if c.accept_symbol("-") else ""
            value = sign + c.advance().value
        pairs.append((name, value))
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    return pairs


def storage_options(c: Cursor, kind: str = "") -> dict[str, Any]:
    """The same as a mapping; of a `kind` of relation: checked."""
    pairs = storage_pairs(c)
    if kind:
        if kind == "table":
            _refuse_oids(pairs)
            pairs = [pair for pair in pairs if pair[0] != "oids"]
        check(kind, pairs)
    return dict(pairs)


def kept(
    before: tuple[str, ...], pairs: Iterable[tuple[str, Any]], *, reset: bool = False
) -> tuple[str, ...]:
    """What is listed (`fillfactor=70`) when these are set, or forgotten: what comes anew comes last. Those of `toast.` have no place."""
    own = {name: value for name, value in pairs if name not in ("retention", "oids") and "." not in name}
    rest = tuple(o for o in before if o.partition("=")[0] not in own)
    return rest if reset else (*rest, *(f"{n}={'true' if v is True else v}" for n, v in own.items()))


def _refuse_oids(pairs: Iterable[tuple[str, Any]]) -> None:
    for name, value in pairs:
        if name == "oids" and _boolean(name, value):
            raise PlanError("0A000", "tables declared WITH OIDS are not supported")


def check(kind: str, pairs: Iterable[tuple[str, Any]]) -> None:
    """Raises 22023 for what a relation of this kind (`table`, `view`, an index's access method) does not take."""
    seen: set[str] = set()
    for name, value in pairs:
        space, _, bare = name.rpartition(".")
        if space not in ("", "toast") or (space and kind != "table"):
            raise _invalid(f'unrecognized parameter namespace "{space}"')
        rule = (_VACUUM if space else _RULES.get(kind, {})).get(bare)
        if rule is None and kind in _RULES:
            raise _invalid(f'unrecognized parameter "{bare}"')
        if name in seen:
            raise _invalid(f'parameter "{bare}" specified more than once')
        seen.add(name)
        if rule:
            _check_value(bare, "true" if value is True else str(value), rule)


def _check(rules: dict[str, Rule], pairs: list[tuple[str, Any]]) -> None:
    for name, value in pairs:
        if name not in rules:
            raise _invalid(f'unrecognized parameter "{name}"')
        if sum(other == name for other, _ in pairs) > 1:
            raise _invalid(f'parameter "{name}" specified more than once')
        _check_value(name, "true" if value is True else str(value), rules[name])


_SIGNATURES: Final = ("tsvector_ops", "gist_trgm_ops", "gist_hstore_ops", "gist__intbig_ops")


def class_options(method: str, name: str, pairs: Iterable[tuple[str, Any]]) -> tuple[str, ...]:
    """The parameters of a class of operators as they are kept. Raises 22023."""
    pairs = list(pairs)
    rules: dict[str, Rule] = {}
    if method == "brin" and name.endswith("_minmax_multi_ops"):
        rules = {"values_per_range": (8, 256)}
    elif method == "brin" and name.endswith("_bloom_ops"):
        rules = {"n_distinct_per_range": (-1.0, 2147483647), "false_positive_rate": (0.0001, 0.25)}
    elif method == "gist" and name in _SIGNATURES:
        rules = {"siglen": (1, 2024)}
    elif method == "gist" and name in ("gist_ltree_ops", "gist__ltree_ops"):
        rules = {"siglen": (4, 2024)}
    elif method == "gist" and name == "gist__int_ops":
        rules = {"numranges": (1, 252)}
    if pairs and not rules:
        raise _invalid(f"operator class {name} has no options")
    _check(rules, pairs)
    return kept((), pairs)


_SYNONYMS: dict[str, tuple[str, ...]] = {"vacuum_index_cleanup": ("true", "false", "yes", "no", "1", "0")}
"""Words that PostgreSQL takes and does not tell of."""


def _check_value(name: str, value: str, rule: Rule) -> None:
    if isinstance(rule, str):
        _boolean(name, value)
        return
    first, *rest = rule
    if isinstance(first, str):
        if value.lower() not in (first, *map(str, rest), *_SYNONYMS.get(name, ())):
            words = [f'"{word}"' for word in rule]
            last = f"{', '.join(words[:-1])}{',' if len(words) > 2 else ''} and {words[-1]}"
            raise _invalid(f'invalid value for enum option "{name}": {value}', f"Valid values are {last}.")
        return
    low, high = first, float(rest[0])
    is_whole = isinstance(first, int)
    number = _number(value, is_whole)
    if number is None:
        shown = "integer" if is_whole else "floating point"
        raise _invalid(f'invalid value for {shown} option "{name}": {value}')
    if not low <= number <= high:
        bounds = f'"{low}" and "{high:.0f}"' if is_whole else f'"{low:f}" and "{high:f}"'
        raise _invalid(
            f'value {value} out of bounds for option "{name}"', f"Valid values are between {bounds}."
        )


def _number(value: str, is_whole: bool) -> float | None:
    try:
        return float(round(float(value)) if is_whole else float(value))
    except (ValueError, OverflowError):
        return None


def _boolean(name: str, value: Any) -> bool:
    if value is True:
        return True
    try:
        return bool_in(str(value))
    except SqlError:
        raise _invalid(f'invalid value for boolean option "{name}": {value}') from None


def _invalid(message: str, detail: str = "") -> PlanError:
    return PlanError("22023", message, detail=detail)
