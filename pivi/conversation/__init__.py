"""One Pi session in one buffer."""

from pivi.conversation.conversation import Conversation
from pivi.conversation.editor import TroubleError
from pivi.conversation.options import Options

__all__ = ["Conversation", "Options", "TroubleError"]
