"""Makes the facts of this package anew from a running PostgreSQL 15 that has its contrib modules.

    python -m planner.extensions.extract "host=... user=postgres dbname=..."

Everything happens in one transaction that is rolled back. The columns are those of `planner/facts`, behind the
extension's name; what takes or returns a type that nobody can name (`internal`, the keys of an index) is left out.
"""

from __future__ import annotations

import sys
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
TYPES: Final = tuple(
    f"{array}{name}"
    for name in ("citext", "hstore", "ltree", "lquery", "ltxtquery", "query_int")
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
        order by 1, 2, 3, 4
    """,
    "classes": f"""
        select m.extname, a.amname, c.opcname, t.typname, c.opcdefault::int,
            coalesce((select k.typname from pg_type k where k.oid = c.opckeytype and k.oid < 16384), '')
        from ({_MEMBERS.format("pg_opclass")}) m join pg_opclass c on c.oid = m.objid
        join pg_am a on a.oid = c.opcmethod join pg_type t on t.oid = c.opcintype
        order by array_position(%(names)s, m.extname::text), c.oid
    """,
    "casts": f"""
        select m.extname, s.typname, t.typname, c.castcontext, c.castmethod
        from ({_MEMBERS.format("pg_cast")}) m join pg_cast c on c.oid = m.objid
        join pg_type s on s.oid = c.castsource join pg_type t on t.oid = c.casttarget
        order by 1, 2, 3
    """,
}


def extract(dsn: str) -> None:
    """Raises psycopg.Error when the server cannot be asked or lacks a module."""
    FOLDER.mkdir(exist_ok=True)
    with psycopg.connect(dsn) as conn:
        for name in NAMES:
            conn.execute(f'create extension if not exists "{name}"'.encode())
        for file, query in QUERIES.items():
            rows = conn.execute(query.encode(), {"names": list(NAMES), "types": list(TYPES)}).fetchall()
            text = "".join("\t".join("" if v is None else str(v) for v in row) + "\n" for row in rows)
            (FOLDER / f"{file}.tsv").write_text(text, encoding="utf-8")
        conn.rollback()


if __name__ == "__main__":
    extract(sys.argv[1])
