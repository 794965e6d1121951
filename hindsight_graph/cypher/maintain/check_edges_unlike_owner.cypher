// purpose: Edges that differ from their owner in status, retirement, trust or visibility, the first ones.
// mode: read
// scope: system
// returns: tenant, id
// since: 5.26
MATCH (:Node)-[x]->(:Node)
MATCH (o:Node {tenant: x.tenant, id: x.owner_id}) WHERE o:Memory AND (
  x.status <> o.status OR x.is_current <> o.is_current OR x.trust <> o.trust OR x.visibility <> o.visibility
  OR coalesce(x.retired_at, -1) <> coalesce(o.retired_at, -1)
)
RETURN x.tenant AS tenant, x.id AS id
ORDER BY tenant, id LIMIT 1000
