"""What a caller learns of the service it calls."""

from hindsight_graph.models.access import KeyScope, Principal

from .conftest import As


async def test_where_the_store_lies_and_how_large_it_is_is_for_admins(calling_as: As) -> None:
    async with calling_as(Principal(tenant="t", scopes=frozenset({KeyScope.READ}))) as reader:
        seen = (await reader.get("/v1/status")).json()
    async with calling_as(Principal(tenant="t", scopes=frozenset({KeyScope.ADMIN}))) as admin:
        whole = (await admin.get("/v1/status")).json()
    assert (seen["store"]["location"], seen["stats"]["size_bytes"]) == ("", 0)
    assert whole["store"]["location"].endswith("memory.db")
    assert whole["stats"]["size_bytes"] > 0
