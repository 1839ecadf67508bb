"""The data directory: one owner at a time, one format.

    DIR/format              {"format": 2, "created_by": "0.1.0"}
    DIR/lock                locked while a server runs; says who: pid and address
    DIR/consensus.log       the logs           (unless --consensus says elsewhere; consensus.sqlite if it was begun so)
    DIR/blob/               the parts          (unless --blob says elsewhere)

The lock is the operating system's (`fcntl`), so it goes with its process however that ends: after a
`kill -9` nothing has to be cleaned up, and two servers never share a directory.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from pathlib import Path
from typing import Final

import structlog

from storage.embedded import embedded_in

_log = structlog.get_logger("tidewire")

FORMAT: Final = 2
"""Grows when an older Tidewire could not read what a newer one wrote. 2: the logs may be in a log file."""
LEFT_BEHIND_S: Final = 5.0
"""A process that was killed while it started another leaves the lock to that one, until it runs a program of its own."""


class DataDirError(Exception):
    """The data directory cannot be used; the message is for the operator."""


class DataDir:
    """An exclusively held data directory. A context manager: leaving it releases the lock."""

    def __init__(self, path: Path) -> None:
        """Creates the directory if it is not there. Raises DataDirError."""
        from tidewire import __version__

        self.path = path.absolute()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock_fd = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise DataDirError(f"cannot use the data directory {self.path}: {error.strerror}") from error
        try:
            self._lock()
        except BlockingIOError:
            holder = self._holder()
            os.close(self._lock_fd)
            raise DataDirError(
                f"the data directory {self.path} is in use by another server ({holder});"
                " stop that one first, or give this one a directory of its own (--data-dir)"
            ) from None
        except OSError as error:
            os.close(self._lock_fd)
            raise DataDirError(f"cannot lock the data directory {self.path}: {error.strerror}") from error
        try:
            self._check_format(__version__)
        except BaseException:
            self.release()
            raise
        self.announce("starting")

    def _lock(self) -> None:
        """Raises BlockingIOError where somebody has it who lives, or whose children go on for long."""
        deadline_s = time.monotonic() + LEFT_BEHIND_S
        while True:
            try:
                fcntl.flock(self._lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if self._holder_lives() or time.monotonic() > deadline_s:
                    raise
            time.sleep(0.05)

    def _holder_lives(self) -> bool:
        try:
            os.kill(int(self._said()["pid"]), 0)
        except ProcessLookupError:
            return False
        except (ValueError, KeyError, TypeError, OSError):
            pass  # nobody knows, or it is another user's
        return True

    def _said(self) -> dict[str, str]:
        """What the holder has written of itself. Raises ValueError."""
        found: dict[str, str] = json.loads(os.pread(self._lock_fd, 4096, 0).decode("utf-8", "replace"))
        return found

    def _holder(self) -> str:
        try:
            holder = self._said()
            return f"pid {holder['pid']}, {holder['address']}"
        except (ValueError, KeyError, TypeError):
            return "it has not said which"

    def announce(self, address: str) -> None:
        """Writes into the lock who holds it, for the next one who is refused.

        A full disk may have no room for that. It is no reason to stay away: what is there can be read all the same.
        """
        data = json.dumps({"pid": os.getpid(), "address": address}).encode()
        try:
            os.ftruncate(self._lock_fd, 0)
            os.pwrite(self._lock_fd, data, 0)
        except OSError as error:
            _log.warning("the lock does not say who holds it", path=str(self.path), error=str(error))

    def _check_format(self, version: str) -> None:
        file = self.path / "format"
        try:
            text = file.read_text(encoding="utf-8")
        except FileNotFoundError:
            if embedded_in(self.path) is not None:
                raise DataDirError(f"{self.path} holds data but no format file: refusing to guess") from None
            try:
                self._write_format(file, version)
            except OSError as error:
                raise DataDirError(f"cannot write {file}: {error.strerror}") from error
            return
        except OSError as error:
            raise DataDirError(f"cannot read {file}: {error.strerror}") from error
        try:
            found = json.loads(text)
            number, creator = int(found["format"]), str(found.get("created_by", "unknown"))
        except (ValueError, KeyError, TypeError):
            raise DataDirError(f"{file} is damaged: {text[:80]!r}") from None
        if number > FORMAT:
            raise DataDirError(
                f"the data directory {self.path} has format {number}, written by Tidewire {creator};"
                f" this is Tidewire {version}, which reads formats up to {FORMAT}: use a newer one"
            )

    def _write_format(self, file: Path, version: str) -> None:
        fresh = file.with_suffix(".new")
        with open(fresh, "w", encoding="utf-8") as out:
            json.dump({"format": FORMAT, "created_by": version}, out)
            out.flush()
            os.fsync(out.fileno())
        os.replace(fresh, file)
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def release(self) -> None:
        if self._lock_fd >= 0:
            with contextlib.suppress(OSError):
                os.ftruncate(self._lock_fd, 0)
            os.close(self._lock_fd)
            self._lock_fd = -1

    def __enter__(self) -> DataDir:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
