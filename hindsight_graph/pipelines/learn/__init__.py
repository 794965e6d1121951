"""Looking back: experiences out of what happened, strategies out of experiences, their review, their use and their fall."""
