"""Which options each door of `format("tidewire")` takes; what Spark adds by itself is none that anybody misspelt."""

from __future__ import annotations

import pytest

from pipeline.spark.options import DOORS, check_options, flag, table_of
from pipeline.spark.server import TidewireError, url_of


@pytest.mark.parametrize("door", DOORS)
def test_all_of_a_door_are_taken_in_any_case(door: str) -> None:
    for spelt in (str, str.lower, str.upper):
        check_options({spelt(name): "x" for name in DOORS[door]}, door)


@pytest.mark.parametrize(
    ("door", "name", "said"),
    [
        ("read", "colums", 'option "colums" is not known; did you mean "columns"?'),
        ("read", "timestampasof", 'option "timestampasof" is not known; did you mean "asOf"?'),
        ("read", "changes", 'option "changes" is for readStream, not for read'),
        ("read", "paths", 'option "paths" is not supported: there is one table to a job'),
        ("write", "primary_key", 'option "primary_key" is not known; did you mean "primaryKey"?'),
        ("write", "columns", 'option "columns" is for read, not for write'),
        ("writeStream", "commitid", 'option "commitId" is for write, not for writeStream'),
        ("readStream", "mode", 'option "mode" is for write and writeStream, not for readStream'),
        (
            "readStream",
            "zzz",
            'option "zzz" is not known; those of readStream are url, host, port, user, password, database, table,'
            " path, dbtable, changes, startingFrom",
        ),
    ],
)
def test_others_are_named_with_their_nearest(door: str, name: str, said: str) -> None:
    with pytest.raises(TidewireError) as refused:
        check_options({"url": "x", "table": "t", name: "x"}, door)
    assert str(refused.value) == said


def test_every_wrong_one_is_named() -> None:
    with pytest.raises(TidewireError, match=r'"tabel".*"table".*\n.*"lease".*"leaseSeconds"'):
        check_options({"tabel": "t", "lease": "9"}, "read")


def test_a_job_has_one_table() -> None:
    assert table_of({"path": "t"}) == table_of({"table": "t", "path": "t"}) == "t"
    with pytest.raises(TidewireError, match='"table" is t, "path" is u'):
        table_of({"path": "u", "table": "t"})
    with pytest.raises(TidewireError, match='option "table" is missing'):
        table_of({"table": ""})


def test_a_flag_is_true_or_false() -> None:
    assert flag({"changes": "TRUE"}, "changes") and not flag({}, "changes")
    with pytest.raises(TidewireError, match='option "changes" is true or false, not yes'):
        flag({"changes": "yes"}, "changes")


def test_the_parts_of_a_url_go_before_what_it_says() -> None:
    made = url_of({"url": "postgresql://ann@h:1/d", "password": "p w", "port": "2"})
    assert "user=ann" in made and "host=h" in made and "port=2" in made and "password='p w'" in made
    assert url_of({"url": "postgresql://ann@h:1/d"}) == "postgresql://ann@h:1/d"
    with pytest.raises(TidewireError, match="JDBC URL"):
        url_of({"url": "jdbc:postgresql://h/d"})
