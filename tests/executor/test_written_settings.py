"""The file that ALTER SYSTEM writes: several write at once, values hold what ends lines elsewhere, and what cannot be read is not lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from executor.abc import ExecutionError
from executor.session.settings.written_settings import FILE, WrittenSettings

NAMES = ("work_mem", "statement_timeout", "lock_timeout", "search_path", "datestyle", "timezone", "log_line_prefix", "cluster_name")  # fmt: skip
SEVERAL = 5


def _of_a_process(folder: Path) -> WrittenSettings:
    made = WrittenSettings()
    made.path = folder / FILE
    return made


def _taken(folder: Path) -> dict[str, str]:
    return _of_a_process(folder).take({}, starting=True)


def test_processes_that_write_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    def write(name: str) -> None:
        _of_a_process(tmp_path).change(name, "1")
        _of_a_process(tmp_path).change(name, None)
        _of_a_process(tmp_path).change(name, "2")

    with ThreadPoolExecutor(len(NAMES)) as pool:
        for _ in range(SEVERAL):
            list(pool.map(write, NAMES))
            lines = (tmp_path / FILE).read_text().splitlines()
            assert sorted(line for line in lines if line[0] != "#") == sorted(f"{n} = '2'" for n in NAMES)


@pytest.mark.parametrize("end", ["\r", "\x0b", "\x1c", "\x85", "\u2028"])
def test_a_value_is_one_line_whatever_it_holds(tmp_path: Path, end: str) -> None:
    value = f"a{end}work_mem = '1GB'{end}\\n\\'"
    _of_a_process(tmp_path).change("log_line_prefix", value)
    assert _taken(tmp_path) == {"log_line_prefix": value}
    _of_a_process(tmp_path).change("statement_timeout", "1s")
    assert _taken(tmp_path) == {"log_line_prefix": value, "statement_timeout": "1000"}


def test_what_cannot_be_read_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"work_mem = '8MB'\n# \xff\n")
    with pytest.raises(ExecutionError, match="could not read file") as failed:
        _of_a_process(tmp_path).change("statement_timeout", "1s")
    assert failed.value.sqlstate == "58030"
    assert (tmp_path / FILE).read_bytes() == b"work_mem = '8MB'\n# \xff\n"
    assert _taken(tmp_path) == {}


def test_values_may_stand_without_quotes(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(
        "work_mem = 8MB # so much\r\nstatement_timeout 1500\nenable_sort=off\nlog_line_prefix'x'\n"
    )
    assert _taken(tmp_path) == {
        "work_mem": "8192", "statement_timeout": "1500", "enable_sort": "off", "log_line_prefix": "x",
    }  # fmt: skip
