"""What the engine does, step by step: retain, recall, chain, versions, session."""
