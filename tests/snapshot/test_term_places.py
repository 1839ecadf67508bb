"""Terms in order are found whether all of them are kept as objects or some."""

from __future__ import annotations

import pyarrow as pa
import pytest

from executor.snapshot import terms


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 64, 1_000])
def test_a_term_is_found_where_it_is(count: int, whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not whole:
        monkeypatch.setattr(terms, "WHOLE_MAX", -1)
    texts = [b"t%04d" % i for i in range(1, 2 * count, 2)]
    held = terms._Texts(pa.array([t.decode() for t in texts], pa.string()))
    for i in range(2 * count + 2):
        asked = b"t%04d" % i
        assert held.place(asked) == sum(t < asked for t in texts)
        assert held.find(asked) == (texts.index(asked) if asked in texts else -1)
    assert held.place(b"") == 0 and held.place(b"u") == count and held.find(b"u") == -1
