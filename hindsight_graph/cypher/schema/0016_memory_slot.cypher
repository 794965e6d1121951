// purpose: Memories that state a slot.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX memory_slot IF NOT EXISTS FOR (n:Memory) ON (n.tenant, n.slot_normal, n.slot_attribute)
