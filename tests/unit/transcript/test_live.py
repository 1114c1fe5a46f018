"""A running session: pieces as they come, tools as they run, and letting go of what is stored."""

from __future__ import annotations

import time
from typing import Any

from pivi.pi.records import decode_lines
from pivi.transcript import blocks as b
from pivi.transcript.live import Live
from tests.support.entries import TIME, answer, call, raw, result, user


def start(live: Live) -> None:
    told = {"role": "assistant", "content": [], "model": "m", "stopReason": "pending", "timestamp": TIME}
    live.feed({"type": "message_start", "message": told})


def piece(live: Live, kind: str, index: int = 0, **fields: Any) -> bool:
    event = {"type": kind, "contentIndex": index, **fields}
    return live.feed({"type": "message_update", "assistantMessageEvent": event})


def end(live: Live, line: dict[str, Any]) -> None:
    live.feed({"type": "message_end", "message": line["message"]})


def last(live: Live) -> Any:
    return live.blocks()[-1]


def test_pieces_appear_as_they_come() -> None:
    live = Live()
    start(live)
    assert [type(block) for block in live.blocks()] == [b.Reply]
    assert not piece(live, "text_start")
    assert piece(live, "text_delta", delta="Hel") and last(live).text == "Hel"
    assert piece(live, "text_delta", delta="lo") and last(live).text == "Hello"
    assert last(live) is last(live)
    assert not piece(live, "text_end", content="Hello")
    end(live, answer("a", None, "Hello"))
    assert (last(live).text, last(live).key) == ("Hello", "live/1/0")


def test_parts_stay_in_their_order_however_they_come() -> None:
    live = Live()
    start(live)
    piece(live, "text_delta", 1, delta="words")
    piece(live, "thinking_delta", 0, delta="hm")
    piece(live, "toolcall_start", 2, id="c", toolName="bash")
    assert last(live).name == "bash" and last(live).subject == ""
    piece(live, "toolcall_delta", 2, delta='{"command"')
    piece(live, "toolcall_end", 2, toolCall=call("c", command="ls"))
    assert last(live).subject == "ls"
    assert [type(block) for block in live.blocks()] == [b.Reply, b.Thinking, b.Answer, b.ToolCall]
    assert len({block.section for block in live.blocks()}) == 1


def test_what_the_finished_message_says_holds() -> None:
    live = Live()
    start(live)
    piece(live, "text_delta", delta="streamed")
    end(live, answer("a", None, "finished", usage={"input": 5, "output": 7}))
    assert last(live).text == "finished"
    heading = live.blocks()[0]
    assert isinstance(heading, b.Reply) and heading.usage == b.Usage(5, 7)


def test_a_tool_runs_and_ends() -> None:
    live = Live()
    end(live, answer("a", None, call("c")))
    told = {"toolCallId": "c", "toolName": "bash"}
    assert live.feed({"type": "tool_execution_start", **told}) and live.running == {"c": ""}
    partial = {"content": [{"type": "text", "text": "half"}]}
    live.feed({"type": "tool_execution_update", **told, "partialResult": partial})
    assert live.running == {"c": "half"} and last(live).outcome is None
    running = last(live)
    live.feed({"type": "tool_execution_end", **told, "result": partial, "isError": True})
    assert live.running == {} and last(live).outcome == b.Outcome("half", error=True)
    assert running.outcome is None, "what was handed out is not changed"
    end(live, result("r", "a", "c", "whole"))
    assert last(live).outcome == b.Outcome("whole")


def test_a_direct_command_runs_and_ends() -> None:
    live = Live()
    live.shell("1", "make", excluded=True)
    for delta in ("a\n", "b\n"):
        live.feed({"type": "bash_execution_update", "id": "1", "delta": delta})
    assert (last(live).output, last(live).exit_status) == ("a\nb\n", None)
    data = {"output": "a\nb\n", "exitCode": 2, "cancelled": False, "truncated": False}
    live.feed({"type": "response", "command": "bash", "id": "1", "success": True, "data": data})
    assert (last(live).exit_status, last(live).excluded, last(live).section) == (2, True, last(live).key)


def test_a_direct_command_that_is_refused_goes() -> None:
    live = Live()
    live.shell("1", "make")
    live.feed({"type": "response", "command": "bash", "id": "1", "success": False, "error": "no"})
    assert live.blocks() == []


def test_only_what_is_stored_is_let_go() -> None:
    live = Live()
    ask, say = user("a", None, "ask"), answer("b", "a", "say")
    end(live, ask)
    end(live, say)
    start(live)
    piece(live, "text_delta", delta="more")
    live.settle(decode_lines(raw(ask, say)))
    assert [type(block) for block in live.blocks()] == [b.Reply, b.Answer]
    assert all(block.section == live.blocks()[0].key for block in live.blocks())


def test_odd_events_change_nothing() -> None:
    live = Live()
    odd: list[dict[str, Any]] = [{}, {"type": 5}, {"type": "message_update"}, {"type": "tool_execution_end"}]
    odd += [{"type": "entry_appended", "entry": 4}, {"type": "compaction_end"}, {"type": "message_start"}]
    odd += [{"type": "bash_execution_update"}, {"type": "response", "command": "bash"}]
    assert not any(live.feed(event) for event in odd)
    start(live)
    events: list[dict[str, Any]] = [{"type": "text_delta"}, {"type": "toolcall_end", "contentIndex": 1}]
    for event in (*events, {"contentIndex": []}):
        live.feed({"type": "message_update", "assistantMessageEvent": event})
    live.feed({"type": "message_end", "message": None})
    assert all(isinstance(block, (b.Reply, b.Unknown)) for block in live.blocks())


def test_streaming_costs_what_comes() -> None:
    live = Live()
    start(live)
    begin = time.thread_time()
    for number in range(50_000):
        piece(live, "text_delta", delta="12345")
        if number % 100 == 0:
            live.blocks()
    assert len(last(live).text) == 250_000
    assert time.thread_time() - begin < 2


def test_a_call_is_pending_until_its_result_or_the_end_of_its_turn() -> None:
    live = Live()
    end(live, answer("a", None, call("c", command="sleep 4")))
    (shown,) = [block for block in live.blocks(settled=False) if isinstance(block, b.ToolCall)]
    assert shown.pending and shown is live.blocks(settled=False)[-1]
    assert not last(live).pending
    end(live, result("r", "a", "c", "done"))
    ended: Any = live.blocks(settled=False)[-1]
    assert not ended.pending


def test_calls_of_a_failed_answer_are_not_pending() -> None:
    live = Live()
    end(live, answer("a", None, call("c", command="ls"), stop="error"))
    assert not any(getattr(block, "pending", False) for block in live.blocks(settled=False))
