"""A program on ODBC: `odbc_program.py DRIVER HOST PORT` prints what it learns, one line each.

Needs pyodbc and unixODBC. What it prints is the same on PostgreSQL and on Tidewire.
"""

import datetime
import decimal
import sys

import pyodbc

driver, host, port = sys.argv[1:]
pyodbc.pooling = False


def show(label, *values):
    print(label, *values)


c = pyodbc.connect(
    f"Driver={driver};Server={host};Port={port};Database=tidewire;Uid=tidewire;Pwd=x;", autocommit=True
)
show(
    "dbms",
    c.getinfo(pyodbc.SQL_DBMS_NAME),
    c.getinfo(pyodbc.SQL_DATABASE_NAME),
    c.getinfo(pyodbc.SQL_USER_NAME),
)
k = c.cursor()
k.execute("drop schema if exists odbc cascade")
k.execute("create schema odbc")
k.execute(
    "create table odbc.parents (id serial primary key, name varchar(20) not null unique, n numeric(8,2), at timestamp, d date, ok boolean, f float8, b bytea, u uuid, big bigint, small smallint, j jsonb, t text)"
)
k.execute("comment on table odbc.parents is 'the parents'")
k.execute("comment on column odbc.parents.name is 'a name'")
k.execute(
    "create table odbc.children (id int primary key, parent_id int references odbc.parents(id) on delete cascade, w int)"
)
k.execute("create index children_w on odbc.children (w)")
k.execute("create view odbc.names as select name from odbc.parents")
k.execute(
    "insert into odbc.parents(name,n,at,d,ok,f,b,u,big,small,t) values (?,?,?,?,?,?,?,?,?,?,?)",
    "one",
    decimal.Decimal("12.50"),
    datetime.datetime(2020, 1, 2, 3, 4, 5, 678000),
    datetime.date(2020, 1, 2),
    True,
    1.5,
    b"\x00\xff",
    "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    2**40,
    7,
    "ünïcode",
)
k.execute("insert into odbc.parents(name) values (?)", "two")
show("rows", k.execute("select * from odbc.parents order by id").fetchall())
show("desc", [(d[0], d[1].__name__, d[3], d[4], d[5], d[6]) for d in k.description])
k.executemany("insert into odbc.children values (?,?,?)", [(i, 1 + i % 2, i * i) for i in range(1, 8)])
show("count", k.execute("select count(*), sum(w) from odbc.children where parent_id = ?", 1).fetchone())
k.fast_executemany = True
k.executemany("insert into odbc.children values (?,?,?)", [(i, 1, i) for i in range(10, 15)])
show("fast", k.execute("select count(*) from odbc.children").fetchval())
show("rowcount", k.execute("update odbc.children set w = w + 1 where id > ?", 5).rowcount)
show("tables", [(r.table_schem, r.table_name, r.table_type, r.remarks) for r in k.tables(schema="odbc")])
show(
    "columns",
    [
        (r.column_name, r.type_name, r.column_size, r.decimal_digits, r.nullable, r.column_def, r.remarks)
        for r in k.columns(schema="odbc", table="parents")
    ],
)
show("pk", [(r.column_name, r.key_seq, r.pk_name) for r in k.primaryKeys(schema="odbc", table="parents")])
show(
    "fk",
    [
        (
            r.pktable_name,
            r.pkcolumn_name,
            r.fktable_name,
            r.fkcolumn_name,
            r.update_rule,
            r.delete_rule,
            r.fk_name,
        )
        for r in k.foreignKeys(foreignSchema="odbc", foreignTable="children")
    ],
)
show(
    "stats",
    [
        (r.non_unique, r.index_name, r.ordinal_position, r.column_name)
        for r in k.statistics("children", schema="odbc")
    ],
)
show("rowid", [(r.column_name, r.type_name) for r in k.rowIdColumns("parents", schema="odbc")])
show("rowver", [(r.column_name, r.type_name) for r in k.rowVerColumns("parents", schema="odbc")])
show("types", len(k.getTypeInfo().fetchall()) > 10)
show("procs", len(k.procedures(procedure="lower").fetchall()) > 0)
for bad in (
    "select * from nowhere",
    "insert into odbc.parents(name) values ('one')",
    "selec 1",
    "select 1/0",
):
    try:
        k.execute(bad)
    except pyodbc.Error as e:
        show("error", e.args[0], e.args[1].splitlines()[0][:150])
c.autocommit = False
k.execute("update odbc.parents set name = 'uno' where id = 1")
c.rollback()
show("rolled back", k.execute("select name from odbc.parents where id = 1").fetchval())
k.execute("update odbc.parents set name = 'uno' where id = 1")
c.commit()
try:
    k.execute("select 1/0")
except pyodbc.Error as e:
    show("in tx", e.args[0])
show("after an error", k.execute("select name from odbc.parents where id = 1").fetchval())
c.rollback()
show("many", sum(r[0] for r in k.execute("select i from generate_series(1, 5000) i")))
show("null", k.execute("select ?::text, ?::int", None, None).fetchone())
show("multi", k.execute("select 1; select 2").fetchall(), k.nextset(), k.fetchall())
show("call", k.execute("{call lower(?)}", "ABC").fetchone())
show("fn", k.execute("select {fn ucase('abc')}, {d '2020-01-01'}, {ts '2020-01-01 00:00:00'}").fetchone())
c.commit()
c.close()
