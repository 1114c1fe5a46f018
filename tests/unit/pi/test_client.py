from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pivi.pi.client import Client
from pivi.pi.errors import PiGoneError, PiRefusedError, PiTimeoutError, StartFailedError
from pivi.pi.launch import New, build
from pivi.pi.process import Launch
from pivi.pi.start import ready
from tests.support.talk import FAKE_PI, Heard


def launch(*words: str, env: dict[str, str | None] | None = None) -> Launch:
    return build([sys.executable, "-S", FAKE_PI, *words], [], env or {}, New(), "/")


async def test_banners_are_skipped_and_logged() -> None:
    heard = Heard()
    client = await Client.start(launch("banner"), heard.hooks())
    assert (await client.get_state()).session_id == "fake"
    said = heard.said("stdout")
    for part in ("Welcome", "title", "[1, 2]", "{not json}", "no end of line"):
        assert part in said
    assert heard.events == []
    end = await client.end()
    assert (end.exit.status, end.exit.signal, end.exit.asked) == (0, None, True)
    assert heard.exits == [end.exit]
    assert heard.failures == []


async def test_answers_that_are_not_ours() -> None:
    heard = Heard()
    client = await Client.start(launch("other-ids"), heard.hooks())
    state, again = await asyncio.gather(client.get_state(), client.get_state())
    assert state == again
    assert heard.said("pivi").count("nobody waits for") >= 4
    await client.end()


async def test_death_in_mid_request() -> None:
    heard = Heard()
    client = await Client.start(launch("dies"), heard.hooks())
    requests = [asyncio.ensure_future(client.get_state()), asyncio.ensure_future(client.prompt("x"))]
    for request in requests:
        with pytest.raises(PiGoneError, match=r"exit status 3\): TypeError: it broke. Badly.") as error:
            await request
        assert error.value.exit is heard.exits[0]
    with pytest.raises(PiGoneError):
        await client.get_state()
    assert client.exit is heard.exits[0] and not heard.exits[0].asked
    assert len(heard.exits) == 1
    assert (await client.end()).exit is heard.exits[0]


async def test_death_by_signal() -> None:
    client = await Client.start(launch("killed"), Heard().hooks())
    with pytest.raises(PiGoneError, match="killed by SIGKILL"):
        await client.get_state()


async def test_no_answer() -> None:
    heard = Heard()
    client = await Client.start(launch("silent"), heard.hooks())
    with pytest.raises(PiTimeoutError, match=r"did not answer get_state within 0.2 s"):
        await client.get_state(limit=0.2)
    await client.end()


async def test_refusal() -> None:
    client = await Client.start(launch("refuses"), Heard().hooks())
    with pytest.raises(PiRefusedError, match="Unknown command") as error:
        await client.get_state()
    assert error.value.command == "get_state"
    await client.end()


async def test_a_flood_of_stderr_is_bounded_and_passed_on() -> None:
    heard = Heard()
    client = await Client.start(launch("flood"), heard.hooks())
    await client.get_state()
    end = await client.end()
    assert len(heard.said("stderr")) == 200 * 100_000 + len("the last words")
    assert len(end.exit.stderr) < 100_000
    assert end.exit.stderr.endswith("the last words")


async def test_odd_records_cost_no_other() -> None:
    heard = Heard()
    client = await Client.start(launch("odd"), heard.hooks())
    await client.get_state()
    assert heard.kinds == ["message_end", "message_end"]
    assert heard.events[0]["message"]["text"] == "\ud83d"
    entries = await client.get_entries()
    texts = [bytes(entry) for entry in entries.entries]
    assert texts[0] == '{"id":"a","text":"\\ud83d \u2028"}'.encode()
    assert texts[1].startswith(b'{"id":"b","deep":[[[') and len(texts[1]) > 10_000
    assert texts[2:] == [b"[1,2]", b"null"]
    assert entries.leaf_id == "b"
    assert heard.failures == []
    await client.end()


async def test_a_line_of_60_megabytes() -> None:
    client = await Client.start(launch("big"), Heard().hooks())
    entries = await client.get_entries()
    assert len(bytes(entries.entries[0])) > 60_000_000
    await client.end()


async def test_a_half_surrogate_can_be_sent() -> None:
    client = await Client.start(launch(), Heard().hooks())
    await client.set_session_name("\ud83d")
    await client.end()


async def test_a_dialog_that_nobody_takes_is_dismissed() -> None:
    heard = Heard()
    client = await Client.start(launch("dialog"), heard.hooks())
    state = await client.get_state()
    assert state.session_name == '{"type": "extension_ui_response", "id": "d1", "cancelled": true}'
    assert [request["method"] for request in heard.asked] == ["confirm", "notify"]
    await client.end()


async def test_a_dialog_that_is_taken_waits_for_its_answer() -> None:
    heard = Heard(take_dialogs=True)
    client = await Client.start(launch("dialog"), heard.hooks())
    asked = asyncio.ensure_future(client.get_state())
    await heard.until(lambda: len(heard.asked) == 2)
    assert not asked.done()
    client.answer_ui("d1", confirmed=True)
    assert '"confirmed": true' in str((await asked).session_name)
    await client.end()


async def test_a_subscriber_that_raises_stops_nothing() -> None:
    heard = Heard()
    hooks = heard.hooks()

    def fail(*_: Any) -> None:
        raise RuntimeError("mine")

    hooks.event = hooks.exit = hooks.log = fail
    client = await Client.start(launch("odd"), hooks)
    await client.get_state()
    await client.end()
    assert [str(error) for error in heard.failures] == ["mine"] * 3


async def test_pi_without_stdout_is_ended() -> None:
    client = await Client.start(launch("closes-stdout", "deaf-to-eof"), Heard().hooks())
    with pytest.raises(PiGoneError, match="SIGTERM"):
        await client.get_state()


async def test_what_can_not_be_run(tmp_path: Path) -> None:
    broken = tmp_path / "pi"
    broken.write_bytes(b"\x7fELFnot")
    broken.chmod(0o755)
    with pytest.raises(StartFailedError, match="can't be run: Exec format error"):
        await Client.start(build(str(broken), [], {}, New(), "/"), Heard().hooks())
    with pytest.raises(StartFailedError, match="there is no such directory"):
        await Client.start(build("sh", [], {}, New(), str(tmp_path / "gone")), Heard().hooks())


Failing = Callable[..., Any]


async def failed_start(plan: Launch, limit: float = 5.0) -> str:
    heard = Heard()
    client = await Client.start(plan, heard.hooks())
    with pytest.raises(StartFailedError) as error:
        await ready(client, plan, limit)
    assert client.exit is not None and heard.exits == [client.exit]
    assert heard.failures == []
    return str(error.value)


async def test_a_start_that_dies_says_why() -> None:
    assert await failed_start(launch("dies")) == (
        "Pi ended at once (exit status 3): TypeError: it broke. Badly. `:Pi log` has all that Pi said."
    )


async def test_a_start_that_hangs_is_bounded() -> None:
    start = time.monotonic()
    sentence = await failed_start(launch("silent"), limit=0.3)
    assert sentence.startswith("Pi did not answer within 0.3 s: try `--no-extensions`")
    assert time.monotonic() - start < 5


async def test_an_extension_that_asks_at_the_start_is_named() -> None:
    sentence = await failed_start(launch("asks-at-start"), limit=1.0)
    assert "try `--no-extensions`" in sentence and sentence.endswith(": Your name?")


async def test_an_old_pi_is_named() -> None:
    for fault in ("dies", "refuses", "silent"):
        sentence = await failed_start(launch(fault, env={"FAKE_VERSION": "0.60.2"}), limit=0.5)
        assert sentence.startswith("Pi 0.60.2 is too old, update it with `")


async def test_an_old_node_is_named(tmp_path: Path) -> None:
    node = tmp_path / "node"
    node.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo v20.20.2 && exit\n'
        "echo \"SyntaxError: The requested module 'node:module' does not provide an export\" >&2\nexit 1\n"
    )
    node.chmod(0o755)
    pi = tmp_path / "pi"
    pi.write_text("#!/usr/bin/env node\n")
    pi.chmod(0o755)
    env: dict[str, str | None] = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    assert await failed_start(build("pi", [], env, New(), "/")) == (
        f"Pi needs Node 22.19.0 or newer. Put it on PATH, or set PATH in pi.env. It runs on 20.20.2, {node}."
    )


async def test_a_missing_node_is_named(tmp_path: Path) -> None:
    env = tmp_path / "env"
    env.symlink_to("/usr/bin/env")
    pi = tmp_path / "pi"
    pi.write_text("#!/usr/bin/env node\n")
    pi.chmod(0o755)
    sentence = await failed_start(build("pi", [], {"PATH": str(tmp_path)}, New(), "/"))
    assert sentence.startswith("Pi needs Node 22.19.0 or newer, its PATH has none. Put")
