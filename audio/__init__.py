"""Sound to words and words to sound: devices, echo, VAD, turn-taking, recognizers, synthesizers.

May import: the standard library, numpy, and each engine only in the edge module named for it.
Must not know: agents, brains, screens, sockets.
"""
