"""The jobs as commands: options in, a summary or one line of explanation out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar
from urllib.parse import unquote, urlsplit

import typer

from storage.embedded import embedded_in

T = TypeVar("T")
DEFAULT_URL = "postgresql://tidewire@127.0.0.1:5488/tidewire"
Url = Annotated[str, typer.Option(envvar="TIDEWIRE_URL", help="The server.")]


def load(
    table: Annotated[str, typer.Argument(help="TABLE or SCHEMA.TABLE.")],
    paths: Annotated[list[str], typer.Argument(help="Files, folders and globs.")],
    url: Url = DEFAULT_URL,
    format: Annotated[str | None, typer.Option(help="csv, jsonl, parquet. Default: by name.")] = None,
    create: Annotated[bool, typer.Option(help="Create the table from the files if it is not there.")] = False,
    on_error: Annotated[str, typer.Option(help="abort: all or nothing; skip: leave bad rows out.")] = "abort",
    reject_file: Annotated[Path | None, typer.Option(help="Where skipped rows go, as JSON lines.")] = None,
    rejects_max: Annotated[int, typer.Option(help="More bad rows than this end the load.", min=0)] = 1_000,
    batch_rows: Annotated[
        int, typer.Option(help="Rows per COPY; with skip, per transaction.", min=1)
    ] = 50_000,
    delimiter: Annotated[str, typer.Option(help="Of CSV. Default: found out.")] = "",
    header: Annotated[bool, typer.Option(help="CSV files begin with column names.")] = True,
    resume: Annotated[
        str,
        typer.Option(
            help="A name for this load: killed, it goes on where it was when started under it again."
        ),
    ] = "",
) -> None:
    """Load CSV, JSON lines or Parquet files into a table."""
    from pipeline.jobs.load import LoadOptions
    from pipeline.jobs.load import load as run

    if format not in (None, "csv", "jsonl", "parquet"):
        _fail(f"unknown format {format}: csv, jsonl or parquet", 2)
    if on_error not in ("abort", "skip"):
        _fail("--on-error is abort or skip", 2)
    options = LoadOptions(
        format=format,
        create=create,
        skip_bad=on_error == "skip",
        reject_file=reject_file,
        delimiter=delimiter,
        header=header,
        batch_rows=batch_rows,
        rejects_max=rejects_max,
        resume=resume,
    )
    typer.echo(_or_fail(lambda: run(url, table, paths, options)))


def export(
    destination: Annotated[str, typer.Argument(help="FILE.parquet, FILE.csv, or a folder.")],
    table: Annotated[str, typer.Option(help="TABLE or SCHEMA.TABLE.")] = "",
    query: Annotated[str, typer.Option(help="A SELECT.")] = "",
    url: Url = DEFAULT_URL,
    as_of: Annotated[str, typer.Option(help="A time or a timestamp of the log. Default: the present.")] = "",
    format: Annotated[str | None, typer.Option(help="parquet or csv. Default: by name, or parquet.")] = None,
    partition_by: Annotated[list[str] | None, typer.Option(help="Columns; makes a folder.")] = None,
    rows_per_file: Annotated[int, typer.Option(help="Makes a folder of files.", min=0)] = 0,
    overwrite: Annotated[bool, typer.Option(help="Replace what is there.")] = False,
) -> None:
    """Export a table or a query, as of one timestamp, to Parquet or CSV."""
    from pipeline.jobs.export import ExportOptions
    from pipeline.jobs.export import export as run

    if bool(table) == bool(query):
        _fail("either --table or --query", 2)
    if format not in (None, "csv", "parquet"):
        _fail(f"unknown format {format}: csv or parquet", 2)
    options = ExportOptions(format, as_of, partition_by or [], rows_per_file, overwrite)
    typer.echo(_or_fail(lambda: run(url, destination, table=table, query=query, options=options)))


def verify(
    data_dir: Annotated[Path, typer.Option(help="The server's data directory.")] = Path("tidewire-data"),
    blob: Annotated[str | None, typer.Option(help="As for serve.")] = None,
    consensus: Annotated[str | None, typer.Option(help="As for serve.")] = None,
) -> None:
    """Read every part of every table and say what is wrong. Needs no server; one may run."""
    from pipeline.jobs.verify import verify_stores

    stores = _stores(data_dir.absolute(), blob, consensus)
    report = _or_fail(lambda: verify_stores(*stores))
    typer.echo(report)
    if report.problems:
        sys.exit(1)


def compact(
    tables: Annotated[list[str] | None, typer.Argument(help="Tables. Default: all.")] = None,
    data_dir: Annotated[Path, typer.Option(help="The server's data directory.")] = Path("tidewire-data"),
    blob: Annotated[str | None, typer.Option(help="As for serve.")] = None,
    consensus: Annotated[str | None, typer.Option(help="As for serve.")] = None,
    master: Annotated[str, typer.Option(help="A Spark master: groups of parts are its tasks.")] = "",
    group_size: Annotated[int, typer.Option(help="MiB of parts rewritten together.", min=1)] = 512,
    part_size: Annotated[int, typer.Option(help="MiB of rows in a part, in memory.", min=1)] = 512,
) -> None:
    """Rewrite tables too large for the server's own compaction: fewer, larger parts without dead rows. A server may run."""
    from pipeline.jobs.compact import compact_stores

    stores = _stores(data_dir.absolute(), blob, consensus)
    typer.echo(
        _or_fail(
            lambda: compact_stores(
                *stores,
                tables or [],
                master=master,
                group_bytes=group_size << 20,
                part_bytes=part_size << 20,
            )
        )
    )


def _stores(folder: Path, blob: str | None, consensus: str | None) -> tuple[str, str]:
    """Where the parts and the logs are; what is not said is in the data directory."""
    found = consensus or _or_fail(lambda: embedded_in(folder))
    if found is None:
        _fail(f"there is no consensus.log (or consensus.sqlite) in {folder}", 2)
    place = urlsplit(blob or "")
    if place.scheme == "file" and not Path(unquote(place.path)).is_dir():
        _fail(f"there is no folder {unquote(place.path)}: where are the parts?", 2)
    return blob or (folder / "blob").as_uri(), found


def ready(
    url: Url = DEFAULT_URL,
    timeout_s: Annotated[float, typer.Option(help="How long the server may take to answer.", min=1)] = 5.0,
) -> None:
    """Ask a server whether it answers queries: exit code 0 or 1. For health checks."""
    import psycopg

    def ask() -> str:
        timeout_ms = int(timeout_s * 1000)
        with psycopg.connect(
            url, connect_timeout=max(2, round(timeout_s)), options=f"-c statement_timeout={timeout_ms}"
        ) as connection:
            connection.execute("SELECT 1").fetchone()
        return "ready"

    typer.echo(_or_fail(ask))


def _or_fail(job: Callable[[], T]) -> T:
    """The job's summary, or its error in one line and exit code 1."""
    import psycopg

    from pipeline.jobs.compact import CompactError
    from pipeline.jobs.export import ExportError
    from pipeline.jobs.load import LoadError, reason_of
    from pipeline.jobs.sources import SourceError
    from pipeline.spark.java import NoJava
    from pipeline.spark.session import NoSpark
    from storage.abc import StorageError
    from txn.abc import TxnError

    try:
        return job()
    except psycopg.Error as e:
        _fail(reason_of(e).strip(), 1)
    except (
        CompactError,
        LoadError,
        ExportError,
        SourceError,
        StorageError,
        TxnError,
        NoJava,
        NoSpark,
        OSError,
    ) as e:
        _fail(str(e), 1)


def _fail(message: str, code: int) -> NoReturn:
    typer.echo(f"tidewire: {message}", err=True)
    sys.exit(code)
