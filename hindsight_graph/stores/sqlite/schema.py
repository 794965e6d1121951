"""The tables, and the numbered steps that lead to them. One place for both.

Every table that holds a tenant's data has the tenant in its key or hangs from a row that has. Times are integer microseconds
since 1970 in UTC. JSON is used for lists and objects only; each other field is one column, and nothing is stored twice except
what an index needs: tags, tools, bands and mentions by name, and `memories.mirrored`, the packed values that search compares, so
that 100,000 of them load in a fraction of a second. `Store.check` compares these copies with what they are copies of.

A memory's `slot` is its place among its tenant's memories, from 0 without gaps: the row of the tenant's mirror, and the place of
its vector (block slot // VECTORS_PER_BLOCK). Its `seq` is the change number of its tenant at its last change, 0 as long as it is
as it was inserted: mirrors find new memories by slot, changed ones by this number.
"""

from collections.abc import Callable
from sqlite3 import Connection

from hindsight_graph.errors import SchemaError

APPLICATION_ID = 0x48474D31
"""Marks the file as ours in SQLite's header ("HGM1")."""
VECTORS_PER_BLOCK = 32
"""Vectors in one blob of memory_vectors: 48 kB at 384 dimensions. Blocks load three times as fast as a row for each vector."""
HASH_DIGITS = 32
"""Hex digits of a content hash that its indexes hold: 128 bits, in which two SHA-256 hashes do not agree."""

_FIRST = """
CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('change', 0);

CREATE TABLE tenants (tenant TEXT NOT NULL PRIMARY KEY, next_slot INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE terms (id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, term TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX terms_term ON terms (tenant, term);

CREATE TABLE episodes (
  num INTEGER PRIMARY KEY, tenant TEXT NOT NULL, id TEXT NOT NULL, agent_id TEXT, session_id TEXT, sequence INTEGER NOT NULL,
  role TEXT NOT NULL, name TEXT, content TEXT NOT NULL, occurred_at INTEGER NOT NULL, recorded_at INTEGER NOT NULL, raw_ref TEXT,
  origin TEXT NOT NULL, trust REAL NOT NULL, media_type TEXT, tool_calls TEXT, tool_call_id TEXT, recalled INTEGER NOT NULL,
  content_hash TEXT NOT NULL, payload TEXT
) STRICT;
CREATE UNIQUE INDEX episodes_id ON episodes (tenant, id);
CREATE UNIQUE INDEX episodes_content ON episodes (tenant, coalesce(agent_id, ''), content_hash);
CREATE INDEX episodes_hash ON episodes (tenant, content_hash);
CREATE INDEX episodes_event ON episodes (tenant, occurred_at, sequence, id);
CREATE INDEX episodes_session ON episodes (tenant, session_id, occurred_at) WHERE session_id IS NOT NULL;
CREATE INDEX episodes_raw_ref ON episodes (tenant, raw_ref) WHERE raw_ref IS NOT NULL;

CREATE TABLE memories (
  num INTEGER PRIMARY KEY, tenant TEXT NOT NULL, slot INTEGER NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL, agent_id TEXT,
  mirrored BLOB NOT NULL, term_ids BLOB, root_id TEXT NOT NULL, version INTEGER NOT NULL, kind TEXT NOT NULL,
  summary TEXT NOT NULL, context TEXT NOT NULL, language TEXT NOT NULL, negated INTEGER NOT NULL, mentions TEXT, relations TEXT,
  slot_subject TEXT, slot_attribute TEXT, slot_value TEXT, slot_normal TEXT, raw_refs TEXT, episode_ids TEXT, tags TEXT,
  visibility TEXT NOT NULL, session_id TEXT, sequence INTEGER NOT NULL, origin TEXT NOT NULL, trust REAL NOT NULL,
  confidence REAL NOT NULL,
  importance REAL NOT NULL, priority INTEGER NOT NULL, weight REAL NOT NULL, status TEXT NOT NULL, media_type TEXT,
  task_type TEXT,
  outcome TEXT, tools TEXT, error_code TEXT, ttl INTEGER, expires_at INTEGER, valid_from INTEGER NOT NULL, valid_to INTEGER,
  closed_at INTEGER, prior_valid_to INTEGER, recorded_at INTEGER NOT NULL, confirmed_at INTEGER, retired_at INTEGER,
  is_current INTEGER NOT NULL, content_hash TEXT NOT NULL, bands TEXT, payload TEXT
) STRICT;
CREATE UNIQUE INDEX memories_id ON memories (tenant, id);
CREATE UNIQUE INDEX memories_content ON memories (tenant, coalesce(agent_id, ''), content_hash)
  WHERE is_current = 1 AND status <> 'rejected';
CREATE INDEX memories_hash ON memories (tenant, content_hash);
CREATE UNIQUE INDEX memories_place ON memories (tenant, slot);
CREATE INDEX memories_seq ON memories (tenant, seq);
CREATE INDEX memories_recorded ON memories (tenant, recorded_at, id);
CREATE INDEX memories_event ON memories (tenant, valid_from, id);
CREATE INDEX memories_root ON memories (tenant, root_id) WHERE root_id <> id;
CREATE INDEX memories_session ON memories (tenant, session_id, sequence, slot) WHERE session_id IS NOT NULL;
CREATE INDEX memories_slot ON memories (tenant, slot_normal, slot_attribute) WHERE slot_normal IS NOT NULL;
CREATE INDEX memories_task ON memories (tenant, task_type, slot) WHERE task_type IS NOT NULL;
CREATE INDEX memories_error ON memories (tenant, error_code, slot) WHERE error_code IS NOT NULL;
CREATE INDEX memories_media ON memories (tenant, media_type, slot) WHERE media_type IS NOT NULL;

CREATE TABLE memory_vectors (num INTEGER PRIMARY KEY, tenant TEXT NOT NULL, block INTEGER NOT NULL, vectors BLOB NOT NULL) STRICT;
CREATE UNIQUE INDEX memory_vectors_block ON memory_vectors (tenant, block);
CREATE TABLE memory_tags (
  tenant TEXT NOT NULL, tag TEXT NOT NULL, slot INTEGER NOT NULL, PRIMARY KEY (tenant, tag, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE memory_tools (
  tenant TEXT NOT NULL, tool TEXT NOT NULL, slot INTEGER NOT NULL, PRIMARY KEY (tenant, tool, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE memory_bands (
  tenant TEXT NOT NULL, band INTEGER NOT NULL, slot INTEGER NOT NULL, PRIMARY KEY (tenant, band, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE memory_entities (
  tenant TEXT NOT NULL, entity_id TEXT NOT NULL, slot INTEGER NOT NULL, PRIMARY KEY (tenant, entity_id, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE entities (
  num INTEGER PRIMARY KEY, tenant TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, normal TEXT NOT NULL, type TEXT NOT NULL,
  aliases TEXT, canonical_id TEXT NOT NULL, recorded_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX entities_id ON entities (tenant, id);
CREATE UNIQUE INDEX entities_normal ON entities (tenant, normal);
CREATE INDEX entities_merged ON entities (tenant, canonical_id) WHERE canonical_id <> id;
CREATE TABLE entity_names (
  tenant TEXT NOT NULL, normal TEXT NOT NULL, entity INTEGER NOT NULL REFERENCES entities (num) ON DELETE CASCADE,
  PRIMARY KEY (tenant, normal, entity)
) STRICT, WITHOUT ROWID;

CREATE TABLE edges (
  num INTEGER PRIMARY KEY, tenant TEXT NOT NULL, id TEXT NOT NULL, source_id TEXT NOT NULL, target_id TEXT NOT NULL,
  source_canonical TEXT NOT NULL, target_canonical TEXT NOT NULL, type TEXT NOT NULL, is_domain INTEGER NOT NULL, role TEXT,
  owner_id TEXT NOT NULL, agent_id TEXT,
  visibility TEXT NOT NULL, pattern TEXT NOT NULL, confidence REAL NOT NULL, weight REAL NOT NULL, trust REAL NOT NULL,
  valid_from INTEGER,
  valid_to INTEGER, closed_at INTEGER, prior_valid_to INTEGER, recorded_at INTEGER NOT NULL, retired_at INTEGER,
  expires_at INTEGER,
  status TEXT NOT NULL, is_current INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX edges_id ON edges (tenant, id);
CREATE INDEX edges_source ON edges (tenant, source_canonical, is_domain, recorded_at, type);
CREATE INDEX edges_target ON edges (tenant, target_canonical, is_domain, recorded_at, type);
CREATE INDEX edges_owner ON edges (tenant, owner_id);

CREATE TABLE sessions (
  tenant TEXT NOT NULL, agent TEXT NOT NULL, id TEXT NOT NULL, agent_id TEXT, state TEXT NOT NULL, version INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, ended_at INTEGER, PRIMARY KEY (tenant, id, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE jobs (
  num INTEGER PRIMARY KEY, tenant TEXT NOT NULL, agent_id TEXT, id TEXT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
  state TEXT NOT NULL, attempts INTEGER NOT NULL, created_at INTEGER NOT NULL, lease_until INTEGER, finished_at INTEGER,
  error TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX jobs_id ON jobs (tenant, id);
CREATE INDEX jobs_open ON jobs (created_at, id) WHERE state IN ('queued', 'running');

CREATE TABLE audit (
  num INTEGER PRIMARY KEY, tenant TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
  target_ids TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX audit_id ON audit (tenant, id);
CREATE INDEX audit_at ON audit (tenant, at, id);
CREATE TABLE audit_targets (
  tenant TEXT NOT NULL, target_id TEXT NOT NULL, entry INTEGER NOT NULL REFERENCES audit (num) ON DELETE CASCADE,
  PRIMARY KEY (tenant, target_id, entry)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  tenant TEXT NOT NULL, agent TEXT NOT NULL, key TEXT NOT NULL, request_hash TEXT NOT NULL, response TEXT, PRIMARY KEY (tenant,
  agent, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstones (
  tenant TEXT NOT NULL, id TEXT NOT NULL, content_hash TEXT NOT NULL, erased_at INTEGER NOT NULL, PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstones_hash ON tombstones (tenant, content_hash);
"""


def _create_tables(connection: Connection) -> None:
    for statement in _FIRST.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


_JOBS = (
    "ALTER TABLE jobs ADD COLUMN max_attempts INTEGER NOT NULL DEFAULT 5",
    "ALTER TABLE jobs ADD COLUMN not_before INTEGER",
    "ALTER TABLE jobs ADD COLUMN owner TEXT",
    "ALTER TABLE jobs ADD COLUMN cancel_requested INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE jobs ADD COLUMN result TEXT",
    "CREATE INDEX jobs_listed ON jobs (tenant, created_at, id)",
)
_KEYS = (
    (
        "CREATE TABLE api_keys (id TEXT NOT NULL PRIMARY KEY, tenant TEXT NOT NULL, agent_id TEXT, secret_hash TEXT NOT NULL,"
        " name TEXT NOT NULL, scopes TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER)"
        " STRICT, WITHOUT ROWID"
    ),
    "CREATE INDEX api_keys_tenant ON api_keys (tenant, created_at, id)",
)

_USES = (
    (
        "CREATE TABLE memory_uses (tenant TEXT NOT NULL, id TEXT NOT NULL, used_at INTEGER NOT NULL, PRIMARY KEY (tenant, id))"
        " STRICT, WITHOUT ROWID"
    ),
)


_FEWER_INDEXES = (
    "DROP INDEX episodes_content",
    "DROP INDEX episodes_hash",
    "CREATE UNIQUE INDEX episodes_content ON episodes (tenant, content_hash, coalesce(agent_id, ''))",
    "DROP INDEX memories_content",
    "DROP INDEX memories_hash",
    (
        "CREATE UNIQUE INDEX memories_content ON memories (tenant, content_hash, coalesce(agent_id, ''))"
        " WHERE is_current = 1 AND status <> 'rejected'"
    ),
    "CREATE INDEX memories_content_past ON memories (tenant, content_hash) WHERE is_current <> 1 OR status = 'rejected'",
    "DROP INDEX episodes_session",
    "CREATE INDEX episodes_session ON episodes (tenant, session_id, sequence) WHERE session_id IS NOT NULL",
    "DROP INDEX edges_id",
    "DROP INDEX edges_owner",
    "CREATE UNIQUE INDEX edges_owned ON edges (tenant, owner_id, id)",
)
"""A memory of two names was 40 entries in indexes: hashes lay in two, edges in four (docs/adr/0008-cheaper-writes.md)."""


_FEWER_PAGES = (
    "DROP INDEX episodes_content",
    "DROP INDEX memories_content",
    "DROP INDEX memories_content_past",
    f"CREATE UNIQUE INDEX episodes_content ON episodes (tenant, substr(content_hash, 1, {HASH_DIGITS}), coalesce(agent_id, ''))",
    (
        f"CREATE UNIQUE INDEX memories_content ON memories (tenant, substr(content_hash, 1, {HASH_DIGITS}),"
        " coalesce(agent_id, '')) WHERE is_current = 1 AND status <> 'rejected'"
    ),
    (
        f"CREATE INDEX memories_content_past ON memories (tenant, substr(content_hash, 1, {HASH_DIGITS}))"
        " WHERE is_current <> 1 OR status = 'rejected'"
    ),
    "DROP INDEX memories_seq",
    "CREATE INDEX memories_changed ON memories (tenant, seq) WHERE seq > 0",
    "ALTER TABLE tenants ADD COLUMN change INTEGER NOT NULL DEFAULT 0",
    "UPDATE tenants SET change = (SELECT value FROM meta WHERE key = 'change')",
    "DELETE FROM meta WHERE key = 'change'",
)
"""A memory of a bulk write changed 4.8 pages, 1.4 of them in indexes of hashes (docs/adr/0009-where-a-write-goes.md)."""


def _all(statements: tuple[str, ...]) -> Callable[[Connection], None]:
    def step(connection: Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    return step


MIGRATIONS: tuple[tuple[str, Callable[[Connection], None]], ...] = (
    ("create all tables", _create_tables),
    ("let jobs wait, end in cancellation and carry a result", _all(_JOBS)),
    ("keep API keys", _all(_KEYS)),
    ("look hashes and edges up in one index each", _all(_FEWER_INDEXES)),
    ("note when memories were retrieved last", _all(_USES)),
    ("index half of each hash, and count changes by tenant", _all(_FEWER_PAGES)),
)
"""Step n (from 1) leads to schema version n. A step that was released is never changed; a new one is added."""
SCHEMA_VERSION = len(MIGRATIONS)
"""The schema this version of the package reads and writes; in the file it is `PRAGMA user_version`."""


def stored_version(connection: Connection, path: str) -> int:
    """Return the file's schema version, 0 for an empty file.

    Raises:
        SchemaError: The file belongs to another program, or to a newer version of this one.
    """
    application: int = connection.execute("PRAGMA application_id").fetchone()[0]
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    tables: int = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if application != APPLICATION_ID and (application or version or tables):
        raise SchemaError(
            f"{path} is a SQLite database of another program (application id {application:#x}, {tables} tables)",
            hint="name another file; a store makes its own",
        )
    if version > SCHEMA_VERSION:
        raise SchemaError(
            f"{path} has schema version {version}; this version of hindsight_graph knows versions up to {SCHEMA_VERSION}",
            hint="install the version that made it, or a newer one",
        )
    return version


def pending(version: int) -> tuple[str, ...]:
    """Return the names of the steps from that version to this one."""
    return tuple(f"{number}: {name}" for number, (name, _) in enumerate(MIGRATIONS, 1) if number > version)


def apply(connection: Connection, version: int) -> None:
    """Run the steps after `version`; the caller holds the write transaction."""
    for number, (_, step) in enumerate(MIGRATIONS, 1):
        if number > version:
            step(connection)
            connection.execute(f"PRAGMA user_version = {number}")
