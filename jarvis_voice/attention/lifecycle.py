"""What becomes of a held action: the pure fold over the facts."""

from __future__ import annotations

from jarvis_voice.attention.facts import decode, encode

__all__ = ["decode", "encode"]
