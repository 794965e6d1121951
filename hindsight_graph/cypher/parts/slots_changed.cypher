// purpose: Take the lock of each slot that a batch was planned against, then say which slots have other holders than the plan found. The lock is a node with a unique key that never lasts: whoever makes one of the same key waits until the transaction ends.
// param $slots: list of {lock, subject and attribute in normal form, agent: empty for none, ids}, sorted by lock, so that writers do not wait for each other in a ring
CALL () {
  UNWIND $slots AS slot
  MERGE (l:Meta {key: slot.lock})
  DELETE l
  RETURN count(slot) AS locked
}
CALL (locked) {
  UNWIND $slots AS slot
  CALL (slot) {
    MATCH (m:Memory {tenant: $tenant, slot_normal: slot.subject, slot_attribute: slot.attribute})
    USING INDEX SEEK m:Memory(tenant, slot_normal, slot_attribute)
    WHERE coalesce(m.agent_id, '') = slot.agent AND m.is_current AND m.status = 'active'
    RETURN collect(m.id) AS holders
  }
  WITH slot, holders WHERE size(holders) <> size(slot.ids) OR any(id IN holders WHERE NOT id IN slot.ids)
  RETURN collect([slot.subject, slot.attribute]) AS changed
}
