"""An answer while it streams."""

from __future__ import annotations

from copy import copy
from typing import Any

import msgspec

from pivi.pi.messages import CallPart, decode_message

from .blocks import Answer, Block, Thinking, ToolCall
from .items import Item
from .parts import call, fill


class _Stream(msgspec.Struct):
    """A part of the answer; `pieces` are joined when they are wanted, `block` is `None` until they are."""

    kind: str
    pieces: list[str] = []
    call: ToolCall | None = None
    block: Block | None = None


class Draft:
    """Gathers the pieces of one message by their place in it. A piece costs what it is long."""

    def __init__(self, key: str, start: Any) -> None:
        message, _ = decode_message(start)
        self.item = Item(key, time=message.timestamp)
        fill(self.item, message)
        self._streams: dict[int, _Stream] = {}

    def feed(self, event: dict[str, Any]) -> bool:
        """Take an `assistantMessageEvent`; whether it changes what is seen."""
        name, index = event.get("type"), event.get("contentIndex")
        if not isinstance(name, str) or not isinstance(index, int):
            return False
        kind, _, what = name.partition("_")
        if kind not in ("text", "thinking", "toolcall"):
            return False
        stream = self._streams.get(index)
        if stream is None:
            stream = self._streams[index] = _Stream(kind)
        if kind == "toolcall":
            return self._feed_call(index, stream, what, event)
        piece = event.get("delta") if what == "delta" else event.get("content") if what == "end" else None
        if not isinstance(piece, str):
            return False
        if what == "end":
            if len(piece) == sum(map(len, stream.pieces)):
                return False
            stream.pieces = []
        stream.pieces.append(piece)
        stream.block = None
        return bool(piece)

    def _feed_call(self, index: int, stream: _Stream, what: str, event: dict[str, Any]) -> bool:
        if what == "start":
            part = CallPart(name=str(event.get("toolName", "")), id=str(event.get("id", "")))
        elif what == "end":
            message = {"role": "assistant", "content": [event.get("toolCall")]}
            content = getattr(decode_message(message)[0], "content", None)
            if not content or type(content[0]) is not CallPart:
                return False
            part = content[0]
        else:
            return False
        stream.call, stream.block = call(self.item, index, part), None
        return True

    def blocks(self) -> list[Block]:
        """What has come so far; unchanged parts are the same objects as before."""
        item = self.item
        blocks: list[Block] = []
        for index, stream in sorted(self._streams.items()):
            if stream.block is None:
                stream.block = self._block(index, stream)
            if stream.block is not None:
                if item.section is not None and stream.block.section != item.section:
                    stream.block = copy(stream.block)
                    stream.block.section, stream.block.run = item.section, item.run
                blocks.append(stream.block)
        return blocks

    def _block(self, index: int, stream: _Stream) -> Block | None:
        if stream.call is not None:
            return stream.call
        text = "".join(stream.pieces)
        stream.pieces = [text]
        if not text:
            return None
        kind = Answer if stream.kind == "text" else Thinking
        return kind(key=f"{self.item.key}/{index}", time=self.item.time, text=text)
