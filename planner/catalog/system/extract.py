"""Makes the facts of this folder anew from a running PostgreSQL 15.

    python -m planner.catalog.system.extract "host=... user=postgres"

Writes `facts/relations.tsv`, the columns of every relation of pg_catalog and information_schema,
and for each relation whose rows are PostgreSQL's own and the same everywhere, `facts/NAME.tsv` with
those rows; `facts/settings.tsv`, the settings, and
`facts/signatures.tsv`, functions' arguments as they are shown. All in COPY's text format, with a header line.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

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
        " where collname in ('default', 'C', 'POSIX', 'ucs_basic', 'C.utf8')"
        " or collprovider = 'i' and collname not like '%-u-%' order by oid"
    ),
    "catalog_keys": (
        "select fktable, array_to_string(fkcols, ',') as fkcols, pktable, array_to_string(pkcols, ',') as pkcols, is_array, is_opt"
        " from pg_get_catalog_foreign_keys()"
    ),
    "pg_conversion": "select * from pg_conversion order by oid",
    "pg_description": (
        "select * from pg_description where objoid < 16384 and classoid in ('pg_proc'::regclass, 'pg_operator'::regclass,"
        " 'pg_type'::regclass, 'pg_namespace'::regclass, 'pg_am'::regclass, 'pg_conversion'::regclass,"
        " 'pg_collation'::regclass, 'pg_opclass'::regclass, 'pg_ts_config'::regclass, 'pg_ts_dict'::regclass,"
        " 'pg_ts_parser'::regclass, 'pg_ts_template'::regclass, 'pg_language'::regclass, 'pg_extension'::regclass)"
        " and description not like 'ICU%' order by classoid, objoid, objsubid"
    ),
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
    "pg_ts_config": "select * from pg_ts_config order by oid",
    "pg_ts_config_map": "select * from pg_ts_config_map order by 1, 2, 3",
    "pg_ts_dict": "select * from pg_ts_dict order by oid",
    "pg_ts_parser": "select * from pg_ts_parser order by oid",
    "pg_ts_template": "select * from pg_ts_template order by oid",
    "pg_type": (
        "select t.* from pg_type t where t.oid < 16384 and t.typrelid = 0 and"
        " not exists (select from pg_type e where e.oid = t.typelem and e.typrelid <> 0) order by oid"
    ),
}

SETTINGS = """
select name, vartype, unit, context, min_val, max_val, array_to_string(enumvals, ',') enumvals, boot_val, category,
       short_desc, extra_desc, nullif(array_to_string(pg_settings_get_flags(name), ','), '') flags
from pg_settings where name not in ('extension_destdir', 'restrict_nonsystem_relation_kind') order by lower(name)
"""
"""Those of PostgreSQL 15.0 as it comes, for `executor.session.settings.guc_table` and `setting_flags`."""

SIGNATURES = """
select oid, pg_get_function_arguments(oid) arguments,
       nullif(pg_get_function_identity_arguments(oid), pg_get_function_arguments(oid)) identity
from pg_proc where oid < 13000 and (proargnames is not null or pronargdefaults > 0 or provariadic <> 0 or prokind = 'a') order by oid
"""
"""Functions of which there is more to say than the types of their arguments."""

RELATIONS = """
select n.nspname, c.relname, c.oid, c.relkind,
       string_agg(a.attname || ':' || case when t.typtype = 'd' then t.typbasetype else t.oid end
                  || case when t.typtypmod >= 0 then '/' || t.typtypmod else '' end
                  || case when a.attnotnull then '!' else '' end
                  || case when a.attcollation = 950 and a.atttypid <> 19 then 'C' else '' end, ',' order by a.attnum),
       c.reltype, (select r.typarray from pg_type r where r.oid = c.reltype)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
join pg_type t on t.oid = a.atttypid
where n.nspname in ('pg_catalog', 'information_schema') and c.relkind in ('r', 'v')
group by 1, 2, 3, 4, c.reltype order by 1, 2
"""


REGPROC = 24


def _by_number(conn: psycopg.Connection[Any], query: str) -> str:
    """The query with functions as numbers: the name of one among several of that name does not say which."""
    columns = conn.execute(f"select * from ({query}) as x limit 0").description or ()
    shown = [f'"{c.name}"::oid as "{c.name}"' if c.type_code == REGPROC else f'"{c.name}"' for c in columns]
    return f"select {', '.join(shown)} from ({query}) as x"


def extract(dsn: str) -> None:
    """Raises psycopg.Error when the server cannot be asked."""
    FOLDER.mkdir(exist_ok=True)
    with psycopg.connect(dsn, autocommit=True) as conn:
        queries = {"relations": RELATIONS, "settings": SETTINGS, "signatures": SIGNATURES, **STATIC}
        for name, query in queries.items():
            statement = f"COPY ({_by_number(conn, query)}) TO STDOUT (FORMAT text, HEADER)".encode()
            with (FOLDER / f"{name}.tsv").open("wb") as f, conn.cursor().copy(statement) as copy:
                for block in copy:
                    f.write(block)


if __name__ == "__main__":
    extract(sys.argv[1])
