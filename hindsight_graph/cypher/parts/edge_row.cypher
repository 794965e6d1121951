// purpose: Edge x from node s to node t: its properties, its type, then id and canonical id of each end.
[properties(x), type(x), s.id, s.canonical_id, t.id, t.canonical_id] AS row
