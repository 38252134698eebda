"""Where the sources find ``redact``; it stands beside ``events``, since others need it too."""

from __future__ import annotations

from jarvis_voice.redact import REDACTED, redact

__all__ = ["REDACTED", "redact"]
