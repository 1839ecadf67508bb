"""The command line: `tidewire serve`, `demo`, `load`, `export`, `verify`, `compact`, `ready`, `verifier`, `version`.

Exit codes: 0 a clean end, 1 the server could not start or run, 2 wrong usage or configuration.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from pipeline.jobs import commands as jobs
from tidewire import __version__
from tidewire.allocation import reuse_memory
from tidewire.config import DEFAULT_PORT, ConfigError, load
from tidewire.digits import read_long_numbers
from tidewire.imports import quick_imports

app = typer.Typer(
    name="tidewire",
    help="A strict-serializable SQL database that every Postgres client can talk to.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(jobs.load)
app.command()(jobs.export)
app.command()(jobs.verify)
app.command()(jobs.compact)
app.command()(jobs.ready)


@app.command()
def serve(
    data_dir: Annotated[Path | None, typer.Option(help="Local data. Default ./tidewire-data.")] = None,
    listen: Annotated[
        str | None, typer.Option(help=f"HOST:PORT, port 0 picks one. Default 127.0.0.1:{DEFAULT_PORT}.")
    ] = None,
    blob: Annotated[str | None, typer.Option(help="Blob store: file:///..., memory://, s3://...")] = None,
    consensus: Annotated[
        str | None, typer.Option(help="Consensus: log:///..., sqlite:///..., postgresql://..., memory://")
    ] = None,
    processes: Annotated[
        int | None, typer.Option(help="Server processes on the one port, for more cores. Default 1.")
    ] = None,
    shared: Annotated[
        bool | None, typer.Option("--shared", help="Be one of several servers on this consensus and blob.")
    ] = None,
    password_file: Annotated[
        Path | None, typer.Option(help="Lines of user:SCRAM-verifier; needed to listen beyond loopback.")
    ] = None,
    trust_loopback: Annotated[
        bool | None, typer.Option(help="Let clients on this machine in without a password (default).")
    ] = None,
    hba_file: Annotated[
        Path | None, typer.Option(help="Access rules, in the form of PostgreSQL's pg_hba.conf.")
    ] = None,
    tls: Annotated[
        str | None, typer.Option(help="generate: TLS with a certificate made for this server.")
    ] = None,
    tls_client_ca: Annotated[
        Path | None, typer.Option(help="PEM certificates of who signs those of clients.")
    ] = None,
    tls_certificate: Annotated[Path | None, typer.Option(help="PEM certificate chain.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="PEM private key.")] = None,
    connections_max: Annotated[int | None, typer.Option(help="Clients at once.")] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning, error.")] = None,
    log_format: Annotated[str | None, typer.Option(help="console or json.")] = None,
    config: Annotated[
        Path | None, typer.Option(envvar="TIDEWIRE_CONFIG", help="A TOML file with the same names.")
    ] = None,
) -> None:
    """Run the server until SIGTERM."""
    flags = {
        "data_dir": data_dir,
        "listen": listen,
        "blob": blob,
        "consensus": consensus,
        "processes": processes,
        "shared": shared,
        "password_file": password_file,
        "trust_loopback": trust_loopback,
        "hba_file": hba_file,
        "tls": tls,
        "tls_client_ca": tls_client_ca,
        "tls_certificate": tls_certificate,
        "tls_key": tls_key,
        "connections_max": connections_max,
        "log_level": log_level,
        "log_format": log_format,
    }
    try:
        settings = load(flags, config)
    except ConfigError as error:
        _fail(str(error), 2)
    reuse_memory()
    read_long_numbers()
    with quick_imports():
        from tidewire.starting import StartError

        if settings.processes > 1:
            from tidewire.processes.supervisor import run
        else:
            from tidewire.assembly import run
    try:
        run(settings)
    except StartError as error:
        typer.echo(f"tidewire: {error}", err=True)
        leave(1)
    leave(0)


@app.command()
def demo() -> None:
    """A guided tour: a server in a temporary directory, a real data set, psql."""
    from tidewire.demo import tour

    sys.exit(tour())


@app.command()
def verifier(
    user: Annotated[str, typer.Argument(help="The user whose password it is.")],
    password: Annotated[str, typer.Option(prompt=True, hide_input=True, confirmation_prompt=True)],
) -> None:
    """Print a line for the password file: the verifier, not the password."""
    from planner.catalog.passwords import Verifier

    typer.echo(f"{user}:{Verifier.of(password)}")


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(f"tidewire {__version__}")


def leave(code: int) -> NoReturn:
    """Ends a server process in which everything is closed already.

    Without the interpreter's own teardown: it would walk every row version in memory, and DuckDB's
    extension, which keeps references to Python functions, would print that it leaks them.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _fail(message: str, code: int) -> None:
    typer.echo(f"tidewire: {message}", err=True)
    raise SystemExit(code)


def main() -> None:
    app()
