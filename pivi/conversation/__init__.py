"""One Pi session in one buffer, and the browser of all."""

from pivi.conversation.conversation import Conversation
from pivi.conversation.editor import TroubleError
from pivi.conversation.options import Options
from pivi.conversation.viewing import Viewing

__all__ = ["Conversation", "Options", "TroubleError", "Viewing"]
