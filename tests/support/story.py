"""A small conversation for the demo and for pictures: a project, a user's wishes, a model's replies."""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone
from pathlib import Path

from tests.support.entries import HEADER, Line, answer, entry, raw, user
from tests.support.home import PiHome
from tests.support.model import Model, Reply, ToolCall, Usage
from tests.support.pi import Pi
from tests.support.stored import bucket

NAME = "Rounding below zero"

FILES = {
    "README.md": "# thermo\n\nPrints a temperature the way people say it: `21 degrees`, `3 below`.\n",
    "thermo.py": '''"""A temperature in words."""


def whole(celsius: float) -> int:
    """The nearest whole degree."""
    return int(celsius + 0.5)


def words(celsius: float) -> str:
    degrees = whole(celsius)
    return f"{degrees} degrees" if degrees >= 0 else f"{-degrees} below"
''',
    "check.py": """from thermo import words

for celsius, wanted in ((20.6, "21 degrees"), (0.2, "0 degrees"), (-2.6, "3 below")):
    found = words(celsius)
    assert found == wanted, f"{celsius}: wanted {wanted!r}, got {found!r}"
print("3 checks, all fine")
""",
}

QUESTION = "What does this project do? Have a look."
REQUEST = "-2.6 comes out as `2 below`. Please fix it, and run check.py before and after."

REPLIES = [
    Reply(
        thinking="A small project. The README says what it is for, the module how.",
        tool_calls=[
            ToolCall("read", {"path": "README.md"}),
            ToolCall("read", {"path": "thermo.py"}),
        ],
        usage=Usage(1810, 64, cached=1024, reasoning=18),
    ),
    Reply(
        text="""**thermo** says a temperature the way people do. It is one module of two functions:

- `whole(celsius)` rounds to the nearest degree
- `words(celsius)` makes the sentence, with *below* for what is under zero

```python
>>> words(20.6)
'21 degrees'
```

`check.py` holds the checks.
""",
        usage=Usage(2140, 92, cached=1810),
    ),
    Reply(
        thinking="int() cuts towards zero, so adding a half is wrong below zero: "
        "int(-2.6 + 0.5) is int(-2.1), which is -2.\nFirst see it fail.",
        tool_calls=[ToolCall("bash", {"command": "python3 check.py"})],
        usage=Usage(2290, 71, cached=2140, reasoning=44),
    ),
    Reply(
        text="It fails as you say: `int` cuts towards zero. `math.floor` goes down on both sides.",
        tool_calls=[
            ToolCall(
                "edit",
                {
                    "path": "thermo.py",
                    "edits": [
                        {
                            "oldText": '"""A temperature in words."""\n',
                            "newText": '"""A temperature in words."""\n\nimport math\n',
                        },
                        {"oldText": "int(celsius + 0.5)", "newText": "math.floor(celsius + 0.5)"},
                    ],
                },
            )
        ],
        usage=Usage(2480, 118, cached=2290),
    ),
    Reply(
        tool_calls=[ToolCall("bash", {"command": "python3 check.py"})],
        usage=Usage(2660, 24, cached=2480),
    ),
    Reply(
        text="""Fixed. All three checks pass now:

| celsius | before | after |
|---:|---|---|
| 20.6 | 21 degrees | 21 degrees |
| 0.2 | 0 degrees | 0 degrees |
| -2.6 | *2 below* | **3 below** |

A half goes up, also below zero: `-2.5` is `2 below`.
""",
        usage=Usage(2720, 85, cached=2660),
    ),
]


OTHERS: list[tuple[float, str, list[str]]] = [
    (
        1.1,
        "",
        [
            "Write a changelog entry for the last three commits.",
            "Added: **words below zero**\n\n- `words()` says *3 below*, not *-3 degrees*\n"
            "- `check.py` has a case for it\n- the README names both forms",
            "Shorter, one line.",
            "`words()` says *3 below* for what is under zero.",
        ],
    ),
    (
        3.2,
        "Fahrenheit by a function of its own, too",
        [
            "Could words() take Fahrenheit as well?",
            "Yes, by a second function, so that nobody has to say which scale is meant:\n\n"
            "```python\ndef words_f(fahrenheit: float) -> str:\n"
            "    return words((fahrenheit - 32) * 5 / 9)\n```\n\nBelow zero it says the same words.",
        ],
    ),
    (8.5, "", ["Is a type checker worth it for one module?", "For two functions it costs you one line."]),
    (
        20.4,
        "Freezing point",
        [
            "What should 0 be, degrees or below?",
            "`0 degrees`: below begins under zero, and -0.2 rounds to 0 too.",
        ],
    ),
    (43, "", ["Rename the package to thermo.", "Done: the module, the README and the import in check.py."]),
]
"""Earlier conversations: how many days ago, the session's name, what you and Pi said in turn."""


def tell(pi: Pi, model: Model) -> Path:
    """The real Pi holds the conversation in the home's project; returns the session file that it wrote."""
    write_project(pi.home)
    model.script(*REPLIES)
    with pi.start("--thinking", "medium") as run:
        run.prompt(QUESTION)
        run.prompt(REQUEST)
        run.request("set_session_name", name=NAME)
        state = run.request("get_state")["data"]
    return Path(state["sessionFile"])


def tell_others(home: PiHome) -> None:
    """Earlier conversations in the same project, days apart, written as Pi would have."""
    folder = bucket(home.sessions_dir, home.project)
    for number, (days, name, said) in enumerate(OTHERS, 1):
        start = datetime.now(timezone.utc) - timedelta(days=days)
        identity = f"{number:08x}-0000-7000-8000-000000000000"
        lines: list[Line] = [{**HEADER, "id": identity, "timestamp": _iso(start), "cwd": str(home.project)}]
        for count, text in enumerate(said):
            stamp = start + timedelta(seconds=40 * count)
            own, parent = f"{count + 1:08x}", f"{count:08x}" if count else None
            by = {"provider": "fake", "model": "fake-1"}
            line = answer(own, parent, text, **by) if count % 2 else user(own, parent, text)
            line["timestamp"] = _iso(stamp)
            line["message"] |= {"timestamp": int(stamp.timestamp() * 1000)}
            lines.append(line)
        if name:
            last = f"{len(said):08x}"
            lines.append({**entry("session_info", "0000ffff", last, name=name), "timestamp": _iso(stamp)})
        path = folder / f"{_iso(start).replace(':', '-').replace('.', '-')}_{identity}.jsonl"
        path.write_bytes(b"".join(line + b"\n" for line in raw(*lines)))
        os.utime(path, (stamp.timestamp(), stamp.timestamp()))


def _iso(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def write_project(home: PiHome) -> None:
    """The files that the conversation is about."""
    for name, text in FILES.items():
        (home.project / name).write_text(text)
