"""A Pi for faults that the real one can't be made to show. `python fake_pi.py FAULT… --mode rpc`.

It answers every command with its state as data, or what the fault says; the session's file is `FAKE_FILE`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

Record = dict[str, Any]
STATE: Record = {"sessionId": "fake", "thinkingLevel": "off", "model": {"id": "m", "provider": "p"}}
if "FAKE_FILE" in os.environ:
    STATE["sessionFile"] = os.environ["FAKE_FILE"]


def say(record: Record) -> None:
    put(json.dumps(record) + "\n")


def put(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
    sys.stdout.buffer.flush()


def answer(request: Record, data: Any = None) -> None:
    reply = {"id": request["id"], "type": "response", "command": request["type"], "success": True}
    say({**reply, "data": STATE if data is None else data})


def banner(request: Record) -> None:
    put('Welcome to the machine\n\n\x1b[?25h\x1b]0;title\x07\n[1, 2]\n"text"\n{not json}\n')
    put("\x1b[32mno end of line\x1b[0m")
    answer(request)


def other_ids(request: Record) -> None:
    answer({**request, "id": "somebody-else"})
    say({"id": 7, "type": "response", "command": "x", "success": True})
    say({"type": "response", "command": "parse", "success": False, "error": "Failed to parse command"})
    answer(request)
    answer(request)


def dies(request: Record) -> None:
    sys.stderr.write("Warning: be warned\nTypeError: it broke. Badly.\n    at x.js:1:2\n")
    os._exit(3)


def killed(request: Record) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def silent(request: Record) -> None:
    return


def flood(request: Record) -> None:
    for _ in range(200):
        sys.stderr.write("x" * 99_999 + "\n")
    sys.stderr.write("the last words")
    sys.stderr.flush()
    answer(request)


def odd(request: Record) -> None:
    deep = "[" * 5000 + "]" * 5000
    if request["type"] == "get_entries":
        entries = '{"id":"a","text":"\\ud83d \u2028"},{"id":"b","deep":' + deep + "},[1,2],null"
        data = '{"entries":[' + entries + '],"leafId":"b"}'
        put('{"id":"' + request["id"] + '","type":"response","command":"get_entries",')
        put('"success":true,"data":' + data + "}\n")
    else:
        put('{"type":"message_end","message":{"text":"\\ud83d"}}\n')
        put('{"type":"message_end","message":{"deep":' + deep + "}}\n")
        answer(request)


def big(request: Record) -> None:
    answer(request, {"entries": [{"id": "a", "text": "\u00e9" * 10_000_000}], "leafId": "a"})


def dialog(request: Record) -> None:
    say({"type": "extension_ui_request", "id": "d1", "method": "confirm", "title": "Really?", "message": "m"})
    say({"type": "extension_ui_request", "id": "n1", "method": "notify", "message": "hello"})
    reply = json.loads(sys.stdin.readline())
    answer(request, {**STATE, "sessionName": json.dumps(reply)})


def asks_at_start(request: Record) -> None:
    say({"type": "extension_ui_request", "id": "d1", "method": "input", "title": "Your\nname?"})
    time.sleep(60)


def refuses(request: Record) -> None:
    reply = {"id": request["id"], "type": "response", "command": request["type"], "success": False}
    say({**reply, "error": "Unknown command"})


def closes_stdout(request: Record) -> None:
    os.close(1)
    time.sleep(60)


def slow_entries(request: Record) -> None:
    if request["type"] == "get_entries":
        with open(os.environ["FAKE_FILE"], encoding="utf-8") as file:
            entries = [json.loads(line) for line in file][1:]
        since = next((n for n, entry in enumerate(entries, 1) if entry["id"] == request.get("since")), 0)
        time.sleep(0.2)
        answer(request, {"entries": entries[since:], "leafId": entries[-1]["id"]})
    else:
        answer(request)


turns = 0


def turn(request: Record, stores: bool = True) -> None:
    global turns
    turns += 1
    say({"type": "agent_start"})
    if stores:
        say({"type": "message_end", "message": {"role": "user", "content": request["message"]}})
    say({"type": "agent_settled"})


def unsettled(request: Record) -> None:
    """Its state can't be had at the end of each turn but the second."""
    if request["type"] == "get_state" and turns in (1, 3):
        refuses(request)
        return
    answer(request)
    if request["type"] == "prompt":
        turn(request)


def drops(request: Record) -> None:
    """Takes prompts, and stores none."""
    answer(request)
    if request["type"] == "prompt":
        turn(request, stores=False)


def dies_settling(request: Record) -> None:
    if request["type"] == "get_state" and turns:
        dies(request)
    answer(request)
    if request["type"] == "prompt":
        turn(request, stores=False)


def slow_prompts(request: Record) -> None:
    if request["type"] == "prompt":
        time.sleep(0.2)
        sys.stderr.write(f"prompt: {request['message']}\n")
        sys.stderr.flush()
    answer(request)
    if request["type"] == "prompt":
        turn(request)


FAULTS: dict[str, Callable[[Record], None]] = {
    "banner": banner,
    "other-ids": other_ids,
    "dies": dies,
    "killed": killed,
    "silent": silent,
    "flood": flood,
    "odd": odd,
    "big": big,
    "dialog": dialog,
    "asks-at-start": asks_at_start,
    "refuses": refuses,
    "closes-stdout": closes_stdout,
    "slow-entries": slow_entries,
    "slow-prompts": slow_prompts,
    "unsettled": unsettled,
    "drops": drops,
    "dies-settling": dies_settling,
    "none": answer,
}


def child() -> None:
    """A child in a session of its own, as the commands of Pi's tools are."""
    subprocess.Popen(["sleep", "300"], start_new_session=True, stdin=subprocess.DEVNULL)


def main(words: list[str]) -> None:
    if "--version" in words:
        print(os.environ.get("FAKE_VERSION", "1.6.0"))
        return
    if "deaf-to-term" in words:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "with-child" in words:
        child()
    fault = next((FAULTS[word] for word in words if word in FAULTS), answer)
    for line in sys.stdin:
        fault(json.loads(line))
    if "deaf-to-eof" in words:
        while True:
            time.sleep(60)


main(sys.argv[1:])
