"""pandas: to_sql and read_sql through SQLAlchemy."""

from __future__ import annotations

import pytest

from tests.server.process import ServerProcess

pd = pytest.importorskip("pandas", reason="pandas is not installed")
sa = pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")


@pytest.mark.parametrize("method", [None, "multi"])
def test_a_frame_goes_there_and_back(server: ServerProcess, method: str | None) -> None:
    engine = sa.create_engine(f"postgresql+psycopg://tidewire@{server.host}:{server.port}/tidewire")
    frame = pd.DataFrame(
        {
            "a": [1, 2, 3],
            "b": ["x", None, "z"],
            "c": [1.5, None, 3.0],
            "d": pd.to_datetime(["2020-01-01", "2021-01-01", None]),
            "e": [True, False, True],
        }
    )
    frame.to_sql("frame", engine, if_exists="replace", index=False, method=method)
    pd.testing.assert_frame_equal(
        pd.read_sql("SELECT * FROM frame ORDER BY a", engine), frame, check_dtype=False, check_exact=True
    )
    assert list(pd.read_sql_table("frame", engine).columns) == list(frame.columns)
    engine.dispose()
