"""Makes the facts of this package anew from a running PostgreSQL 15 that has its contrib modules.

    python -m planner.extensions.extract "host=... user=postgres dbname=..." [EXTENSION ...]

Everything happens in one transaction that is rolled back. Without names these are all but those that a server may lack (`ELSEWHERE`);
facts about others stay as they are. The columns are those of `planner/facts`, behind the
extension's name; what takes or returns a type that nobody can name (`internal`, the keys of an index) is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import psycopg

FOLDER: Final = Path(__file__).parent / "facts"
NAMES: Final = (
    "btree_gin",
    "btree_gist",
    "citext",
    "fuzzystrmatch",
    "hstore",
    "ltree",
    "pg_trgm",
    "pgcrypto",
    "unaccent",
    "uuid-ossp",
    "intarray",
    "insert_username",
    "moddatetime",
    "tcn",
    "tablefunc",
    "pg_stat_statements",
)
"""In the order in which they came here: classes of operators are numbered in it (`planner.catalog.system.extension_classes`)."""
ELSEWHERE: Final = ("vector",)
"""Made by others than PostgreSQL: pgvector."""
TYPES: Final = tuple(
    f"{array}{name}"
    for name in ("citext", "hstore", "ltree", "lquery", "ltxtquery", "query_int", "vector")
    for array in ("", "_")
)
"""The types that extensions bring (`planner.types.of_extensions`), and arrays over them."""
_MEMBERS: Final = """
select e.extname, d.objid from pg_depend d join pg_extension e on e.oid = d.refobjid
where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e' and d.classid = '{}'::regclass and e.extname <> 'plpgsql'
"""
QUERIES: Final = {
    "extensions": """
        select name, version, schema, relocatable::int, superuser::int, trusted::int, array_to_string(requires, ','), v.comment
        from pg_available_extension_versions v join pg_available_extensions using (name)
        where name = any (%(names)s) and version = default_version order by 1
    """,
    "procs": f"""
        select m.extname, p.proname,
               (select coalesce(string_agg(a.typname, ',' order by i), '')
                from unnest(p.proargtypes) with ordinality as x(o, i) join pg_type a on a.oid = x.o),
               r.typname, p.prokind,
               case when p.proretset then 's' else '' end || case when p.proisstrict then 'n' else '' end
               || case p.provolatile when 'v' then 'o' when 's' then 't' else '' end
               || case when p.pronargdefaults > 0 then p.pronargdefaults::text else '' end,
               '', row_number() over (partition by m.extname order by p.oid),
               (select coalesce(string_agg(p.proargnames[i] || ':' || a.typname, ',' order by i), '')
                from unnest(p.proallargtypes) with ordinality as x(o, i) join pg_type a on a.oid = x.o
                where p.proargmodes[i] in ('o', 'b', 't'))
        from ({_MEMBERS.format("pg_proc")}) m join pg_proc p on p.oid = m.objid join pg_type r on r.oid = p.prorettype
        where not exists (
            select from unnest(p.proargtypes || p.prorettype) as x(o) join pg_type a on a.oid = x.o
            where a.typname in ('internal', 'cstring') or (a.oid >= 16384 and a.typname <> all (%(types)s))
        )
        order by 1, 2, 3
    """,
    "operators": f"""
        select m.extname, o.oprname, coalesce(l.typname, ''), r.typname, s.typname, p.proname
        from ({_MEMBERS.format("pg_operator")}) m join pg_operator o on o.oid = m.objid
        left join pg_type l on l.oid = o.oprleft join pg_type r on r.oid = o.oprright
        join pg_type s on s.oid = o.oprresult join pg_proc p on p.oid = o.oprcode
        where not exists (select from pg_type t where t.oid in (l.oid, r.oid) and t.oid >= 16384 and t.typname <> all (%(types)s))
        order by 1, 2, 3, 4
    """,
    "classes": f"""
        select m.extname, a.amname, c.opcname, t.typname, c.opcdefault::int,
            coalesce((select k.typname from pg_type k where k.oid = c.opckeytype and k.oid < 16384), '')
        from ({_MEMBERS.format("pg_opclass")}) m join pg_opclass c on c.oid = m.objid
        join pg_am a on a.oid = c.opcmethod join pg_type t on t.oid = c.opcintype
        where t.oid < 16384 or t.typname = any (%(types)s)
        order by array_position(%(names)s, m.extname::text), c.oid
    """,
    "casts": f"""
        select m.extname, s.typname, t.typname, c.castcontext, c.castmethod
        from ({_MEMBERS.format("pg_cast")}) m join pg_cast c on c.oid = m.objid
        join pg_type s on s.oid = c.castsource join pg_type t on t.oid = c.casttarget
        where s.oid <> t.oid
        and not exists (select from pg_type k where k.oid in (s.oid, t.oid) and k.oid >= 16384 and k.typname <> all (%(types)s))
        order by 1, 2, 3
    """,
}


def extract(dsn: str, names: Sequence[str]) -> None:
    """Raises psycopg.Error when the server cannot be asked or lacks a module."""
    with psycopg.connect(dsn) as conn:
        for name in names:
            conn.execute(f'create extension if not exists "{name}"'.encode())
        for file, query in QUERIES.items():
            rows = conn.execute(query.encode(), {"names": list(names), "types": list(TYPES)}).fetchall()
            _write(
                FOLDER / f"{file}.tsv", names, [["" if v is None else str(v) for v in row] for row in rows]
            )
        conn.rollback()


def _write(target: Path, names: Sequence[str], rows: list[list[str]]) -> None:
    """The rows of these extensions anew, among those of others."""
    kept = [line.split("\t") for line in target.read_text(encoding="utf-8").splitlines()]
    rows += [row for row in kept if row[0] not in names]
    numbered = target.stem == "classes"
    every = (*NAMES, *ELSEWHERE)
    rows.sort(key=(lambda row: every.index(row[0])) if numbered else (lambda row: row[:4]))
    target.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    extract(sys.argv[1], sys.argv[2:] or NAMES)
