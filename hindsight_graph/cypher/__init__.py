"""Every Cypher statement of this project, one per file, and the loader that reads their contracts.

Imported by `hindsight_graph.stores.neo4j` only. A file's header is its contract:

    // purpose: one sentence
    // mode: read | write
    // scope: tenant | system          (a tenant statement names the tenant in every MATCH and MERGE)
    // param $name: type, meaning      (one line each; those of included parts count too; `$where.name` for a field of a map)
    // returns: the columns
    // since: 5.26                     (the first server version that takes it; `until: 5.26` the last)

A line `//+ name` takes in `parts/name.cypher`: a rule that several statements share is written once. Nothing else is ever put
into a statement: values travel as parameters, labels and types come from the closed vocabularies.

The store sends all parameters of a statement in one map (`bundled`): the server keeps a plan for each combination of parameter
types, a text or list of another size is another type to it, and planning a search costs more than a hundred searches.
"""

from hindsight_graph.cypher.loader import BUNDLE, Query, areas, bundled, load, names

__all__ = ["BUNDLE", "Query", "areas", "bundled", "load", "names"]
