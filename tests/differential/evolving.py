"""Random sessions over tables that come, change and go: definitions between reads and writes, in blocks and out of them.

    CREATE TABLE ... PARTITION BY, INHERITS, REFERENCES, CHECK        what is written over a column outlives its type,
    ALTER TABLE ... TYPE, ADD CONSTRAINT ... NOT VALID, RENAME        what is prepared or open outlives the table's shape,
    CREATE INDEX, VIEW, TRIGGER                                       what is planned by keys meets what no key finds
    INSERT ... ON CONFLICT, UPDATE, DELETE, MERGE, WITH, SELECT
    BEGIN, SAVEPOINT, PREPARE, DECLARE, DO

`Author` writes the next statement of what is there, which it reads in PostgreSQL's catalog whenever it may have changed
(`relations`), so it needs no notion of what a statement does. Many statements fail, which is as good: a statement that one server
takes and the other refuses is what is looked for. The same seed writes the same session, as long as both answer alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import psycopg

SETUP: Final = "CREATE TABLE audit (what text, how text)"
_TYPES: Final = (
    "integer", "integer", "integer", "bigint", "smallint", "text", "text", "character varying(5)", "numeric(8,2)", "numeric",
    "double precision", "boolean", "date", "timestamp without time zone", "integer[]", "jsonb", "character(3)",
)  # fmt: skip
_KINDS: Final = {
    "integer": "int", "bigint": "int", "smallint": "int", "text": "text", "character varying(5)": "text", "character(3)": "char",
    "numeric(8,2)": "numeric", "numeric": "numeric", "double precision": "float", "boolean": "bool", "date": "date",
    "timestamp without time zone": "timestamp", "integer[]": "array", "jsonb": "json",
}  # fmt: skip
_LITERALS: Final = {
    "int": ("0", "1", "2", "3", "4", "5", "-3", "7", "12", "640"),
    "text": ("'a'", "'b'", "'ab'", "'abc'", "''", "'x y'", "'é'", "'B%'", "'10'"),
    "char": ("'a'", "'b'", "'ab'", "'abc'", "'a  '", "''"),
    "numeric": ("1", "1.5", "2.345", "-0.005", "0", "7"),
    "float": ("1", "0.1", "-2.5", "1e20", "'Infinity'", "0"),
    "bool": ("true", "false"),
    "date": ("'2024-01-01'", "'2024-02-29'", "'1999-12-31'", "'infinity'"),
    "timestamp": ("'2024-01-01 10:00'", "'2024-02-29 23:59:59.999999'", "'1999-12-31'"),
    "array": ("'{}'", "'{1}'", "'{1,2}'", "'{2,1,NULL}'"),
    "json": ("'{\"a\":1}'", '\'{"a":{"b":2}}\'', "'[1,2]'", "'null'", "'1'"),
}
_OVER: Final = {
    "int": ("({0} + {1})", "({0} - 1)", "({0} * 2)", "({0} % 3)", "abs({0})", "-{0}", "greatest({0}, {1})"),
    "text": (
        "({0} || {1})",
        "upper({0})",
        "substr({0}, 1, 2)",
        "lpad({0}, 3, '*')",
        "replace({0}, 'a', 'b')",
    ),
    "char": ("coalesce({0}, {1})", "upper({0})"),
    "numeric": ("({0} + 1.25)", "round({0}, 1)", "({0} * {1})", "({0} / 3)", "trunc({0})"),
    "float": ("({0} * 2)", "abs({0})", "({0} + {1})"),
    "bool": ("(NOT {0})", "({0} AND {1})", "({0} IS NOT TRUE)"),
    "date": ("({0} + 1)", "greatest({0}, {1})"),
    "timestamp": ("({0} + interval '1 day')", "date_trunc('month', {0})"),
    "array": ("({0} || 7)", "array_remove({0}, 1)", "array_cat({0}, {1})"),
    "json": ("({0} -> 'a')", "jsonb_build_object('k', {0})"),
}
_RELATIONS: Final = """
SELECT c.relname, c.relkind, a.attname, format_type(a.atttypid, a.atttypmod),
       coalesce(a.attnum = ANY (k.conkey), false), a.attgenerated <> ''
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
WHERE (c.relnamespace = 'public'::regnamespace OR c.relnamespace = pg_my_temp_schema()) AND c.relkind IN ('r', 'p', 'v')
  AND a.attnum > 0 AND NOT a.attisdropped AND c.relname <> 'audit'
ORDER BY c.relname, a.attnum"""


@dataclass(frozen=True)
class Relation:
    name: str
    view: bool
    columns: dict[str, str]
    key: tuple[str, ...]
    generated: frozenset[str]


def relations(connection: psycopg.Connection[Any]) -> list[Relation]:
    """The session's tables and views, and their columns of types that `Author` knows."""
    found: dict[str, tuple[bool, list[tuple[str, str, bool, bool]]]] = {}
    for name, kind, column, type_, key, generated in connection.execute(_RELATIONS).fetchall():
        if type_ in _KINDS:
            found.setdefault(name, (kind == "v", []))[1].append((column, type_, key, generated))
    return [
        Relation(
            name,
            view,
            {c: type_ for c, type_, _, _ in columns},
            tuple(c for c, _, key, _ in columns if key),
            frozenset(c for c, _, _, generated in columns if generated),
        )
        for name, (view, columns) in found.items()
    ]


class Author:
    """Writes one session. `there`: what `relations` last said; `in_block`, `savepoints`, `cursors`: kept by who runs it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.there: list[Relation] = []
        self.in_block = False
        self.savepoints: list[str] = []
        self.cursors: list[str] = []
        self._prepared: list[tuple[str, str, str]] = []
        self._next: list[str] = []
        self._names = 0

    def statement(self) -> str:
        """The next one."""
        if self._next:
            return self._next.pop(0)
        tables = [r for r in self.there if not r.view]
        if len(tables) < 3 and (not tables or self._may(0.2)):
            return self._create(tables)
        write: Sequence[tuple[int, Any]] = (
            (2 if len(tables) < 8 else 0, self._create), (29, self._insert), (12, self._update), (6, self._delete), (3, self._merge),
            (19, self._select), (6, self._alter), (3, self._index), (2, self._view), (2, self._trigger), (3, self._prepare),
            (2, self._empty), (2, self._with), (3, self._cursor), (1, self._procedure), (7, self._transaction),
        )  # fmt: skip
        chosen = self.random.choices([w for _, w in write], [n for n, _ in write])[0]
        return str(chosen(tables))

    # --- parts -----------------------------------------------------------------------------------

    def _may(self, chance: float) -> bool:
        return self.random.random() < chance

    def _one(self, *of: Any) -> Any:
        return self.random.choice(of[0] if len(of) == 1 else of)

    def _name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    def _literal(self, type_: str, null: float = 0.1) -> str:
        return "NULL" if self._may(null) else str(self._one(_LITERALS[_KINDS[type_]]))

    def _value(self, type_: str, columns: dict[str, str], depth: int = 2) -> str:
        """An expression of about this type over columns."""
        kind = _KINDS[type_]
        same = [c for c, t in columns.items() if _KINDS[t] == kind]
        if depth <= 0 or not same or self._may(0.3):
            return str(self._one(same)) if same and self._may(0.6) else self._literal(type_)
        if self._may(0.15):
            return f"coalesce({self._value(type_, columns, depth - 1)}, {self._literal(type_, 0)})"
        if self._may(0.15):
            value, other = (self._value(type_, columns, depth - 1) for _ in range(2))
            return f"CASE WHEN {self._condition(columns, 0)} THEN {value} ELSE {other} END"
        if self._may(0.05):
            return f"nullif({self._value(type_, columns, depth - 1)}, {self._one(same)})"
        return str(self._one(_OVER[kind])).format(self._one(same), self._value(type_, columns, depth - 1))

    def _condition(self, columns: dict[str, str], depth: int = 1) -> str:
        name, type_ = self._one(list(columns.items()))
        if depth and self._may(0.25):
            both = f"{self._condition(columns, depth - 1)} {self._one('AND', 'OR')} {self._condition(columns, depth - 1)}"
            return f"({both})" if self._may(0.8) else f"NOT ({both})"
        if depth and self._may(0.1) and self.there:
            other = self._one(self.there)
            alike = [c for c, t in other.columns.items() if _KINDS[t] == _KINDS[type_]]
            if alike:
                inner = f"FROM {other.name} q WHERE q.{self._one(alike)}"
                return str(
                    self._one(
                        f"EXISTS (SELECT {inner} = {name})",
                        f"{name} IN (SELECT q.{alike[0]} {inner} IS NOT NULL)",
                    )
                )
        kinds = (
            f"{name} IS {self._one('NULL', 'NOT NULL')}",
            f"{name} IN ({self._literal(type_)}, {self._literal(type_, 0)})",
            f"{name} BETWEEN {self._literal(type_, 0)} AND {self._literal(type_, 0)}",
            f"{name} IS DISTINCT FROM {self._literal(type_)}",
            *[f"{name} {op} {self._literal(type_, 0.02)}" for op in ("=", "=", "=", "<", ">=", "<>")],
        )
        return str(self._one(kinds))

    def _where(self, table: Relation) -> str:
        if table.key and self._may(0.5):
            keys = (f"{k} = {self._literal(table.columns[k], 0.02)}" for k in table.key)
            return " WHERE " + " AND ".join(keys)
        return f" WHERE {self._condition(table.columns)}" if self._may(0.9) else ""

    def _returning(self, table: Relation) -> str:
        if not self._may(0.35):
            return ""
        type_ = self._one(list(table.columns.values()))
        return f" RETURNING {self._one('*', ', '.join(table.columns), self._value(type_, table.columns, 1))}"

    # --- reads and writes ------------------------------------------------------------------------

    def _insert(self, tables: list[Relation], returns: bool = True) -> str:
        table = self._one(tables)
        chosen = [c for c in table.columns if c not in table.generated and (c in table.key or self._may(0.8))]
        if not chosen:
            return f"INSERT INTO {table.name} DEFAULT VALUES"
        text = f"INSERT INTO {table.name} ({', '.join(chosen)}) "
        types = [table.columns[c] for c in chosen]
        if self._may(0.75):
            rows = (
                ", ".join("DEFAULT" if self._may(0.06) else self._literal(t, 0.08) for t in types)
                for _ in range(self._one(1, 1, 1, 2, 3, 5))
            )
            text += "VALUES " + ", ".join(f"({row})" for row in rows)
        else:
            source = self._one(tables)
            made = ", ".join(self._value(t, source.columns, 1) for t in types)
            text += f"SELECT {made} FROM {source.name}{self._where(source)}"
        if self._may(0.3):
            text += self._on_conflict(table)
        return text + (self._returning(table) if returns else "")

    def _on_conflict(self, table: Relation) -> str:
        if not table.key or self._may(0.3):
            return " ON CONFLICT DO NOTHING"
        target = f" ON CONFLICT ({', '.join(table.key)}) DO"
        name, type_ = self._one(list(table.columns.items()))
        both = {f"{of}.{c}": t for of in (table.name, "excluded") for c, t in table.columns.items()}
        new = self._one(f"excluded.{name}", self._value(type_, both, 1), "DEFAULT")
        return str(self._one(f"{target} NOTHING", f"{target} UPDATE SET {name} = {new}"))

    def _update(self, tables: list[Relation]) -> str:
        table = self._one(tables)
        names = self.random.sample(list(table.columns), min(len(table.columns), self._one(1, 1, 2)))
        sets = ", ".join(
            f"{c} = {self._value(table.columns[c], table.columns) if self._may(0.95) else 'DEFAULT'}"
            for c in names
        )
        return f"UPDATE {table.name} SET {sets}{self._where(table)}{self._returning(table)}"

    def _delete(self, tables: list[Relation]) -> str:
        table = self._one(tables)
        return f"DELETE FROM {table.name}{self._where(table)}{self._returning(table)}"

    def _merge(self, tables: list[Relation]) -> str:
        table, source = self._one(tables), self._one(tables)
        key = table.key[0] if table.key else next(iter(table.columns))
        alike = [c for c, t in source.columns.items() if _KINDS[t] == _KINDS[table.columns[key]]]
        if not alike:
            return self._select(tables)
        name, type_ = self._one(list(table.columns.items()))
        columns = {f"m.{c}": t for c, t in table.columns.items()}
        matched = self._one(f"UPDATE SET {name} = {self._value(type_, columns, 1)}", "DO NOTHING", "DELETE")
        text = f"MERGE INTO {table.name} m USING (SELECT DISTINCT {self._one(alike)} AS k FROM {source.name}) s ON m.{key} = s.k"
        return f"{text} WHEN MATCHED THEN {matched} WHEN NOT MATCHED THEN {self._one(f'INSERT ({key}) VALUES (s.k)', 'DO NOTHING')}"

    def _select(self, tables: list[Relation]) -> str:
        source = self._one(self.there)
        columns = {f"a.{c}": t for c, t in source.columns.items()}
        place = f"{source.name} a"
        if self._may(0.25):
            other = self._one(self.there)
            pairs = [
                (a, f"b.{b}")
                for a, s in columns.items()
                for b, t in other.columns.items()
                if _KINDS[s] == _KINDS[t]
            ]
            if pairs:
                a, b = self._one(pairs)
                place += f" {self._one('JOIN', 'LEFT JOIN', 'FULL JOIN')} {other.name} b ON {a} = {b}"
                columns |= {f"b.{c}": t for c, t in other.columns.items()}
        where = f" WHERE {self._condition(columns)}" if self._may(0.6) else ""
        if self._may(0.25):
            by = self._one(list(columns))
            return (
                f"SELECT {by}, count(*), array_agg({by}), max({by}::text) FROM {place}{where} GROUP BY {by}"
            )
        everything = ", ".join(columns)
        if self._may(0.15):
            return f"SELECT {everything}, row_number() OVER (ORDER BY {everything}) FROM {place}{where}"
        if self._may(0.2) and "JOIN" not in place:
            return f"SELECT {everything} FROM {place}{where} {self._one('FOR UPDATE', 'FOR SHARE', 'FOR UPDATE SKIP LOCKED')}"
        if self._may(0.3):
            return f"SELECT {everything} FROM {place}{where} ORDER BY {everything} LIMIT {self._one(1, 2, 5)}"
        made = ", ".join(
            f"{self._value(self._one(list(columns.values())), columns)} AS e{i}" for i in range(2)
        )
        return f"SELECT {self._one('*', made)} FROM {place}{where}"

    def _with(self, tables: list[Relation]) -> str:
        inner = self._one(self._insert, self._update, self._delete)(tables)
        outer = (
            "SELECT * FROM w" if "RETURNING" in inner else f"SELECT count(*) FROM {self._one(tables).name}"
        )
        return f"WITH w AS ({inner}) {outer}"

    def _prepare(self, tables: list[Relation]) -> str:
        if self._prepared and self._may(0.7):
            name, first, second = self._one(self._prepared)
            return f"EXECUTE {name} ({self._literal(first)}, {self._literal(second)})"
        table = self._one(tables)
        (a, s), (b, t) = (self._one(list(table.columns.items())) for _ in range(2))
        self._prepared.append((name := self._name("p"), s, t))
        chosen: str = self._one(
            f"SELECT * FROM {table.name} WHERE {a} = $1 AND {b} IS DISTINCT FROM $2",
            f"UPDATE {table.name} SET {b} = $2 WHERE {a} = $1 RETURNING *",
            f"DELETE FROM {table.name} WHERE {a} = $1 OR {b} = $2 RETURNING *",
        )
        return f"PREPARE {name} AS {chosen}"

    def _cursor(self, tables: list[Relation]) -> str:
        if not self.in_block:
            return "BEGIN"
        if self.cursors and self._may(0.6):
            return f"FETCH ALL FROM {self._one(self.cursors)}"
        return f"DECLARE {self._name('c')} CURSOR {self._one('', 'WITH HOLD ')}FOR {self._select(tables)}"

    def _procedure(self, tables: list[Relation]) -> str:
        rows = f"FOR r IN SELECT * FROM {self._one(tables).name} LOOP n := n + 1; END LOOP"
        tried = f"BEGIN {self._insert(tables, False)}; EXCEPTION WHEN others THEN n := -1; END"
        update = self._update(tables).split(" RETURNING")[0]
        return f"DO $$ DECLARE r record; n int := 0; BEGIN {rows}; {tried}; {update}; END $$"

    def _transaction(self, tables: list[Relation]) -> str:
        if not self.in_block:
            return (
                f"BEGIN{self._one('', ' ISOLATION LEVEL READ COMMITTED', ' ISOLATION LEVEL REPEATABLE READ')}"
            )
        if self._may(0.4):
            if self.savepoints and self._may(0.5):
                return f"{self._one('ROLLBACK TO', 'RELEASE')} {self._one(self.savepoints)}"
            return f"SAVEPOINT {self._name('s')}"
        return str(self._one("COMMIT", "COMMIT", "ROLLBACK", "COMMIT AND CHAIN"))

    # --- definitions -----------------------------------------------------------------------------

    def _column(self, name: str, type_: str) -> str:
        ends = (
            "", "", "", "", "", f" DEFAULT {self._literal(type_, 0)}", " NOT NULL", "" if type_ == "jsonb" else " UNIQUE",
            f" CHECK ({self._condition({name: type_}, 0)})",
        )  # fmt: skip
        return f"{name} {type_}{self._one(ends)}"

    def _create(self, tables: list[Relation]) -> str:
        name = self._name("t")
        columns = {"c0": self._one("integer", "integer", "text", "bigint", "date", "numeric")}
        columns |= {f"c{i}": self._one(_TYPES) for i in range(1, self._one(2, 3, 4, 5))}
        parts = [self._column(c, t) for c, t in columns.items()]
        if keyed := self._may(0.75):
            several = columns["c1"] != "jsonb" and self._may(0.3)
            parts.append(f"PRIMARY KEY ({'c0, c1' if several else 'c0'})")
        parents = [r for r in tables if len(r.key) == 1]
        if parents and self._may(0.25):
            parent = self._one(parents)
            action = self._one(
                "", " ON DELETE CASCADE", " ON DELETE SET NULL", " DEFERRABLE INITIALLY DEFERRED"
            )
            parts.append(f"f {parent.columns[parent.key[0]]} REFERENCES {parent.name}{action}")
        if _KINDS[columns["c1"]] == "int" and self._may(0.3):
            parts.append("g integer GENERATED ALWAYS AS (c1::integer % 3) STORED")
        tail = ""
        if self._may(0.12):
            kind, first = self._one("LIST", "RANGE"), self._literal(columns["c0"], 0)
            bound = f"IN ({first})" if kind == "LIST" else f"FROM (MINVALUE) TO ({first})"
            tail = f" PARTITION BY {kind} (c0)"
            self._next += [
                f"CREATE TABLE {name}a PARTITION OF {name} FOR VALUES {bound}",
                f"CREATE TABLE {name}z PARTITION OF {name} DEFAULT",
            ]
        elif tables and self._may(0.05):
            tail = f" INHERITS ({self._one(tables).name})"
        temporary = "TEMP " if keyed and not tail and self._may(0.15) else ""
        return f"CREATE {temporary}TABLE {name} ({', '.join(parts)}){tail}"

    def _alter(self, tables: list[Relation]) -> str:
        table = self._one(tables)
        name, type_ = self._one(list(table.columns.items()))
        new, fresh = self._one(_TYPES), self._name("n")
        check = f"CHECK ({self._condition({name: type_}, 0)})"
        actions = (
            f"ADD COLUMN {self._column(fresh, new)}", f"ADD COLUMN {self._column(fresh, new)}", f"DROP COLUMN {name}{self._one('', ' CASCADE')}",
            f"RENAME COLUMN {name} TO {fresh}", f"ALTER COLUMN {name} TYPE {new}", f"ALTER COLUMN {name} TYPE {new} USING {name}::text::{new}",
            f"ALTER COLUMN {name} {self._one('SET NOT NULL', 'DROP NOT NULL', 'DROP DEFAULT')}",
            f"ALTER COLUMN {name} SET DEFAULT {self._literal(type_)}", f"ADD {check}", f"ADD {check} NOT VALID",
            f"ADD UNIQUE ({name})", f"ADD PRIMARY KEY ({name})", f"DROP CONSTRAINT {table.name}_pkey{self._one('', ' CASCADE')}",
            f"RENAME TO {fresh}",
        )  # fmt: skip
        return f"ALTER TABLE {table.name} {self._one(actions)}"

    def _index(self, tables: list[Relation]) -> str:
        table = self._one(tables)
        name, type_ = self._one(list(table.columns.items()))
        key = self._one(
            name,
            name,
            f"{name}, {self._one(list(table.columns))}",
            f"({self._value(type_, table.columns, 1)})",
        )
        where = f" WHERE {self._condition(table.columns, 0)}" if self._may(0.3) else ""
        return f"CREATE {self._one('', '', 'UNIQUE ')}INDEX ON {table.name} ({key}){where}"

    def _view(self, tables: list[Relation]) -> str:
        table = self._one(tables)
        columns = self.random.sample(list(table.columns), self.random.randint(1, len(table.columns)))
        where = f" WHERE {self._condition(table.columns, 0)}" if self._may(0.5) else ""
        return f"CREATE VIEW {self._name('v')} AS SELECT {', '.join(columns)} FROM {table.name}{where}{self._one('', ' WITH CHECK OPTION')}"

    def _trigger(self, tables: list[Relation]) -> str:
        table, name = self._one(tables), self._name("g")
        column, type_ = self._one(list(table.columns.items()))
        bodies = (
            "RETURN NULL", f"NEW.{column} := {self._literal(type_)}; RETURN NEW", "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW",
            "INSERT INTO audit VALUES (TG_TABLE_NAME, TG_OP); IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW",
        )  # fmt: skip
        events = self._one("INSERT", "UPDATE", "DELETE", "INSERT OR UPDATE", f"UPDATE OF {column}")
        moment = self._one("BEFORE", "AFTER")
        self._next.append(
            f"CREATE TRIGGER {name} {moment} {events} ON {table.name} FOR EACH ROW EXECUTE FUNCTION {name}()"
        )
        return f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {self._one(bodies)}; END $$"

    def _empty(self, tables: list[Relation]) -> str:
        name = self._one(tables).name
        return str(
            self._one(
                f"TRUNCATE {name}",
                f"TRUNCATE {name} CASCADE",
                f"DROP TABLE {name}",
                f"DROP TABLE {name} CASCADE",
            )
        )
