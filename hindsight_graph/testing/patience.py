"""Settings for tests that are not about time or meaning: no deadline that a busy machine reaches, no model to load."""

from typing import Any

from hindsight_graph.settings import Settings

PATIENCE_MS = 60_000
"""Longer than any test may run."""


def patient_settings(**more: Any) -> Settings:
    """Return the defaults with deadlines out of the way, the hashing embedder and the rules; `more` is set besides."""
    recall = {"deadline_ms": PATIENCE_MS, "loading_ms": PATIENCE_MS, **more.pop("recall", {})}
    chain = {"deadline_ms": PATIENCE_MS, **more.pop("chain", {})}
    return Settings.model_validate({"embedder": "hashing", "extractor": "rules", "recall": recall, "chain": chain, **more})
