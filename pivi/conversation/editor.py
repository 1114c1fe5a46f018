"""The other side of a conversation, as far as it needs one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from pivi.pi.errors import PiError
from pivi.view.patch import Patch

Params = dict[str, Any]
Method = Callable[[int, Params], Coroutine[Any, Any, object]]
"""Takes a request's number and its parameters, and gives the answer. Raises `PiError`, `TargetError`."""


class TroubleError(PiError):
    """What the user asked for can't be done; the text is one sentence."""


class Editor(Protocol):
    """Takes messages, and runs tasks for as long as the editor lives."""

    def send(self, method: str, *args: object) -> None:
        """Call the editor's inbox, in order and without waiting."""

    def patch(self, conversation: int, sequence: int, patch: Patch) -> None:
        """Have a patch applied, in order with what is sent."""

    def shown_in(self, conversation: int, buffer: int | None) -> None:
        """The buffer that takes the conversation's patches; None where it is closed."""

    def run(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a task whose failure is reported."""

    def failed(self, error: BaseException) -> None:
        """Report a failure that nobody expected."""
