import pytest

from hindsight_graph import settings
from hindsight_graph.errors import ConfigError
from hindsight_graph.stores.neo4j.address import SCHEMES, Address, parse_address


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("neo4j://localhost", Address("neo4j://localhost:7687")),
        ("bolt://ann@db.example:7688/graph", Address("bolt://db.example:7688", "ann", "graph")),
        ("neo4j+s://x.databases.neo4j.io", Address("neo4j+s://x.databases.neo4j.io:7687")),
        ("bolt://%C3%A4nn@[::1]:1/", Address("bolt://[::1]:1", "änn")),
    ],
)
def test_a_store_url_names_server_user_and_database(url: str, expected: Address) -> None:
    assert parse_address(url) == expected


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("bolt://", "no host"),
        ("http://localhost", "no host"),
        ("bolt://ann:secret@localhost", "carries a password"),
        ("bolt://localhost/a/b", "more than a database"),
        ("bolt://localhost?x=1", "more than a database"),
        ("bolt://localhost:99999", "not a number from 1 to 65535"),
    ],
)
def test_a_store_url_that_means_nothing_is_refused_without_saying_the_password(url: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as refused:
        parse_address(url)
    assert "secret" not in str(refused.value)


def test_the_settings_and_the_adapter_know_the_same_schemes() -> None:
    assert settings.NEO4J_SCHEMES == SCHEMES
