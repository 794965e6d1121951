"""Entities: what memories are about. The only anchor."""

from hindsight_graph.models.base import Model, UtcDatetime
from hindsight_graph.models.enums import EntityType


class Entity(Model):
    """A thing with a name.

    Attributes:
        id: UUIDv5 of tenant and normal form (`hindsight_graph.ids.entity_id`).
        name: As first written; what people see.
        normal: Its normal form, unique in the tenant (`hindsight_graph.text.names.normal_name`).
        aliases: Other spellings that were seen, in order of appearance, without `name`.
        canonical_id: The entity it was merged into, or its own id. Always fully resolved: never a chain.
    """

    id: str
    name: str
    normal: str
    type: EntityType = EntityType.OTHER
    aliases: tuple[str, ...] = ()
    canonical_id: str
    recorded_at: UtcDatetime

    @property
    def is_canonical(self) -> bool:
        """Whether it stands for itself (it was not merged into another)."""
        return self.canonical_id == self.id
