"""`make` runs servers on the fastest Python that it finds: the same version comes compiled well and compiled badly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tidewire.interpreters import Interpreter, chosen

ROOT = Path(__file__).parents[2]


def interpreter(path: str, minor: int = 11, work_s: float = 0.010) -> Interpreter:
    return Interpreter(path, (3, minor), work_s)


@pytest.mark.parametrize(
    ("found", "path"),
    [
        ([interpreter("/own/python3")], "/own/python3"),
        ([interpreter("/own/python3"), interpreter("/usr/python3", work_s=0.007)], "/usr/python3"),
        ([interpreter("/own/python3"), interpreter("/usr/python3", work_s=0.0095)], "/own/python3"),
        ([interpreter("/old/python3", 9, 0.001), interpreter("/usr/python3.12", 12)], "/usr/python3.12"),
        ([interpreter("/new/python3", 99, 0.001), interpreter("/usr/python3.12", 12)], "/usr/python3.12"),
        ([interpreter("/old/python3", 9)], None),
        ([], None),
    ],
    ids=[
        "the only one",
        "a faster one",
        "hardly faster",
        "too old",
        "unknown yet",
        "none will do",
        "none at all",
    ],
)
def test_the_first_is_taken_unless_another_is_clearly_faster(
    found: list[Interpreter], path: str | None
) -> None:
    best = chosen(found)
    assert (best and best.path) == path


def test_what_cannot_make_environments_is_passed_over(tmp_path: Path) -> None:
    """On a path with a Python that fails, a program that is none, and this one."""
    for folder, text in {
        "broken": "#!/bin/sh\nexit 1\n",
        "other": "#!/bin/sh\necho hello\nexit 2\n",
        "good": f'#!/bin/sh\nexec {sys.executable} "$@"\n',
    }.items():
        program = tmp_path / folder / "python3"
        program.parent.mkdir()
        program.write_text(text)
        program.chmod(0o755)
    path = os.pathsep.join(str(tmp_path / folder) for folder in ("absent", "broken", "other", "good"))
    said = subprocess.run(
        [sys.executable, ROOT / "tidewire" / "interpreters.py"],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert os.path.samefile(said.stdout.strip(), sys.executable)


def test_a_machine_without_one_is_told_what_is_missing(tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, ROOT / "tidewire" / "interpreters.py"],
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 1
    assert "Python 3.11 or newer" in said.stderr
