"""Tables that get and lose columns while their rows stay where they are, by chance: written to in between, in blocks and outside,
read by key and by query, in the past as well, and by servers that were killed and started again."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess

ROWS = 2_500
VALUES: dict[str, list[tuple[str, Any]]] = {
    "int": [("NULL", None), ("7", 7), ("0", 0)],
    "text": [("NULL", None), ("'hello'", "hello"), ("''", "")],
    "boolean": [("NULL", None), ("true", True), ("false", False)],
    "bigint": [("12345678901", 12345678901)],
}

Rows = dict[int, dict[str, Any]]


class Model:
    """What the table is to be: its columns in order, and its rows."""

    def __init__(self, chance: random.Random, conn: psycopg.Connection[Any], keyed: bool) -> None:
        self.chance, self.conn, self.keyed = chance, conn, keyed
        self.columns = {"a": "text"}
        self.rows: Rows = {n: {"a": f"a{n}"} for n in range(1, ROWS + 1)}
        self.made = 0
        self.past: list[tuple[int, list[str], Rows]] = []
        conn.execute(
            f"CREATE TABLE t (id int {'PRIMARY KEY' if keyed else ''}, a text) WITH (retention = '1 day')"
        )
        conn.execute(f"INSERT INTO t SELECT n, 'a' || n FROM generate_series(1, {ROWS}) n")
        conn.execute("CREATE INDEX ON t (a)")

    def step(self) -> None:
        steps = [
            self.add,
            self.add,
            self.drop,
            self.insert,
            self.update,
            self.change_many,
            self.delete,
            self.look,
        ]
        self.chance.choice(steps)()

    def block(self) -> None:
        """Some steps as one transaction, which may come to nothing."""
        columns, rows = dict(self.columns), {n: dict(row) for n, row in self.rows.items()}
        self.conn.execute("BEGIN")
        for _ in range(self.chance.randrange(1, 4)):
            self.step()
        if self.chance.random() < 0.3:
            self.conn.execute("ROLLBACK")
            self.columns, self.rows = columns, rows
        else:
            self.conn.execute("COMMIT")

    def add(self) -> None:
        self.made += 1
        name, kind = f"c{self.made}", self.chance.choice(list(VALUES))
        said, value = self.chance.choice(VALUES[kind])
        default = "" if said == "NULL" and self.chance.random() < 0.5 else f" DEFAULT {said}"
        self.conn.execute(f"ALTER TABLE t ADD COLUMN {name} {kind}{default}")
        self.columns[name] = kind
        for row in self.rows.values():
            row[name] = value
        if default and self.chance.random() < 0.5:
            self.conn.execute(f"ALTER TABLE t ALTER {name} DROP DEFAULT")
            self.defaults.pop(name, None)
        else:
            self.defaults[name] = value

    @property
    def defaults(self) -> dict[str, Any]:
        return self.__dict__.setdefault("_defaults", {})  # type: ignore[no-any-return]

    def drop(self) -> None:
        names = [n for n in self.columns if n != "a"]
        if names:
            name = self.chance.choice(names)
            self.conn.execute(f"ALTER TABLE t DROP COLUMN {name}")
            del self.columns[name]
            for row in self.rows.values():
                del row[name]

    def some(self) -> tuple[str, str, Any]:
        name = self.chance.choice(list(self.columns))
        said, value = self.chance.choice(VALUES[self.columns[name]])
        return name, said, value

    def insert(self) -> None:
        n = max(self.rows) + 1
        name, said, value = self.some()
        names = [f"{c}" for c in self.columns if c != name]
        cells = dict.fromkeys(names)
        self.conn.execute(
            f"INSERT INTO t (id, {', '.join([name, *names])}) VALUES ({n}, {', '.join([said, *['NULL'] * len(names)])})"
        )
        self.rows[n] = {**cells, name: value}

    def update(self) -> None:
        n, (name, said, value) = self.chance.choice(list(self.rows)), self.some()
        self.conn.execute(f"UPDATE t SET {name} = {said} WHERE id = {n}")
        self.rows[n][name] = value

    def change_many(self) -> None:
        low, (name, said, value) = self.chance.randrange(ROWS), self.some()
        self.conn.execute(
            f"UPDATE t SET {name} = {said} WHERE id BETWEEN {low} AND {low + 300} AND id % 3 = 0"
        )
        for n, row in self.rows.items():
            if low <= n <= low + 300 and n % 3 == 0:
                row[name] = value

    def delete(self) -> None:
        low = self.chance.randrange(ROWS)
        self.conn.execute(f"DELETE FROM t WHERE id BETWEEN {low} AND {low + 20}")
        self.rows = {n: row for n, row in self.rows.items() if not low <= n <= low + 20}

    def look(self) -> None:
        if self.chance.random() < 0.5:
            n = self.chance.choice(list(self.rows))
            found = self.conn.execute("SELECT * FROM t WHERE id = %s", [n]).fetchall()
            assert found == [(n, *(self.rows[n][c] for c in self.columns))]
            return
        self.conn.execute("SELECT count(*) FROM t WHERE id % 2 = 1")
        self.is_right()

    def is_right(self) -> None:
        found = self.conn.execute("SELECT * FROM t ORDER BY id").fetchall()
        assert found == _rows(list(self.columns), self.rows)
        value = self.chance.choice(list(self.rows.values()))["a"]
        if value is not None:
            by_index = self.conn.execute("SELECT id FROM t WHERE a = %s ORDER BY id", [value]).fetchall()
            assert by_index == [(n,) for n, row in self.rows.items() if row["a"] == value]

    def remember(self) -> None:
        [(name,)] = self.conn.execute("SELECT pg_export_snapshot()").fetchall()
        ts = int(name.partition("-")[0], 16)
        self.past.append((ts, list(self.columns), {n: dict(row) for n, row in self.rows.items()}))

    def was_right(self) -> None:
        for ts, columns, rows in self.past:
            found = self.conn.execute(f"SELECT * FROM t ORDER BY id AS OF TIMESTAMP {ts}").fetchall()
            assert found == _rows(columns, rows), f"as of {ts}"


def _rows(columns: list[str], rows: Rows) -> list[tuple[Any, ...]]:
    return [(n, *(rows[n][c] for c in columns)) for n in sorted(rows)]


@pytest.mark.parametrize("keyed", [True, False], ids=["keyed", "plain"])
@pytest.mark.parametrize("seed", range(2))
def test_columns_come_and_go(tmp_path: Path, seed: int, keyed: bool) -> None:
    chance = random.Random(f"{seed} {keyed}")
    server = ServerProcess(tmp_path / "data")
    with server, server.connect() as conn:
        model = Model(chance, conn, keyed)
        for n in range(60):
            chance.choice([model.step, model.step, model.block])()
            if n % 10 == 0:
                model.remember()
            if n % 20 == 19:
                model.is_right()
                model.was_right()
                if chance.random() < 0.5:
                    server.kill()
                else:
                    server.stop()
                server.start()
                model.conn = server.connect()
                if chance.random() < 0.5:
                    model.is_right()
                    model.was_right()
        model.is_right()
        model.was_right()
        [(shards,)] = model.conn.execute("SELECT count(*) FROM pg_class WHERE relname = 't'").fetchall()
        assert shards == 1
        model.conn.close()


def test_rows_stay_where_they_are(tmp_path: Path) -> None:
    """A definition is all that is written: the table's files are those that there were."""
    with ServerProcess(tmp_path / "data") as server, server.connect() as conn:
        conn.execute("CREATE TABLE t (id int PRIMARY KEY, a text)")
        conn.execute("INSERT INTO t SELECT n, repeat('a', 100) || n FROM generate_series(1, 200000) n")
        before = _files(tmp_path)
        conn.execute("ALTER TABLE t ADD COLUMN b int DEFAULT 7, ADD COLUMN c text")
        conn.execute("ALTER TABLE t DROP COLUMN c")
        with conn.transaction():
            conn.execute("ALTER TABLE t ADD COLUMN d boolean NOT NULL DEFAULT true")
        assert conn.execute("SELECT b, d FROM t WHERE id = 5").fetchall() == [(7, True)]
        assert conn.execute("SELECT sum(b), bool_and(d), count(*) FROM t").fetchall() == [
            (1400000, True, 200000)
        ]
        assert _files(tmp_path) == before


def _files(path: Path) -> set[str]:
    return {str(p) for p in path.rglob("*.parquet")}
