"""The endpoints, one file per resource; each names the scope it needs and calls one method of the engine."""
