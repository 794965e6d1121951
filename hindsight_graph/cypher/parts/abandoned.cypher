// purpose: Whether job j lost its worker for the last time.
// param $now: integer
j.state = 'running' AND j.lease_until <= $now
  AND (coalesce(j.cancel_requested, false) OR j.attempts >= coalesce(j.max_attempts, 5))
