"""Where suites come from: the package indexes, through their own clients, into .cache/compatibility.

    venv/         an environment of its own for Python's suites: the project's dependencies stay as they are
    sdist/        source distributions, unpacked: wheels leave the tests out
    debian/       source packages, unpacked, and an apt of their own that knows where they are
    node/NAME/    npm packages, and test folders of those that publish theirs

Versions are those of `requirements.lock` where it has the package, so what is reported is what the clients' tests use.
Everything is kept between runs; delete the folder to fetch anew.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CACHE = ROOT / ".cache" / "compatibility"
FETCH_TIMEOUT_S = 900.0
BUILD = ("setuptools>=80", "wheel", "cython>=3.2,<4", "pytest>=8,<9")
"""What source distributions ask for before they say what they are, and the runner of most suites."""


class NotFetched(Exception):
    """A package index said no, or its client is not installed."""


class Sources:
    def __init__(self, cache: Path = CACHE) -> None:
        self._cache = cache
        cache.mkdir(parents=True, exist_ok=True)

    # --- Python --------------------------------------------------------------------------------------

    @cached_property
    def python(self) -> Path:
        """The interpreter of the suites' environment."""
        python = self._cache / "venv" / "bin" / "python"
        if not python.exists():
            _fetch([sys.executable, "-m", "venv", self._cache / "venv"])
            _fetch([python, "-m", "pip", "install", "--quiet", "--upgrade", *BUILD])
        return python

    def install(self, *packages: str) -> None:
        """Packages into the suites' environment, at the locked versions."""
        _fetch([self.python, "-m", "pip", "install", "--quiet", *map(pinned, packages)])

    def source_distribution(self, package: str, tools: Path | None = None) -> Path:
        """The unpacked source distribution, at the locked version. `tools`: a folder of programs that it asks for before it says
        what it is."""
        wanted = pinned(package)
        folder = self._cache / "sdist" / re.sub(r"\W+", "-", wanted)
        if not folder.exists():
            download = self._cache / "download" / folder.name
            shutil.rmtree(download, ignore_errors=True)
            pip: list[str | Path] = [
                self.python,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--dest",
                download,
            ]
            _fetch([*pip, "--no-binary", ":all:", "--no-build-isolation", wanted], tools=tools)
            _unpack(next(download.glob("*.tar.gz")), folder)
        return folder

    # --- Node ----------------------------------------------------------------------------------------

    def node_packages(self, name: str, packages: Sequence[str]) -> Path:
        """A folder with npm packages installed in its `node_modules`."""
        folder = self._cache / "node" / name
        if not (folder / "node_modules").exists():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "package.json").write_text('{"private": true}')
            _fetch(["npm", "install", "--silent", "--no-audit", "--no-fund", *packages], folder)
        return folder

    def node_package(self, package: str) -> Path:
        """An npm package as it is published, unpacked by itself: with its tests, where it has them."""
        folder = self._cache / "node" / re.sub(r"\W+", "-", package)
        if not folder.exists():
            download = self._cache / "download" / folder.name
            shutil.rmtree(download, ignore_errors=True)
            download.mkdir(parents=True)
            _fetch(["npm", "pack", "--silent", package], download)
            _unpack(next(download.glob("*.tgz")), folder)
        return folder

    # --- Debian --------------------------------------------------------------------------------------

    def debian_source(self, package: str) -> Path:
        """The unpacked sources of a Debian package that is installed, from where its packages come; needs no root."""
        folder = self._cache / "debian" / package
        if not folder.exists():
            apt = self._cache / "apt"
            shutil.rmtree(apt, ignore_errors=True)
            for part in ("lists/partial", "download", "parts"):
                (apt / part).mkdir(parents=True)
            (apt / "sources.list").write_text("".join(_source_lines()))
            command = [
                "apt-get",
                "-q",
                "-o",
                "APT::Sandbox::User=root",
                "-o",
                f"Dir::State::lists={apt}/lists",
            ]
            command += [
                "-o",
                f"Dir::Etc::sourcelist={apt}/sources.list",
                "-o",
                f"Dir::Etc::sourceparts={apt}/parts",
            ]
            _fetch([*command, "update"])
            installed = _fetch(["dpkg-query", "--show", "--showformat=${Version}", package])
            _fetch([*command, "source", "--download-only", f"{package}={installed}"], apt / "download")
            _unpack(next((apt / "download").glob("*.orig.tar.*")), folder)
        return folder


def _source_lines() -> Iterator[str]:
    """`deb-src` for each place that the machine has packages from, in either way of writing them."""
    etc = Path("/etc/apt")
    for file in [etc / "sources.list", *sorted(etc.glob("sources.list.d/*.list"))]:
        for line in file.read_text().splitlines() if file.exists() else []:
            if line.startswith("deb "):
                yield line.replace("deb ", "deb-src ", 1) + "\n"
    for file in sorted(etc.glob("sources.list.d/*.sources")):
        for stanza in file.read_text().split("\n\n"):
            keys = dict(re.findall(r"^(\S+): *(.*)$", stanza, re.MULTILINE))
            if "deb" in keys.get("Types", "").split():
                signed = f"[signed-by={keys['Signed-By']}] " if "Signed-By" in keys else ""
                for uri in keys["URIs"].split():
                    for suite in keys["Suites"].split():
                        yield f"deb-src {signed}{uri} {suite} {keys.get('Components', '')}\n"


def pinned(package: str) -> str:
    """`name[extra]` with the version that requirements.lock has; as it is, if there is none or it says one itself."""
    name = re.split(r"[\[=<>]", package, maxsplit=1)[0]
    if any(sign in package for sign in "=<>"):
        return package
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        locked, _, version = line.split(";")[0].strip().partition("==")
        if locked == name:
            return f"{package}=={version}"
    return package


def _unpack(archive: Path, folder: Path) -> None:
    """An archive with one folder on top, which becomes `folder`; there all at once, or not at all."""
    whole = folder.with_name(folder.name + ".part")
    shutil.rmtree(whole, ignore_errors=True)
    with tarfile.open(archive) as files:
        if hasattr(tarfile, "data_filter"):  # since Python 3.11.4
            files.extraction_filter = tarfile.data_filter
        files.extractall(whole)
    (top,) = whole.iterdir()
    folder.parent.mkdir(parents=True, exist_ok=True)
    top.rename(folder)
    shutil.rmtree(whole)


def _fetch(command: Sequence[str | Path], folder: Path | None = None, tools: Path | None = None) -> str:
    """What the command printed. Raises NotFetched."""
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=folder,
            env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"} if tools else None,
            capture_output=True,
            text=True,
            timeout=FETCH_TIMEOUT_S,
            check=False,
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise NotFetched(str(error)) from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise NotFetched(f"{command[0]}: {said[-1] if said else done.returncode}")
    return done.stdout
