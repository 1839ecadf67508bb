"""docker/: the files say what they mean, and the commands in them do what the walk promises.

No Docker engine is needed: the files are read and judged, and the compose file's very commands run as processes,
with the machine's PostgreSQL for `consensus` and a small S3 for `blob`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import psycopg
import pytest

from tests.pipeline import jdbc_driver
from tests.pipeline.compose import FOLDER, ROOT, Stage, interpolated, stages, variables_of
from tests.pipeline.object_store import running_object_store
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import READY

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

PASSWORD = "compose1test"
DOCKERFILE = {s.name: s for s in stages((FOLDER / "Dockerfile").read_text())}
TEXT = (FOLDER / "compose.yaml").read_text()
COMPOSE: dict[str, Any] = interpolated(yaml.safe_load(TEXT), {"TIDEWIRE_PASSWORD": PASSWORD})
SERVICES: dict[str, Any] = COMPOSE["services"]


# --- the Dockerfile -------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", DOCKERFILE.values(), ids=str)
def test_every_base_is_pinned_or_a_stage(stage: Stage) -> None:
    assert stage.base in DOCKERFILE or re.fullmatch(r"[\w./-]+:\d+\.\d+[\w.-]*", stage.base), stage.base


@pytest.mark.parametrize("name", ["server", "spark"])
def test_images_run_as_an_ordinary_user(name: str) -> None:
    assert DOCKERFILE[name].last("USER") == "tidewire"


@pytest.mark.parametrize("stage", DOCKERFILE.values(), ids=str)
def test_instructions_are_what_a_linter_wants(stage: Stage) -> None:
    for word, rest in stage.instructions:
        if word == "RUN":
            assert "sudo" not in rest
            if "apt-get install" in rest:
                assert "--no-install-recommends" in rest and "rm -rf /var/lib/apt/lists/*" in rest
                assert "apt-get update" in rest, "an old list would be cached"
            if "pip install" in rest and "--no-deps" not in rest:
                assert "-c requirements.lock" in rest, "packages are those of the lock"
        if word in ("CMD", "ENTRYPOINT"):
            assert isinstance(json.loads(rest), list), "the exec form: signals reach the process"
        if word == "WORKDIR":
            assert rest.startswith("/")
        if word == "ADD":
            assert rest.startswith("https://repo1.maven.org/"), "COPY is for files"


def test_the_server_is_healthy_as_it_says_itself() -> None:
    check = DOCKERFILE["server"].last("HEALTHCHECK")
    assert check is not None and 'CMD ["tidewire", "ready"]' in check


def test_all_that_is_copied_is_there_and_not_ignored() -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for stage in DOCKERFILE.values():
        for word, rest in stage.instructions:
            if word == "COPY" and not rest.startswith("--from="):
                for source in rest.split(" ")[:-1]:
                    assert (ROOT / source).exists() and source in allowed, source
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    rooms = {p.rstrip("*") for p in project["tool"]["setuptools"]["packages"]["find"]["include"]}
    copied = {r.split(" ")[0] for w, r in DOCKERFILE["build"].instructions if w == "COPY"}
    assert rooms <= copied, "a room is missing from the image"


# --- the compose file -----------------------------------------------------------------------------------


def test_the_whole_is_there() -> None:
    assert {
        "consensus",
        "blob",
        "server-1",
        "server-2",
        "spark-master",
        "spark-worker",
        "load",
        "job",
    } <= set(SERVICES)
    assert variables_of(TEXT) <= {
        line.partition("=")[0] for line in (FOLDER / ".env.example").read_text().splitlines() if "=" in line
    }


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_complete(name: str) -> None:
    service = SERVICES[name]
    if "build" in service:
        assert service["build"]["target"] in DOCKERFILE
        assert (FOLDER / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    else:
        tag = service["image"].rpartition(":")[2]
        assert tag != "latest" and any(c.isdigit() for c in tag), "pinned"
    for other, how in service.get("depends_on", {}).items():
        assert other in SERVICES
        once = "restart" not in SERVICES[other]
        assert how["condition"] == ("service_completed_successfully" if once else "service_healthy")
        if not once:
            assert "test" in SERVICES[other]["healthcheck"]
    for volume in service.get("volumes", ()):
        assert volume.partition(":")[0] in COMPOSE["volumes"]
    for port in service.get("ports", ()):
        assert port.startswith("127.0.0.1:"), "nothing is open to the world"
    assert isinstance(service.get("command", []), list)


def test_every_volume_is_used() -> None:
    used = {v.partition(":")[0] for s in SERVICES.values() for v in s.get("volumes", ())}
    assert used == set(COMPOSE["volumes"])


def test_docker_reads_it_too() -> None:
    docker = shutil.which("docker")
    if (
        docker is None
        or subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode
    ):
        pytest.skip("docker compose is not installed")
    done = subprocess.run(
        [docker, "compose", "-f", str(FOLDER / "compose.yaml"), "config", "--quiet"],
        capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "TIDEWIRE_PASSWORD": PASSWORD},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


# --- the commands, as processes -------------------------------------------------------------------------


class Machine:
    """Runs the services' commands here: names of containers become addresses, paths in images paths of ours."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.replaced: dict[str, str] = {}
        self.running: list[tuple[str, subprocess.Popen[str]]] = []
        binaries = folder / "bin"
        binaries.mkdir()
        wrapper = binaries / "tidewire"
        wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tidewire "$@"\n')
        wrapper.chmod(0o755)
        self.path = f"{binaries}:{Path(sys.executable).parent}:{os.environ['PATH']}"

    def text(self, value: str) -> str:
        for old, new in self.replaced.items():
            value = value.replace(old, new)
        return value

    def command(self, service: str) -> list[str]:
        said = SERVICES[service]
        return [self.text(str(a)) for a in [*said.get("entrypoint", self.entrypoint(said)), *said["command"]]]

    @staticmethod
    def entrypoint(said: dict[str, Any]) -> list[str]:
        found: list[str] = json.loads(DOCKERFILE[said["build"]["target"]].last("ENTRYPOINT") or "[]")
        return found

    def environment(self, service: str) -> dict[str, str]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("TIDEWIRE_", "PG", "AWS_"))}
        given = {k: self.text(str(v)) for k, v in SERVICES[service].get("environment", {}).items()}
        return {**clean, **given, "PATH": self.path}

    def log(self, service: str) -> Path:
        return self.folder / f"{service}.log"

    def run(self, service: str, timeout_s: float = 300) -> str:
        done = subprocess.run(
            self.command(service), env=self.environment(service), cwd=self.folder,
            capture_output=True, text=True, timeout=timeout_s, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{service}: {done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        return done.stdout

    def start(self, service: str) -> subprocess.Popen[str]:
        with self.log(service).open("w") as log:
            process = subprocess.Popen(
                self.command(service), env=self.environment(service), cwd=self.folder, text=True,
                stdout=subprocess.PIPE if service.startswith("server") else log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self.running.append((service, process))
        return process

    def server(self, service: str) -> int:
        """Its port, once it is ready."""
        process = self.start(service)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith(READY), self.log(service).read_text()[-4000:]
        threading.Thread(target=process.stdout.read, daemon=True).start()
        return int(line.rstrip().rpartition(":")[2])

    def healthy(self, service: str, timeout_s: float = 120) -> None:
        kind, *check = SERVICES[service]["healthcheck"]["test"]
        assert kind == "CMD"
        deadline = time.monotonic() + timeout_s
        while True:
            done = subprocess.run(
                [self.text(c) for c in check], env=self.environment(service), capture_output=True, text=True,
                timeout=60, check=False,
            )  # fmt: skip
            if done.returncode == 0:
                return
            assert time.monotonic() < deadline, f"{done.stderr}\n{self.log(service).read_text()[-4000:]}"
            time.sleep(0.1)

    def end(self) -> None:
        for _, process in reversed(self.running):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)
            if process.stdout is not None:
                process.stdout.close()


def shares() -> bool:
    """Whether several servers can be on one environment."""
    help_ = subprocess.run(
        [sys.executable, "-m", "tidewire", "serve", "--help"], capture_output=True, text=True, check=True,
        env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip
    return "--shared" in help_.stdout


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Machine, int, int]]:
    """Consensus, blob, bucket, passwords and servers as the compose file has them; the ports of both servers."""
    folder = tmp_path_factory.mktemp("compose")
    airports = pytest.importorskip("vega_datasets").local_data.airports.filepath
    made = Machine(folder)
    try:
        with running_postgres({"fsync": "off"}) as dsn, running_object_store() as (endpoint, objects):
            access = f"postgresql://tidewire:{PASSWORD}@consensus:5432/tidewire"
            (folder / "passwords").mkdir()
            made.replaced = {
                access: dsn,
                "http://blob:9000": endpoint,
                "/run/tidewire": str(folder / "passwords"),
                "0.0.0.0:5488": "0.0.0.0:0",
                "/opt/tidewire/share/airports.csv": airports,
            }
            bucket = SERVICES["bucket"]["command"]
            assert bucket[0] == "mb" and SERVICES["bucket"]["environment"]["MC_HOST_store"].endswith(
                "@blob:9000"
            )
            urlopen(
                Request(f"{endpoint}/{bucket[-1].removeprefix('store/')}", method="PUT"), timeout=30
            ).close()
            made.run("passwords")
            ports = []
            for name in ("server-1", "server-2") if shares() else ("server-1",):
                made.replaced["/var/lib/tidewire"] = str(folder / name)
                if not shares():
                    SERVICES[name]["command"] = [a for a in SERVICES[name]["command"] if a != "--shared"]
                port = made.server(name)
                ports.append(port)
                made.replaced[f"@{name}:5488"] = f"@127.0.0.1:{port}"
                made.replaced[f"//{name}:5488"] = f"//127.0.0.1:{port}"
            if len(ports) == 1:
                made.replaced["//server-2:5488"] = f"//127.0.0.1:{ports[0]}"
            yield made, ports[0], ports[-1]
            assert objects.buckets["tidewire"], "the parts are in the object store"
    except NoPostgres as missing:
        pytest.skip(str(missing))
    finally:
        made.end()


def ask(port: int, query: str) -> Any:
    with psycopg.connect(f"postgresql://tidewire:{PASSWORD}@127.0.0.1:{port}/tidewire", autocommit=True) as c:
        return c.execute(query).fetchall()  # type: ignore[arg-type]


def test_servers_are_healthy_and_the_table_is_loaded_once(machine: tuple[Machine, int, int]) -> None:
    made, first, second = machine
    verifiers = (made.folder / "passwords" / "passwords").read_text()
    assert verifiers.startswith("tidewire:SCRAM-SHA-256$") and PASSWORD not in verifiers
    made.replaced["127.0.0.1:5488"] = f"127.0.0.1:{first}"
    made.healthy("server-1")
    assert "3,376 rows from 1 file" in made.run("load")
    assert "3,376 were there already" in made.run("load")
    assert ask(second, "SELECT count(*), count(DISTINCT iata) FROM airports") == [(3376, 3376)]


@pytest.mark.skipif(
    importlib.util.find_spec("pyspark") is None, reason="PySpark is not installed: make test-spark"
)
def test_the_job_runs_on_master_and_worker(machine: tuple[Machine, int, int]) -> None:
    made, first, _ = machine
    jar = jdbc_driver.find()
    if jar is None or shutil.which("java") is None:
        pytest.skip("no Java, or no JDBC driver: python -m tests.pipeline.jdbc_driver")
    made.run("load")
    master, web = free_port(), free_port()
    made.replaced |= {
        "spark://spark-master:7077": f"spark://127.0.0.1:{master}",
        "/opt/tidewire/jars/postgresql.jar": str(jar),
        "/opt/tidewire/job": str(FOLDER / "job"),
        "/var/lib/tidewire/work": str(made.folder / "work"),
        "127.0.0.1:8080": f"127.0.0.1:{web}",
    }
    numbered(made, "spark-master", {"spark-master": "127.0.0.1", "7077": str(master), "8080": str(web)})
    numbered(made, "spark-worker", {"8080": "0"})
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    made.start("spark-master")
    made.healthy("spark-master")
    made.start("spark-worker")
    said = made.run("job")
    assert "airports_by_state: 3376 airports in 57 states" in said, said
    assert ask(first, "SELECT count(*), sum(airports) FROM airports_by_state") == [(57, 3376)]


def numbered(made: Machine, service: str, words: dict[str, str]) -> None:
    """Whole words of a command that are other ones here."""
    command: Sequence[str] = SERVICES[service]["command"]
    SERVICES[service]["command"] = [words.get(w, w) for w in command]
