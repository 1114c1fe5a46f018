"""A session's life in a buffer: painted, attached to Pi, reconciled, stopped, started again, ended."""

from __future__ import annotations

import asyncio
from typing import Final

from pivi.conversation.editor import Editor, TroubleError
from pivi.conversation.front import ROWS, Front, Phase
from pivi.conversation.guard import Guard
from pivi.conversation.identity import Identity
from pivi.conversation.link import Link
from pivi.conversation.options import Options
from pivi.conversation.screen import Screen
from pivi.conversation.turns import Turns
from pivi.conversation.viewing import Viewing
from pivi.conversation.words import Word, Words
from pivi.pi import diagnose
from pivi.pi.answers import State
from pivi.pi.client import Hooks
from pivi.pi.errors import Exit, PiError, StartFailedError
from pivi.pi.launch import Continue, Fork, New, Resume, Session
from pivi.view.icons import TABLES

_OWN = "Pi could not be taken into use: an error of pivi's own, whole in :Pi log."


class Conversation:
    """A session in a buffer. `number` names it between the editor and us.

    What is shown is the stored transcript with the live blocks of the running turn behind it. In the methods
    `request` is the one that the editor opens a buffer for, `rows` the height of its window. `viewing`: what
    was only read so far, under the same number; `take_up` goes on with it.
    """

    leaf: Final = ""

    def __init__(
        self, number: int, editor: Editor, options: Options, cwd: str, viewing: Viewing | None = None
    ) -> None:
        self.number = number
        self._front = front = viewing.front if viewing else Front(number, editor)
        front.status.cwd = cwd
        hooks = Hooks(
            event=lambda event: self._turns.event(event),
            exit=lambda ended: front.spawn("ending", self._after_exit(ended)),
            log=front.log,
            failure=front.failed,
            ui_request=lambda request: self._turns.asked(request),
        )
        self._link = Link(options.pi, hooks)
        self._words = Words(front.words_back, front.words_stored)
        self.screen = viewing.screen if viewing else Screen(TABLES[options.icons], front.patch, lambda: None)
        self.screen.progressed = lambda: self._turns.publish()
        self._guard = Guard(self.screen)
        self._turns = Turns(front, self._link, self.screen, self._words, self._guard)
        self._identity = Identity(front, self.screen, self._turns)
        self._attempt = self._started = object()
        self._ending = asyncio.Lock()
        self._filled = False
        self._reconciled = False

    @property
    def path(self) -> str:
        """The session's file, "" where it has none."""
        return self._front.status.session_file

    @property
    def phase(self) -> Phase:
        return self._front.status.phase

    # The beginning

    def resume(self, path: str, session: Session, request: int, rows: int) -> None:
        """Paint the stored session and start Pi on it. Raises `TroubleError` where the file can't be read."""
        self._identity.take(self.screen.read_tail(path, rows).id, path)
        self._front.open(request, self.screen.transcript.name)
        self.screen.paint(rows)
        self._turns.publish("PiviPainted")
        self._front.spawn("attaching", self._attach(session, self._attempt))
        self._front.spawn("reading", self._read())

    def take_up(self, viewing: Viewing, session: Session, request: int) -> None:
        """Start Pi on what is read already, or still being read; nothing of it is painted again."""
        viewing.hand_over()
        self._front.open(request, self.screen.transcript.name)
        self._front.spawn("attaching", self._attach(session, self._attempt))
        self._front.spawn("reading", self._wait_for(viewing.read))

    async def begin(
        self, session: New | Fork | Continue, request: int, rows: int, empty: Exception | None = None
    ) -> None:
        """Start Pi on a session that it makes or finds itself, then show it.

        Raises `PiError`, and `empty` where that is given and nothing was said in the session.
        """
        await self._identity.follow(await self._start(session, self._attempt))
        if empty is not None and self.screen.is_empty:
            raise empty
        self._front.open(request, self.screen.transcript.name)
        self.screen.paint(rows)
        self._reconciled = True
        self._turns.publish("PiviPainted", "PiviAttached")
        await self._turns.begin()
        # A task of the conversation: it ends with the buffer, whose patches nobody acknowledges then.
        self._front.spawn("reading", self._read())

    async def _wait_for(self, read: asyncio.Task[None] | None) -> None:
        if read is not None:
            # It tells itself how it failed.
            await asyncio.wait({read})
        if self.screen.trouble:
            self._unread(self.screen.trouble)
        self._filled = True
        self._say_backfilled()

    async def _read(self) -> None:
        try:
            await self.screen.read_rest()
        except TroubleError as error:
            self._unread(str(error))
        except Exception:
            self._unread(self.screen.trouble)
            raise
        self._filled = True
        self._say_backfilled()

    def _unread(self, sentence: str) -> None:
        status = self._front.status
        if self.phase in ("stopped", "failed"):
            status.error = f"{status.error} {sentence}".strip()
            self._front.say("error", sentence)
        else:
            # Pi may still tell all of it. Where it can't, this is told with its own failure.
            status.error = sentence
        self._turns.publish()

    def _say_backfilled(self) -> None:
        if self._filled and self._reconciled and not self.screen.trouble:
            self._turns.publish("PiviBackfilled")

    async def _start(self, session: Session, attempt: object) -> State:
        self._front.status.error = ""
        self._turns.phase("starting")
        # Before Pi opens it: from now on nobody else should move it.
        await self._guard.hold(self.path)
        self._check(attempt)
        self._started = attempt
        state = await self._link.start(session, self._front.status.cwd)
        # Pi would start and refuse each prompt, and it looks for models only when it starts.
        if sentence := diagnose.no_model(state):
            raise StartFailedError(sentence)
        self._turns.learn(state)
        await self._guard.hold(self._identity.file(state))
        return state

    def _check(self, attempt: object) -> None:
        if attempt is not self._attempt:
            raise PiError("Something else was asked of Pi meanwhile.")

    async def _attach(self, session: Session, attempt: object) -> None:
        try:
            state = await self._start(session, attempt)
            if isinstance(session, Continue) and self._identity.is_elsewhere(state):
                await self.screen.all_read.wait()
                await self._identity.move(state)
                self._turns.publish("PiviAttached")
                self.repaint(ROWS)
            else:
                self._identity.verify(state)
                self._turns.publish("PiviAttached")
                await self.screen.all_read.wait()
                await self._turns.catch_up()
            self._check(attempt)
            self._front.status.error = ""
            await self._turns.begin()
            await self.screen.updated()
        except PiError as error:
            # A stop or another start that came meanwhile has ended this one, and says what is.
            if attempt is self._attempt:
                await self._end()
                self._fail(str(error))
        except Exception:
            if attempt is self._attempt:
                await self._end()
                self._fail(_OWN)
            raise
        self._reconciled = True
        self._say_backfilled()

    # What the editor asks for

    def repaint(self, rows: int) -> None:
        """The buffer lost its text: paint it anew."""
        self.screen.paint(rows)
        self._front.spawn("filling", self.screen.fill())

    async def send(self, text: str, key: int, options: Options) -> None:
        """Prompt, or steer the running turn. Held until Pi is ready; a Pi that has ended is started again,
        with these options.

        `key` is the editor's number for the words, 0 for none. Raises `TroubleError` as `restart` does.
        """
        word = Word(text, key)
        if self.phase in ("reading", "starting") or self._turns.beginning:
            self._words.hold(word)
        elif self.phase in ("stopped", "failed"):
            self.restart(options)
            self._words.hold(word)
        else:
            await self._turns.prompt(word)

    async def abort(self) -> None:
        """Stop the running turn. Raises `PiError`."""
        await self._turns.abort()

    def restart(self, options: Options) -> None:
        """Start Pi (again) on the session that is shown, with the options as they are now.

        Raises `TroubleError` where none is stored.
        """
        if not self._front.is_stored:
            raise TroubleError("This session is not stored, so it can't be started again.")
        # At once: what is said before the task runs must not start a second Pi.
        attempt = self._attempt = object()
        self._link.options = options.pi
        self._turns.phase("starting")
        self._front.spawn("restarting", self._restart(attempt))

    async def _restart(self, attempt: object) -> None:
        await self._end()
        if attempt is self._attempt:
            await self._attach(Resume(self.path), attempt)

    async def export_html(self, path: str) -> bool:
        """Have the running Pi write the session to a file; tells whether one runs. Raises `PiError`."""
        if self.phase in ("reading", "starting", "stopped", "failed"):
            return False
        await self._link.client.export_html(path)
        return True

    async def rename(self, name: str) -> bool:
        """Have the running Pi name the session; tells whether one runs. Raises `PiError`."""
        if self.phase in ("reading", "starting", "stopped", "failed"):
            return False
        if not name.strip():
            raise TroubleError(":Pi stop it first: Pi can't take a running session's name away.")
        await self._link.client.set_session_name(name)
        return True

    async def stop(self) -> None:
        """End Pi and keep the transcript."""
        attempt = self._attempt = object()
        self._words.return_held("Pi was stopped.")
        await self._end("Pi was stopped before it stored them.")
        # Where it is being started again, that tells what is.
        if attempt is self._attempt:
            self._words.return_held("Pi was stopped.")
            self._turns.phase("stopped", "PiviExited")
            self.screen.update()

    # The end

    async def close(self) -> None:
        """The buffer is gone: end everything. Words that still waited for Pi are the user's again."""
        self._attempt = object()
        self._front.cancel()
        self._words.return_held("Their buffer was closed.")
        await self._end("Their buffer was closed.")

    def kill_now(self) -> None:
        """For the host's own end: blocks for a moment."""
        self._link.kill_now()

    async def _end(self, why: str = "") -> None:
        """End Pi. `why`: what it was sent and did not store comes back, for this reason."""
        # Until all is known of one Pi, nobody starts the next.
        async with self._ending:
            await self._guard.release()
            self._words.give_back_queued(await self._link.end(), "Pi was stopped before their turn.")
            if why:
                await self._look_for_words(why)

    async def _look_for_words(self, why: str) -> None:
        """Pi has ended: is what it was sent stored? Costs a look at the file where that is not known."""
        if self._words.unstored:
            if self._front.is_stored:
                await self._read_again()
                self.screen.update()
            self._words.return_unstored(self.screen.said_since, why)

    async def _read_again(self) -> None:
        try:
            await self.screen.read_again(self.path)
        except (TroubleError, OSError) as error:
            # What is shown stays.
            self._front.log("pivi", str(error))

    async def _after_exit(self, ended: Exit) -> None:
        """Pi ended by itself: show what it stored, give back what it did not."""
        attempt = object()
        if self._started is self._attempt:
            self._attempt = attempt
        async with self._ending:
            await self._guard.release()
            await self.screen.all_read.wait()
            if self._front.is_stored:
                await self._read_again()
            returned = self._words.return_unstored(self.screen.said_since, ended.sentence)
        if attempt is self._attempt:
            self._fail(ended.sentence, told=returned)
        self.screen.update()
        if attempt is self._attempt:
            self._turns.publish("PiviExited")

    def _fail(self, sentence: str, *, told: bool = False) -> None:
        if self.screen.trouble:
            sentence = f"{sentence} {self.screen.trouble}"
        self._front.status.error = sentence
        self._turns.phase("failed")
        # What comes back brings the sentence along.
        if not self._words.return_held(sentence) and not told:
            self._front.say("error", sentence)
