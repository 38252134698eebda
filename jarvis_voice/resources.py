"""Where the data files that ship with Jarvis lie, in a checkout and in an installed wheel alike."""

from __future__ import annotations

from audio.resources import asset

__all__ = ["asset"]
