// purpose: Episodes of a session.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX episode_session IF NOT EXISTS FOR (n:Episode) ON (n.tenant, n.session_id)
