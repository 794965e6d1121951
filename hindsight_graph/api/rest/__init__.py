"""The HTTP face: `make_app` turns an open engine into a FastAPI application."""

from hindsight_graph.api.rest.app import make_app

__all__ = ["make_app"]
