"""Our client on the real Pi."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pivi.pi.answers import Image
from pivi.pi.client import Client
from pivi.pi.errors import PiGoneError, PiRefusedError, StartFailedError
from pivi.pi.launch import Continue, Fork, New, Resume
from pivi.pi.start import ready
from tests.support.model import Model, Reply, ToolCall
from tests.support.pi import Pi
from tests.support.processes import processes_with, wait_gone
from tests.support.talk import Heard, launch, stored
from tests.support.tools import ROOT

pytestmark = pytest.mark.matrix
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def roles(file: str) -> list[str]:
    entries = map(json.loads, Path(file).read_text().splitlines())
    return [entry["message"]["role"] for entry in entries if entry["type"] == "message"]


def ids(entries: list[Any]) -> list[str]:
    return [json.loads(bytes(entry))["id"] for entry in entries]


async def test_resume_by_path_backfill_prompt_and_end(pi: Pi, model: Model) -> None:
    file = stored(pi, "one", "two")
    before, asked, heard = file.read_bytes(), len(model.requests), Heard()
    plan = launch(pi, Resume(str(file)))
    client = await Client.start(plan, heard.hooks())
    state, entries = await asyncio.gather(ready(client, plan), client.get_entries())
    assert state.session_file == str(file)
    assert state.model is not None and state.model.ref == "fake/fake-1"
    assert [bytes(entry) for entry in entries.entries] == before.splitlines()[1:]
    last = ids(entries.entries)[-1]
    assert entries.leaf_id == last
    nothing = await client.get_entries(since=last)
    assert (nothing.entries, nothing.leaf_id) == ([], last)
    assert ids((await client.get_entries(since=ids(entries.entries)[2])).entries) == ids(entries.entries)[3:]
    with pytest.raises(PiRefusedError, match="Entry not found: nope"):
        await client.get_entries(since="nope")
    assert len(model.requests) == asked
    assert heard.events == []

    await client.prompt("three")
    await heard.settled()
    assert [kind for kind in heard.kinds if kind != "message_update"] == [
        "agent_start", "turn_start", "message_start", "message_end", "message_start", "message_end",
        "turn_end", "agent_end", "agent_settled",
    ]  # fmt: skip
    new = await client.get_entries(since=last)
    assert [json.loads(bytes(entry))["message"]["role"] for entry in new.entries] == ["user", "assistant"]
    end = await client.end()
    assert (end.exit.status, end.exit.stderr) == (0, "")
    assert file.read_bytes().startswith(before)
    assert heard.failures == []


async def test_continue_takes_the_newest(pi: Pi, model: Model) -> None:
    stored(pi, "old")
    newest = stored(pi, "new")
    asked = len(model.requests)
    plan = launch(pi, Continue())
    client = await Client.start(plan, Heard().hooks())
    assert (await ready(client, plan)).session_file == str(newest)
    await client.end()
    assert len(model.requests) == asked


async def test_new_with_id_name_and_ephemeral(pi: Pi) -> None:
    plan = launch(pi, New(id="my.id", name="My name", ephemeral=True))
    client = await Client.start(plan, Heard().hooks())
    state = await ready(client, plan)
    assert (state.session_id, state.session_name, state.session_file) == ("my.id", "My name", None)
    await client.end()


async def test_fork_copies_into_a_new_session(pi: Pi) -> None:
    file = stored(pi)
    plan = launch(pi, Fork(str(file), name="Fork"))
    client = await Client.start(plan, Heard().hooks())
    state = await ready(client, plan)
    assert state.session_file != str(file) and state.session_name == "Fork"
    await client.end()


async def test_a_foreign_id_is_never_passed_to_pi(pi: Pi) -> None:
    file = stored(pi)
    identity = json.loads(file.read_bytes().splitlines()[0])["id"]
    for session in (Resume(identity), Fork(identity), Resume(identity[:8])):
        with pytest.raises(StartFailedError, match="no absolute path"):
            launch(pi, session)


async def test_abort_in_mid_turn(pi: Pi, model: Model) -> None:
    model.script(Reply(text="a long answer", piece=1, hold_after=4))
    heard = Heard()
    plan = launch(pi, New())
    client = await Client.start(plan, heard.hooks())
    await client.prompt("go")
    await heard.until(lambda: "message_update" in heard.kinds)
    assert client.running
    await client.steer("queued words")
    queue = await client.stop_turn(limit=10)
    assert queue.steering == ["queued words"]
    await heard.settled()
    assert not client.running
    entries = await client.get_entries()
    last = json.loads(bytes(entries.entries[-1]))["message"]
    assert (last["role"], last["stopReason"]) == ("assistant", "aborted")
    await client.end()


WRAPPER = ["sh", "-c", '"$@"; true', "sh"]


@pytest.mark.parametrize("wrapper", [[], WRAPPER])
async def test_end_in_mid_turn_stores_it_and_leaves_no_process(
    pi: Pi, model: Model, wrapper: list[str]
) -> None:
    model.script(Reply(tool_calls=[ToolCall("bash", {"command": "echo begun; sleep 300"})]))
    heard = Heard()
    plan = launch(pi, New(), command=[*wrapper, str(pi.path)])
    client = await Client.start(plan, heard.hooks())
    state = await ready(client, plan)
    await client.prompt("go")
    await heard.until(lambda: any("begun" in json.dumps(event) for event in heard.events[-3:]))
    end = await client.end()
    assert end.exit.asked
    assert processes_with(pi.home.mark) == {}
    assert state.session_file is not None
    assert roles(state.session_file)[:4] == ["system", "user", "assistant", "toolResult"]


HOST = """
import asyncio, json, sys
from pivi.pi.client import Client
from pivi.pi.launch import New, build
from tests.support.talk import Heard

async def main():
    heard = Heard()
    client = await Client.start(build(sys.argv[1:], [], {}, New(), "."), heard.hooks())
    await client.prompt("go")
    await heard.until(lambda: any("begun" in json.dumps(event) for event in heard.events[-3:]))
    print("up", flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("wrapper", [[], WRAPPER])
def test_a_host_that_is_killed_in_mid_turn_leaves_no_process(
    pi: Pi, model: Model, wrapper: list[str]
) -> None:
    model.script(Reply(tool_calls=[ToolCall("bash", {"command": "echo begun; sleep 300"})]))
    env = {**pi.home.env, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-c", HOST, *wrapper, str(pi.path)]
    host = subprocess.Popen(
        argv, stdout=subprocess.PIPE, env=env, cwd=pi.home.project, start_new_session=True
    )
    assert host.stdout is not None and host.stdout.readline() == b"up\n"
    os.kill(host.pid, signal.SIGKILL)
    host.communicate()
    wait_gone(pi.home.mark, 4)


async def test_death_in_mid_turn(pi: Pi, model: Model) -> None:
    model.script(Reply(text="never", hold_after=1))
    heard = Heard()
    client = await Client.start(launch(pi, New()), heard.hooks())
    await client.prompt("go")
    waiting = asyncio.ensure_future(client.compact())
    os.kill(client.pid, signal.SIGKILL)
    with pytest.raises(PiGoneError, match="SIGKILL"):
        await waiting
    await client.end()
    assert len(heard.exits) == 1 and not heard.exits[0].asked


async def test_every_command_is_understood(pi: Pi, model: Model) -> None:
    heard = Heard()
    plan = launch(pi, New())
    client = await Client.start(plan, heard.hooks())
    await ready(client, plan)
    disposition = None if pi.version == "0.87.1" else "started"
    assert await client.prompt("look", images=[Image(PIXEL, "image/png")]) == disposition
    await heard.settled()
    model.script(Reply(text="held", hold_after=1))
    await client.prompt("again")
    await client.steer("s", images=[Image(PIXEL, "image/png")])
    await client.follow_up("f")
    queue = await client.clear_queue()
    assert (queue.steering, queue.follow_up) == (["s"], ["f"])
    await client.abort()
    await client.abort_retry()
    await client.abort_bash()

    shell = await client.bash("echo hi; exit 3", exclude_from_context=True, request_id="mine")
    assert (shell.output.strip(), shell.exit_code, shell.cancelled) == ("hi", 3, False)
    assert [event["id"] for event in heard.events if event["type"] == "bash_execution_update"] == ["mine"]
    assert [model.ref for model in await client.get_available_models()] == ["fake/fake-1"]
    assert (await client.set_model("fake", "fake-1")).context_window == 100_000
    assert "high" in await client.get_available_thinking_levels()
    await client.set_thinking_level("high")
    with pytest.raises(PiRefusedError, match="Nothing to compact"):
        await client.compact("briefly")
    await client.set_session_name("Named")
    state = await client.get_state()
    assert (state.session_name, state.thinking_level) == ("Named", "high")
    stats = await client.get_session_stats()
    assert stats.user_messages == 2 and stats.context_usage is not None
    assert isinstance(await client.get_commands(), list)
    assert await client.export_html(str(page := pi.home.root / "out.html")) == str(page)
    assert page.is_file()
    entries = [json.loads(bytes(entry)) for entry in (await client.get_entries()).entries]
    prompts = [entry["id"] for entry in entries if entry.get("message", {}).get("role") == "user"]
    assert await client.fork(prompts[1]) == "again"
    assert await client.clone()
    file = state.session_file
    assert file is not None and await client.switch_session(file)
    assert (await client.get_state()).session_id == state.session_id
    assert await client.new_session(parent_session=file)
    assert (await client.get_state()).session_id != state.session_id
    await client.end()
    assert heard.failures == []
