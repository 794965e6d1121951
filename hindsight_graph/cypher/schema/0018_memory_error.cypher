// purpose: Memories of an error code.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX memory_error IF NOT EXISTS FOR (n:Memory) ON (n.tenant, n.error_code)
