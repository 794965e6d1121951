// purpose: Jobs of a tenant by their age.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX job_created IF NOT EXISTS FOR (n:Job) ON (n.tenant, n.created_at)
