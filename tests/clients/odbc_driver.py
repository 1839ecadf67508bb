"""PostgreSQL's ODBC driver and unixODBC: where they are, or how to get them without root.

    /usr/lib/*/odbc/psqlodbcw.so    Debian: apt install odbc-postgresql
    .cache/odbc/                    `python -m tests.clients.odbc_driver` unpacks Debian's packages there

What is unpacked is found by LD_LIBRARY_PATH, so a program that uses it is a process of its own.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "odbc"
PACKAGES = ("odbc-postgresql", "libodbc2", "libodbcinst2", "libltdl7")
FETCH_TIMEOUT_S = 300


def find() -> Path | None:
    """The driver, if it is there."""
    return next(
        (p for root in (Path("/"), CACHE) for p in sorted(root.glob("usr/lib/*/odbc/psqlodbcw.so"))), None
    )


def libraries(driver: Path) -> dict[str, str]:
    """The environment in which the driver and its manager are found."""
    return {"LD_LIBRARY_PATH": str(driver.parent.parent)} if driver.is_relative_to(CACHE) else {}


def fetch() -> Path | None:
    """Downloads and unpacks Debian's packages into the cache; None where that does not work."""
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        return None
    CACHE.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["apt-get", "download", *PACKAGES],
        cwd=CACHE, check=False, stdout=subprocess.DEVNULL, timeout=FETCH_TIMEOUT_S,
    )  # fmt: skip
    for package in CACHE.glob("*.deb"):
        subprocess.run(["dpkg", "-x", package.name, "."], cwd=CACHE, check=True)
    return find()


if __name__ == "__main__":
    driver = find() or fetch()
    print(driver or "no ODBC driver: install odbc-postgresql")
    sys.exit(driver is None)
