"""Pi brought up: run, its first answer awaited, and a failure explained."""

from __future__ import annotations

from . import diagnose
from .answers import State
from .client import Client
from .errors import PiError, PiGoneError, PiRefusedError, PiTimeoutError, StartFailedError
from .process import Launch

LIMIT = 15.0
"""Seconds until Pi must have answered for the first time."""


async def ready(client: Client, launch: Launch, limit: float = LIMIT) -> State:
    """Wait for Pi's first answer, its state.

    Raises `StartFailedError` with a sentence for the user when none comes within `limit` seconds; nothing of
    Pi is left running then. Nothing but Pi is run while all goes well.
    """
    try:
        return await client.get_state(limit=limit)
    except PiGoneError as error:
        sentence = await diagnose.after_exit(launch, error.exit, client.asked_early)
        raise StartFailedError(sentence, error.exit) from error
    except PiTimeoutError as error:
        ended = (await client.end()).exit
        sentence = await diagnose.after_silence(launch, limit, client.asked_early)
        raise StartFailedError(sentence, ended) from error
    except PiRefusedError as error:
        ended = (await client.end()).exit
        raise StartFailedError(await diagnose.after_refusal(launch, str(error)), ended) from error
    except PiError as error:
        ended = (await client.end()).exit
        raise StartFailedError(str(error), ended) from error
