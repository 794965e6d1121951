"""Write what Neo4j Browser takes in: docs/browser/queries.zip (saved queries) and docs/browser/guide.html (`:play`).

    python scripts/make_browser_files.py

Both are made from the statements under hindsight_graph/cypher/explore, which the tests run. Browser 5.24 takes a folder of saved
queries as a zip; a single .cypher file becomes a single saved query, whose title is its first line.
"""

import html
import io
import sys
import zipfile
from pathlib import Path

from hindsight_graph.cypher import load, names

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "browser"
COLLECTION = "Hindsight"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_PARAMETERS = (
    ':params {tenant: "default", name: "Checkout", other: "node-4", tool: "kubectl", session_id: "ops", words: "ledger"}'
)
_SLIDES = (
    ("What depends on what", ("chain_from", "impact_of", "causes_of", "paths_between", "hubs", "orphans")),
    ("Where a memory comes from", ("find_text", "evidence_of", "history_of", "contradictions", "session_timeline")),
    ("What was learned", ("strategies", "learned_about_tool", "superseded_but_supporting", "review_queue")),
    ("The whole store", ("tenant_sizes",)),
)
_INTRO = """\
<p>Blue and coloured circles are memories, each with what it says; green ones are the things they are about; grey ones are
what was said, word for word. Every arrow between things belongs to the memory that states it (<code>owner_id</code>).</p>
<p>First say what to look at. Click the line, change the names to yours, and run it:</p>
{parameters}
<p>Then take the colours and captions: drop <code>style.grass</code> on this window, or run</p>
{style}
<p>Drop <code>queries.zip</code> on this window to keep all queries of this guide under the star on the left. Where a query asks
for <code>$id</code>, click a memory, copy its <code>id</code>, and run</p>
{identity}"""


def title(name: str) -> str:
    """Return what a saved query is called: the purpose of its statement."""
    return load(f"explore/{name}").purpose.rstrip(".")


def saved_query(name: str) -> str:
    """Return a statement as a saved query: its title as a comment, then the statement."""
    return f"// {title(name)}\n{load(f'explore/{name}').text}\n"


def queries_zip() -> bytes:
    """Return all saved queries in one folder; the same bytes each time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in sorted(full.split("/")[1] for full in names("explore")):
            entry = zipfile.ZipInfo(f"{COLLECTION}/{name}.cypher", _LONG_AGO)
            archive.writestr(entry, saved_query(name))
    return packed.getvalue()


def _runnable(text: str) -> str:
    return f'<figure><pre class="pre-scrollable code runnable">{html.escape(text, quote=False)}</pre></figure>'


def guide() -> str:
    """Return the guide: an introduction and a page for each kind of question."""
    intro = _INTRO.format(
        parameters=_runnable(_PARAMETERS),
        style=_runnable(":style http://localhost:8711/style.grass"),
        identity=_runnable(':param id => "019…"'),
    )
    slides = [f"<h3>A memory as a graph</h3>\n{intro}"]
    for heading, shown in _SLIDES:
        parts = "\n".join(f"<p>{html.escape(title(name))}</p>\n{_runnable(load(f'explore/{name}').text)}" for name in shown)
        slides.append(f"<h3>{heading}</h3>\n{parts}")
    body = "\n".join(f'<slide class="row-fluid">\n<div class="col-sm-12">\n{slide}\n</div>\n</slide>' for slide in slides)
    return (
        "<!-- Made by scripts/make_browser_files.py. -->\n"
        f'<article class="guide">\n<carousel class="deck container-fluid">\n{body}\n</carousel>\n</article>\n'
    )


def main() -> int:
    """Write both files."""
    (FOLDER / "queries.zip").write_bytes(queries_zip())
    (FOLDER / "guide.html").write_text(guide(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
