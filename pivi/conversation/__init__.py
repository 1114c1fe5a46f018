"""One Pi session in one buffer."""

from pivi.conversation.conversation import Conversation, Options
from pivi.conversation.editor import TroubleError

__all__ = ["Conversation", "Options", "TroubleError"]
