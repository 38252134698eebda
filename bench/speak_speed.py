"""Is preparing text for speech linear work? CPU time for 12.5 kB and for four times as much.

For each of several nasty texts, one piece over and over: the least of three readings, and the
ratio, which quadratic work would make sixteen. Run with: python -m bench.speak_speed
"""

from __future__ import annotations

import gc
import sys

from audio.tts.spoken_text import speak
from jarvis_voice import clock

PIECES = (
    "The tests in `utils/io.py` passed, 82 of 90. ",
    "a/b/",
    "1-",
    "[a",
    "|a\n",
    "a1",
    "1e",
    "![](",
)
SIZE = 12_500


def cpu_s(text: str) -> float:
    """The least CPU time of three readings, without the garbage collector."""
    took = []
    gc.disable()
    try:
        for _ in range(3):
            began_s = clock.cpu_seconds()
            speak(text)
            took.append(clock.cpu_seconds() - began_s)
    finally:
        gc.enable()
    return min(took)


def main() -> int:
    """Print a line for each text; exit status 1 when one takes eight times as long or more."""
    worst = 0.0
    for piece in PIECES:
        text = (piece * (SIZE // len(piece) + 1))[:SIZE]
        short, whole = cpu_s(text), cpu_s(text * 4)
        worst = max(worst, whole / short)
        figures = f"{short * 1e3:7.1f} ms {whole * 1e3:8.1f} ms  {whole / short:.1f} x"
        sys.stdout.write(f"{piece[:20]!r:24} {figures}\n")
    return 1 if worst >= 8.0 else 0


if __name__ == "__main__":
    sys.exit(main())
