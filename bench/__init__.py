"""Benches: each measures one promise and prints its figures last, as one JSON line with `--json`."""
