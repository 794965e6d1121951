"""Headers that requests may carry."""

from typing import Annotated

from fastapi import Header

from hindsight_graph.api.rest.bounds import Key

IdempotencyKey = Annotated[
    Key | None, Header(alias="Idempotency-Key", description="The same key and body again give the same answer, and write once.")
]
"""A key that makes a write safe to repeat."""
IfMatch = Annotated[
    str | None, Header(alias="If-Match", max_length=1000, description="ETags of the states in which the change may be made.")
]
"""The state a change was decided on."""
IfNoneMatch = Annotated[
    str | None, Header(alias="If-None-Match", max_length=1000, description="ETags of the states the caller has already.")
]
"""The states a caller has."""
