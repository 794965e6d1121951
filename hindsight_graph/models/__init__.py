"""Frozen Pydantic types: what exists and what is asked. No I/O."""
