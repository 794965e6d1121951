// purpose: Memories of a task type.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX memory_task IF NOT EXISTS FOR (n:Memory) ON (n.tenant, n.task_type)
