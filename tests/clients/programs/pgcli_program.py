"""What pgcli does, without its terminal: `pgcli_program.py HOST PORT` runs commands and fills its completer.

Needs pgcli. What it prints is the same on PostgreSQL and on Tidewire.
"""

import sys
import threading

import psycopg
from pgcli.completion_refresher import CompletionRefresher
from pgcli.pgexecute import PGExecute
from pgspecial.main import PGSpecial
from prompt_toolkit.document import Document

SETUP = """
DROP SCHEMA IF EXISTS cli CASCADE;
CREATE SCHEMA cli;
CREATE TABLE cli.parents (id serial PRIMARY KEY, name varchar(20) NOT NULL UNIQUE, n numeric(8,2), at timestamp);
CREATE TABLE cli.children (id int PRIMARY KEY, parent_id int REFERENCES cli.parents (id) ON DELETE CASCADE, w int);
CREATE INDEX children_w ON cli.children (w);
CREATE VIEW cli.names AS SELECT name FROM cli.parents;
CREATE TYPE cli.mood AS ENUM ('sad', 'glad');
INSERT INTO cli.parents (name, n) VALUES ('one', 1.5), ('two', NULL)
"""
COMMANDS = (
    r"\d cli.parents", r"\d+ cli.children", r"\d cli.names", r"\d cli.children_w", r"\d nowhere", r"\dt cli.*",
    r"\dv cli.*", r"\di cli.*", r"\ds cli.*", r"\dm cli.*", r"\dn cli", r"\df cli.*", r"\dT cli.*", r"\dD", r"\ddp",
    r"\dp cli.*", "SELECT id, name, n FROM cli.parents ORDER BY id", "SELECT 1/0", "BEGIN", "SELECT 2", "ROLLBACK",
    "LISTEN x", "UNLISTEN *", r"\copy (SELECT 1) TO STDOUT",
)  # fmt: skip
COMPLETED = (
    "SELECT * FROM cli.", "SELECT * FROM cli.parents p WHERE p.", "INSERT INTO cli.children (",
    "SELECT * FROM cli.children JOIN cli.parents ON ", "DROP V",
)  # fmt: skip
REFRESH_TIMEOUT_S = 500

executor = PGExecute("tidewire", "tidewire", "", sys.argv[1], sys.argv[2])
special = PGSpecial()
for statement in SETUP.split(";"):
    for _ in executor.run(statement):
        pass
for command in COMMANDS:
    print(">>", command)
    try:
        for _title, rows, headers, status, *_ in executor.run(command, special):
            print(
                headers, rows if rows is None or isinstance(rows, str) else [tuple(r) for r in rows], status
            )
    except psycopg.Error as error:
        print(type(error).__name__, error)

done = threading.Event()
made = []


def filled(completer):
    made.append(completer)
    done.set()


CompletionRefresher().refresh(executor, special, filled)
assert done.wait(REFRESH_TIMEOUT_S)
(completer,) = made
known = completer.dbmetadata
for kind in ("tables", "views", "functions", "datatypes"):
    for name, found in sorted(known[kind].get("cli", {}).items()):
        print(
            kind,
            name,
            [(c.name, c.datatype, c.has_default, c.default) for c in found.values()]
            if kind in ("tables", "views")
            else "",
        )
print("databases", "tidewire" in completer.databases, "search path", completer.search_path)
for text in COMPLETED:
    print(text, sorted(c.text for c in completer.get_completions(Document(text, len(text)), None)))
