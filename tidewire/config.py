"""What the operator says: one typed object, from flags, environment and file, in this order.

    tidewire serve --listen ... > TIDEWIRE_LISTEN=... > tidewire.toml (--config) > the defaults below

Every limit has its unit in its name. A value that cannot be is refused before anything is opened,
in one line that names it.
"""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from storage.embedded import embedded_url

DEFAULT_PORT = 5488


class ConfigError(ValueError):
    """The configuration cannot be used; the message says which value and why."""


class Config(BaseSettings):
    """The configuration of one server process."""

    model_config = SettingsConfigDict(env_prefix="TIDEWIRE_", extra="forbid", frozen=True)

    data_dir: Path = Field(
        Path("tidewire-data"), description="Where this server keeps what it keeps locally."
    )
    listen: str = Field(f"127.0.0.1:{DEFAULT_PORT}", description="HOST:PORT; port 0 picks a free one.")
    blob: str | None = Field(
        None, description="Blob store URL; default: the folder blob in the data directory."
    )
    consensus: str | None = Field(
        None, description="Consensus URL; default: a log file in the data directory."
    )

    shared: bool = Field(
        False, description="Be one of several servers on the environment of `consensus` and `blob`."
    )

    processes: int = Field(
        1, ge=1, le=64, description="Server processes on the one port, each with all of the data."
    )

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["console", "json"] = "console"

    password_file: Path | None = Field(None, description="user:SCRAM-verifier lines; asks for passwords.")
    trust_loopback: bool = Field(True, description="Let clients on this machine in without a password.")
    hba_file: Path | None = Field(None, description="Access rules, in the form of pg_hba.conf.")
    tls: Literal["given", "generate"] = Field(
        "given", description="generate: make a self-signed certificate."
    )
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    tls_client_ca: Path | None = Field(None, description="PEM: who signs the certificates of clients.")

    connections_max: int = Field(200, ge=1, le=100_000)
    reserved_connections: int = Field(3, ge=0)
    message_size_limit_bytes: int = Field(256 * 1024 * 1024, ge=64 * 1024, le=(1 << 30) - 1)
    authentication_timeout_s: float = Field(60.0, gt=0)
    drain_timeout_s: float = Field(10.0, ge=0)

    stay_awake_us: int = Field(
        200,
        ge=0,
        le=100_000,
        description="Looks for the next message so long before it sleeps; 0: sleeps at once.",
    )

    spark_master: str = Field("local[*]", description="Where big SELECTs run (execution_engine).")
    spark_driver_memory: str = Field(
        "1g", pattern=r"^\d+[kmg]$", description="Of the process that drives them."
    )

    tsearch_data: Path = Field(
        Path("/usr/share/postgresql/15/tsearch_data"),
        description="Where the files of text search dictionaries are.",
    )

    duckdb_threads: int = Field(
        0, ge=0, description="Of a query that has much to read. 0: its share of the machine's cores."
    )
    duckdb_memory_limit_bytes: int = Field(2 << 30, ge=64 << 20)
    columnar_threads: int = Field(4, ge=1)
    transaction_bytes_max: int = Field(1 << 36, ge=1 << 20)
    slot_kept_bytes_max: int = Field(8 << 30, ge=1 << 20)

    @field_validator("listen")
    @classmethod
    def _listen_has_port(cls, value: str) -> str:
        split_address(value)
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> Config:
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise ValueError("tls_certificate and tls_key go together")
        if self.tls == "generate" and self.tls_certificate is not None:
            raise ValueError("tls=generate makes a certificate: give none")
        if self.tls_client_ca is not None and self.tls == "given" and self.tls_certificate is None:
            raise ValueError("tls_client_ca needs TLS: tls_certificate and tls_key, or tls=generate")
        if self.reserved_connections >= self.connections_max:
            raise ValueError("reserved_connections must be less than connections_max")
        if self.processes > 1 and self._is_in_memory(self.blob, self.consensus):
            raise ValueError("several processes share blob and consensus: memory:// is each process's own")
        if (self.shared or self.processes > 1) and (self.consensus or "").startswith("log:"):
            raise ValueError(
                "log:/// tells nobody when it grows, so several servers cannot share it:"
                " use sqlite:/// on one machine, or postgresql://"
            )
        if self.shared and not (self.consensus_is_elsewhere and self.blob_is_elsewhere):
            raise ValueError(
                "shared servers need a consensus and a blob that all of them can reach (--consensus, --blob)"
            )
        return self

    @property
    def address(self) -> tuple[str, int]:
        return split_address(self.listen)

    @property
    def blob_url(self) -> str:
        return self.blob or (self.data_dir.absolute() / "blob").as_uri()

    @property
    def consensus_url(self) -> str:
        return self.consensus or embedded_url(self.data_dir, several_processes=self.processes > 1)

    @property
    def consensus_is_elsewhere(self) -> bool:
        """The lock on the data directory does not keep other servers from it."""
        return self.consensus is not None and not self.consensus.startswith("memory:")

    @property
    def blob_is_elsewhere(self) -> bool:
        return self.blob is not None and not self.blob.startswith("memory:")

    @staticmethod
    def _is_in_memory(*urls: str | None) -> bool:
        return any(url is not None and url.startswith("memory:") for url in urls)

    @property
    def in_memory(self) -> bool:
        """Nothing survives this process."""
        return self.blob_url.startswith("memory:") and self.consensus_url.startswith("memory:")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        # Without a file in the class's configuration the last one is empty.
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load(flags: dict[str, Any], file: Path | None = None) -> Config:
    """Flags that are None were not given. Raises ConfigError."""
    given = {name: value for name, value in flags.items() if value is not None}
    if file is not None and not file.is_file():
        raise ConfigError(f"there is no configuration file {file}")

    class FromFile(Config):
        model_config = SettingsConfigDict(toml_file=file)

    try:
        return FromFile(**given)
    except ValidationError as error:
        raise ConfigError("; ".join(_explain(e) for e in error.errors())) from None
    except ValueError as error:
        raise ConfigError(f"{file}: {error}") from None


def _explain(error: Any) -> str:
    name = ".".join(str(part) for part in error["loc"])
    message = str(error["msg"]).removeprefix("Value error, ")
    if not name:
        return message
    return f"{name} (--{name.replace('_', '-')}, TIDEWIRE_{name.upper()}): {message}, not {error['input']!r}"


def split_address(text: str) -> tuple[str, int]:
    """`HOST:PORT`, `[::1]:PORT` or `:PORT` (all addresses)."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65_535:
        raise ValueError("expected HOST:PORT")
    if host.startswith("["):
        host = host.strip("[]")
        ipaddress.ip_address(host)
    return host, int(port)
