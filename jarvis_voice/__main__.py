"""``python -m jarvis_voice`` is the command ``jarvis``."""

from __future__ import annotations

import sys

from jarvis_voice.cli import main

sys.exit(main())
