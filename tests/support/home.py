"""A home of its own for Pi and Neovim: nothing of the user's is read, nothing of ours stays."""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.model import MODEL_ID
from tests.support.tools import NODE

MARK = "PIVI_TEST_MARK"


@dataclass(frozen=True)
class PiHome:
    """Folders and the environment that leads Pi and Neovim to them.

    Every process started with `env` carries `mark`, and so do its children: `processes_with` finds them.
    """

    root: Path
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def home(self) -> Path:
        """HOME."""
        return self.root / "home"

    @property
    def agent_dir(self) -> Path:
        """Pi's agent directory: settings, models, sessions."""
        return self.home / ".pi" / "agent"

    @property
    def sessions_dir(self) -> Path:
        """Where Pi keeps its sessions, a folder for each working directory."""
        return self.agent_dir / "sessions"

    @property
    def project(self) -> Path:
        """An empty working directory."""
        return self.root / "project"

    @property
    def pi_env(self) -> dict[str, str]:
        """What Pi needs beyond HOME."""
        return {
            "PATH": f"{NODE.parent}:{os.environ.get('PATH', '/usr/bin:/bin')}",
            "PI_CODING_AGENT_DIR": str(self.agent_dir),
            "PI_OFFLINE": "1",
            "PI_SKIP_VERSION_CHECK": "1",
        }

    @property
    def env(self) -> dict[str, str]:
        """A whole environment; nothing else is inherited but words about the language and the terminal."""
        kept = {name: os.environ[name] for name in ("LANG", "TERM", "COLORTERM", "TZ") if name in os.environ}
        xdg = {
            f"XDG_{name.upper()}_HOME": str(self.root / "xdg" / name)
            for name in ("config", "data", "state", "cache")
        }
        return {
            "LANG": "C.UTF-8",
            **kept,
            **xdg,
            **self.pi_env,
            "HOME": str(self.home),
            "TMPDIR": str(self.root / "tmp"),
            "NVIM_LOG_FILE": str(self.root / "nvim.log"),
            "NVIM_RPLUGIN_MANIFEST": str(self.root / "rplugin.vim"),
            MARK: self.mark,
        }

    def write_models(self, url: str, context_window: int = 100_000) -> None:
        """models.json and settings.json: the scripted model at `url` is Pi's default."""
        model = {
            "id": MODEL_ID,
            "name": "Fake One",
            "reasoning": True,
            "input": ["text", "image"],
            "contextWindow": context_window,
            "maxTokens": 4096,
            "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0},
        }
        provider = {"baseUrl": url, "api": "openai-completions", "apiKey": "dummy", "models": [model]}
        settings = {"defaultProvider": "fake", "defaultModel": MODEL_ID, "defaultThinkingLevel": "off"}
        (self.agent_dir / "models.json").write_text(json.dumps({"providers": {"fake": provider}}))
        (self.agent_dir / "settings.json").write_text(json.dumps(settings))


def make_home(root: Path) -> PiHome:
    """The folders of a home, made below `root`, whose real path is used: Pi compares directories by it."""
    home = PiHome(root.resolve())
    for folder in (home.agent_dir, home.project, home.root / "tmp"):
        folder.mkdir(parents=True, exist_ok=True)
    return home
