"""The store on a Neo4j database. Needs the extra `neo4j`."""

from hindsight_graph.stores.neo4j.store import Neo4jStore

__all__ = ["Neo4jStore"]
