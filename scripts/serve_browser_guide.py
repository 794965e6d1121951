"""Serve docs/browser to Neo4j Browser on this machine: `:play http://localhost:8711/guide.html`.

    python scripts/serve_browser_guide.py [PORT]

Browser fetches guides and styles from hosts that the server allows; localhost is among them by default.
"""

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "browser"
PORT = 8711


class Guide(SimpleHTTPRequestHandler):
    """Files that a page of another origin may read."""

    def end_headers(self) -> None:
        """Allow every origin, and the headers that Browser sends."""
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Allow-Headers", "*")
        super().end_headers()

    def do_OPTIONS(self) -> None:
        """Answer the question whether a page may ask."""
        self.send_response(204)
        self.end_headers()


def server(port: int = PORT) -> ThreadingHTTPServer:
    """Return a server of the folder, on 127.0.0.1; port 0 takes a free one."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(Guide, directory=str(FOLDER)))


def main() -> int:
    """Serve until interrupted."""
    with server(int(sys.argv[1]) if len(sys.argv) > 1 else PORT) as serving:
        print(f":play http://localhost:{serving.server_port}/guide.html")
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
