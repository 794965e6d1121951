"""The account of a copy."""

from rich.console import Group, RenderableType
from rich.text import Text

from hindsight_graph.cli.render.marks import DIM, KEY, rows
from hindsight_graph.models.moving import CopyReport


def copy_view(report: CopyReport) -> RenderableType:
    """Return what was copied of each tenant, and the checksum both stores agree on."""
    if not report.tenants:
        return Text(f"{report.source} holds no rows", DIM)
    table = rows("left", "body")
    for tenant in report.tenants:
        counts = ", ".join(f"{number} {name.value}" for name, number in tenant.rows.items() if number)
        table.add_row(Text(tenant.tenant, KEY), Text(counts))
        table.add_row("", Text(f"{tenant.written} written now; both stores have checksum {tenant.checksum}", DIM))
    return Group(Text(f"{report.source} -> {report.target}"), table)
