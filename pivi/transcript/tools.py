"""How a call of each of Pi's tools is told: one row a tool, and one for every tool that is not known."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from pivi.pi.messages import Details, NestedCall, NestedCalls
from pivi.pi.salvage import pretty

from .blocks import Nested

Arguments = dict[str, Any]

SHORT = 120
"""How long the arguments of an unknown tool may be to stand in one line, in characters."""

_RANGE = re.compile(r":(\d{1,10})(?:-\d{1,10})?$")
_EXIT = re.compile(r"(?:^|\n)Command exited with code (-?\d{1,10})$")


class Tool(msgspec.Struct, frozen=True):
    """A row of `TABLE`.

    `needs` is the argument without which the call is told as one of an unknown tool. `keeps` says which
    end of a long output Pi keeps. `shell`: the exit status is in the last line of a failed call's text.
    `script` is the language of a subject that is code. `path`: which part of the subject names a file or a
    directory, all of it (but for lines behind it) or what follows the last "in". `did`: the subject is a
    file, to which that is done, and below it stand lines of it; `changes` tells whether it is another one
    afterwards, `part` that the lines behind its name may be told.
    """

    subject: Callable[[Arguments], str]
    needs: str = ""
    body: Callable[[Arguments], str] = lambda arguments: ""
    language: Callable[[Arguments], str] = lambda arguments: ""
    keeps: str = "first"
    shell: bool = False
    script: str = ""
    path: Literal["", "subject", "in"] = ""
    did: str = ""
    changes: bool = False
    part: bool = False


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _compact(value)


def _compact(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "(nested too deeply)"


def _argument(name: str) -> Callable[[Arguments], str]:
    return lambda arguments: _text(arguments[name])


def _read(arguments: Arguments) -> str:
    path, offset, limit = _text(arguments["path"]), arguments.get("offset"), arguments.get("limit")
    if isinstance(limit, int) and isinstance(offset, (int, type(None))):
        first = offset or 1
        return f"{path}:{first}-{first + limit - 1}"
    return path if offset is None else f"{path}:{_text(offset)}"


def _edits(arguments: Arguments) -> str:
    """The wanted edits, for the case that Pi stored no diff of what was done."""
    edits = arguments.get("edits")
    if not isinstance(edits, list):
        edits = [arguments] if "oldText" in arguments else []
    return "\n".join(
        f"<<<<<<<\n{_text(edit.get('oldText', ''))}\n=======\n{_text(edit.get('newText', ''))}\n>>>>>>>"
        if isinstance(edit, dict)
        else _text(edit)
        for edit in edits
    )


def _content(arguments: Arguments) -> str:
    return _text(arguments.get("content", ""))


def _grep(arguments: Arguments) -> str:
    words = [_text(arguments["pattern"])]
    if "path" in arguments:
        words.append(f"in {_text(arguments['path'])}")
    options = [_text(arguments["glob"])] if "glob" in arguments else []
    options += [say for name, say in _GREP_FLAGS if arguments.get(name) is True]
    if "context" in arguments:
        options.append(f"context {_text(arguments['context'])}")
    if options:
        words.append(f"({', '.join(options)})")
    return " ".join(words)


_GREP_FLAGS = (("ignoreCase", "ignore case"), ("literal", "literal"))


def _find(arguments: Arguments) -> str:
    where = f" in {_text(arguments['path'])}" if "path" in arguments else ""
    return _text(arguments["pattern"]) + where


def _unknown(arguments: Arguments) -> str:
    if len(arguments) == 1:
        (value,) = arguments.values()
        if isinstance(value, str):
            return value
    text = _compact(arguments) if arguments else ""
    return text if len(text) <= SHORT else ""


def _unknown_body(arguments: Arguments) -> str:
    return "" if not arguments or _unknown(arguments) else pretty(arguments)


TABLE: dict[str, Tool] = {
    "read": Tool(_read, "path", path="subject", did="read", part=True),
    "bash": Tool(_argument("command"), "command", keeps="last", shell=True, script="sh"),
    "powershell": Tool(_argument("command"), "command", keeps="last", shell=True, script="powershell"),
    "edit": Tool(_argument("path"), "path", body=_edits, path="subject", did="edited", changes=True),
    "write": Tool(
        _argument("path"),
        "path",
        body=_content,
        language=_argument("path"),
        path="subject",
        did="written",
        changes=True,
    ),
    "grep": Tool(_grep, "pattern", path="in"),
    "find": Tool(_find, "pattern", path="in"),
    "ls": Tool(lambda arguments: _text(arguments.get("path", ".")), path="subject"),
    "codemode": Tool(lambda arguments: "", "code", body=_argument("code"), language=lambda a: "javascript"),
}

UNKNOWN = Tool(_unknown, body=_unknown_body, language=lambda a: "json" if _unknown_body(a) else "")


def paths() -> dict[str, dict[str, str | bool]]:
    """What the editor has to know of tools whose calls name a path: see `path`, `did`, `part` of `Tool`."""
    return {
        name: {"path": tool.path, "lines": bool(tool.did), "part": tool.part}
        for name, tool in TABLE.items()
        if tool.path
    }


def place(name: str, subject: str) -> tuple[str, int]:
    """The file that a call works on and the first of the lines told behind it, 0 where none is.

    `("", 0)` for a tool that works on none.
    """
    tool = TABLE.get(name, UNKNOWN)
    if not tool.did:
        return "", 0
    match = _RANGE.search(subject) if tool.part else None
    return (subject[: match.start()], int(match[1])) if match else (subject, 0)


def told(name: str, arguments: Any) -> tuple[str, str, str]:
    """Subject, body and language of a call."""
    if not isinstance(arguments, dict):
        return ("" if arguments is None else _text(arguments)), "", ""
    tool = TABLE.get(name, UNKNOWN)
    if tool.needs and tool.needs not in arguments:
        tool = UNKNOWN
    return tool.subject(arguments), tool.body(arguments), tool.language(arguments)


def exit_status(name: str, text: str, error: bool) -> int | None:
    """The exit status that Pi wrote below the output of a failed command."""
    if not error or name not in TABLE or not TABLE[name].shell:
        return None
    found = _EXIT.search(text[-60:].rstrip())
    return int(found[1]) if found else None


def limits(name: str, details: Details) -> tuple[str, ...]:
    """What Pi left out of the output, in words that follow "shown: "."""
    keeps = TABLE.get(name, UNKNOWN).keeps
    said = [
        f"the first {_count(reached, noun)}"
        for reached, noun in (
            (details.match_limit_reached, "match"),
            (details.result_limit_reached, "result"),
            (details.entry_limit_reached, "entry"),
        )
        if reached
    ]
    cut = details.truncation
    if cut is not None and cut.truncated:
        if cut.first_line_exceeds_limit:
            said.append("nothing, since the first line alone is too long")
        elif cut.last_line_partial:
            said.append(f"the {keeps} {size_text(cut.output_bytes)} of {size_text(cut.total_bytes)}")
        elif cut.truncated_by == "bytes":
            said.append(
                f"the {keeps} {cut.output_lines} of {_count(cut.total_lines, 'line')}"
                f" ({size_text(cut.output_bytes)} of {size_text(cut.total_bytes)})"
            )
        else:
            said.append(f"the {keeps} {cut.output_lines} of {_count(cut.total_lines, 'line')}")
    if details.lines_truncated:
        said.append("long lines cut")
    return tuple(said)


def nested(calls: NestedCalls) -> tuple[Nested, ...]:
    """The calls that a tool made itself."""
    return tuple(map(_nested, calls.calls))


def _nested(call: NestedCall) -> Nested:
    subject = told(call.name, call.arguments)[0]
    if call.arguments is None and call.arguments_bytes is not None:
        subject = f"({size_text(call.arguments_bytes)} of arguments)"
    duration = None if call.duration_ms is None else round(call.duration_ms)
    return Nested(call.name, subject, call.status, duration, call.error)


def _count(number: int, noun: str) -> str:
    if number == 1:
        return f"1 {noun}"
    plural = {"entry": "entries", "match": "matches"}.get(noun, f"{noun}s")
    return f"{number} {plural}"


def size_text(size: int) -> str:
    """A size in bytes, as Pi writes it."""
    if size < 1024:
        return f"{size} bytes"
    return f"{size / 1024:.1f} KB" if size < 1024 * 1024 else f"{size / 1024 / 1024:.1f} MB"
