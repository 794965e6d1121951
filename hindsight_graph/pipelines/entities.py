"""Entities: which thing a name means, and the explicit, audited, reversible merging of two things into one.

Merging only sets canonical ids: every edge and mention keeps the entity it was stated about. What was merged into what is read
from the audit entries, so that a split restores exactly what a merge changed, whatever was merged before or since.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from hindsight_graph.clock import Clock
from hindsight_graph.errors import ConflictError, InputError, NotFoundError, StoreCorruptError
from hindsight_graph.ids import IdGenerator, entity_id
from hindsight_graph.models.base import trusted
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import EntityType
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import AuditEntry, EntityPatch, Page, WriteBatch
from hindsight_graph.pipelines.merges import MERGE_ACTION, SPLIT_ACTION, merged_into
from hindsight_graph.stores.base import Store
from hindsight_graph.text.names import normal_name, same_thing_guard

MAX_ALIASES = 50
"""Spellings kept per entity by themselves; further ones still resolve, since they share its normal form."""
ALIAS_ACTION = "add_alias"
"""The audit trail's word for an alias that was added by hand."""
_NEAREST_POOL = 5_000
_LIST_LIMIT = 1_000


@dataclass(frozen=True)
class Resolution:
    """What names mean.

    Attributes:
        by_name: Each name as given to its entity, with the aliases and type it will have once `new` and `patches` are written.
        new: Entities that the store does not have yet.
        patches: Spellings and types that known entities gain.
    """

    by_name: Mapping[str, Entity]
    new: tuple[Entity, ...]
    patches: tuple[EntityPatch, ...]


class Names:
    """Names as written, with the types their text suggests and the normal forms they are found by.

    Raises:
        InputError: A name is longer than a name may be, or has no letter, digit or symbol.
    """

    def __init__(self, types: Mapping[str, EntityType]) -> None:
        self.types = types
        self.normal = {name: _normal(name) for name in types}

    @property
    def normals(self) -> tuple[str, ...]:
        """The distinct normal forms."""
        return tuple(dict.fromkeys(self.normal.values()))


class Entities:
    """Finds, makes, merges and splits entities.

    Args:
        store: Where they live.
        clock: Time of new entities and audit entries.
        ids: Ids of audit entries; an entity's own id follows from its tenant and normal form.
    """

    def __init__(self, store: Store, clock: Clock, ids: IdGenerator) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids

    async def resolve(self, scope: Scope, names: Mapping[str, EntityType]) -> Resolution:
        """Say which entity each name means; writes nothing.

        Args:
            scope: Whose entities.
            names: Name as written to the type its text suggests (`other` when it suggests none).

        Returns:
            A merged entity answers with itself, so that what is stated about it survives a split.

        Raises:
            InputError: A name is longer than a name may be, or has no letter, digit or symbol.
        """
        asked = Names(names)
        known = await self._store.find_entities(scope, asked.normals) if names else {}
        return self.settle(scope, asked, known)

    def settle(self, scope: Scope, names: Names, known: Mapping[str, Entity]) -> Resolution:
        """Say which entity each name means, given the stored ones by normal form."""
        now = self._clock.now()
        made: dict[str, Entity] = {}
        changed: dict[str, Entity] = {}
        entity_of: dict[str, str] = {}
        before = {entity.id: entity for entity in known.values()}
        for name, normal in names.normal.items():
            stored = known.get(normal)
            entity = changed.get(stored.id, stored) if stored is not None else made.get(normal)
            if entity is None:
                fresh = entity_id(scope.tenant, normal)
                entity = trusted(Entity, {
                    "id": fresh, "name": name.strip(), "normal": normal, "type": EntityType.OTHER, "aliases": (),
                    "canonical_id": fresh, "recorded_at": now,
                })  # fmt: skip
            entity = _enriched(entity, name.strip(), names.types[name])
            entity_of[name] = entity.id
            if stored is None:
                made[normal] = entity
            else:
                changed[entity.id] = entity
        everyone = {entity.id: entity for entity in made.values()} | changed
        patches = (_difference(before[identity], entity) for identity, entity in changed.items())
        return Resolution(
            by_name={name: everyone[identity] for name, identity in entity_of.items()},
            new=tuple(made.values()),
            patches=tuple(patch for patch in patches if patch is not None),
        )

    async def find(self, scope: Scope, name: str) -> Entity:
        """Return the entity with this id, name or alias; a merged one answers with itself (see its `canonical_id`).

        Raises:
            NotFoundError: There is none that the scope may see; the hint lists the nearest names.
            InputError: The name is no name.
        """
        entity: Entity | None = None
        if is_id(name):
            entity = next(iter(await self._store.get_entities(scope, [name.strip().lower()])), None)
        if entity is None:
            normal = _normal(name)
            entity = (await self._store.find_entities(scope, [normal])).get(normal)
        if entity is None or not await self._is_visible(scope, entity):
            raise NotFoundError(f"there is no entity {name.strip()!r}", hint=await self._nearest(scope, name))
        return entity

    async def canonical(self, scope: Scope, entity: Entity) -> Entity:
        """Return what `entity` was merged into, or itself."""
        if entity.is_canonical:
            return entity
        found = await self._store.get_entities(scope, [entity.canonical_id])
        if not found:
            raise StoreCorruptError(
                f"entity {entity.name!r} ({entity.id}) points at {entity.canonical_id}, which is missing",
                hint="hindsight-graph doctor",
            )
        return found[0]

    async def list(self, scope: Scope, prefix: str = "", cursor: str | None = None, limit: int = 100) -> Page[Entity]:
        """List entities that stand for themselves, by normal form, from those whose normal form begins with `prefix`.

        Raises:
            InputError: limit is not 1..1000.
            CursorError: The cursor belongs to another list, or is damaged.
        """
        if not 1 <= limit <= _LIST_LIMIT:
            raise InputError(f"limit is {limit}", hint=f"1 to {_LIST_LIMIT}")
        return await self._store.scan_entities(scope, prefix=_normal_prefix(prefix), cursor=cursor, limit=limit)

    async def merge(self, scope: Scope, source: str, target: str, reason: str = "", *, force: bool = False) -> Entity:
        """Make `source`, and everything merged into it, stand for what `target` stands for; undone by `split`.

        Args:
            scope: Whose entities.
            source: Id, name or alias of what is merged.
            target: Id, name or alias of what it is merged into; when that was merged itself, of what it stands for.
            reason: For the audit trail.
            force: Merge although the names or types speak against it.

        Returns:
            The entity that now stands for both.

        Raises:
            InputError: Both are the same entity, or something speaks against it and force is not set.
            ConflictError: The source was merged already, or the target was merged into the source.
            NotFoundError: One of them does not exist.
        """
        one, other = await self.find(scope, source), await self.find(scope, target)
        if one.id == other.id:
            raise InputError(f"{source!r} and {target!r} are the same entity already, {one.name!r} ({one.id})")
        if not one.is_canonical:
            into = await self.canonical(scope, one)
            raise ConflictError(f"{one.name!r} was merged into {into.name!r} already", hint="split it first, or merge that one")
        if other.canonical_id == one.id:
            raise ConflictError(f"{other.name!r} was merged into {one.name!r} already", hint=f"split {other.name!r} first")
        against = _objection(one, other)
        if against and not force:
            raise InputError(
                f"{one.name!r} and {other.name!r} look like two things: {against}", hint="pass force=True to merge them"
            )
        moved = [one.id, *await merged_into(self._store, scope, one.id)]
        await self._move(
            scope, MERGE_ACTION, moved, other.canonical_id, reason,
            {"source": one.id, "target": other.id, "canonical": other.canonical_id, "previous": dict.fromkeys(moved, one.id),
             "forced": bool(against)},
            targets=(other.id, other.canonical_id),
        )  # fmt: skip
        return await self._reread(scope, other.canonical_id)

    async def split(self, scope: Scope, name: str, reason: str = "") -> Entity:
        """Undo the merge of this entity: it, and everything merged into it, stands for itself again.

        Returns:
            The entity, its own canonical again.

        Raises:
            ConflictError: It is not merged into another.
            NotFoundError: It does not exist.
        """
        entity = await self.find(scope, name)
        if entity.is_canonical:
            raise ConflictError(f"{entity.name!r} is not merged into another entity", hint="name the one that was merged")
        moved = [entity.id, *await merged_into(self._store, scope, entity.id)]
        await self._move(
            scope, SPLIT_ACTION, moved, entity.id, reason,
            {"source": entity.id, "canonical": entity.id, "previous": dict.fromkeys(moved, entity.canonical_id)},
            targets=(entity.canonical_id,),
        )  # fmt: skip
        return await self._reread(scope, entity.id)

    async def add_alias(self, scope: Scope, name: str, alias: str, reason: str = "", *, force: bool = False) -> Entity:
        """Let `alias` mean the entity `name` from now on; returns the entity.

        Raises:
            ConflictError: The alias means another entity already; merge the two instead.
            InputError: Something speaks against it (other numbers, a negation ...) and force is not set.
            NotFoundError: There is no entity `name`.
        """
        entity = await self.find(scope, name)
        normal = _normal(alias)
        holder = (await self._store.find_entities(scope, [normal])).get(normal)
        if holder is not None and holder.id != entity.id:
            raise ConflictError(
                f"{alias!r} means {holder.name!r} already", hint=f"merge {holder.name!r} into {entity.name!r} instead"
            )
        against = same_thing_guard(entity.name, alias)
        if against and not force:
            raise InputError(f"{entity.name!r} and {alias!r} look like two things: {against}", hint="pass force=True to add it")
        if holder is None:
            entry = self._entry(scope, ALIAS_ACTION, (entity.id,), reason, {"normal": normal, "forced": bool(against)})
            patch = EntityPatch(id=entity.id, add_aliases=(alias.strip(),))
            await self._store.write(scope, WriteBatch(entity_patches=(patch,), audit=(entry,)))
        return await self._reread(scope, entity.id)

    async def _move(
        self, scope: Scope, action: str, moved: Sequence[str], canonical: str, reason: str, detail: dict[str, object],
        targets: tuple[str, ...],
    ) -> None:  # fmt: skip
        entry = self._entry(scope, action, tuple(dict.fromkeys((*moved, *targets))), reason, detail)
        patches = tuple(EntityPatch(id=identity, canonical_id=canonical) for identity in moved)
        await self._store.write(scope, WriteBatch(entity_patches=patches, audit=(entry,)))

    def _entry(self, scope: Scope, action: str, targets: tuple[str, ...], reason: str, detail: dict[str, object]) -> AuditEntry:
        return AuditEntry(
            id=self._ids.new(), at=self._clock.now(), actor=scope.agent_id or "user", action=action, target_ids=targets,
            reason=reason, detail=detail,
        )  # fmt: skip

    async def _reread(self, scope: Scope, identity: str) -> Entity:
        return (await self._store.get_entities(scope, [identity]))[0]

    async def _is_visible(self, scope: Scope, entity: Entity) -> bool:
        """Whether a memory that the scope may see names it; without an agent the scope sees the whole tenant."""
        if scope.agent_id is None:
            return True
        page = await self._store.scan_entities(scope, prefix=entity.normal, canonical_only=False, limit=1)
        return any(row.id == entity.id for row in page.rows)

    async def _nearest(self, scope: Scope, name: str) -> str:
        """Return a hint with the visible names that look most like `name`."""
        wanted = _normal_prefix(name)
        names: dict[str, str] = {}
        for prefix in dict.fromkeys((wanted[:2], "")):
            cursor: str | None = None
            while len(names) < _NEAREST_POOL:
                page = await self._store.scan_entities(
                    scope, prefix=prefix, canonical_only=False, cursor=cursor, limit=_LIST_LIMIT
                )
                for entity in page.rows:
                    names.update(dict.fromkeys((entity.normal, *map(_normal_prefix, entity.aliases)), entity.name))
                cursor = page.cursor
                if cursor is None:
                    break
        near = difflib.get_close_matches(wanted, names, n=5, cutoff=0.5)
        inside = [form for form in names if wanted and (wanted in form or form in wanted)]
        shown = list(dict.fromkeys(names[form] for form in (*near, *sorted(inside)[:5])))[:5]
        return f"did you mean {', '.join(shown)}?" if shown else "`hindsight-graph entities` lists the names there are"


def is_id(text: str) -> bool:
    """Whether `text` has the form of an id: 36 characters, hyphens in place."""
    try:
        return str(UUID(text.strip())) == text.strip().lower()
    except ValueError:
        return False


def _normal(name: str) -> str:
    try:
        return normal_name(name)
    except ValueError as error:
        raise InputError(str(error), hint="give the name of one thing") from error


def _normal_prefix(prefix: str) -> str:
    """Fold a beginning of a name, which need not be a name itself."""
    try:
        return normal_name(prefix)
    except ValueError:
        return prefix.strip().casefold()


def _enriched(entity: Entity, name: str, kind: EntityType) -> Entity:
    """Return the entity with another spelling and, where it had none, a type."""
    changes: dict[str, object] = {}
    if name != entity.name and name not in entity.aliases and len(entity.aliases) < MAX_ALIASES:
        changes["aliases"] = (*entity.aliases, name)
    if entity.type is EntityType.OTHER and kind is not EntityType.OTHER:
        changes["type"] = kind
    return entity.model_copy(update=changes) if changes else entity


def _difference(old: Entity, new: Entity) -> EntityPatch | None:
    if old == new:
        return None
    aliases = new.aliases[len(old.aliases) :]
    return EntityPatch(id=new.id, add_aliases=aliases, type=None if new.type is old.type else new.type)


def _objection(one: Entity, other: Entity) -> str | None:
    """Return what speaks against the two being one thing."""
    against = same_thing_guard(one.name, other.name)
    if against is None and EntityType.OTHER not in (one.type, other.type) and one.type is not other.type:
        return f"different types: {one.type.value} and {other.type.value}"
    return against
