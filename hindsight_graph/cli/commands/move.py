"""`copy`: a store's tenants into another store, embedded or on a server."""

from typing import Annotated

import typer

from hindsight_graph.cli.call import Call


def copy(
    source: Annotated[str, typer.Argument(metavar="FROM_URL", help="Where from: sqlite:///path/file.db, a path, or neo4j://…")],
    target: Annotated[str, typer.Argument(metavar="TO_URL", help="Where to; a file is made if it is not there.")],
    tenant: Annotated[str | None, typer.Option(metavar="NAME", help="Only this tenant.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, with the names of the Python models.")] = False,
) -> None:
    """Copy a store into another one: a file to Neo4j and back, or file to file.

    Every tenant is copied, or the one that --tenant names. Interrupted, it goes on where it stopped when it is run again. At the
    end checksums of both stores are compared. A Neo4j password comes from the settings, for both URLs the same.
    """
    import asyncio  # noqa: PLC0415

    from hindsight_graph.cli.call import progress  # noqa: PLC0415
    from hindsight_graph.cli.render.moving import copy_view  # noqa: PLC0415
    from hindsight_graph.errors import NotFoundError  # noqa: PLC0415
    from hindsight_graph.models.moving import CopyReport  # noqa: PLC0415
    from hindsight_graph.parts import neo4j_password, open_store  # noqa: PLC0415
    from hindsight_graph.pipelines import copy as pipeline  # noqa: PLC0415
    from hindsight_graph.settings import file_url  # noqa: PLC0415

    call = Call(json=json, tenant=tenant)
    password = neo4j_password(call.settings().settings)
    stores = [open_store(url if "://" in url else file_url(url), password) for url in (source, target)]

    async def run() -> CopyReport:
        if (await stores[0].migrate(dry_run=True)).before == 0:
            raise NotFoundError(f"there is no store at {source}", hint="check the path or the URL")
        try:
            for store in stores:
                await store.open()
            with progress("copying", 1) as tell:
                tenants = None if tenant is None else (tenant,)
                return await pipeline.copy(stores[0], stores[1], tenants=tenants, progress=tell)
        finally:
            for store in stores:
                await store.close()

    report = asyncio.run(run())
    call.show(report, lambda: copy_view(report))
