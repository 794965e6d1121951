// purpose: Old marks of the ledger.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX operation_at IF NOT EXISTS FOR (n:Operation) ON (n.at)
