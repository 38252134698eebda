"""Sound to words and words to sound: devices, echo, VAD, turn-taking, recognizers, synthesizers.

May import: the standard library, numpy, and each engine only in the edge module named for it.
Must not know: agents, brains, screens, sockets.
"""

import os

# onnxruntime reports to its makers unless this is set before it is first imported; its own
# disable_telemetry_events() comes too late. This is only set, never read.
os.putenv("ORT_DISABLE_TELEMETRY", "1")
