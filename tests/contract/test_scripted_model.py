"""The scripted model does to the real Pi what each step of a reply says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.model import Model, Reply, ToolCall, Usage, text_of
from tests.support.pi import Pi, PiRun, Record

pytestmark = pytest.mark.matrix


def messages(run: PiRun, role: str) -> list[Record]:
    entries: list[Record] = run.request("get_entries")["data"]["entries"]
    return [e["message"] for e in entries if e["type"] == "message" and e["message"]["role"] == role]


def test_echo_answers_the_last_words(pi: Pi) -> None:
    with pi.start() as run:
        run.prompt("good morning")
        assert text_of(messages(run, "assistant")[-1]) == "You said: good morning"


def test_thinking_text_and_usage(pi: Pi, model: Model) -> None:
    model.script(Reply(text="Blue.", thinking="Which one?", usage=Usage(300, 40, cached=100)))
    with pi.start("--thinking", "high") as run:
        run.prompt("a colour")
        answer = messages(run, "assistant")[-1]
        assert [part["type"] for part in answer["content"]] == ["thinking", "text"]
        assert answer["usage"]["cacheRead"] == 100 and answer["usage"]["output"] == 40


def test_tool_call_in_pieces(pi: Pi, model: Model) -> None:
    call = ToolCall("bash", {"command": "echo one two three"})
    model.script(Reply(tool_calls=[call], piece=3), Reply(text="Done."))
    with pi.start() as run:
        run.prompt("count")
        assert text_of(messages(run, "toolResult")[-1]).strip() == "one two three"
    assert len(model.requests) == 2


def test_refused(pi: Pi, model: Model) -> None:
    model.script(Reply(status=400, error="no such thing"))
    with pi.start() as run:
        run.prompt("hello")
        answer = messages(run, "assistant")[-1]
        assert answer["stopReason"] == "error" and "no such thing" in answer["errorMessage"]


def test_disconnect_in_mid_stream(pi: Pi, model: Model) -> None:
    model.script(
        Reply(text="It was a dark and stormy night", piece=4, disconnect_after=3), Reply(text="Again.")
    )
    with pi.start() as run:
        run.prompt("a story")
        reasons = [answer["stopReason"] for answer in messages(run, "assistant")]
        assert reasons == ["error", "stop"]


def test_finish_reason(pi: Pi, model: Model) -> None:
    model.script(Reply(text="cut", finish="length"), Reply(text="summary"))
    with pi.start() as run:
        run.prompt("much")
        assert "length" in [answer["stopReason"] for answer in messages(run, "assistant")]


@pytest.mark.parametrize("end", ["release", "abort"])
def test_hold(pi: Pi, model: Model, end: str) -> None:
    model.script(Reply(text="one two three", piece=4, hold_after=2))
    with pi.start() as run:
        run.request("prompt", message="count")
        model.wait_held()
        assert not any(record["type"] == "agent_settled" for record in run.records)
        if end == "abort":
            run.request("abort")
        else:
            model.release()
        run.wait_event("agent_settled")
        answer: dict[str, Any] = messages(run, "assistant")[-1]
        assert answer["stopReason"] == {"abort": "aborted", "release": "stop"}[end]
        model.release()
