"""Which Python a server is to run on: the fastest of those that are there.

    python3 --version     3.11 on either path; one is built with profiles and link-time optimisation, as distributions do it,
                          the other as `./configure && make` leaves it
    the same code         1.45 times as fast on the former; a hundred keys looked up 1.2 times, TPC-C 1.1 times

Nothing in a version tells how its interpreter was compiled, and what its makers say of it (`sysconfig`) differs from one to
the next. So a few milliseconds of dictionaries, tuples and calls are run on each. The one that is called `python3` is
taken unless another is faster by a tenth: who has set up a path has meant something by it.

This file is run before there is an environment, by whatever `python3` is there (`make`), so it imports nothing that
is not Python's own, and is read by Python 3.7 as well: annotations are all that it says in newer words.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

OLDEST = (3, 11)
NEWEST = (3, 14)
"""Of later ones nobody knows yet whether all that the lock file pins can be had for them."""

CLEARLY_FASTER = 0.9
PATIENCE_S = 20

_ASKED = """
import sys, sysconfig
assert sys.implementation.name == 'cpython' and not sysconfig.get_config_var('Py_GIL_DISABLED')
import ensurepip, ssl, sqlite3, time, venv
def work():
    seen = {}
    for i in range(20000):
        seen[i % 97] = (i, str(i))
    return seen
def timed():
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
print(sys.version_info[0], sys.version_info[1], min(timed() for _ in range(15)), sys.executable)
"""


class Interpreter(NamedTuple):
    """A Python that can make environments.

    Attributes:
        path: of its executable.
        version: (major, minor).
        work_s: what a fixed piece of work takes it, in seconds, at best.
    """

    path: str
    version: tuple[int, int]
    work_s: float


def chosen(found: Sequence[Interpreter]) -> Interpreter | None:
    """The first of those that are new enough, unless another is clearly faster. None if there is none. Pure."""
    able = [one for one in found if OLDEST <= one.version <= NEWEST]
    if not able:
        return None
    fastest = min(able, key=lambda one: one.work_s)
    return fastest if fastest.work_s < CLEARLY_FASTER * able[0].work_s else able[0]


def found_on(path: str) -> list[Interpreter]:
    """The Pythons in the folders of a search path, each once, in its order. What cannot be run or make environments is left out."""
    known: dict[str, Interpreter] = {}
    for program in _programs(path):
        answer = _asked(program)
        if answer is not None:
            known.setdefault(os.path.realpath(answer.path), answer)
    return list(known.values())


def _programs(path: str) -> Iterator[str]:
    names = ["python3"] + [f"python3.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]
    for name in names:
        for folder in path.split(os.pathsep):
            program = Path(folder, name)
            if folder and os.access(program, os.X_OK):
                yield str(program)


def _asked(program: str) -> Interpreter | None:
    try:
        said = subprocess.run(
            [program, "-I", "-c", _ASKED],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE_S,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None  # not a Python, or one without what an environment is made of
    major, minor, work_s, executable = said.decode().strip().split(" ", 3)
    return Interpreter(executable, (int(major), int(minor)), float(work_s))


def main() -> int:
    """Prints the path of the chosen one, for `make`."""
    best = chosen(found_on(os.environ.get("PATH", os.defpath)))
    if best is None:
        print(f"Tidewire needs Python {OLDEST[0]}.{OLDEST[1]} or newer, with venv", file=sys.stderr)
        return 1
    print(best.path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
