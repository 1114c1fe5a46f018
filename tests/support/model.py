"""A scripted model on the loopback: OpenAI chat completions with SSE, as Pi's `openai-completions` talks.

    with Model() as model:
        model.script(Reply(text="Hello"), Reply(tool_calls=[ToolCall("bash", {"command": "ls"})]))

Each request takes the next reply of the script; when it is empty, the last words of the user are echoed.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

MODEL_ID = "fake-1"


@dataclass(frozen=True)
class ToolCall:
    """A call that the model makes. Arguments that are a string are sent as they are, valid JSON or not."""

    name: str
    arguments: dict[str, Any] | str
    id: str = ""


@dataclass(frozen=True)
class Usage:
    """Tokens; `cached` is a part of `input`, `reasoning` a part of `output`."""

    input: int = 100
    output: int = 20
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True)
class Reply:
    """One answer of the model. It is streamed in the order thinking, text, tool calls, finish, usage."""

    text: str = ""
    thinking: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    piece: int = 12
    """Characters a chunk, of text, thinking and tool arguments alike."""
    delay: float = 0.0
    """Seconds before each chunk."""
    finish: str = ""
    """`finish_reason`; empty: `stop`, or `tool_calls` where there are some."""
    status: int = 200
    error: str = ""
    """With a `status` other than 200: the message in the error's body."""
    disconnect_after: int | None = None
    """The connection is cut after so many chunks."""
    hold_after: int | None = None
    """Nothing more is sent after so many chunks until `Model.release`."""


def echo(request: dict[str, Any]) -> Reply:
    """The last words of the user, so that one can talk with the model."""
    for message in reversed(request.get("messages", [])):
        if message.get("role") == "user":
            return Reply(text=f"You said: {text_of(message)}")
    return Reply(text="You said nothing.")


def text_of(message: dict[str, Any]) -> str:
    """The text of a message of a request, whose content is a string or parts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


class Model:
    """The server, in threads of its own. `requests` holds what was asked, in order; a resume asks nothing."""

    def __init__(self, default: Callable[[dict[str, Any]], Reply] = echo) -> None:
        self.requests: list[dict[str, Any]] = []
        self._default = default
        self._script: deque[Reply] = deque()
        self._changed = threading.Condition()
        self._held = 0
        self._released = 0
        self._closed = False
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """`baseUrl` for models.json."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *replies: Reply) -> None:
        """Adds replies for the next requests."""
        with self._changed:
            self._script.extend(replies)

    def wait_requests(self, count: int, timeout: float = 10) -> None:
        """Until so many requests have come in all. Raises TimeoutError."""
        self._wait(lambda: len(self.requests) >= count, timeout, f"{count} requests")

    def wait_held(self, timeout: float = 10) -> None:
        """Until a reply is being held. Raises TimeoutError."""
        self._wait(lambda: self._held > 0, timeout, "a held reply")

    def release(self) -> None:
        """Lets go of every reply that is held now."""
        with self._changed:
            self._released += 1
            self._changed.notify_all()

    def close(self) -> None:
        """Ends the server; what is held is let go."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Model:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wait(self, condition: Callable[[], bool], timeout: float, what: str) -> None:
        with self._changed:
            if not self._changed.wait_for(condition, timeout):
                raise TimeoutError(
                    f"the model waited {timeout} s for {what}; it has {len(self.requests)} requests"
                )

    def _take(self, request: dict[str, Any]) -> Reply:
        with self._changed:
            self.requests.append(request)
            reply = self._script.popleft() if self._script else None
            self._changed.notify_all()
        return reply or self._default(request)

    def _hold(self) -> None:
        with self._changed:
            before = self._released
            self._held += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._released > before or self._closed)
            self._held -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, model: Model) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model = self.server.model
        reply = model._take(request)
        self.close_connection = True
        try:
            if reply.status != 200:
                self._refuse(reply)
            else:
                self._stream(reply, model)
        except (BrokenPipeError, ConnectionResetError):
            # Pi hangs up when a turn is aborted.
            return

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing: the tests look at `Model.requests`."""

    def _refuse(self, reply: Reply) -> None:
        body = json.dumps({"error": {"message": reply.error, "type": "scripted"}}).encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, reply: Reply, model: Model) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number, chunk in enumerate(chunks(reply)):
            if number == reply.disconnect_after:
                return
            if number == reply.hold_after:
                model._hold()
            if reply.delay:
                time.sleep(reply.delay)
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
            self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")


def chunks(reply: Reply) -> Iterator[dict[str, Any]]:
    """The reply as `chat.completion.chunk` objects."""
    yield _chunk({"role": "assistant", "content": ""})
    for piece in _pieces(reply.thinking, reply.piece):
        yield _chunk({"reasoning_content": piece})
    for piece in _pieces(reply.text, reply.piece):
        yield _chunk({"content": piece})
    for index, call in enumerate(reply.tool_calls):
        arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
        head = {"index": index, "id": call.id or f"call_{time.time_ns():x}_{index}", "type": "function"}
        yield _chunk({"tool_calls": [{**head, "function": {"name": call.name, "arguments": ""}}]})
        for piece in _pieces(arguments, reply.piece):
            yield _chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _chunk({}, reply.finish or ("tool_calls" if reply.tool_calls else "stop"))
    yield {
        **_FRAME,
        "choices": [],
        "usage": {
            "prompt_tokens": reply.usage.input,
            "completion_tokens": reply.usage.output,
            "total_tokens": reply.usage.input + reply.usage.output,
            "prompt_tokens_details": {"cached_tokens": reply.usage.cached},
            "completion_tokens_details": {"reasoning_tokens": reply.usage.reasoning},
        },
    }


_FRAME: dict[str, Any] = {
    "id": "chatcmpl-scripted",
    "object": "chat.completion.chunk",
    "created": 0,
    "model": MODEL_ID,
}


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {**_FRAME, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))
