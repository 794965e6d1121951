"""docker-compose.yml and Dockerfile: valid where Docker is, and what they promise."""

import json
import os
import re
import runpy
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

IS_CI = os.environ.get("CI", "").lower() in {"true", "1"}
PASSWORD = {"HINDSIGHT_GRAPH_NEO4J_PASSWORD": "a-password"}
SCHEMAS = ("/usr/lib/python3/dist-packages/compose/config/compose_spec.json",)
"""Where Debian's package docker-compose keeps the schema of the compose specification."""


def missing(what: str) -> None:
    line = f"{what} is needed (Debian: apt-get install docker-compose)"
    (pytest.fail if IS_CI else pytest.skip)(line)


def config(project: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Let docker-compose read the file."""
    command = shutil.which("docker-compose")
    if command is None:
        missing("docker-compose")
    words = [str(command), "-f", str(project / "docker-compose.yml"), "config"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("HINDSIGHT_GRAPH_", "LLM_"))}
    return subprocess.run(words, capture_output=True, text=True, check=False, env=clean | environment)


@pytest.fixture
def compose(project: Path) -> dict[str, Any]:
    """The file, anchors resolved."""
    return yaml.safe_load((project / "docker-compose.yml").read_text(encoding="utf-8"))


@pytest.mark.requirement("O-02")
def test_docker_compose_takes_the_file_with_a_password_and_refuses_it_without(project: Path) -> None:
    taken = config(project, PASSWORD)
    assert taken.returncode == 0, taken.stderr
    read = yaml.safe_load(taken.stdout)
    assert sorted(read["services"]) == ["api", "mcp", "neo4j"]
    assert read["services"]["neo4j"]["environment"]["NEO4J_AUTH"] == "neo4j/a-password"
    refused = config(project, {})
    assert refused.returncode != 0
    assert "set it to a password of at least 8 characters" in refused.stderr


@pytest.mark.requirement("O-02")
def test_the_file_follows_the_compose_specification(compose: dict[str, Any]) -> None:
    path = next((Path(name) for name in SCHEMAS if Path(name).exists()), None)
    if path is None:
        missing("the schema of the compose specification")
        return
    errors = Draft7Validator(json.loads(path.read_text())).iter_errors(compose)  # pyright: ignore[reportUnknownMemberType]
    assert [error.message for error in errors] == []


@pytest.mark.requirement("O-02")
def test_the_services_keep_what_is_promised_of_them(compose: dict[str, Any], project: Path) -> None:
    services = compose["services"]
    versions = runpy.run_path(str(project / "scripts" / "neo4j_local.py"))
    assert services["neo4j"]["image"] == f"neo4j:{versions['LTS']}-community"
    assert services["neo4j"]["deploy"]["resources"] == {"limits": {"memory": "2G"}, "reservations": {"memory": "512M"}}
    assert "cypher-shell" in services["neo4j"]["healthcheck"]["test"][1]
    assert "RETURN 1" in services["neo4j"]["healthcheck"]["test"][1]
    settings = services["neo4j"]["environment"]
    assert (settings["NEO4J_client_allow__telemetry"], settings["NEO4J_dbms_usage__report_enabled"]) == ("false", "false")
    assert {volume.split(":")[1] for volume in services["neo4j"]["volumes"]} == {"/data", "/logs"}
    assert compose["networks"] == {"memory": {"driver": "bridge"}}
    for name, service in services.items():
        assert service["restart"] == "unless-stopped"
        assert service["networks"] == ["memory"]
        assert service["healthcheck"]["test"]
        assert all(port.startswith("127.0.0.1:") for port in service["ports"]), name
    for name, port in (("api", 8712), ("mcp", 8713)):
        service = services[name]
        assert service["command"][-4:] == ["--host", "0.0.0.0", "--port", str(port)]
        assert service["ports"] == [f"127.0.0.1:{port}:{port}"]
        assert service["depends_on"] == {"neo4j": {"condition": "service_healthy"}}
        assert service["extra_hosts"] == ["host.docker.internal:host-gateway"]
        assert service["read_only"] is True
        assert service["environment"]["HINDSIGHT_GRAPH_ACCESS_ALLOW_KEYLESS"] is None


@pytest.mark.requirement("O-02")
@pytest.mark.parametrize("name", ["api", "mcp"])
def test_the_command_of_a_service_runs_and_its_health_check_passes(compose: dict[str, Any], tmp_path: Path, name: str) -> None:
    service = compose["services"][name]
    port, free = service["command"][-1], str(free_port())
    words = [free if word == port else word for word in service["command"]]
    environment = {
        **os.environ, "HINDSIGHT_GRAPH_STORE_URL": f"sqlite:///{tmp_path / 'memory.db'}",
        "HINDSIGHT_GRAPH_ACCESS_ALLOW_KEYLESS": "true",
        "HINDSIGHT_GRAPH_ACCESS_ALLOWED_HOSTS": service["environment"]["HINDSIGHT_GRAPH_ACCESS_ALLOWED_HOSTS"],
    }  # fmt: skip
    start = [sys.executable, "-c", "import sys; from hindsight_graph.cli import main; sys.exit(main())", *words]
    with subprocess.Popen(start, env=environment, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stderr is not None
            said: list[str] = []
            for line in running.stderr:
                said.append(line)
                if "Memory service ready" in line:
                    break
            assert any(f"Server started on port {free}" in line for line in said), said
            check = [sys.executable, *(part.replace(port, free) for part in service["healthcheck"]["test"][2:])]
            assert subprocess.run(check, check=False).returncode == 0
        finally:
            running.terminate()
            running.communicate(timeout=60)


def free_port() -> int:
    """Return a port on which nothing listens now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.mark.requirement("O-02")
def test_the_image_runs_as_the_uid_that_compose_names_and_is_built_from_what_it_needs(
    compose: dict[str, Any], project: Path
) -> None:
    text = (project / "Dockerfile").read_text(encoding="utf-8")
    user = re.findall(r"^USER (\S+)$", text, re.MULTILINE)
    assert user == ["10001:10001"] == [compose["services"]["api"]["user"]]
    assert "HEALTHCHECK" in text
    assert all(line.split()[1].startswith("python:3.12-slim") for line in text.splitlines() if line.startswith("FROM "))
    copied = {
        word for line in text.splitlines() if line.startswith("COPY ") and "--from" not in line for word in line.split()[1:-1]
    }
    let_in = {line.removeprefix("!") for line in (project / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert copied == let_in
    assert all((project / name).exists() for name in copied)
