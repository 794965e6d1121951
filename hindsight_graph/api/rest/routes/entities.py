"""/v1/entities: what memories are about. A name may hold slashes; a path takes the name, an alias, or the id."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from hindsight_graph.api.rest.answers import Neighbours
from hindsight_graph.api.rest.bodies import AskNeighbours, ListEntities, MergeEntities, OneAgent, SplitEntity
from hindsight_graph.api.rest.bounds import NAME_LENGTH
from hindsight_graph.api.rest.caller import Reader, Writer
from hindsight_graph.api.rest.reply import problems, reply
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.record import Page

router = APIRouter(prefix="/v1/entities", tags=["entities"])
Name = Annotated[str, Path(min_length=1, max_length=NAME_LENGTH, description="An entity's name, alias or id.")]


@router.get("", operation_id="listEntities", response_model=Page[Entity], responses=problems("cursor-invalid"))
async def list_(caller: Reader, asked: Annotated[ListEntities, Query()]) -> Response:
    """List entities by name, from those whose name begins with `prefix`."""
    memory = caller.acting(asked.agent_id)
    page = await memory.entities(prefix=asked.prefix, cursor=caller.unsign(asked.cursor), limit=asked.limit)
    return reply(page.model_copy(update={"cursor": caller.sign(page.cursor)}))


@router.post("/merge", operation_id="mergeEntities", response_model=Entity, responses=problems("not-found", "conflict"))
async def merge(caller: Writer, body: MergeEntities) -> Response:
    """Make one entity stand for another; audited, and undone by split."""
    memory = caller.acting(body.agent_id)
    return reply(await memory.merge_entities(body.source, body.target, reason=body.reason, force=body.force))


@router.post("/split", operation_id="splitEntity", response_model=Entity, responses=problems("not-found", "conflict"))
async def split(caller: Writer, body: SplitEntity) -> Response:
    """Undo a merge: the entity stands for itself again, as do those that were merged into it before."""
    return reply(await caller.acting(body.agent_id).split_entity(body.name, reason=body.reason))


@router.get("/{name:path}/neighbours", operation_id="listNeighbours", response_model=Neighbours, responses=problems("not-found"))
async def neighbours(caller: Reader, name: Name, asked: Annotated[AskNeighbours, Query()]) -> Response:
    """Return the relations at a thing, both ways, newest first."""
    return reply(Neighbours(hops=await caller.acting(asked.agent_id).neighbours(name, limit=asked.limit)))


@router.get("/{name:path}", operation_id="getEntity", response_model=Entity, responses=problems("not-found"))
async def get(caller: Reader, name: Name, asked: Annotated[OneAgent, Query()]) -> Response:
    """Return an entity; a merged one names in `canonical_id` what it was merged into."""
    return reply(await caller.acting(asked.agent_id).entity(name))
