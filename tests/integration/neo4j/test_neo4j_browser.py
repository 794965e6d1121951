"""Neo4j Browser, the one that 5.26 serves, in a real Chromium: the guide plays, saved queries import, style and captions hold.

With `HINDSIGHT_GRAPH_PICTURES=docs/browser` the pictures of docs/neo4j.md are taken anew.
"""

import asyncio
import base64
import json
import os
import runpy
import shutil
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from hindsight_graph.cli import main
from hindsight_graph.testing.neo4j_server import REUSED, VERSIONS, Neo4jServer, Neo4jServers

pytestmark = [pytest.mark.xdist_group(f"neo4j-{VERSIONS[0]}"), pytest.mark.timeout(300)]

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update"
    " --disable-sync"
).split()
IS_CI = os.environ.get("CI", "").lower() in {"true", "1"}
REUSED_HTTP = os.environ.get("HINDSIGHT_GRAPH_TEST_NEO4J_HTTP")
PICTURES = os.environ.get("HINDSIGHT_GRAPH_PICTURES")
DROP = """([data, name]) => {
  const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
  const moved = new DataTransfer();
  moved.items.add(new File([bytes], name));
  const target = document.querySelector(".filedrop");
  target.dispatchEvent(new DragEvent("drop", { dataTransfer: moved, bubbles: true, cancelable: true }));
}"""
STILL = """() => {
  const now = [...document.querySelectorAll("g.node, g.layer")].map((one) => one.getAttribute("transform")).join();
  const same = now === window.lastSeen;
  window.lastSeen = now;
  return same;
}"""
"""Whether nothing of the graph moved since it was asked last."""
PATIENCE = 60_000


@pytest.fixture
def served(project: Path) -> Iterator[str]:
    """The address of docs/browser, served as scripts/serve_browser_guide.py does."""
    serving: ThreadingHTTPServer = runpy.run_path(str(project / "scripts" / "serve_browser_guide.py"))["server"](0)
    thread = threading.Thread(target=serving.serve_forever)
    thread.start()
    yield f"http://localhost:{serving.server_port}"
    serving.shutdown()
    thread.join()
    serving.server_close()


@pytest.fixture
def server_with_story(servers: Neo4jServers, tmp_path: Path) -> Neo4jServer:
    """The 5.26 server with the story of the demo in it, copied from a file."""
    if CHROMIUM is None:
        line = "Chromium is needed (Debian: apt-get install chromium)"
        (pytest.fail if IS_CI else pytest.skip)(line)
    if REUSED and not REUSED_HTTP:
        pytest.skip("HINDSIGHT_GRAPH_TEST_NEO4J_HTTP does not say where the reused server has its Browser")
    server = servers.get(VERSIONS[0])
    asyncio.run(server.wipe())
    file = tmp_path / "demo.db"
    assert main(["demo", "--keep", str(file), "--json"]) == 0
    assert main(["copy", str(file), server.url]) == 0
    return server


@pytest.fixture
def memory_id(server_with_story: Neo4jServer) -> str:
    """The memory that says what Checkout depends on."""
    found = server_with_story.run("MATCH (m:Memory) WHERE m.summary STARTS WITH 'Checkout depends' RETURN m.id AS id")
    return str(asyncio.run(found)[0]["id"])


@pytest.fixture
def page(server_with_story: Neo4jServer) -> Iterator[Page]:
    """Neo4j Browser, connected."""
    home = server_with_story.home
    http = json.loads((home / "run" / "server.json").read_text())["http"] if home else REUSED_HTTP
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        opened = chromium.new_page(viewport={"width": 1100, "height": 700})
        opened.set_default_timeout(PATIENCE)
        opened.goto(f"{http}/browser/?dbms={server_with_story.url}&preselectAuthMethod=NO_AUTH")
        opened.get_by_text("You are connected to").wait_for()
        yield opened
        chromium.close()


def drop(page: Page, file: Path) -> None:
    """Drop a file on the window, as a person does."""
    page.evaluate(DROP, [base64.b64encode(file.read_bytes()).decode(), file.name])


def run(page: Page, command: str) -> None:
    """Type a command and run it, in an empty stream."""
    page.get_by_test_id("activeEditor").locator(".monaco-editor").first.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(command)
    page.get_by_test_id("editor-Run").click()


def run_saved(page: Page, title: str) -> list[str]:
    """Run a saved query from the drawer and return the captions of the graph that it draws."""
    run(page, ":clear")
    page.get_by_test_id("frame").first.wait_for(state="detached")
    page.get_by_test_id("navigationFavorites").click()
    item = page.get_by_test_id("savedScriptListItem").filter(has_text=title)
    if not item.count():
        page.get_by_test_id("expandFolder-Hindsight").click()
    item.hover()
    item.get_by_test_id("savedScriptsButton-Run").click()
    page.locator("g.node").first.wait_for()
    page.get_by_test_id("navigationFavorites").click()
    return [" ".join(" ".join(node.locator("text").all_text_contents()).split()) for node in page.locator("g.node").all()]


def keep(page: Page, folder: Path, name: str) -> None:
    """Take a picture of the window, into docs/browser where that is asked for."""
    if page.locator("g.node").count():
        page.get_by_label("Collapse the node properties display").first.click()
        page.get_by_label("zoom-to-fit").first.click()
        page.wait_for_function(STILL, polling=300)
    path = (Path(PICTURES) if PICTURES else folder) / f"{name}.png"
    page.screenshot(path=path)
    assert 10_000 < path.stat().st_size < 200_000


@pytest.mark.requirement("G-06")
def test_a_person_plays_the_guide_and_follows_a_chain_its_evidence_and_what_breaks(
    memory_id: str, page: Page, served: str, project: Path, tmp_path: Path
) -> None:
    run(page, ":clear")
    run(page, f":play {served}/guide.html")
    page.get_by_role("heading", name="A memory as a graph").wait_for()
    assert page.locator("pre.runnable").count() >= 3
    page.get_by_test_id("frameCommand").first.scroll_into_view_if_needed()
    keep(page, tmp_path, "guide")
    drop(page, project / "docs" / "browser" / "style.grass")
    page.get_by_text('caption: "{summary}"').first.wait_for()
    drop(page, project / "docs" / "browser" / "queries.zip")
    run(page, f':params {{tenant: "default", name: "Checkout", other: "node-4", id: "{memory_id}"}}')
    page.get_by_text(f'"id": "{memory_id}"').wait_for()
    chain = run_saved(page, "What a thing depends on, up to four steps away")
    assert {"Checkout", "payment service", "ledger database", "node-4"} <= set(chain)
    assert {text.strip() for text in page.locator("g.relationship text").all_text_contents()} == {"DEPENDS_ON", "USES"}
    keep(page, tmp_path, "chain")
    evidence = run_saved(page, "What a memory rests on, and what it is about")
    assert any(caption.startswith("Checkout depends on") for caption in evidence)
    assert "Checkout" in evidence
    keep(page, tmp_path, "evidence")
    run(page, ':param name => "node-4"')
    page.get_by_text('"name": "node-4"').wait_for()
    breaks = run_saved(page, "What breaks if a thing changes: what depends on it or uses it, up to four steps away")
    assert {"node-4", "ledger database", "payment service", "Checkout"} <= set(breaks)
    keep(page, tmp_path, "impact")
