"""What the engine says about its own work: events without content, for metrics, logs and traces. Nothing here stores or sends."""
