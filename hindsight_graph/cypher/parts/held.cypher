// purpose: The time rule (View.holds) for row x, a memory or an edge; times are microseconds since 1970 in UTC. CASE keeps the server from multiplying it out.
// param $where.min_trust: float, rows below it do not exist
// param $where.statuses: list of strings, states that may be returned (with superseded when historical)
// param $where.timeless: boolean, times do not matter
// param $where.historical: boolean, another time than now is asked about
// param $where.known: integer, record time
// param $where.event: integer, event time
x.trust >= $where.min_trust AND x.status IN $where.statuses
  AND CASE
    WHEN $where.timeless OR (NOT $where.historical AND x.status <> 'active') THEN true
    ELSE ($where.historical OR x.is_current)
      AND (x.status <> 'active' OR x.expires_at IS NULL OR x.expires_at > $where.known)
      AND x.recorded_at <= $where.known AND (x.retired_at IS NULL OR x.retired_at > $where.known)
      AND (x.valid_from IS NULL OR x.valid_from <= $where.event)
      AND CASE
        WHEN x.closed_at > $where.known THEN x.prior_valid_to IS NULL OR x.prior_valid_to > $where.event
        ELSE x.valid_to IS NULL OR x.valid_to > $where.event
      END
  END
