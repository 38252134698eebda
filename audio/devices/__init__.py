"""Microphones and loudspeakers: real ones through PortAudio, files, and scripted ones.

May import: numpy and, in the edge modules only, ``sounddevice``; never at import time, so that a
machine without PortAudio runs everything else.
Must not know: what the sound means. Samples cross the seam, no words.
"""
