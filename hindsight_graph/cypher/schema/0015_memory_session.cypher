// purpose: Memories of a session, and by place.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX memory_session IF NOT EXISTS FOR (n:Memory) ON (n.tenant, n.session_id, n.sequence)
