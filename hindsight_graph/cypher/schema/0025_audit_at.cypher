// purpose: Audit entries by time.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX audit_at IF NOT EXISTS FOR (n:Audit) ON (n.tenant, n.at)
