"""The catalog tells of each session what Pi's own list tells of it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pivi.sessions.cache import Cache
from pivi.sessions.catalog import rows_of
from pivi.sessions.headers import seconds
from pivi.sessions.listing import Row, Scope
from pivi.sessions.listing import Store as Look
from pivi.sessions.wording import tidy
from pivi.sessions.workers import Workers
from tests.support.pi import Pi, PiRun
from tests.support.stores import Store, header, lines, message, session_info, talk
from tests.support.tools import NODE

pytestmark = pytest.mark.matrix

LIST = """
const [module, dir, cwd] = process.argv.slice(1);
const { SessionManager } = await import(module);
const place = dir || undefined;
const lists = [await SessionManager.list(cwd, place), await SessionManager.listAll(place)];
const plain = (one) => ({ ...one, allMessagesText: undefined });
console.log(JSON.stringify(lists.map((list) => list.map(plain))));
"""


@pytest.fixture
def store(pi: Pi) -> Store:
    made = Store(pi.home.root)
    made.env, made.agent = pi.home.env, pi.home.agent_dir
    return made


def theirs(pi: Pi, cwd: str, folder: str = "") -> list[list[dict[str, Any]]]:
    """What Pi lists for a directory, and all that it lists."""
    module = pi.path.resolve().parents[2] / "dist" / "core" / "session-manager.js"
    argv = [str(NODE), "--input-type=module", "-e", LIST, str(module), folder, cwd]
    text = subprocess.run(argv, env=pi.home.env, cwd=cwd, capture_output=True, check=True, timeout=30).stdout
    lists: list[list[dict[str, Any]]] = json.loads(text)
    return lists


async def ours(store: Store, cwd: str, scope: Scope, *args: str) -> list[Row]:
    look = Look(store.location(cwd, *args), cwd, scope)
    rows, _ = await rows_of(look, Cache(str(store.root / "cache")), Workers())
    return rows


NO_PROMPT = {"(no messages)": "No prompt yet"}
"""What Pi says of a session without a prompt, and what we say."""


def is_said_as_by_pi(rows: list[Row], told: list[dict[str, Any]]) -> None:
    """Facts, order by the last message, and the first prompt, which we put on one tidy line."""
    assert {as_pi(row) for row in rows} == {as_ours(one) for one in told}
    by_path = {row.path: row for row in rows}
    latest_first = sorted(rows, key=lambda row: -(row.active or 0))
    assert [row.active for row in latest_first] == pytest.approx(
        [by_path[one["path"]].active for one in told]
    )
    for one in told:
        row = by_path[one["path"]]
        first = row.prompt if row.name else row.title
        said = NO_PROMPT.get(one["firstMessage"]) or tidy(one["firstMessage"])
        assert (row.path, first) == (row.path, said)


def as_pi(row: Row) -> tuple[object, ...]:
    told = (
        row.name,
        row.messages,
        row.parent,
        row.created and round(row.created, 3),
        round(row.active or 0, 3),
    )
    return row.path, row.id, row.cwd, *told


def as_ours(told: dict[str, Any]) -> tuple[object, ...]:
    # A name is the same but for our putting it on one tidy line.
    name = tidy(told["name"]) if told.get("name") else None
    times = [seconds(told["created"]), seconds(told["modified"])]
    return (told["path"], told["id"], told["cwd"], name, told["messageCount"], told.get("parentSessionPath"),
            *times)  # fmt: skip


def fill(store: Store, folder: Path, cwd: str) -> None:
    """Sessions as Pi, other writers and accidents leave them."""
    torn = b'{"type":"message","id":"7","parentId":"4","timestamp":"2026-01-02T03:04:05.000Z","mess'
    spaced = "".join(json.dumps(dict(reversed(one.items()))) + "\r\n" for one in [header("s", cwd), *talk()])
    late = message("9", "4", "user", "later", timestamp=1_777_777_777_123)
    by_entry = message("9", "4", "assistant", [], timestamp="no number")
    files = {
        "named": lines([header("named", cwd), *talk(), session_info("A"), session_info("\n B  b \n")]),
        "cleared": lines([header("cleared", cwd), *talk(), session_info("A"), session_info(" ")]),
        "slash": lines([header("slash", cwd + "//", parentSession="/other.jsonl"), *talk(), late]),
        "torn": lines([header("torn", cwd), *talk()]) + torn,
        "glued": lines([header("glued", cwd), *talk()]) + torn + lines([late]),
        "garbage": b"garbage\nnull\n\n" + lines([header("garbage", cwd), *talk(), by_entry]),
        "spaced": spaced.encode(),
        "surrogate": lines([header("surrogate", cwd), *talk("half \ud83d")]),
        "bytes": lines([header("bytes", cwd), *talk("x")]).replace(b'"x"', b'"\xff\xfe"'),
        "bare": lines([header("bare", cwd)]),
        "undated": lines([header("undated", cwd, timestamp="yesterday"), *talk()]),
        "odd": lines([header("odd", cwd), message("1", None, "user", "", timestamp=-5), {"type": 5}, {}]),
        "contentless": lines([header("contentless", cwd), {"type": "message", "message": {"role": "user"}}]),
        "twice": lines([header("twice", cwd), *talk(), header("again", cwd), *talk()]),
        "number": lines([header("number", cwd), *talk()])
        + b'{"type":"message","message":{"timestamp":1e9}}\n',
        "notes": b"# notes\n",
        "message": lines(talk()),
        "empty": b"",
    }
    for name, content in files.items():
        (folder / f"{name}.jsonl").write_bytes(content)
    (folder / "broken.jsonl").symlink_to("nowhere")
    (folder / "dir.jsonl").mkdir()


async def test_a_flat_store_of_real_and_hard_files(pi: Pi, store: Store) -> None:
    flat, cwd = pi.home.root / "flat", store.project("p")
    shutil.copytree(Path(__file__).parents[1] / "data" / "sessions" / pi.version, flat)
    fill(store, flat, cwd)
    mine, all_ = theirs(pi, cwd, str(flat))
    assert len(mine) > 10 and len(all_) > 30
    scopes: list[tuple[list[dict[str, Any]], Scope]] = [(mine, "directory"), (all_, "all")]
    for told, scope in scopes:
        rows = await ours(store, cwd, scope, "--session-dir", str(flat))
        is_said_as_by_pi(rows, told)


async def test_the_default_store_of_many_directories(pi: Pi, store: Store) -> None:
    cwd, other = store.project("a-b"), store.project("q")
    fill(store, store.bucket(cwd), cwd)
    store.put("other", other)
    mine, all_ = theirs(pi, cwd)
    is_said_as_by_pi(await ours(store, cwd, "all"), all_)
    # Pi does not look whose a session in a bucket is.
    store.put("neighbour", store.project("a/b"), folder=store.bucket(cwd))
    is_said_as_by_pi(await ours(store, cwd, "directory"), mine)


async def test_counts_and_costs_are_those_of_pis_statistics(pi: Pi, store: Store) -> None:
    data = sorted((Path(__file__).parents[1] / "data" / "sessions" / pi.version).glob("*.jsonl"))
    flat, cwd = pi.home.root / "flat", store.project("p")
    flat.mkdir()
    for source in data:
        head, _, rest = source.read_bytes().partition(b"\n")
        record = json.loads(head) | {"cwd": cwd}
        (flat / source.name).write_bytes(json.dumps(record).encode() + b"\n" + rest)
    rows = await ours(store, cwd, "directory", "--session-dir", str(flat))
    assert len(rows) == len(data)
    with PiRun([str(pi.path), "--mode", "rpc", "--no-session"], pi.home.env, Path(cwd)) as run:
        for row in rows:
            run.request("switch_session", sessionPath=row.path)
            told = run.request("get_session_stats")["data"]
            assert told["sessionId"] == row.id
            assert (told["userMessages"], told["totalMessages"]) == (row.prompts, row.messages), row.path
            assert told["tokens"]["total"] == row.tokens, row.path
            assert told["cost"] == pytest.approx(row.cost), row.path
