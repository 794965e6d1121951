"""A real Neo4j Community server on this machine, without Docker: jars from Maven Central, free ports on 127.0.0.1.

    python scripts/neo4j_local.py start [VERSION] [--password TEXT] [--bolt PORT] [--http PORT] [--home FOLDER] [--setting LINE]
                                        [--brief]
    python scripts/neo4j_local.py status|stop|kill|wipe [VERSION] [--home FOLDER]
    python scripts/neo4j_local.py fetch [VERSION]

`start` prints the Bolt and the HTTP address and returns once Bolt answers; the server goes on until `stop`. `kill` gives it no
chance to tidy up, as a power cut would. Jars are kept in the user's cache folder; a server's data in `--home`, by default beside
its jars. `--brief` is for a server that lives for minutes, as in tests: it starts and warms up with half the work, and is slower
once warm. 5.26 needs Java 17 or 21 and serves Neo4j Browser at /browser/; 2026.x needs Java 21 or 25. JAVA17 and JAVA25 may name
the `java` command of a version.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from platformdirs import user_cache_path

LTS = "5.26.30"
LATEST = "2026.09.0"
VERSIONS = (LTS, LATEST)
BROWSER = "5.24.0"  # the newest Browser that is published as a jar
START_SECONDS = 120
STOP_SECONDS = 60
HEAP_MB = 512
PAGE_CACHE_MB = 128

_JAVA_PLACES = (
    "/usr/lib/jvm/{name}",
    "/usr/lib/jvm/*{major}*",
    "/opt/java/*{major}*",
    "/opt/homebrew/opt/openjdk@{major}",
    "/usr/local/opt/openjdk@{major}",
    "/Library/Java/JavaVirtualMachines/*{major}*/Contents/Home",
)
_OPENS = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")


class MissingToolError(Exception):
    """Java or Maven is not there; the message says how to install it."""


@dataclass(frozen=True)
class Running:
    """A started server.

    Attributes:
        bolt, http: Its addresses. home: its folder of data, settings and logs.
    """

    version: str
    pid: int
    bolt: str
    http: str
    home: str

    @property
    def port(self) -> int:
        """The Bolt port."""
        return int(self.bolt.rsplit(":", 1)[1])


def cache_folder() -> Path:
    """Return where jars are kept."""
    return user_cache_path("hindsight-graph") / "neo4j"


def _major(java: str) -> int:
    """Return the major version of a java command, 0 when it does not run."""
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    words = said.stderr.split('"')
    number = words[1].split(".")[0].split("-")[0] if len(words) > 1 else ""
    return int(number) if number.isdigit() else 0


def find_java(version: str) -> str:
    """Return a java command that runs this Neo4j; raises MissingToolError with the install line."""
    majors = (17, 21) if version.startswith("5.") else (25, 21)
    for major in majors:
        named = os.environ.get(f"JAVA{major}")
        if named:
            return named
        for place in _JAVA_PLACES:
            pattern = place.format(major=major, name=f"java-{major}-openjdk-amd64").lstrip("/")
            for folder in sorted(Path("/").glob(pattern)):
                java = folder / "bin" / "java"
                if java.is_file() and _major(str(java)) == major:
                    return str(java)
    for java in filter(None, (os.environ.get("JAVA_HOME"), shutil.which("java"))):
        command = f"{java}/bin/java" if Path(java).is_dir() else java
        if _major(command) in majors:
            return command
    wanted = " or ".join(map(str, sorted(majors)))
    line = (
        "Debian, Ubuntu: apt-get install openjdk-17-jre-headless; macOS: brew install openjdk@17"
        if version.startswith("5.")
        else "Ubuntu, Debian from 13: apt-get install openjdk-21-jre-headless; macOS: brew install openjdk@25"
    )
    raise MissingToolError(
        f"Neo4j {version} needs Java {wanted}, and none was found ({line}; or set JAVA{majors[0]} to its java command)"
    )


def fetch(version: str) -> Path:
    """Return the folder of this version's jars, getting them with Maven the first time."""
    lib = cache_folder() / version / "lib"
    if (lib / ".complete").exists():
        return lib
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingToolError(
            "Maven is needed once to get Neo4j's jars (Debian, Ubuntu: apt-get install maven; macOS: brew install maven)"
        )
    lib.mkdir(parents=True, exist_ok=True)
    wanted = [("org.neo4j", "neo4j", version), ("org.neo4j.app", "neo4j-server", version)]
    if version.startswith("5."):
        wanted.append(("org.neo4j.client", "neo4j-browser", BROWSER))
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{number}</version></dependency>"
        for group, name, number in wanted
    )
    pom = lib.parent / "pom.xml"
    pom.write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>local</groupId>'
        f"<artifactId>neo4j-local</artifactId><version>1</version><packaging>pom</packaging><dependencies>{dependencies}</dependencies></project>\n"
    )
    print(f"getting Neo4j {version} from Maven Central into {lib} (about 200 MB, once)", file=sys.stderr)
    goal = ["dependency:copy-dependencies", f"-DoutputDirectory={lib}", "-DincludeScope=runtime"]
    subprocess.run([maven, "-q", "-B", "-f", str(pom), *goal], check=True, stdout=sys.stderr)
    (lib / ".complete").touch()
    return lib


def free_ports(count: int) -> list[int]:
    """Return ports of 127.0.0.1 on which nothing listens now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]
    finally:
        for one in sockets:
            one.close()


def _settings(bolt: int, http: int, *, with_password: bool) -> str:
    return f"""server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{bolt}
server.bolt.advertised_address=127.0.0.1:{bolt}
server.http.listen_address=127.0.0.1:{http}
server.https.enabled=false
dbms.security.auth_enabled={str(with_password).lower()}
dbms.usage_report.enabled=false
client.allow_telemetry=false
server.memory.heap.initial_size={HEAP_MB}m
server.memory.heap.max_size={HEAP_MB}m
server.memory.pagecache.size={PAGE_CACHE_MB}m
"""


def _flags(version: str, *, brief: bool) -> list[str]:
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENS]
    pace = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"] if brief else ["-XX:+UseG1GC"]
    flags = [f"-Xms{HEAP_MB}m", f"-Xmx{HEAP_MB}m", *pace, "-XX:+ExitOnOutOfMemoryError", *opens]
    flags += ["--enable-native-access=ALL-UNNAMED", "-Dio.netty.tryReflectionSetAccessible=true", "-Dlog4j2.disable.jmx=true"]
    flags += ["-Dfile.encoding=UTF-8"]
    return flags if version.startswith("5.") else [*flags, "--add-modules=jdk.incubator.vector"]


def _answers(port: int) -> bool:
    """Whether a Bolt server answers the handshake."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(bytes.fromhex("6060b017") + bytes.fromhex("00000405") + bytes(12))
        return len(connection.recv(4)) == 4
    return False


def _is_alive(pid: int) -> bool:
    with suppress(ChildProcessError):  # a child of ours that ended stays until it is waited for
        os.waitpid(pid, os.WNOHANG)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def running(home: Path) -> Running | None:
    """Return the server that runs in this folder, if one does."""
    try:
        found = Running(**json.loads((home / "run" / "server.json").read_text()))
    except FileNotFoundError:
        return None
    return found if _is_alive(found.pid) else None


def start(
    version: str,
    home: Path,
    *,
    password: str | None = None,
    bolt: int = 0,
    http: int = 0,
    settings: Sequence[str] = (),
    brief: bool = False,
) -> Running:
    """Start a server in a folder and wait until it answers; a server that runs there already is returned as it is.

    Args:
        password: Of the user neo4j, at least 8 characters; None switches authentication off.
        bolt, http: Ports; 0 takes a free one.
        settings: More lines for neo4j.conf.
        brief: Start and warm up fast instead of becoming fast.

    Raises:
        MissingToolError: Java or Maven is missing. RuntimeError: it did not start; the message has the end of its log.
    """
    known = running(home)
    if known is not None:
        return known
    java, lib = find_java(version), fetch(version)
    for name in ("conf", "data", "logs", "plugins", "import", "run", "licenses"):
        (home / name).mkdir(parents=True, exist_ok=True)
    free = free_ports(2)
    bolt, http = bolt or free[0], http or free[1]
    (home / "conf" / "neo4j.conf").write_text(
        _settings(bolt, http, with_password=password is not None) + "".join(f"{line}\n" for line in settings)
    )
    classes = ["-cp", f"{lib}/*"]
    if password is not None and not (home / "data" / "dbms" / "auth.ini").exists():
        environment = {**os.environ, "NEO4J_HOME": str(home), "NEO4J_CONF": str(home / "conf")}
        command = [java, *classes, f"-Dapp.home={home}", "org.neo4j.cli.AdminTool", "dbms", "set-initial-password", password]
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    entry = "org.neo4j.server.CommunityEntryPoint" if version.startswith("5.") else "org.neo4j.server.Neo4jCommunity"
    log = home / "logs" / "console.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [java, *_flags(version, brief=brief), *classes, entry, f"--home-dir={home}", f"--config-dir={home / 'conf'}"],
            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    process.returncode = 0  # it outlives this process, which must not warn that it did not wait for it
    server = Running(version, process.pid, f"bolt://127.0.0.1:{bolt}", f"http://127.0.0.1:{http}", str(home))
    (home / "run" / "server.json").write_text(json.dumps(asdict(server)))
    end = time.monotonic() + START_SECONDS
    while not _answers(bolt):
        if not _is_alive(process.pid) or time.monotonic() > end:
            stop(home)
            tail = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
            raise RuntimeError(f"Neo4j {version} did not start in {home}:\n{tail}")
        time.sleep(0.1)
    return server


def stop(home: Path, *, kill: bool = False) -> None:
    """Stop the server of a folder by its process id and wait for its end; `kill` gives it no chance to tidy up."""
    server = running(home)
    if server is None:
        return
    os.kill(server.pid, signal.SIGKILL if kill else signal.SIGTERM)
    end = time.monotonic() + STOP_SECONDS
    while _is_alive(server.pid):
        if time.monotonic() > end:
            raise RuntimeError(f"process {server.pid} (Neo4j {server.version}) still runs after {STOP_SECONDS} s")
        time.sleep(0.05)
    (home / "run" / "server.json").unlink(missing_ok=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("command", choices=["start", "status", "stop", "kill", "wipe", "fetch"])
    parser.add_argument("version", nargs="?", default=LTS)
    parser.add_argument("--password")
    parser.add_argument("--bolt", type=int, default=0)
    parser.add_argument("--http", type=int, default=0)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--setting", action="append", default=[], help="a line for neo4j.conf, such as name=value")
    parser.add_argument("--brief", action="store_true", help="for a server that lives for minutes: quick to start, never fast")
    given = parser.parse_args(arguments)
    home: Path = (given.home or cache_folder() / given.version / "home").absolute()
    try:
        if given.command == "fetch":
            print(fetch(given.version))
        elif given.command == "start":
            server = start(
                given.version, home, password=given.password, bolt=given.bolt, http=given.http, settings=given.setting,
                brief=given.brief,
            )  # fmt: skip
            print(f"{server.bolt}  {server.http}  pid {server.pid}")
        elif given.command == "status":
            server = running(home)
            print(f"{server.bolt}  {server.http}  pid {server.pid}" if server else f"no server runs in {home}")
            return 0 if server else 3
        else:
            stop(home, kill=given.command == "kill")
            if given.command == "wipe":
                shutil.rmtree(home, ignore_errors=True)
    except (MissingToolError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
