"""Settings: what SET accepts, how SHOW prints it, and when it is taken back."""

from __future__ import annotations

import pytest

from executor.session.settings.guc_table import REPORTED
from executor.session.settings.session_settings import Settings
from planner.abc import SqlError
from planner.catalog.names import split_identifiers


def make(**options: str) -> Settings:
    return Settings("tidewire", options)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("statement_timeout", "5000", "5s"),
        ("statement_timeout", "90s", "90s"),
        ("statement_timeout", "2min", "2min"),
        ("statement_timeout", "1500", "1500ms"),
        ("statement_timeout", "0", "0"),
        ("work_mem", "4096", "4MB"),
        ("work_mem", "65536kB", "64MB"),
        ("work_mem", "1GB", "1GB"),
        ("effective_cache_size", "1GB", "1GB"),
        ("extra_float_digits", "3", "3"),
        ("extra_float_digits", "-15", "-15"),
        ("random_page_cost", "1.1", "1.1"),
        ("standard_conforming_strings", "TRUE", "on"),
        ("enable_seqscan", "of", "off"),
        ("enable_seqscan", "0", "off"),
        ("bytea_output", "ESCAPE", "escape"),
        ("client_encoding", "'utf-8'", "UTF8"),
        ("client_encoding", "unicode", "UTF8"),
        ("DateStyle", "dmy", "ISO, DMY"),
        ("DateStyle", "German", "German, DMY"),
        ("DateStyle", "Postgres, YMD", "Postgres, YMD"),
        ("TimeZone", "europe/berlin", "Europe/Berlin"),
        ("TimeZone", "+02", "<+02>-02"),
        ("default_transaction_isolation", "Read Committed", "read committed"),
        ("search_path", 'a, "B c"', 'a, "B c"'),
        ("my.setting", "x y", "x y"),
        ("log_min_error_statement", "PANIC", "panic"),
        ("logical_decoding_work_mem", "128 MB", "128MB"),
        ("geqo_selection_bias", "1.5", "1.5"),
    ],
)
def test_set_and_show(name: str, value: str, shown: str) -> None:
    assert make().set(name, value) == shown


@pytest.mark.parametrize(
    ("name", "value", "sqlstate"),
    [
        ("no_such", "1", "42704"),
        ("statement_timeout", "soon", "22023"),
        ("statement_timeout", "-1", "22023"),
        ("statement_timeout", "5 parsecs", "22023"),
        ("work_mem", "1", "22023"),
        ("enable_seqscan", "o", "22023"),
        ("enable_seqscan", "maybe", "22023"),
        ("bytea_output", "base64", "22023"),
        ("TimeZone", "Mars/Olympus", "22023"),
        ("DateStyle", "julian", "22023"),
        ("client_encoding", "EUC_TW", "0A000"),
        ("client_encoding", "klingon", "22023"),
        ("array_nulls", "0", "0A000"),
        ("transform_null_equals", "on", "0A000"),
        ("log_min_error_statement", "loud", "22023"),
        ("vacuum_cost_limit", "0", "22023"),
        ("server_version", "9.0", "55P02"),
        ("max_connections", "5", "55P02"),
        ("a.b-c", "x", "42602"),
    ],
)
def test_refused(name: str, value: str, sqlstate: str) -> None:
    with pytest.raises(SqlError) as e:
        make().set(name, value)
    assert e.value.sqlstate == sqlstate


def test_thirteen_parameters_are_reported_and_again_when_they_change() -> None:
    s = make(application_name="psql")
    assert len(REPORTED) == 13
    assert s.show("application_name") == "psql"
    s.set("TimeZone", "Asia/Tokyo")
    s.set("work_mem", "8MB")
    s.set("application_name", "psql")
    assert s.changes == [("TimeZone", "Asia/Tokyo")]


def test_rollback_takes_back_what_the_transaction_set_and_reports_it() -> None:
    s = make()
    s.set("application_name", "before")
    s.commit()
    s.changes.clear()
    s.set("application_name", "inside")
    s.rollback()
    assert s.show("application_name") == "before"
    assert s.changes == [], "what nobody has been told of is as before"
    s.set("application_name", "inside")
    s.changes.clear()  # the client has been told
    s.rollback()
    assert s.changes == [("application_name", "before")]


def test_local_values_end_with_the_transaction_and_session_values_stay() -> None:
    s = make()
    s.set("work_mem", "8MB")
    s.set("work_mem", "16MB", local=True)
    assert s.show("work_mem") == "16MB"
    s.commit()
    assert s.show("work_mem") == "8MB"


def test_savepoints_remember_both() -> None:
    s = make()
    s.set("work_mem", "8MB")
    mark = s.savepoint()
    s.set("work_mem", "16MB")
    s.set("application_name", "x", local=True)
    s.rollback_to(mark)
    assert (s.show("work_mem"), s.show("application_name")) == ("8MB", "")
    s.commit()
    assert s.show("work_mem") == "8MB"


def test_reset_goes_back_to_what_the_client_asked_for_at_start_up() -> None:
    s = make(statement_timeout="7s")
    s.set("statement_timeout", "1s")
    s.set("statement_timeout", None)
    assert s.show("statement_timeout") == "7s"
    s.set("statement_timeout", "1s")
    s.reset_all()
    assert s.show("statement_timeout") == "7s"


def test_what_engines_read_is_parsed_once() -> None:
    s = make()
    s.set("search_path", '"$user", App, "Odd ""name"""')
    assert s.search_path == ("tidewire", "app", 'Odd "name"')
    s.set("TimeZone", "Europe/Paris")
    assert s.types.time_zone == "Europe/Paris"
    s.set("lock_timeout", "1min")
    assert s.lock_timeout_ms == 60_000


def test_split_identifiers() -> None:
    assert split_identifiers('a,B , "C,d"') == ("a", "b", "C,d")
