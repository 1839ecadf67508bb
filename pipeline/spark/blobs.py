"""The blob store, as tasks reach it: through obstore, or by the path under which Spark's own readers find it.

Executors reach it by themselves, with the credentials of their own environment: the server hands out names, not
bytes. A local folder therefore has to be the same one on every machine of the cluster.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

import obstore
from obstore import store as obstores

from pipeline.spark.server import TidewireError
from storage.causes import told

_SCHEMES = {"s3": "s3a", "gs": "gs", "az": "abfs"}


@lru_cache(maxsize=8)
def _store(url: str) -> Any:
    parts = urlsplit(url)
    if parts.scheme == "memory":
        raise TidewireError("the server keeps its blobs in memory: nobody else can read or write them")
    try:
        if parts.scheme == "file":
            return obstores.LocalStore(unquote(parts.path), mkdir=False)
        return obstores.from_url(url)
    except Exception as e:  # noqa: BLE001 - obstore has many kinds; which one matters to nobody but its text
        raise TidewireError(f"blob store {url} cannot be reached: {told(e)}") from None


def get(url: str, key: str) -> bytes:
    """A blob's bytes. Raises TidewireError."""
    try:
        return bytes(obstore.get(_store(url), key).bytes())
    except TidewireError:
        raise
    except FileNotFoundError:
        raise TidewireError(
            f"blob {key} of {url} is not there: either the hold on the snapshot has expired, or this machine"
            " does not see the server's blob store"
        ) from None
    except Exception as e:  # noqa: BLE001 - as above
        raise TidewireError(f"blob store {url}: {told(e)}") from None


def put(url: str, key: str, data: Any) -> None:
    """Writes a blob, whole or not at all. Raises TidewireError."""
    try:
        obstore.put(_store(url), key, data)
    except TidewireError:
        raise
    except Exception as e:  # noqa: BLE001 - as above
        raise TidewireError(f"blob store {url} cannot be written: {told(e)}") from None


def spark_path(url: str, key: str) -> str:
    """Where Spark's JVM readers and writers find a blob."""
    parts = urlsplit(url)
    if parts.scheme == "memory":
        raise TidewireError("the server keeps its blobs in memory: nobody else can read or write them")
    scheme = _SCHEMES.get(parts.scheme, parts.scheme)
    return f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}/{key}"


def refuse_out_of_reach(spark: Any, url: str) -> None:
    """Raises TidewireError where Spark's own readers and writers do not find the store, as seen from the driver."""
    from py4j.protocol import Py4JJavaError

    path = spark_path(url, "")
    jvm = spark._jvm
    folder = jvm.org.apache.hadoop.fs.Path(path)
    try:
        there = folder.getFileSystem(spark._jsc.hadoopConfiguration())
        seen = not path.startswith("file:") or there.exists(folder)
    except Py4JJavaError as e:
        said = str(e.java_exception.getMessage() or e.java_exception).splitlines()[0]
        hint = ""
        if path.startswith("s3a:"):
            version = jvm.org.apache.hadoop.util.VersionInfo.getVersion()
            hint = (
                f"\nHINT: Spark reads S3 with --packages org.apache.hadoop:hadoop-aws:{version}."
                ' format("tidewire") needs nothing of the kind.'
            )
        raise TidewireError(f"Spark cannot reach the server's blob store {url}: {said}{hint}") from None
    if not seen:
        raise TidewireError(
            f"the server's blob store {url} is a folder that this machine does not have: Spark works with the files"
            " themselves, so it has to be the same folder everywhere, or an object store"
        )


PARQUET_READER = {"parquet.filter.dictionary.enabled": "false"}
"""Options of every scan. Spark skips row groups by their dictionaries, and its reader of LZ4_RAW dictionaries there
takes 8 KB at a time of what can only be decompressed whole ("last 5 bytes must be literals"): it goes without."""
