// purpose: The time rule (View.holds) for row x, a memory or an edge; times are microseconds since 1970 in UTC.
// param $min_trust: float, rows below it do not exist
// param $statuses: list of strings, states that may be returned (with superseded when historical)
// param $timeless: boolean, times do not matter
// param $historical: boolean, another time than now is asked about
// param $known: integer, record time
// param $event: integer, event time
x.trust >= $min_trust AND x.status IN $statuses
  AND (
    $timeless
    OR (NOT $historical AND x.status <> 'active')
    OR (
      (x.status <> 'active' OR x.expires_at IS NULL OR x.expires_at > $known)
      AND ($historical OR x.is_current)
      AND x.recorded_at <= $known AND (x.retired_at IS NULL OR x.retired_at > $known)
      AND (x.valid_from IS NULL OR x.valid_from <= $event)
      AND CASE
        WHEN x.closed_at > $known THEN x.prior_valid_to IS NULL OR x.prior_valid_to > $event
        ELSE x.valid_to IS NULL OR x.valid_to > $event
      END
    )
  )
