"""Writes docs/functions.md: which of PostgreSQL 15's functions and operators are there, and which are not.

    python docs/compatibility/functions.py            writes the file
    python docs/compatibility/functions.py --check    fails if the file is not what it would write

PostgreSQL's side are the facts that the binder resolves names with (`planner/facts`), ours what is registered. Left out
are functions that nobody calls by name: input and output of types, support of indexes and of aggregates, triggers,
and the functions behind operators and casts, which are counted as those.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from planner.binding import listed_rows, queried_texts
from planner.binding.facts import Proc, casts, operators, procs, type_name
from planner.binding.functions import aggregates, registry
from planner.binding.functions.system import session_function
from planner.binding.functions.windows import _RANKS, _VALUES
from planner.catalog import own_functions

TARGET = Path(__file__).parent.parent / "functions.md"
_INTERNAL = frozenset(
    [
        "internal",
        "cstring",
        "trigger",
        "event_trigger",
        "language_handler",
        "fdw_handler",
        "index_am_handler",
        "tsm_handler",
        "table_am_handler",
        "_cstring",
    ]
)
_SUPPORT = re.compile(
    r"(hash|bt|gin|gist|brin|spg|ts_(match|typanalyze))\w*|\w*_(accum|accum_inv|combine|deserialize|serialize|transfn|final\w*|statefunc|hash|"
    r"hash_extended|cmp|larger|smaller|send|recv|in|out|typanalyze|support|sortsupport|subdiff|canonical)|\w*(send|recv|cmp|larger|smaller|sel|joinsel|typmodin|typmodout)"
    r"|in_range|pg_stat_\w*|binary_upgrade\w*|ri_\w*|int\d+_(sum|avg)\w*|float8_\w+|numeric_inc|int8(inc|dec)\w*|bool(and|or)_\w*"
)  # fmt: skip


@dataclass
class Section:
    title: str
    there: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


TITLES = (
    "Mathematical functions (9.3)", "Strings (9.4)", "Binary strings (9.5)", "Bit strings (9.6)", "Dates and times (9.9)",
    "Geometry (9.11)", "Network addresses (9.12)", "Text search (9.13)", "XML (9.15)", "JSON (9.16)", "Arrays (9.19)",
    "Ranges (9.20)", "Aggregates (9.21)", "Window functions (9.22)", "System information and administration (9.26, 9.27)",
    "Other",
)  # fmt: skip
_BY_TYPE = (
    (frozenset(["json", "jsonb", "jsonpath"]), "JSON (9.16)"),
    (frozenset(["xml"]), "XML (9.15)"),
    (frozenset(["tsvector", "tsquery", "regconfig", "regdictionary", "_tsvector"]), "Text search (9.13)"),
    (frozenset(["box", "circle", "line", "lseg", "path", "point", "polygon"]), "Geometry (9.11)"),
    (frozenset(["inet", "cidr", "macaddr", "macaddr8"]), "Network addresses (9.12)"),
    (frozenset(["bit", "varbit"]), "Bit strings (9.6)"),
    (frozenset(["bytea"]), "Binary strings (9.5)"),
    (frozenset(["date", "time", "timetz", "timestamp", "timestamptz", "interval"]), "Dates and times (9.9)"),
    (frozenset(["anyarray", "anycompatiblearray"]), "Arrays (9.19)"),
    (frozenset(["text", "varchar", "bpchar", "name"]), "Strings (9.4)"),
    (frozenset(["int2", "int4", "int8", "numeric", "float4", "float8"]), "Mathematical functions (9.3)"),
)


def section_of(name: str, kinds: Iterable[str], kind: str = "f") -> str:
    given = set(kinds)
    if kind == "a":
        return "Aggregates (9.21)"
    if kind == "w":
        return "Window functions (9.22)"
    if any("range" in k for k in given):
        return "Ranges (9.20)"
    if name.startswith(
        (
            "pg_",
            "_pg_",
            "has_",
            "txid_",
            "to_reg",
            "lo_",
            "loread",
            "lowrite",
            "current_set",
            "set_config",
            "col_desc",
            "obj_desc",
            "row_security",
        )
    ):
        return "System information and administration (9.26, 9.27)"
    for types, title in _BY_TYPE:
        if types & given:
            return title
    return "Other"


def callable_by_name(p: Proc, behind: frozenset[str]) -> bool:
    if _INTERNAL & {*p.args, p.result}:
        return False
    if p.name in behind or (p.kind == "f" and _SUPPORT.fullmatch(p.name)):
        return False
    return (p.name, p.args, p.result) not in _CASTS


_CASTS = {(b, (a,), b) for a, b in casts()} | {(b, (a, "int4"), b) for a, b in casts()}


def sections() -> list[Section]:
    made = {title: Section(title) for title in TITLES}
    known = (
        set(registry.signatures())
        | set(aggregates.signatures())
        | {f"{f.name}({', '.join(type_name(p.type.oid) for p in f.inputs)})" for f in own_functions.every()}
        | set(_RANKS)
        | set(_VALUES)
        | {"ntile(int4)", *queried_texts.SIGNATURES, *listed_rows.SIGNATURES}
    )
    behind = frozenset(o.function for rows in operators().values() for o in rows if o.function)
    for name, rows in sorted(procs().items()):
        for p in rows:
            if not callable_by_name(p, behind) or name.startswith("tidewire_"):
                continue
            signature = f"{name}({', '.join(p.args)})"
            section = made[section_of(name, (*p.args, p.result), p.kind)]
            there = signature in known or (not p.args and session_function(name, []) is not None)
            (section.there if there else section.missing).append(signature)
    for _, ops in sorted(operators().items()):
        for o in ops:
            shown = f"{o.left} {o.name} {o.right}" if o.left else f"{o.name} {o.right}"
            section = made[section_of("", (o.left, o.right))]
            (section.there if shown in known else section.missing).append(shown)
    return [made[t] for t in TITLES]


def document() -> str:
    parts = sections()
    total = sum(len(s.there) + len(s.missing) for s in parts)
    there = sum(len(s.there) for s in parts)
    lines = [
        "# Functions and operators",
        "",
        "Written by `docs/compatibility/functions.py` from PostgreSQL 15's own list of what can be called, and from what is",
        "registered here. A call of something that is missing is answered with SQLSTATE 0A000 and its name, never with a",
        "wrong result; a call of what PostgreSQL does not have either with 42883.",
        "",
        f"**{there} of {total}** signatures are there.",
        "",
        "| | there | of |",
        "| --- | ---: | ---: |",
        *(f"| {s.title} | {len(s.there)} | {len(s.there) + len(s.missing)} |" for s in parts),
        "",
    ]
    for s in parts:
        lines += [f"## {s.title}", ""]
        if s.there:
            lines += ["There: " + ", ".join(f"`{x}`" for x in s.there), ""]
        if s.missing:
            lines += ["Missing: " + ", ".join(f"`{x}`" for x in s.missing), ""]
    return "\n".join(lines).replace("`||`", "``||``").rstrip() + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    text = document()
    if parser.parse_args().check:
        return 0 if TARGET.exists() and TARGET.read_text("utf-8") == text else 1
    TARGET.write_text(text, "utf-8")
    print(f"{TARGET.name}: {text.count('`') // 2} signatures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
