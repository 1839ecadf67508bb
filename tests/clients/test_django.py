"""Django: makemigrations, migrate, the ORM, introspection, flush, and back to zero."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.process import ServerProcess

SITE = Path(__file__).parent / "programs" / "django_site.py"

EXPECTED = {
    "aggregate": ["199.99", 21, "9.5233"],
    "annotate": [["Ann", 21, "19.00"]],
    "filters": [1, 1, 1, 11, 11, 21, 1, 1],
    "months": 1,
    "update": 1,
    "prefetch": [21],
    "violation": 'duplicate key value violates unique constraint "title_of_author"',
    "get_or_create": [True, False],
    "subquery": ["t19", None],
    "exists": 1,
    "case": 15,
    "window": [["t19", 1], ["t18", 2]],
    "union": 2,
    "distinct on": 1,
    "for update": 1,
    "iterator": 21,
    "upsert": "new",
    "constraints": ["price_positive", "title_of_author"],
    "relations": {"author_id": ["id", "shelf_author"]},
    "inspectdb": 2,
    "deleted": 23,
}


@pytest.mark.skipif(importlib.util.find_spec("django") is None, reason="Django is not installed")
def test_a_site(server: ServerProcess, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(SITE), server.host, str(server.port), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert json.loads(done.stdout.splitlines()[-1]) == EXPECTED
