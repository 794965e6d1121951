// purpose: Open jobs.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX job_state IF NOT EXISTS FOR (n:Job) ON (n.state)
