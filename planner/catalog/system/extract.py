"""Makes the facts of this folder anew from a running PostgreSQL 15.

    python -m planner.catalog.system.extract "host=... user=postgres"

Writes `facts/relations.tsv`, the columns of every relation of pg_catalog and information_schema,
and for each relation whose rows are PostgreSQL's own and the same everywhere, `facts/NAME.tsv` with
those rows. All in COPY's text format, with a header line.
"""

from __future__ import annotations

import sys
from pathlib import Path

import psycopg

FOLDER = Path(__file__).parent / "facts"

STATIC = {
    "pg_am": "select * from pg_am order by oid",
    "pg_aggregate": "select * from pg_aggregate order by aggfnoid::oid",
    "pg_amop": "select * from pg_amop order by oid",
    "pg_amproc": "select * from pg_amproc order by oid",
    "pg_cast": "select * from pg_cast order by oid",
    "pg_collation": (
        "select oid, collname, collnamespace, collowner, collprovider, collisdeterministic, collencoding, collcollate,"
        " collctype, colliculocale, null::text as collversion from pg_collation"
        " where collname in ('default', 'C', 'POSIX', 'ucs_basic')"
        " or collprovider = 'i' and collname not like '%-u-%' order by oid"
    ),
    "pg_conversion": "select * from pg_conversion where false",
    "pg_language": "select * from pg_language order by oid",
    "pg_opclass": "select * from pg_opclass order by oid",
    "pg_operator": "select * from pg_operator order by oid",
    "pg_opfamily": "select * from pg_opfamily order by oid",
    "pg_range": "select * from pg_range order by rngtypid",
    "pg_proc": (
        "select oid, proname, pronamespace, proowner, prolang, procost, prorows, provariadic, prosupport, prokind,"
        " prosecdef, proleakproof, proisstrict, proretset, provolatile, proparallel, pronargs, pronargdefaults,"
        " prorettype, proargtypes, proallargtypes, proargmodes, proargnames, null::text as proargdefaults, protrftypes,"
        " prosrc, probin, null::text as prosqlbody, proconfig, null::text as proacl from pg_proc where oid < 16384 order by oid"
    ),
    "pg_type": (
        "select t.* from pg_type t where t.oid < 16384 and t.typrelid = 0 and"
        " not exists (select from pg_type e where e.oid = t.typelem and e.typrelid <> 0) order by oid"
    ),
}

RELATIONS = """
select n.nspname, c.relname, c.oid, c.relkind,
       string_agg(a.attname || ':' || case when t.typtype = 'd' then t.typbasetype else t.oid end, ','
                  order by a.attnum)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
join pg_type t on t.oid = a.atttypid
where n.nspname in ('pg_catalog', 'information_schema') and c.relkind in ('r', 'v')
group by 1, 2, 3, 4 order by 1, 2
"""


def extract(dsn: str) -> None:
    """Raises psycopg.Error when the server cannot be asked."""
    FOLDER.mkdir(exist_ok=True)
    with psycopg.connect(dsn, autocommit=True) as conn:
        queries = {"relations": RELATIONS, **STATIC}
        for name, query in queries.items():
            statement = f"COPY ({query}) TO STDOUT (FORMAT text, HEADER)".encode()
            with (FOLDER / f"{name}.tsv").open("wb") as f, conn.cursor().copy(statement) as copy:
                for block in copy:
                    f.write(block)


if __name__ == "__main__":
    extract(sys.argv[1])
