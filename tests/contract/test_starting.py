"""Starts of the real Pi that fail, and what the user is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from pivi.pi import probe
from pivi.pi.client import Client
from pivi.pi.diagnose import no_model, refused_prompt
from pivi.pi.errors import PiRefusedError, StartFailedError
from pivi.pi.launch import New, Resume
from pivi.pi.process import Launch
from pivi.pi.start import ready
from tests.support.pi import Pi
from tests.support.talk import Heard, launch, stored
from tests.support.tools import NODE

pytestmark = pytest.mark.matrix


async def failed(plan: Launch, limit: float = 10) -> str:
    heard = Heard()
    client = await Client.start(plan, heard.hooks())
    with pytest.raises(StartFailedError) as error:
        await ready(client, plan, limit)
    assert heard.failures == []
    return str(error.value)


async def test_a_start_that_pi_refuses(pi: Pi, tmp_path: Path) -> None:
    assert (await failed(launch(pi, New(), "--no-such-flag"))).startswith(
        "Pi ended at once (exit status 1): Error: Unknown option: --no-such-flag. `:Pi log`"
    )
    garbage = tmp_path / "notes.jsonl"
    garbage.write_text("not a session\n")
    sentence = await failed(launch(pi, Resume(str(garbage))))
    assert f"Error: Session file is not a valid pi session: {garbage}" in sentence
    assert garbage.read_text() == "not a session\n"


async def test_the_directory_of_the_session_is_gone(pi: Pi) -> None:
    file = stored(pi)
    gone = file.read_text().replace(f'"cwd":"{pi.home.project}"', '"cwd":"/no/such/dir"')
    file.write_text(gone)
    assert (await failed(launch(pi, Resume(str(file))))).startswith(
        "Go on with `:Pi fork`: the session's directory no longer exists, /no/such/dir."
    )
    assert file.read_text() == gone


@pytest.mark.parametrize(
    ("more", "sentence"),
    [("", "Pi ended at once: "), ("setInterval(() => {}, 1000);", "Pi did not answer within 2 s: ")],
)
async def test_an_extension_that_asks_at_the_start(pi: Pi, more: str, sentence: str) -> None:
    extension = pi.home.root / "asks.ts"
    extension.write_text(
        'export default (pi) => pi.on("session_start", async (_, ctx) => {\n'
        f'  {more} await ctx.ui.input("Who?"); }});\n'
    )
    told = await failed(launch(pi, New(), "-e", str(extension)), limit=2)
    assert told.startswith(f"{sentence}try `--no-extensions` in pi.args.") and told.endswith(": Who?")


async def test_a_dialog_of_a_command_is_dismissed(pi: Pi) -> None:
    extension = pi.home.root / "asks.ts"
    extension.write_text(
        'export default (pi) => pi.registerCommand("ask", { handler: async (_, ctx) => {\n'
        '  const yes = await ctx.ui.confirm("Sure?", "m"); ctx.ui.notify(`it is ${yes}`); } });\n'
    )
    heard = Heard()
    plan = launch(pi, New(), "-e", str(extension))
    client = await Client.start(plan, heard.hooks())
    await client.prompt("/ask")
    assert [request["method"] for request in heard.asked] == ["confirm", "notify"]
    assert heard.asked[1]["message"] == "it is false"
    await client.end()


async def test_no_model_and_no_key(pi: Pi) -> None:
    (pi.home.agent_dir / "models.json").unlink()
    (pi.home.agent_dir / "settings.json").unlink()
    plan = launch(pi, New())
    client = await Client.start(plan, Heard().hooks())
    assert "/login" in str(no_model(await ready(client, plan)))
    with pytest.raises(PiRefusedError) as error:
        await client.prompt("x")
    assert refused_prompt(str(error.value)).endswith(": No API key found for the selected model.")
    await client.end()


async def test_versions(pi: Pi) -> None:
    found = await probe.versions(launch(pi, New()))
    assert found.pi is not None and probe.text(found.pi) == pi.version
    assert found.node is not None and found.node >= probe.OLDEST_NODE
    assert found.node_path == str(NODE)
