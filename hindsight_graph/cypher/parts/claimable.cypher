// purpose: Whether job j may be leased now: it is due, or its worker went away.
// param $now: integer
// param $eager: boolean, take a job that was never tried before it is due
((j.state = 'queued' AND (j.not_before IS NULL OR j.not_before <= $now OR ($eager AND j.attempts = 0)))
  OR (j.state = 'running' AND j.lease_until <= $now))
