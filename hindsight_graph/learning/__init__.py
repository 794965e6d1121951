"""Learning as pure functions: attempts read off messages, rules read off experiences, evidence weighed. No I/O, no store."""
