"""Django's own tests of what its database backends do, by module; they make their databases themselves.

Their migrations ask for extensions (pgcrypto), which are not what is tested here: the settings leave them out, for both
servers. The tests of `django.contrib.postgres` do test extensions; of those only bloom is left out, whose tests then fail on both.
"""

from __future__ import annotations

import re
from pathlib import Path

from docs.compatibility.suites.servers import Server
from docs.compatibility.suites.sources import Sources, pinned
from docs.compatibility.suites.suite import Broken, Counts, run_tests

MODULES = (
    "aggregation", "annotations", "backends", "basic", "bulk_create", "composite_pk", "constraints", "custom_pk",
    "datatypes", "dates", "datetimes", "db_functions", "db_utils", "defer", "delete", "distinct_on_fields",
    "expressions", "expressions_case", "expressions_window", "fixtures", "foreign_object", "from_db_value",
    "get_or_create", "indexes", "inspectdb", "introspection", "lookup", "many_to_many", "many_to_one", "migrations",
    "model_fields", "model_inheritance", "null_fk", "one_to_one", "or_lookups", "ordering", "prefetch_related",
    "queries", "raw_query", "schema", "select_for_update", "select_related", "timezones", "transactions", "update",
    "xor_lookups",
)  # fmt: skip
NO_EXTENSIONS = """
from django.contrib.postgres import operations

operations.CreateExtension.database_forwards = lambda *arguments: None
"""
NO_BLOOM = """
from django.contrib.postgres import operations

forwards = operations.CreateExtension.database_forwards

def without_bloom(self, *arguments):
    if self.name != "bloom":
        forwards(self, *arguments)

operations.CreateExtension.database_forwards = without_bloom
INSTALLED_APPS = ["django.contrib.postgres"]
"""
SETTINGS = """
def database(name):
    return {{"ENGINE": "django.db.backends.postgresql", "NAME": name, "HOST": {host!r}, "PORT": {port}, "USER": {user!r}}}

DATABASES = {{"default": database("django"), "other": database("django_other")}}
SECRET_KEY = "no secret"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = False
"""


class Django:
    def __init__(self, *, of_postgres: bool = False) -> None:
        """`of_postgres`: those of `django.contrib.postgres` instead: arrays, ranges, search, indexes, constraints, extensions."""
        self.name = "django-postgres" if of_postgres else "django"
        self.title = (
            "Django's tests of django.contrib.postgres"
            if of_postgres
            else f"Django's tests, {len(MODULES)} modules about databases"
        )
        self._modules = ("postgres_tests",) if of_postgres else MODULES
        self._settings = (NO_BLOOM if of_postgres else NO_EXTENSIONS) + SETTINGS

    def prepare(self, sources: Sources) -> str:
        sources.install("django", "psycopg", "psycopg-binary", "psycopg-pool", "jinja2")
        sources.source_distribution("django")
        return pinned("django").replace("==", " ").capitalize()

    def run(self, sources: Sources, server: Server, scratch: Path) -> Counts:
        scratch.mkdir(parents=True, exist_ok=True)
        settings = self._settings.format(host=server.host, port=server.port, user=server.user)
        (scratch / "suite_settings.py").write_text(settings)
        folder = sources.source_distribution("django")
        output = run_tests(
            [
                sources.python,
                "runtests.py",
                "--settings=suite_settings",
                "--parallel=1",
                "--noinput",
                *self._modules,
            ],
            folder / "tests",
            scratch,
            {"PYTHONPATH": f"{folder}:{scratch}"},
        )
        return counts(output)


def counts(output: str) -> Counts:
    """From unittest's last lines: `Ran 812 tests in 9s`, `FAILED (failures=1, errors=2, skipped=30)`."""
    ran = re.search(r"^Ran (\d+) tests? in", output, re.MULTILINE)
    if ran is None:
        raise Broken(output[-2000:])
    last = output[ran.end() :]
    skipped = sum(int(n) for n in re.findall(r"(?:skipped|expected failures)=(\d+)", last))
    named = re.findall(r"^(?:FAIL|ERROR): (\w+) \(([\w.]+)", output, re.MULTILINE)
    failures = tuple(
        sorted({path if path.endswith(f".{name}") else f"{path}.{name}" for name, path in named})
    )
    return Counts(int(ran[1]) - skipped - len(failures), skipped, failures)
