"""Words of the full-text index: terms as they are, and keys that hold tags, tools, bands and tenants in one field.

The index separates at white space and nothing else. A key is a letter for its sort and a hash, so it is one word whatever is in
it.
"""

from collections.abc import Iterable
from hashlib import sha256

from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def tenant_key(tenant: str) -> str:
    """Return the word that every indexed row of a tenant carries."""
    return f"t{_hash(tenant)}"


def alias_key(normal: str) -> str:
    """Return the word an alias is found by, from its normal form."""
    return f"a{_hash(normal)}"


def memory_keys(tenant: str, memory: Memory) -> list[str]:
    """Return the keys of a memory: tenant, tags, tools, bands."""
    return [
        tenant_key(tenant),
        *(f"g{_hash(tag)}" for tag in memory.tags),
        *(f"l{_hash(tool)}" for tool in memory.tools),
        *(f"b{band}" for band in memory.bands),
    ]


def _any_of(words: Iterable[str]) -> str:
    quoted = ('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)
    return "(" + " ".join(quoted) + ")"


def terms_query(tenant: str, terms: Iterable[str]) -> str:
    """Return the index query for rows of a tenant that hold any of these terms (each as `indexed_form` makes it)."""
    return f"+keys:{_any_of([tenant_key(tenant)])} +terms:{_any_of(terms)}"


def keys_query(tenant: str, words: Iterable[Iterable[str]]) -> str:
    """Return the index query for rows of a tenant that carry a key of each group."""
    return " ".join(f"+keys:{_any_of(group)}" for group in ([tenant_key(tenant)], *words))


def filter_keys(tenant: str, filter_: Filter) -> str | None:
    """Return the index query for a filter's bands, tags and tool; None when it has none of them."""
    groups: list[list[str]] = [[f"g{_hash(tag)}"] for tag in filter_.tags]
    if filter_.tool is not None:
        groups.append([f"l{_hash(filter_.tool)}"])
    if filter_.bands:
        groups.append([f"b{band}" for band in filter_.bands])
    return keys_query(tenant, groups) if groups else None
