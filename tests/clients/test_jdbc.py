"""The PostgreSQL JDBC driver: DatabaseMetaData, binary after five executions, fetch sizes, batches, COPY.

Needs `java` (11 or later, to run a source file) and the driver's jar: `POSTGRESQL_JAR`, or where Debian's
`libpostgresql-jdbc-java` puts it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.server.process import ServerProcess

JAR = Path(os.environ.get("POSTGRESQL_JAR", "/usr/share/java/postgresql.jar"))
PROGRAM = Path(__file__).parent / "programs" / "Jdbc.java"

EXPECTED = {
    "catalogs": "tidewire",
    "schemas": "jdbc",
    "tables": "children TABLE, parents TABLE",
    "columns": "id serial 10 0 YES, name varchar 20 0 NO, n numeric 8 1 NO",
    "keys": "id 1 parents_pkey",
    "imported": "parents parent_id 0 children_parent_id_fkey",
    "exported": "children id",
    "indexes": "parents_name_key name f, parents_pkey id f",
    "best row": "id",
    "privileges": "DELETE, INSERT, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE",
    "types": "true",
    "functions": "lower lower_3848, lower lower_4235, lower lower_870",
    "keywords": "true",
    "generated": "8 s7",
    "binary": "0 1.25 2020-01-02 03:04:05.0 s0 1.5 true 2",
    "batch": "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]",
    "fetch size": "18",
    "savepoint": "alive",
    "arrays": "4",
    "updatable": "changed",
    "described": "things true 8,2 y int4 numeric",
    "call": "abc",
    "copy": "2 1\tz|2\ty|",
    "out parameters": "7 12",
    "rows of a cursor": "1, 2, 3",
    "large object": "300002 [0, 0, 116, 97, 105, 108] 10",
    "batch that fails": "[-3, -3, -3] 23505",
    "isolation": "true",
    "valid": "true",
}


@pytest.mark.skipif(shutil.which("javac") is None, reason="no Java compiler is installed")
@pytest.mark.skipif(not JAR.exists(), reason=f"{JAR} (the PostgreSQL JDBC driver) is not there")
def test_a_program_on_jdbc(server: ServerProcess) -> None:
    done = subprocess.run(
        ["java", "-cp", str(JAR), str(PROGRAM), server.host, str(server.port)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert dict(line.split("\t", 1) for line in done.stdout.splitlines()) == EXPECTED
