// purpose: Memories of a media type.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX memory_media IF NOT EXISTS FOR (n:Memory) ON (n.tenant, n.media_type)
