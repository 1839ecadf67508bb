"""EXPLAIN (FORMAT JSON | XML | YAML): the shape that drivers, ORMs and tools which draw plans read."""

from __future__ import annotations

import re
import xml.etree.ElementTree
from typing import Any

import pytest

from tests.server.process import ServerProcess

SCHEMA = "CREATE TABLE explained (id int PRIMARY KEY, code text, v int)"


def explained(server: ServerProcess, statement: str, options: str = "") -> dict[str, Any]:
    with server.connect() as c, c.transaction(force_rollback=True):
        c.execute(SCHEMA)
        row = c.execute(f"EXPLAIN (FORMAT JSON{options}) {statement}").fetchone()
        assert row is not None
        (document,) = row[0]
        left = c.execute("SELECT count(*) FROM explained").fetchone()
        assert left == (1 if "ANALYZE" in options and statement.startswith("INSERT") else 0,)
        return dict(document)


def shown(node: dict[str, Any]) -> list[Any]:
    """What is in a node, without what is the same in all."""
    below = [shown(n) for n in node.get("Plans", ())]
    known = ("Operation", "Index Name", "Relation Name", "Custom Plan Provider", "Parent Relationship")
    return [node["Node Type"], *(node[k] for k in known if k in node), *below]


CASES: list[tuple[str, list[Any]]] = [
    ("SELECT * FROM explained WHERE id = 1", ["Index Scan", "explained_pkey", "explained"]),
    (
        "SELECT sum(v) FROM explained",
        ["Custom Scan", "explained", "DuckDB", ["Seq Scan", "explained", "Member"]],
    ),
    (
        "SELECT * FROM explained a JOIN explained b USING (v)",
        ["Custom Scan", "DuckDB", ["Seq Scan", "explained", "Member"], ["Seq Scan", "explained", "Member"]],
    ),
    (
        "SELECT typname FROM pg_type",
        ["Custom Scan", "pg_type", "DuckDB", ["Seq Scan", "pg_type", "Member"]],
    ),
    ("SELECT 1 + 1", ["Result"]),
    ("INSERT INTO explained VALUES (1, 'a', 2)", ["ModifyTable", "Insert", "explained", ["Result", "Outer"]]),
    (
        "UPDATE explained SET v = 3 WHERE id = 1",
        ["ModifyTable", "Update", "explained", ["Index Scan", "explained_pkey", "explained", "Outer"]],
    ),
    (
        "DELETE FROM explained WHERE v > 1",
        ["ModifyTable", "Delete", "explained", ["Custom Scan", "explained", "DuckDB", "Outer", ["Seq Scan", "explained", "Member"]]],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "expected"), CASES, ids=[statement for statement, _ in CASES])
def test_the_tree(server: ServerProcess, statement: str, expected: list[Any]) -> None:
    assert shown(explained(server, statement)["Plan"]) == expected


@pytest.mark.parametrize("statement", ["SELECT * FROM explained", "INSERT INTO explained VALUES (1, 'a', 2)"])
def test_analyze_measures(server: ServerProcess, statement: str) -> None:
    document = explained(server, statement, ", ANALYZE")
    plan = document["Plan"]
    assert (plan["Actual Rows"], plan["Actual Loops"]) == (0, 1)
    assert 0 <= plan["Actual Startup Time"] <= plan["Actual Total Time"] == document["Execution Time"]


AS_XML = """\
<explain xmlns="http://www.postgresql.org/2009/explain">
  <Query>
    <Plan>
      <Node-Type>ModifyTable</Node-Type>
      <Operation>Update</Operation>
      <Relation-Name>explained</Relation-Name>
      <Plans>
        <Plan>
          <Node-Type>Index Scan</Node-Type>
          <Parent-Relationship>Outer</Parent-Relationship>
"""
AS_YAML = """\
- Plan: 
    Node Type: "ModifyTable"
    Operation: "Update"
    Relation Name: "explained"
    Plans: 
      - Node Type: "Index Scan"
        Parent Relationship: "Outer"
"""  # noqa: W291


@pytest.mark.parametrize(("language", "oid", "begins"), [("xml", 142, AS_XML), ("YAML", 25, AS_YAML)])
def test_the_tree_in_other_languages(server: ServerProcess, language: str, oid: int, begins: str) -> None:
    """One row, laid out as PostgreSQL's is, with the same facts as JSON has."""
    with server.connect() as c, c.transaction(force_rollback=True):
        c.execute(SCHEMA)
        cursor = c.execute(f"EXPLAIN (FORMAT {language}) UPDATE explained SET v = 3 WHERE id = 1")
        ((text,),) = cursor.fetchall()
        assert cursor.description is not None and cursor.description[0].type_code == oid
    missing = re.compile(r".*(?:Parallel.Aware|Async.Capable).*\n")
    assert missing.sub("", text).startswith(begins)
    if language == "xml":
        root = xml.etree.ElementTree.fromstring(text)
        assert [e.text for e in root.iter() if e.tag.endswith("}Engine")] == ["keyed"]


def test_times_are_left_out_where_nobody_wants_them(server: ServerProcess) -> None:
    statement = "SELECT * FROM explained"
    everything = explained(server, statement, ", ANALYZE")
    assert "Execution Time" in everything and "Actual Total Time" in everything["Plan"]
    bare = explained(server, statement, ", ANALYZE, TIMING OFF, SUMMARY OFF")
    assert "Execution Time" not in bare and not {k for k in bare["Plan"] if k.endswith("Time")}
    assert (bare["Plan"]["Actual Rows"], bare["Plan"]["Actual Loops"]) == (0, 1)
    with server.connect() as c:
        lines = [row[0] for row in c.execute("EXPLAIN (ANALYZE, TIMING FALSE, SUMMARY FALSE) SELECT 1")]
    assert not [line for line in lines if " ms" in line]
