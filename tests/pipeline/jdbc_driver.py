"""PostgreSQL's JDBC driver: where it is, or how to get it without root.

    TIDEWIRE_JDBC_JAR                         wherever you have it
    /usr/share/java/postgresql.jar            Debian: apt install libpostgresql-jdbc-java
    .cache/jdbc/                              `python -m tests.pipeline.jdbc_driver` unpacks Debian's package there

Everywhere else: Maven's org.postgresql:postgresql.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "jdbc"
PACKAGE = "libpostgresql-jdbc-java"


def find() -> Path | None:
    """The driver's jar, if it is there."""
    places = [
        Path(os.environ.get("TIDEWIRE_JDBC_JAR", "/nonexistent")),
        Path("/usr/share/java/postgresql.jar"),
        CACHE / "usr/share/java/postgresql.jar",
    ]
    return next((p for p in places if p.is_file()), None)


def fetch() -> Path | None:
    """Downloads and unpacks Debian's package into the cache; None where that does not work."""
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        return None
    CACHE.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "download", PACKAGE], cwd=CACHE, check=False, stdout=subprocess.DEVNULL)
    for package in CACHE.glob(f"{PACKAGE}_*.deb"):
        subprocess.run(["dpkg", "-x", package.name, "."], cwd=CACHE, check=True)
    return find()


if __name__ == "__main__":
    jar = find() or fetch()
    print(jar or "no JDBC driver: install libpostgresql-jdbc-java, or set TIDEWIRE_JDBC_JAR")
    sys.exit(jar is None)
