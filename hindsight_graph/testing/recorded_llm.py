"""An endpoint that gives recorded answers over real HTTP, as OpenAI and Anthropic have them; it may also refuse or be silent."""

import json
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Reply:
    """One recorded answer: the model's words, or an error's status; `finish` as the API names the end of an answer."""

    text: str | None = None
    status: int = 200
    finish: str = "stop"
    silent: bool = False
    body: str | None = None


@dataclass
class Recorded:
    """A running endpoint.

    Attributes:
        replies: What is answered, in order; the last one again and again. asked: the bodies of all requests.
        refuses: Types of `response_format` that are answered with 400.
    """

    replies: list[Reply]
    refuses: frozenset[str] = frozenset()
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    url: str = ""
    released: threading.Event = field(default_factory=threading.Event)

    def next(self, body: dict[str, Any]) -> Reply:
        """Note a request and return its answer."""
        self.asked.append(body)
        form = body.get("response_format", {}).get("type", "text")
        if form in self.refuses:
            return Reply(status=400)
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    @property
    def forms(self) -> list[str]:
        """How the form of each answer was asked for."""
        return [body.get("response_format", {}).get("type", "text") for body in self.asked]


@contextmanager
def recorded(*replies: Reply | str, refuses: Sequence[str] = ()) -> Generator[Recorded]:
    """Serve these answers while the block runs."""
    made = [Reply(reply) if isinstance(reply, str) else reply for reply in replies]
    endpoint = Recorded(made, frozenset(refuses))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Answer a request."""
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            reply = endpoint.next(body)
            if reply.silent:
                endpoint.released.wait(30)
                return
            answer = reply.body or json.dumps(_answer(self.path, reply))
            data = answer.encode()
            self.send_response(reply.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Say nothing."""
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _answer(path: str, reply: Reply) -> dict[str, Any]:
    if reply.status != 200:
        return {"error": {"message": f"refused with {reply.status}", "type": "invalid_request_error"}}
    if path.endswith("/messages"):
        words = reply.text or ""
        is_json = words.startswith("{")
        block = {"type": "tool_use", "id": "t1", "name": "answer", "input": json.loads(words)} if is_json else None
        return {
            "id": "m1", "type": "message", "role": "assistant", "model": "recorded", "stop_sequence": None,
            "content": [block or {"type": "text", "text": words}], "stop_reason": "tool_use" if is_json else "end_turn",
            "usage": {"input_tokens": 21, "output_tokens": 9},
        }  # fmt: skip
    message = {"role": "assistant", "content": reply.text}
    return {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "recorded",
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
    }  # fmt: skip
