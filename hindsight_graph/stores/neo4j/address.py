"""Store URLs: `neo4j://user@host:7687/database`, `bolt://…`, and their encrypted forms. The password never stands in one."""

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from hindsight_graph.errors import ConfigError

SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
"""What the driver speaks; the settings name the same ones."""
DEFAULT_USER = "neo4j"
DEFAULT_PORT = 7687
_FORM = "neo4j://user@host:7687/database"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a Neo4j database is.

    Attributes:
        uri: For the driver: scheme, host and port. database: None for the server's default one.
    """

    uri: str
    user: str = DEFAULT_USER
    database: str | None = None

    @property
    def shown(self) -> str:
        """The address as people read it."""
        return f"{self.uri}/{self.database}" if self.database else self.uri


def parse_address(url: str) -> Address:
    """Return what a store URL names.

    Raises:
        ConfigError: It has no host, carries a password, or has parts that mean nothing here.
    """
    parts = urlsplit(url)
    try:
        port = parts.port or DEFAULT_PORT
    except ValueError as error:
        raise ConfigError(f"the store URL's port is not a number from 1 to 65535 ({error})", hint=_FORM) from error
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise ConfigError("the store URL names no host", hint=_FORM)
    if parts.password is not None:
        raise ConfigError(
            f"the store URL of {parts.hostname} carries a password",
            hint="write it without, and give the password in HINDSIGHT_GRAPH_NEO4J_PASSWORD or a file",
        )
    database = unquote(parts.path.strip("/"))
    if "/" in database or parts.query or parts.fragment:
        raise ConfigError(f"the store URL of {parts.hostname} has more than a database after the host", hint=_FORM)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return Address(f"{parts.scheme}://{host}:{port}", unquote(parts.username or DEFAULT_USER), database or None)
